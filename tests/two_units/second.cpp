// SPDX-License-Identifier: MIT
#include "all_headers.hpp"

int second_unit();

int second_unit() { return sluice::parse_filter("US,-CA") ? 1 : 0; }
