// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_QUERY_ROW_ACCESSORS_HPP
#define SLUICE_TESTS_QUERY_ROW_ACCESSORS_HPP

#include <sluice/query/accessors.hpp>

#include "make_tests.hpp"

// The rows of make_tests.hpp as objects of a program.

namespace test_samples {

inline constexpr auto line_accessors =
    accessors_of<line>(line_columns, member<&line::sku>("sku"), member<&line::count>("count"));
inline constexpr auto row_accessors = accessors_of<row>(
    columns, member<&row::id>("id"), member<&row::name>("name"), member<&row::city>("city"),
    member<&row::region>("region"), member<&row::tags>("tags"), member<&row::seats>("seats"),
    member<&row::ports>("ports"), member<&row::total>("total"), member<&row::score>("score"),
    member<&row::created>("created"), member<&row::due>("due"), member<&row::token>("token"),
    member<&row::tokens>("tokens"), member<&row::size>("size"), member<&row::sizes>("sizes"),
    member<&row::open>("open"), member<&row::data>("data"),
    member<&row::lines, line_accessors>("lines"));

}  // namespace test_samples

#endif
