// SPDX-License-Identifier: MIT
// Every function that makes parameters of a table, in three tables.
#include <iostream>

#include <sluice/params/aggregate.hpp>
#include <sluice/params/expression.hpp>
#include <sluice/query/aggregate_writer.hpp>
#include <sluice/sluice.hpp>
#include <sluice/sql.hpp>
#include <sluice/time/system_zones.hpp>

constexpr sluice::schema columns{
    sluice::column{.name = "id"},
    sluice::column{.name = "status"},
    sluice::column{.name = "customer", .is_nullable = true},
    sluice::column{.name = "coupon", .is_nullable = true},
    sluice::column{.name = "country", .how = sluice::collation::ignore_case},
    sluice::column{.name = "items", .type = sluice::column_type::integer},
    sluice::column{.name = "total", .type = sluice::column_type::decimal},
    sluice::column{.name = "is_gift", .type = sluice::column_type::boolean},
    sluice::column{.name = "created", .type = sluice::column_type::time},
    sluice::column{.name = "weight", .type = sluice::column_type::real},
    sluice::column{.name = "due", .type = sluice::column_type::date, .is_nullable = true},
    sluice::column{.name = "metadata", .type = sluice::column_type::json, .is_nullable = true}};

enum class order_status : std::uint8_t { open, paid };
enum class order_kind : std::uint8_t { orders, returns };
enum class order_sort : std::uint8_t { created, total };

constexpr std::array<std::string_view, 2> statuses{"open", "paid"};
constexpr std::array<std::string_view, 2> kinds{"orders", "returns"};
constexpr std::array<std::string_view, 2> sorts{"created", "total"};
constexpr std::array<std::string_view, 2> important_customers{"c_1", "c_2"};
constexpr std::array<std::string_view, 2> searched{"customer", "coupon"};
constexpr std::array<sluice::expression_column, 3> names{
    {{.name = "createTime", .subject = *columns.find("created")},
     {.name = "total", .subject = *columns.find("total")},
     {.name = "state",
      .subject = *columns.find("status"),
      .allowed = sluice::set_of(sluice::test_kind::any_of, sluice::test_kind::none_of)}}};

struct orders : sluice::list_window, sluice::list_page {
    order_kind kind = order_kind::orders;
    sluice::filter country, state;
    std::vector<std::string> ids;
    std::optional<std::string> coupon, search, part, start, end, words;
    std::optional<order_status> status;
    std::optional<bool> is_gift, is_important;
    std::optional<std::int64_t> items;
    std::optional<sluice::decimal_number> least;
    std::optional<double> most_weight;
    std::optional<sluice::calendar_day> due;
    std::optional<bool> is_undated;
    sluice::metadata_query metadata;
    sluice::expression filter;
    sluice::ordering order_by;
    std::optional<sluice::instant> since;
    sluice::sort_choices order{{0, sluice::sort_order::descending}};
};

constexpr sluice::param_table params{
    columns,
    sluice::resource_param<&orders::kind, kinds>({.name = "kind"}),
    sluice::filter_param<&orders::country>({.name = "country", .column = "country"}),
    sluice::filter_param<&orders::state, statuses>({.name = "state", .column = "status"}),
    sluice::list_param<&orders::ids>({.name = "ids", .column = "id"}),
    sluice::text_param<&orders::coupon>({.name = "coupon", .column = "coupon"}),
    sluice::choice_param<&orders::status, statuses>({.name = "status", .column = "status"}),
    sluice::boolean_param<&orders::is_gift>({.name = "gift", .column = "is_gift"}),
    sluice::membership_param<&orders::is_important, important_customers>(
        {.name = "important", .column = "customer"}),
    sluice::integer_param<&orders::items, 0, 1'000>(
        {.name = "items[gte]", .column = "items", .op = sluice::comparison::at_least}),
    sluice::value_param<&orders::least>(
        {.name = "total[gte]", .column = "total", .op = sluice::comparison::at_least}),
    sluice::contains_param<&orders::part>({.name = "coupon[contains]", .column = "coupon"}),
    sluice::starts_with_param<&orders::start>({.name = "coupon[starts_with]", .column = "coupon"}),
    sluice::ends_with_param<&orders::end>({.name = "coupon[ends_with]", .column = "coupon"}),
    sluice::null_param<&orders::is_undated>({.name = "due[is_null]", .column = "due"}),
    sluice::real_param<&orders::most_weight>(
        {.name = "weight[lte]", .column = "weight", .op = sluice::comparison::at_most}),
    sluice::value_param<&orders::due>({.name = "due", .column = "due"}),
    sluice::search_param<&orders::words, searched>({.name = "words"}),
    sluice::expression_param<&orders::metadata>({.name = "query", .column = "metadata"}),
    sluice::expression_param<&orders::filter, sluice::grammar::aip160>(
        {.name = "filter", .searched = searched, .named = names}),
    sluice::ordering_param<&orders::order_by, sluice::grammar::aip160>(
        {.name = "order_by", .named = names}),
    sluice::instant_param<&orders::since>(
        {.name = "created[gte]", .column = "created", .op = sluice::comparison::at_least}),
    sluice::search_param<&orders::search>({.name = "search"}),
    sluice::window_params<orders>({.column = "created"}),
    sluice::sort_param<&orders::order, sorts>({.name = "order"}),
    sluice::page_params<orders, 1'000>()};

// The members of windows, pages and orders one by one, for names of your own.
struct exports {
    std::optional<sluice::time_expression> at;
    sluice::time_zone zone = sluice::time_zone::utc();
    std::int64_t number = 1, skipped = 0, size = 50;
    std::optional<sluice::cursor> from;
    bool wants_total = false;
    order_sort by = order_sort::created;
    sluice::sort_order direction = sluice::sort_order::ascending;
};

constexpr sluice::param_table export_params{
    columns,
    sluice::time_param<&exports::at>({.name = "at"}),
    sluice::time_zone_param<&exports::zone>({.name = "zone"}),
    sluice::page_param<&exports::number>({.name = "pageNumber"}),
    sluice::offset_param<&exports::skipped>({.name = "skip"}),
    sluice::page_size_param<&exports::size, 500>({.name = "pageSize"}),
    sluice::cursor_param<&exports::from>({.name = "from"}),
    sluice::total_param<&exports::wants_total>({.name = "withTotal"}),
    sluice::sort_column_param<&exports::by, sorts>({.name = "sortBy"}),
    sluice::sort_order_param<&exports::direction>({.name = "sortOrder"})};

// The groups and measures of an aggregate, and the facets of a list.
constexpr std::array groups{
    sluice::group_choice{.name = "country"},
    sluice::group_choice{.name = "day", .column = "created", .bucket = sluice::time_bucket::day}};
constexpr std::array measures{
    sluice::measure_choice{.name = "count"},
    sluice::measure_choice{
        .name = "revenue", .column = "total", .kind = sluice::measure_kind::sum}};
constexpr std::array<std::string_view, 2> counted{"country", "status"};

struct report {
    sluice::sort_choices groups, measures, order, facets;
    std::int64_t top = 10;
};

constexpr sluice::param_table report_params{
    columns,
    sluice::group_by_param<&report::groups, groups>({.name = "groupBy"}),
    sluice::measures_param<&report::measures, measures>({.name = "measures"}),
    sluice::group_order_param<&report::order, groups, measures>({.name = "order"}),
    sluice::group_limit_param<&report::top>({.name = "top"}),
    sluice::facets_param<&report::facets, counted>({.name = "facets"})};

// A table with a parameter that SQLite doesn't answer doesn't compile.
constexpr auto& answered = sluice::sql::answered_tests(sluice::sql::dialect::sqlite);
static_assert(sluice::find_unanswered(export_params, answered) == export_params.size());

int main(int, char** arguments) {
    const auto pairs = sluice::parse_query_string(arguments[1]);
    const auto now = *sluice::parse_timestamp("2026-11-22T12:00:00Z");
    const auto zones = *sluice::load_time_zones();
    const auto query = sluice::bind(params, pairs.pairs(), {.zones = &zones, .now = now});
    if (!query) std::cout << sluice::message(query.error()) << '\n';
    if (query) std::cout << sluice::to_json(sluice::to_list_query(params, *query)) << '\n';
    const auto other = sluice::parse_query_string("pageNumber=2&sortBy=total&sortOrder=desc");
    const auto page = sluice::bind(export_params, other.pairs(), {.zones = &zones});
    if (page) std::cout << sluice::to_json(sluice::to_list_query(export_params, *page)) << '\n';
    const auto third = sluice::parse_query_string("groupBy=country&measures=revenue&top=5");
    if (const auto bound = sluice::bind(report_params, third.pairs(), {})) {
        const auto totals = sluice::to_aggregate_query(report_params, *bound);
        if (totals) std::cout << sluice::to_json(*totals) << '\n';
    }
}
