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

struct metadata_object : object {
    explicit metadata_object(const metadata_query& source) : query(source), matcher(source) {}
    metadata_query query;
    metadata_matcher matcher;
};

}  // namespace

/// Arguments: a text. Answer: the filter.
SLUICE_WASM_FUNCTION(filter_parse) {
    const std::string_view text = args.text();
    const auto parsed = parse_filter(text);
    if (!parsed) return write_error(json, parsed.error(), text);
    write_filter(json.key("value"), *parsed);
}

/// Arguments: a collation. Answer: its record, for src/collations.ts.
SLUICE_WASM_FUNCTION(collation_find) {
    const auto how = args.choice<collation>(collation_names);
    const sluice::collation_record& record = record_of(how);
    json.key("value").begin_object().member("ignoresCase", record.ignores_case);
    if (record.part) {
        json.member("mark", std::string_view(&record.part->mark, 1));
        json.member("isBefore", record.part->which == text_part::side::before);
    }
    json.end_object();
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

/// Arguments: an expression, a text, and true if a text that isn't JSON counts as an empty document
/// instead of an error. Answer: a boolean.
SLUICE_WASM_FUNCTION(metadata_matches) {
    auto& matcher = args.object<metadata_object>().matcher;
    const std::string_view text = args.text();
    const bool is_lenient = args.flag();
    const auto checked = is_lenient ? result<void>() : sluice::detail::check_json(text);
    if (!checked) return write_error(json, checked.error(), text);
    json.member("value", is_lenient ? matcher.matches_unchecked(text) : matcher.matches(text));
}

}  // namespace sluice::wasm
