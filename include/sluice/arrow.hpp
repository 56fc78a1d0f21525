// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_HPP
#define SLUICE_ARROW_HPP

/// Masks of filters and list queries over Arrow data.
#include <sluice/arrow/abi.hpp>
#include <sluice/arrow/data_type.hpp>
#include <sluice/arrow/filter_mask.hpp>
#include <sluice/arrow/fixed_text.hpp>
#include <sluice/arrow/list_mask.hpp>
#include <sluice/arrow/table_mask.hpp>

#endif
