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

[[nodiscard]] result<time_zone> find_zone(std::string_view name) {
    if (name == "UTC") return time_zone::utc();
    auto found = host_zones().find(name);
    if (!found) found.error().param = "timezone";
    return found;
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

void write_window(json_writer& json, const list_window& asked) {
    json.begin_object();
    write_bounds(json, asked.window);
    json.key("interval");
    if (asked.start) {
        json.value(nullptr);
    } else {
        json.value(to_string(asked.interval));
    }
    json.member("timezone", asked.timezone.name()).end_object();
}

/// Arguments: a time, the current time, an edge and a zone. Answer: the instant.
SLUICE_WASM_FUNCTION(time_resolve) {
    const std::string_view text = given.text();
    const auto expression = parse_time_expression(text);
    if (!expression) return write_error(json, expression.error(), text);
    const instant now = given.time();
    const auto which = given.choice<edge>(edge_names);
    const std::string_view name = given.text();
    const auto zone = find_zone(name);
    if (!zone) return write_error(json, zone.error(), name);
    const auto at = resolve(*expression, which, *zone, now);
    if (!at) return write_error(json, at.error(), text);
    json.key("value");
    write_time(json, *at);
}

/// Arguments: a window's parameters as a query string, and the current time.
SLUICE_WASM_FUNCTION(window_resolve) {
    const query_string pairs = parse_query_string(given.text());
    const auto asked =
        bind(window_table, pairs.pairs(), {.zones = zones_for(pairs.pairs()), .now = given.time()});
    if (!asked) return write_errors(json, {&asked.error(), 1}, pairs.pairs());
    json.key("value");
    write_window(json, *asked);
}

}  // namespace sluice::wasm
