// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/params/openapi.hpp>
#include <sluice/params/runtime/table.hpp>
#include <sluice/params/window.hpp>
#include <sluice/query/json_writer.hpp>

using namespace sluice;

// Windows by the names of a caller, compiled and declared.
namespace {

namespace named_windows {

constexpr schema visits_schema{column{.name = "id"},
                               column{.name = "at", .type = column_type::time}};
struct visits : list_window {};

constexpr window_names range_names{
    .interval = {}, .start = "created_after", .end = "created_before", .timezone = {}};
constexpr window_names all_names{
    .interval = "period", .start = "from", .end = "to", .timezone = "tz"};

constexpr param_table ranges{visits_schema, window_params<visits, range_names>({.column = "at"})};
constexpr param_table periods{visits_schema, window_params<visits, all_names>({.column = "at"})};
const instant clock = *parse_timestamp("2026-11-22T12:00:00Z");
const time_zone_database utc_alone({time_zone::utc()});

declared_table declared(const window_names& names, std::string prefix = {}) {
    declaration spec{.kind = declared_kind::window, .name = std::move(prefix), .column = "at"};
    for (const std::string_view name : names.all()) spec.names.emplace_back(name);
    auto table = declared_table::make({spec}, {visits_schema.begin(), visits_schema.end()});
    if (!table) FAIL(table.error().name << ": " << table.error().what);
    return std::move(*table);
}

/// The condition of a request, or all errors.
template <class Table>
std::string rows_of(const Table& table, std::string_view text) {
    const query_string request = parse_query_string(text);
    const auto query = bind_all(table, request.pairs(), {.zones = &utc_alone, .now = clock});
    std::string all;
    if (!query) {
        for (const error& e : query.error()) {
            all.append(message(e, text_at_fault(request.pairs(), e))).append("\n");
        }
        return all;
    }
    const list_query list = to_list_query(table, *query);
    for (const leaf& condition : list.rows.leaves()) {
        all.append(condition.param).append(" ");
    }
    return all + to_json(list).substr(0, 120) + to_query_string(table, *query);
}

}  // namespace named_windows

}  // namespace

TEST_CASE("a window is named by its caller, and an error has the name of its parameter") {
    using namespace named_windows;
    const declared_table declared_ranges = declared(range_names);
    const declared_table declared_periods = declared(all_names);
    const std::pair<std::string_view, std::string_view> table[] = {
        {"created_after=2026-01-01&created_before=2026-01-02", "created_after {\"where\""},
        {"created_after=2026-01-03&created_before=2026-01-02", "created_after: "},
        {"created_after=x", "created_after: "},
        {"created_before=x", "created_before: "},
        {"start=2026-01-01", "start: unknown parameter"},
        {"interval=7d", "interval: unknown parameter"},
        {"timezone=UTC", "timezone: unknown parameter"},
    };
    for (const auto& [text, answer] : table) {
        CAPTURE(text);
        CHECK(rows_of(ranges, text).starts_with(answer));
        CHECK(rows_of(ranges, text) == rows_of(declared_ranges, text));
    }
    const std::pair<std::string_view, std::string_view> others[] = {
        {"period=7d", "period {\"where\""},
        {"period=0h", "period: "},
        {"from=2026-01-03&to=2026-01-02", "from: "},
        {"tz=Mars/Base", "tz: "},
        {"period=all&tz=UTC", "{\"where\":{\"all\":[]}"},
    };
    for (const auto& [text, answer] : others) {
        CAPTURE(text);
        CHECK(rows_of(periods, text).starts_with(answer));
        CHECK(rows_of(periods, text) == rows_of(declared_periods, text));
    }
    CHECK(openapi_parameters(ranges) == openapi_parameters(declared_ranges));
    CHECK(openapi_parameters(periods) == openapi_parameters(declared_periods));
    static_assert(ranges.size() == 2);
    static_assert(std::is_same_v<decltype(bind_options_for<decltype(ranges)>::zones),
                                 const time_zone_database*>);
}

TEST_CASE("a window with a prefix names the parameter at fault") {
    using namespace named_windows;
    const std::string refused =
        rows_of(declared(default_window_names, "w_"), "w_start=2026-01-03&w_end=2026-01-02");
    CHECK(refused.starts_with("w_start: "));
}
