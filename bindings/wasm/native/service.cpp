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
void write_value(answer_writer& out, const param_info& info, std::string_view text) {
    switch (info.type) {
        case param_type::filter: out.value(parse_filter(text).value_or(filter())); return;
        case param_type::boolean: out.value(text == "true"); return;
        // Rounded beyond the integers of JavaScript; see docs/typescript.md.
        case param_type::integer:
            out.value(static_cast<double>(parse_int64(text).value_or(0)));
            return;
        case param_type::expression: out.begin(tag::metadata).value(text); return;
        case param_type::list:
            out.texts(parse_list(text).value_or(std::vector<std::string>()));
            return;
        default: out.value(text);
    }
}

/// Writes the values of all parameters by name; null without a value.
template <class Table, class Query>
void write_values(answer_writer& out, const Table& table, const Query& query) {
    for (const auto& row : table) {
        const auto value = row.as_text(query, row.info);
        const std::string unset = row.default_text();
        out.key(row.info.name);
        if (!value && unset.empty() && row.info.type != param_type::list) {
            out.value(nullptr);
            continue;
        }
        std::string_view text = value ? std::string_view(*value) : unset;
        if (value) text.remove_prefix(row.info.prefix.size());
        write_value(out, row.info, text);
    }
}

/// Writes a part of a parsed request; `write_more()` writes members in place of its values.
template <class Table, class Query, class WriteMore>
void write_request(answer_writer& out, request_part part, const Table& table, const Query& query,
                   WriteMore write_more) {
    write_part(out, part, table, query, nullptr, [&] {
        out.begin_object();
        write_values(out, table, query);
        write_more();
        out.end_object();
    });
}

reference::request_options request_options_of(const request& received) {
    return {.zones = received.options().zones, .strict = received.options().strict};
}

}  // namespace

/// Arguments: a part and a request; see request.hpp. Answer: this part of it; see write_part().
SLUICE_WASM_FUNCTION(events_parse) {
    const auto part = args.number<request_part>();
    const request received(args, reference::events_params);
    const auto query = reference::parse_events_query_all(
        received.pairs(), request_options_of(received), *received.options().now);
    if (!query) return out.errors(query.error(), received.pairs());
    write_request(out, part, reference::events_params, *query, [&] {
        out.member("start", query->window.start).member("end", query->window.end);
    });
}

/// Arguments: a part and a request. Answer: this part of it.
SLUICE_WASM_FUNCTION(tags_parse) {
    const auto part = args.number<request_part>();
    const request received(args, reference::tags_params);
    if (!received.problem().empty()) return out.mistake(received.problem());
    const auto query =
        reference::parse_tags_query_all(received.pairs(), request_options_of(received));
    if (!query) return out.errors(query.error(), received.pairs());
    write_request(out, part, reference::tags_params, *query, [] {});
}

}  // namespace sluice::wasm
