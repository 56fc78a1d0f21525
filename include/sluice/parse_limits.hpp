// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARSE_LIMITS_HPP
#define SLUICE_PARSE_LIMITS_HPP

#include <cstddef>

namespace sluice {

// The most that the parsers take. Checks, messages and documentation read the same constants.

inline constexpr std::size_t filter_max_values = 1'000;  ///< of one filter, its repeats included
inline constexpr std::size_t filter_max_bytes = 10'000;  ///< of one filter's text
inline constexpr std::size_t list_max_items = 1'000;     ///< of a comma list, its repeats included

/// The longest metadata expression, in UTF-16 code units: what JavaScript clients count as its
/// length.
inline constexpr std::size_t metadata_query_max_length = 10'000;
/// The most parentheses and NOTs, together, that may surround a condition.
inline constexpr std::size_t metadata_query_max_depth = 64;
/// The most conditions in an expression.
inline constexpr std::size_t metadata_query_max_conditions = 256;

/// How deep the arrays and objects of a record may nest. It leaves room for the record around a
/// nested value in parsers that stop at 1,000 levels.
inline constexpr std::size_t json_max_depth = 256;

}  // namespace sluice

#endif
