// SPDX-License-Identifier: MIT
#include <memory>

#include <sluice/filters/filter.hpp>
#include <sluice/metadata/matcher.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/query/json_writer.hpp>

#include "abi.hpp"

// Filters and metadata expressions.

namespace sluice::wasm {

namespace {

struct filter_object : object {
    explicit filter_object(filter source) : wanted(std::move(source)) {}
    filter wanted;
};

struct metadata_object : object {
    explicit metadata_object(const metadata_query& source) : query(source), matcher(source) {}
    metadata_query query;
    metadata_matcher matcher;
};

}  // namespace

/// Arguments: a text. Answer: the filter.
SLUICE_WASM_FUNCTION(filter_parse) {
    const std::string_view text = args.text();
    auto parsed = parse_filter(text);
    if (!parsed) return write_error(json, parsed.error(), text);
    json.key("value").begin_object().key("filter");
    write_filter(json, *parsed);
    write_object(json, "handle", std::make_unique<filter_object>(*std::move(parsed)));
    json.end_object();
}

/// Arguments: a filter, a collation and the texts of a row, maybe none. Answer: a boolean.
SLUICE_WASM_FUNCTION(filter_matches) {
    const filter& wanted = args.object<filter_object>().wanted;
    const auto how = args.choice<collation>(collation_names);
    std::vector<std::string_view> row;
    while (const auto text = args.optional_text()) row.push_back(*text);
    json.member("value", wanted.matches_any(row, how));
}

/// Arguments: a text. Answer: the expression.
SLUICE_WASM_FUNCTION(metadata_parse) {
    const std::string_view text = args.text();
    const auto parsed = parse_metadata_query(text);
    if (!parsed) return write_error(json, parsed.error(), text);
    json.key("value").begin_object();
    write_object(json, "handle", std::make_unique<metadata_object>(*parsed));
    json.member("text", std::string_view(to_string(*parsed))).end_object();
}

/// Arguments: an expression. Answer: its tree.
SLUICE_WASM_FUNCTION(metadata_tree) {
    json.raw_member("value", to_json(args.object<metadata_object>().query));
}

/// Arguments: an expression and a JSON text. Answer: a boolean.
SLUICE_WASM_FUNCTION(metadata_matches) {
    auto& matcher = args.object<metadata_object>().matcher;
    const std::string_view text = args.text();
    const auto checked = sluice::detail::check_json(text);
    if (!checked) return write_error(json, checked.error(), text);
    json.member("value", matcher.matches(text));
}

}  // namespace sluice::wasm
