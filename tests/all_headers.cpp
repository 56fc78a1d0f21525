// SPDX-License-Identifier: MIT
#include "all_headers.hpp"
