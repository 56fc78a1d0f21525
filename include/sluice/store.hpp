// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_HPP
#define SLUICE_STORE_HPP

/// The store in memory: a resource's rows in columns, selected by list queries. It needs simdjson.
#include <sluice/store/aggregate.hpp>
#include <sluice/store/column_store.hpp>
#include <sluice/store/select.hpp>

#endif
