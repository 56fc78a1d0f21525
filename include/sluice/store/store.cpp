// SPDX-License-Identifier: MIT
// The library sluice::store.
#define SLUICE_STORE_SOURCE
#include <sluice/store/aggregate.hpp>
#include <sluice/store/select.hpp>
#include <sluice/store/snapshot_file.hpp>
