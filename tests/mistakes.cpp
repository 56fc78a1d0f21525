// SPDX-License-Identifier: MIT
// Tables that can't be meant and so don't compile, one mistake a number; tests/CMakeLists.txt
// compiles each by itself and looks for the sentence that says what to do. Without a number all is
// well.
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/params/aggregate.hpp>
#include <sluice/params/expression.hpp>
#include <sluice/query.hpp>
#include <sluice/sluice.hpp>
#include <sluice/store/column_store.hpp>

using namespace sluice;

constexpr sluice::schema columns{column{.name = "id"}, column{.name = "status"},
                                 column{.name = "total", .type = column_type::decimal},
                                 column{.name = "count", .type = column_type::integer},
                                 column{.name = "created", .type = column_type::time}};

enum class size_class { small, large };
constexpr std::array<std::string_view, 1> too_few{"small"};
constexpr std::array<std::string_view, 2> size_names{"small", "large"};
constexpr std::array<std::string_view, 3> too_many{"small", "large", "huge"};
constexpr std::array<std::string_view, 2> sorts{"created", "totals"};

struct orders : list_window {
    filter status;
    std::optional<std::string> owner;
    size_class size = size_class::small;
    std::int64_t page = 1;
    int count = 0;
    sort_choices order;
    std::optional<instant> since;
    std::optional<filter> maybe;
    std::string name;
    double amount = 0;
    std::optional<std::chrono::sys_seconds> seconds;
    std::optional<int> optional_count;
};
struct sale {
    std::string id, status;
    std::optional<std::string> optional_status;
    double amount = 0;
    int count = 0;
    std::vector<sale> parts;

    std::vector<std::string> tags() const { return {status}; }
};
struct without_groups {
    std::int64_t page = 1;
};
struct years {
    std::optional<std::chrono::year> year;
};
constexpr std::array<std::string_view, 1> by_count{"count"};
constexpr sluice::schema keyless{column{.name = "count", .type = column_type::integer}};

#if !defined(SLUICE_MISTAKE)
constexpr param_table params{
    columns, filter_param<&orders::status>({.name = "status", .column = "status"}),
    choice_param<&orders::size, size_names>({.name = "size"}),
    integer_param<&orders::count, 0>({.name = "count", .column = "count"})};
constexpr custom_rule broken({.name = "right", .problem = "wrong", .advice = "expected right"});
#elif SLUICE_MISTAKE == 1
constexpr param_table params{columns, filter_param<&orders::status>({.column = "status"})};
#elif SLUICE_MISTAKE == 2
constexpr param_table params{columns, page_param<&orders::page>({.name = "page"}),
                             integer_param<&orders::count, 0>({.name = "page"})};
#elif SLUICE_MISTAKE == 3
constexpr param_table params{
    columns, filter_param<&orders::status>({.name = "status", .column = "click.browsers"})};
#elif SLUICE_MISTAKE == 4
constexpr param_table params{columns,
                             filter_param<&orders::status>({.name = "status", .column = "total"})};
#elif SLUICE_MISTAKE == 5
constexpr param_table params{columns,
                             page_param<&orders::page>({.name = "page", .column = "count"})};
#elif SLUICE_MISTAKE == 6
constexpr param_table params{columns, filter_param<&orders::status>({.name = "status"})};
#elif SLUICE_MISTAKE == 7
constexpr param_table params{choice_param<&orders::size, too_many>({.name = "size"})};
#elif SLUICE_MISTAKE == 8
constexpr param_table params{choice_param<&orders::size, too_few>({.name = "size"})};
#elif SLUICE_MISTAKE == 9
constexpr param_table params{page_param<&orders::page>({.name = "page", .absent = "2"})};
#elif SLUICE_MISTAKE == 10
constexpr param_table params{columns, sort_param<&orders::order, sorts>({.name = "sortBy"})};
#elif SLUICE_MISTAKE == 11
constexpr sluice::schema twice{column{.name = "id"}, column{.name = "id"}};
#elif SLUICE_MISTAKE == 12
const auto bound = bind(42, {});
#elif SLUICE_MISTAKE == 13
constexpr param_table params{integer_param<&orders::owner, 1>({.name = "owner"})};
#elif SLUICE_MISTAKE == 14
constexpr param_table params{integer_param<&orders::count, 0, 1L << 40>({.name = "count"})};
#elif SLUICE_MISTAKE == 15
constexpr param_table params{value_param<&orders::owner>({.name = "owner"})};
#elif SLUICE_MISTAKE == 16
constexpr custom_rule broken({.name = "", .problem = "wrong", .advice = "expected right"});
#elif SLUICE_MISTAKE == 17
constexpr custom_rule broken({.name = "filter_dash",
                              .problem = "wrong",
                              .advice = "expected right"});
#elif SLUICE_MISTAKE == 18
constexpr custom_rule broken({.name = "right", .advice = "expected right"});
#elif SLUICE_MISTAKE == 19
constexpr custom_rule broken({.name = "right", .problem = "wrong", .advice = "something right"});
#elif SLUICE_MISTAKE == 20
error dangling() {
    const custom_rule local({.name = "right", .problem = "wrong", .advice = "expected right"});
    return make_error(local);
}
#elif SLUICE_MISTAKE == 21
constexpr param_table params{columns,
                             instant_param<&orders::since>({.name = "since", .column = "created"})};
#elif SLUICE_MISTAKE == 22
constexpr sluice::schema nameless{column{.name = "status"}};
const store::column_store rows(nameless);
#elif SLUICE_MISTAKE == 23
const auto accepted = parse_filter("a", [](int) { return true; });
#elif SLUICE_MISTAKE == 24
const bool named = filter().matches_any(42);
#elif SLUICE_MISTAKE == 25
const bool matches = metadata_query().matches([](std::string_view) { return 42; });
#elif SLUICE_MISTAKE == 26
const bool taken = list_query().matches([](const column&) { return orders(); });
#elif SLUICE_MISTAKE == 27
struct leaves_alone {
    static int leaf(const leaf&) { return 1; }
};
const int leaves = where().visit(leaves_alone());
#elif SLUICE_MISTAKE == 28
constexpr param_table params{
    columns, filter_param<&orders::optional_count>({.name = "status", .column = "count"})};
#elif SLUICE_MISTAKE == 29
constexpr param_table params{columns,
                             filter_param<&orders::maybe>({.name = "status", .column = "status"})};
#elif SLUICE_MISTAKE == 30
constexpr param_table params{columns,
                             text_param<&orders::name>({.name = "status", .column = "status"})};
#elif SLUICE_MISTAKE == 31
constexpr param_table params{columns, list_param<&orders::owner>({.name = "ids", .column = "id"})};
#elif SLUICE_MISTAKE == 32
constexpr param_table params{choice_param<&orders::name, size_names>({.name = "size"})};
#elif SLUICE_MISTAKE == 33
constexpr param_table params{boolean_param<&orders::count>({.name = "open"})};
#elif SLUICE_MISTAKE == 34
constexpr param_table params{integer_param<&orders::amount, 0>({.name = "amount"})};
#elif SLUICE_MISTAKE == 35
constexpr param_table params{columns,
                             value_param<&orders::status>({.name = "status", .column = "status"})};
#elif SLUICE_MISTAKE == 36
constexpr param_table params{columns,
                             value_param<&orders::amount>({.name = "total", .column = "total"})};
#elif SLUICE_MISTAKE == 37
constexpr param_table params{columns,
                             value_param<&orders::since>({.name = "since", .column = "created"})};
#elif SLUICE_MISTAKE == 38
constexpr param_table params{value_param<&years::year>({.name = "year"})};
#elif SLUICE_MISTAKE == 39
constexpr param_table params{
    columns, instant_param<&orders::seconds>(
                 {.name = "since", .column = "created", .op = comparison::at_least})};
#elif SLUICE_MISTAKE == 40
constexpr param_table params{time_param<&orders::since>({.name = "since"})};
#elif SLUICE_MISTAKE == 41
constexpr param_table params{time_zone_param<&orders::name>({.name = "zone"})};
#elif SLUICE_MISTAKE == 42
constexpr param_table params{expression_param<&orders::owner>({.name = "query"})};
#elif SLUICE_MISTAKE == 43
constexpr param_table params{columns, sort_param<&orders::name, sorts>({.name = "sortBy"})};
#elif SLUICE_MISTAKE == 44
constexpr param_table params{cursor_param<&orders::owner>({.name = "cursor"})};
#elif SLUICE_MISTAKE == 45
constexpr param_table params{page_params<without_groups, 100>()};
#elif SLUICE_MISTAKE == 46
constexpr param_table params{columns, window_params<without_groups>({.column = "created"})};
#elif SLUICE_MISTAKE == 47
constexpr param_table params{columns, window_params<orders>({})};
#elif SLUICE_MISTAKE == 48
constexpr param_table params{page_param<&without_groups::page>({.name = "page"}),
                             integer_param<&orders::count, 0>({.name = "count"})};
#elif SLUICE_MISTAKE == 49
constexpr param_table params{
    columns, integer_param<&orders::count, 0>({.name = "status", .column = "status"})};
#elif SLUICE_MISTAKE == 50
constexpr param_table params{
    columns, filter_param<&orders::status>({.name = "status", .column = "created"})};
#elif SLUICE_MISTAKE == 51
constexpr param_table params{
    columns, filter_param<&orders::status>(
                 {.name = "status", .column = "status", .op = comparison::at_least})};
#elif SLUICE_MISTAKE == 52
constexpr param_table params{choice_param<&orders::size>({.name = "size"})};
#elif SLUICE_MISTAKE == 53
constexpr param_table params{keyless, sort_param<&orders::order, by_count>({.name = "sortBy"})};
#elif SLUICE_MISTAKE == 54
constexpr param_table params{columns, window_params<orders>({.column = "created"})};
const auto bound = bind(params, {}, {.now = instant()});
#elif SLUICE_MISTAKE == 55
constexpr param_table params{columns, window_params<orders>({.column = "created"})};
const auto bound = bind(params, {}, {.zones = nullptr});
#elif SLUICE_MISTAKE == 56
constexpr param_table params{columns, window_params<orders>({.column = "status"})};
#elif SLUICE_MISTAKE == 57
constexpr param_table params{text_param<&orders::status>({.name = "status"})};
#elif SLUICE_MISTAKE == 58
constexpr param_table params{filter_param<&orders::status>({.name = "status", .column = "status"})};
#elif SLUICE_MISTAKE == 59
constexpr sluice::schema lists{
    column{.name = "id"}, column{.name = "sizes", .type = column_type::decimal, .is_list = true}};
#elif SLUICE_MISTAKE == 60
constexpr param_table params{page_param<&orders::page>({.name = "page"})};
const auto bound = bind(params, "page=2");
#elif SLUICE_MISTAKE == 61
const store::column_store rows({columns, "status"});
#elif SLUICE_MISTAKE == 62
constexpr sluice::schema referring{
    column{.name = "id"}, column{.name = "link.id"},
    column{.name = "link.data", .type = column_type::json, .is_nullable = true}};
const store::column_store rows({referring, "link.id"});
#elif SLUICE_MISTAKE == 63
constexpr sluice::schema referring{column{.name = "id"},
                                   column{.name = "link.id", .is_nullable = true},
                                   column{.name = "link.domain"}};
const store::column_store rows({referring, "link.id"});
#elif SLUICE_MISTAKE == 64
constexpr sluice::schema lines{column{.name = "data", .type = column_type::json}};
constexpr sluice::schema with_records{
    column{.name = "id"}, column{.name = "lines", .type = column_type::records, .records = lines}};
const store::column_store rows(with_records);
#elif SLUICE_MISTAKE == 65
constexpr auto rows =
    accessors_of<sale>(columns, member<&sale::id>("id"), member<&sale::status>("stat"));
#elif SLUICE_MISTAKE == 66
constexpr auto rows =
    accessors_of<sale>(columns, member<&sale::id>("id"), member<&sale::count>("count"));
#elif SLUICE_MISTAKE == 67
constexpr auto rows =
    accessors_of<sale>(columns, member<&sale::id>("id"), member<&sale::amount>("total"));
#elif SLUICE_MISTAKE == 68
constexpr auto rows =
    accessors_of<sale>(columns, member<&sale::id>("id"), member<&sale::status>("id"));
#elif SLUICE_MISTAKE == 69
constexpr auto rows = accessors_of<sale>(columns, member<&sale::optional_status>("status"));
#elif SLUICE_MISTAKE == 70
constexpr sluice::schema line_columns{column{.name = "sku"}}, other_columns{column{.name = "id"}};
constexpr sluice::schema with_lines{
    column{.name = "lines", .type = column_type::records, .records = line_columns}};
constexpr auto line_rows = accessors_of<sale>(other_columns, member<&sale::id>("id"));
constexpr auto rows = accessors_of<sale>(with_lines, member<&sale::parts, line_rows>("lines"));
#elif SLUICE_MISTAKE == 71
constexpr sluice::schema tag_columns{column{.name = "tags", .is_list = true}};
constexpr auto rows = accessors_of<sale>(tag_columns, member<&sale::amount>("tags"));
#elif SLUICE_MISTAKE == 72
constexpr auto rows = accessors_of<sale>(columns, member<&sale::id, 2>("total"));
#elif SLUICE_MISTAKE == 73
constexpr sluice::schema tag_columns{column{.name = "tags", .is_list = true}};
constexpr auto rows = accessors_of<sale>(tag_columns, member<&sale::tags>("tags"));
#elif SLUICE_MISTAKE == 74
struct listed : list_page {};
constexpr page_names both_places{.offset = "offset"};
constexpr param_table params{page_params<listed, 100, both_places>()};
#elif SLUICE_MISTAKE == 75
constexpr window_names no_names{.interval = {}, .start = {}, .end = {}, .timezone = {}};
constexpr param_table params{columns, window_params<orders, no_names>({.column = "created"})};
#elif SLUICE_MISTAKE == 76
struct filtered {
    expression filter;
};
constexpr std::array<expression_column, 1> named{
    {{.name = "state", .subject = {.name = "status", .is_nullable = true}}}};
constexpr param_table params{columns, expression_param<&filtered::filter, grammar::rsql>(
                                          {.name = "filter", .named = named})};
#elif SLUICE_MISTAKE == 77
struct filtered {
    expression filter;
};
constexpr param_table params{
    expression_param<&filtered::filter, grammar::rsql>({.name = "filter"})};
#elif SLUICE_MISTAKE == 78
constexpr param_table params{columns,
                             expression_param<&orders::owner, grammar::rsql>({.name = "filter"})};
#elif SLUICE_MISTAKE == 79
constexpr param_table params{columns, facets_param<&orders::order, sorts>({.name = "facets"})};
#elif SLUICE_MISTAKE == 80
constexpr sluice::schema lists{column{.name = "id"}, column{.name = "totals", .is_list = true},
                               column{.name = "created", .type = column_type::time}};
constexpr param_table params{lists, sort_param<&orders::order, sorts>({.name = "sortBy"})};
#endif
