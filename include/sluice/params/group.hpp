// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_GROUP_HPP
#define SLUICE_PARAMS_GROUP_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <sluice/params/param.hpp>

/// Groups of rows whose parameters make one value, some of which have no name and are left out.
namespace sluice::detail {

/// Returns the number of names that aren't empty.
template <std::size_t Rows>
[[nodiscard]] constexpr std::size_t count_named(
    const std::array<std::string_view, Rows>& names) noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(names, [](std::string_view name) { return !name.empty(); }));
}

/// Returns the rows of a group that have a name; there are `Named` of them.
template <std::size_t Named, class Query, std::size_t Rows>
[[nodiscard]] constexpr param_group<Query, Named> named_rows(
    const param_group<Query, Rows>& rows) noexcept {
    param_group<Query, Named> kept{};
    std::ranges::copy_if(rows, kept.begin(),
                         [](const param<Query>& row) { return !row.info.name.empty(); });
    return kept;
}

/// Makes the first row of a group with a name the one that adds its condition and finishes it, as
/// the row `leader` does, which may have no name.
template <class Query>
constexpr void lead(param<Query>& first, const param<Query>& leader, std::size_t named) noexcept {
    first.info.column = leader.info.column;
    first.info.test = leader.info.test;
    first.comparable = leader.comparable;
    first.contribute = leader.contribute;
    first.finish = leader.finish;
    first.finishes = named;
}

}  // namespace sluice::detail

#endif
