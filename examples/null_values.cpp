// SPDX-License-Identifier: MIT
// Rows without a value: they meet no condition except an exclusion and a negation.
#include <iostream>

#include <sluice/sluice.hpp>

constexpr sluice::column country{.name = "country", .is_nullable = true};
constexpr sluice::column seats{
    .name = "seats", .type = sluice::column_type::integer, .is_nullable = true};

struct account {
    std::optional<std::string_view> country;
    std::optional<std::int64_t> seats;
};

// Returns the cell of a column, or an empty cell if the row lacks a value.
sluice::cell cell_of(const account& row, const sluice::column& wanted) {
    if (wanted.name == country.name && row.country) return *row.country;
    if (wanted.name == seats.name && row.seats) return *row.seats;
    return {};
}

int main() {
    const account a{.country = "US", .seats = 5}, b{};  // b has no values
    const sluice::where is_us(
        sluice::leaf{.subject = country, .test = sluice::text_test{sluice::filter({"US"})}});
    const sluice::where is_small(
        sluice::leaf{.subject = seats, .test = sluice::bounds<std::int64_t>{.most = 8}});
    for (const sluice::where& condition :
         {is_us, sluice::where::negation(is_us), is_small, sluice::where::negation(is_small)}) {
        for (const account& row : {a, b}) {
            std::cout << condition.matches(
                [&](const sluice::column& wanted) { return cell_of(row, wanted); });
        }
        std::cout << ' ';
    }
    std::cout << '\n';  // 10 01 10 01
}
