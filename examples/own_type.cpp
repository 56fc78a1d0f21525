// SPDX-License-Identifier: MIT
// A custom parameter type with a custom rule: a book's ISBN-13 and its check digit.
#include <iostream>

#include <sluice/sluice.hpp>

struct isbn {
    std::string digits;
};

inline constexpr sluice::custom_rule check_digit(
    {.name = "check_digit",
     .code = sluice::error_code::unprocessable_entity,
     .problem = "the check digit does not fit the others",
     .advice = "expected an ISBN as it is printed on the book"});

template <>
struct sluice::param_traits<isbn> {
    static result<isbn> parse(std::string_view text) {
        const auto all_digits = text.find_first_not_of("0123456789") == text.npos;
        if (text.size() != 13 || !all_digits) return fail(rule::value_malformed, 0, text.size());
        int sum = 0;
        for (std::size_t i = 0; i < 13; ++i) sum += (text[i] - '0') * (i % 2 == 0 ? 1 : 3);
        if (sum % 10 != 0) return fail(check_digit, 12, 1);
        return isbn{std::string(text)};
    }
    static std::string format(const isbn& book) { return book.digits; }
    static constexpr std::string_view form = "isbn";
    static constexpr std::string_view accepts = "expected an ISBN of 13 digits";
};

constexpr sluice::schema columns{sluice::column{.name = "id"}, sluice::column{.name = "isbn"}};

struct books : sluice::list_page {
    std::optional<isbn> book;
};

constexpr sluice::param_table params{
    columns, sluice::value_param<&books::book>({.name = "isbn", .column = "isbn"}),
    sluice::page_params<books, 100>()};

int main(int, char** arguments) {
    const auto pairs = sluice::parse_query_string(arguments[1]);
    const auto query = sluice::bind(params, pairs.pairs());
    if (query) std::cout << sluice::to_json(sluice::to_list_query(params, *query)) << '\n';
    if (!query && query.error().broken == check_digit) std::cout << "a typing error\n";
    if (!query) std::cout << sluice::error_body(query.error(), "https://example.com/docs") << '\n';
}
