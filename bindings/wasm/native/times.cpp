// SPDX-License-Identifier: MIT
#include "times.hpp"

#include <array>
#include <string_view>

#include <sluice/params/table.hpp>
#include <sluice/time/window.hpp>

#include "zones.hpp"

// Single times and windows.

namespace sluice::wasm {

namespace {

constexpr std::array<std::string_view, 2> edge_names{"start", "end"};

/// A parameter table with only a window.
constexpr schema window_schema{column{.name = "time", .type = column_type::time}};
constexpr param_table window_table{window_schema, window_params<list_window>({.column = "time"})};

/// Finds a zone by its name; UTC without loading the others. An error has the parameter
/// `timezone`.
[[nodiscard]] result<time_zone> find_zone(std::string_view name) {
    if (name == "UTC") return time_zone::utc();
    auto zone = host_zones().find(name);
    if (!zone) zone.error().param = "timezone";
    return zone;
}

}  // namespace

void write_bounds(json_writer& json, const time_range& window) {
    const auto write_bound = [&](std::string_view name, const std::optional<instant>& at) {
        json.key(name);
        if (at) {
            write_time(json, *at);
        } else {
            json.value(nullptr);
        }
    };
    write_bound("start", window.start);
    write_bound("end", window.end);
}

void write_window(json_writer& json, const list_window& window) {
    json.begin_object();
    write_bounds(json, window.window);
    json.key("interval");
    if (window.start) {
        json.value(nullptr);
    } else {
        json.value(to_string(window.interval));
    }
    json.member("timezone", window.timezone.name()).end_object();
}

/// Arguments: a time, the current time, an edge and a zone. Answer: the instant.
SLUICE_WASM_FUNCTION(time_resolve) {
    const std::string_view text = args.text();
    const auto expression = parse_time_expression(text);
    if (!expression) return write_error(json, expression.error(), text);
    const instant now = args.time();
    const auto which = args.choice<edge>(edge_names);
    const std::string_view name = args.text();
    const auto zone = find_zone(name);
    if (!zone) return write_error(json, zone.error(), name);
    const auto at = resolve(*expression, which, *zone, now);
    if (!at) return write_error(json, at.error(), text);
    json.key("value");
    write_time(json, *at);
}

/// Arguments: an RFC 3339 timestamp. Answer: the instant; null for any other text.
SLUICE_WASM_FUNCTION(timestamp_parse) {
    const auto at = parse_timestamp(args.text());
    json.key("value");
    at ? json.value(std::int64_t{at->time_since_epoch().count()}) : json.value(nullptr);
}

/// Arguments: a window's parameters as a query string, and the current time. Answer: the window.
SLUICE_WASM_FUNCTION(window_resolve) {
    const query_string pairs = parse_query_string(args.text());
    const auto window = bind(window_table, pairs.pairs(),
                             {.zones = zones_for(window_table, pairs.pairs()), .now = args.time()});
    if (!window) return write_errors(json, {&window.error(), 1}, pairs.pairs());
    json.key("value");
    write_window(json, *window);
}

}  // namespace sluice::wasm
