// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/tags/tags_query.hpp>

#include "queries.hpp"
#include "request.hpp"
#include "times.hpp"

// Requests to the reference service: GET /events and GET /tags.

namespace sluice::wasm {

namespace {

/// Writes the value of a parameter in the form of its type, from its canonical text or default.
void write_value(json_writer& json, const param_info& info, std::string_view text) {
    switch (info.type) {
        case param_type::filter: return write_filter(json, parse_filter(text).value_or(filter()));
        case param_type::boolean: return static_cast<void>(json.value(text == "true"));
        case param_type::integer:
            return static_cast<void>(json.value(parse_int64(text).value_or(0)));
        case param_type::expression:
            return static_cast<void>(json.begin_object().member("$metadata", text).end_object());
        case param_type::list: break;
        default: return static_cast<void>(json.value(text));
    }
    json.begin_array();
    for (const std::string& item : parse_list(text).value_or(std::vector<std::string>())) {
        json.value(std::string_view(item));
    }
    json.end_array();
}

/// Writes the values of all parameters by name; null without a value.
template <class Table, class Query>
void write_values(json_writer& json, const Table& table, const Query& query) {
    for (const auto& row : table) {
        const auto value = row.as_text(query, row.info);
        const std::string unset = row.default_text();
        json.key(row.info.name);
        if (!value && unset.empty() && row.info.type != param_type::list) {
            json.value(nullptr);
            continue;
        }
        std::string_view text = value ? std::string_view(*value) : unset;
        if (value) text.remove_prefix(row.info.prefix.size());
        write_value(json, row.info, text);
    }
}

/// Writes the answer with a parsed request; `write_more()` writes further members of its values.
template <class Table, class Query, class WriteMore>
void write_request(json_writer& json, const Table& table, const Query& query,
                   WriteMore write_more) {
    write_query(json, std::make_unique<query_object>(to_list_query(table, query), table.columns()),
                to_query_string(table, query), [&] {
                    json.begin_object();
                    write_values(json, table, query);
                    write_more();
                    json.end_object();
                });
}

reference::request_options request_options_of(const request& received) {
    return {.zones = received.options().zones, .strict = received.options().strict};
}

}  // namespace

/// Arguments: a request; see request.hpp. Answer: the query; see write_query().
SLUICE_WASM_FUNCTION(events_parse) {
    const request received(args, reference::events_params);
    const auto query = reference::parse_events_query_all(
        received.pairs(), request_options_of(received), *received.options().now);
    if (!query) return write_errors(json, query.error(), received.pairs());
    write_request(json, reference::events_params, *query, [&] {
        json.key("window").begin_object();
        write_bounds(json, query->window);
        json.end_object();
    });
}

/// Arguments: a request. Answer: the query.
SLUICE_WASM_FUNCTION(tags_parse) {
    const request received(args, reference::tags_params);
    if (!received.problem().empty()) return write_mistake(json, received.problem());
    const auto query =
        reference::parse_tags_query_all(received.pairs(), request_options_of(received));
    if (!query) return write_errors(json, query.error(), received.pairs());
    write_request(json, reference::tags_params, *query, [] {});
}

}  // namespace sluice::wasm
