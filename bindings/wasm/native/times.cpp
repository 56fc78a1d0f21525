// SPDX-License-Identifier: MIT
#include "times.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

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

void write_window(answer_writer& out, const list_window& window) {
    out.begin(tag::window).value(window.window.start).value(window.window.end);
    out.value(window.start ? std::nullopt : std::optional(to_string(window.interval)));
    out.value(window.timezone.name());
}

/// Arguments: a time, the current time, an edge and a zone. Answer: the instant.
SLUICE_WASM_FUNCTION(time_resolve) {
    const std::string_view text = args.text();
    const auto expression = parse_time_expression(text);
    if (!expression) return out.error_in(expression.error(), text);
    const instant now = args.time();
    const auto which = args.choice<edge>(edge_names);
    const std::string_view name = args.text();
    const auto zone = find_zone(name);
    if (!zone) return out.error_in(zone.error(), name);
    const auto at = resolve(*expression, which, *zone, now);
    if (!at) return out.error_in(at.error(), text);
    out.value(*at);
}

/// Arguments: an RFC 3339 timestamp. Answer: milliseconds since 1970; nothing for any other text.
SLUICE_WASM_FUNCTION(timestamp_parse) {
    const auto at = parse_timestamp(args.text());
    out.value(at ? std::optional(std::int64_t{at->time_since_epoch().count()}) : std::nullopt);
}

/// Arguments: the current time, and names and values of a window's parameters. Answer: the window.
SLUICE_WASM_FUNCTION(window_resolve) {
    const instant now = args.time();
    std::vector<name_value> pairs;
    while (const auto name = args.optional_text()) pairs.push_back({*name, args.text()});
    const auto window =
        bind(window_table, pairs, {.zones = zones_for(window_table, pairs), .now = now});
    if (!window) return out.errors({&window.error(), 1}, pairs);
    write_window(out, *window);
}

}  // namespace sluice::wasm
