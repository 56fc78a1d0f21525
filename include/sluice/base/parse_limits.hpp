// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_PARSE_LIMITS_HPP
#define SLUICE_BASE_PARSE_LIMITS_HPP

#include <cstddef>

namespace sluice {

// Limits of the parsers. Checks, messages and documentation read the same constants.

inline constexpr std::size_t filter_max_values = 1'000;  ///< of one filter, its repeats included
inline constexpr std::size_t filter_max_bytes = 10'000;  ///< of one filter's text
inline constexpr std::size_t list_max_items = 1'000;     ///< of a comma list, its repeats included

/// Maximum length of a metadata expression to parse, in UTF-16 code units, as JavaScript clients
/// count it.
inline constexpr std::size_t metadata_query_max_length = 10'000;
/// Maximum number of parentheses and NOTs, together, around a condition.
inline constexpr std::size_t metadata_query_max_depth = 64;
/// Maximum number of conditions in an expression.
inline constexpr std::size_t metadata_query_max_conditions = 256;

/// Maximum number of tests in the conditions of a query's JSON, those of records included.
inline constexpr std::size_t where_max_tests = 256;
/// Maximum number of all, any and not, together, around a test.
inline constexpr std::size_t where_max_depth = 64;

/// Maximum size of an expression in any of the grammars, in bytes.
inline constexpr std::size_t expression_max_bytes = 10'000;

/// Maximum nesting of arrays and objects in a record. It leaves room for the record around a nested
/// value in parsers that stop at 1,000 levels.
inline constexpr std::size_t json_max_depth = 256;

}  // namespace sluice

#endif
