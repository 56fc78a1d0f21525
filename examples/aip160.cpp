// SPDX-License-Identifier: MIT
// The standard method List of Google's AIPs over a program's own structs: filter, order_by, pages.
#include <iostream>
#include <string>
#include <vector>

#include <sluice/params/guidelines.hpp>
#include <sluice/query.hpp>
#include <sluice/sluice.hpp>

struct book {
    std::string id;
    std::string title;
    std::int64_t pages;
};

constexpr sluice::schema columns{
    sluice::column{.name = "id"}, sluice::column{.name = "title"},
    sluice::column{.name = "pages", .type = sluice::column_type::integer}};
constexpr auto book_accessors = sluice::accessors_of<book>(columns, sluice::member<&book::id>("id"),
                                                           sluice::member<&book::title>("title"),
                                                           sluice::member<&book::pages>("pages"));

// The names that clients use, and the columns in which words without a name are searched.
constexpr std::array<sluice::expression_column, 2> names{
    {{.name = "title", .subject = *columns.find("title")},
     {.name = "pageCount", .subject = *columns.find("pages")}}};
constexpr std::array<std::string_view, 1> searched{"title"};

struct books_query : sluice::guideline_list {};
constexpr sluice::param_table params{
    columns, sluice::aip_params<books_query, 1'000>({.named = names, .searched = searched})};

/// Prints the page of a request and its token, or the error with a caret below its place.
void list_books(const std::vector<book>& books, std::string_view query_string) {
    const auto request = sluice::parse_query_string(query_string);
    const auto query = sluice::bind(params, request.pairs());
    if (!query) {
        const sluice::error& why = query.error();
        std::cout << sluice::message(why) << '\n';
        std::cout << sluice::text_at_fault(request.pairs(), why) << '\n';
        std::cout << std::string(why.offset, ' ') << std::string(why.length, '^') << '\n';
        return;
    }
    const auto page = sluice::list(books, sluice::to_list_query(params, *query), book_accessors);
    for (const book& row : *page) std::cout << row.id << ' ';
    std::cout << (page->next ? *sluice::to_string(*page->next) : "the end") << '\n';
}

int main() {
    const std::vector<book> books{{"b1", "Snow Crash", 440},
                                  {"b2", "The Diamond Age", 455},
                                  {"b3", "Snow", 463},
                                  {"b4", "Ice", 158}};
    // b3, b1 and a token; b2 and the end; pageCont, did you mean pageCount, with carets below it
    list_books(books, "filter=Snow OR pageCount < 200&order_by=pageCount desc&page_size=2");
    list_books(books, "filter=-Snow AND pageCount >= 200");
    list_books(books, "filter=pageCont > 200 AND Snow");
}
