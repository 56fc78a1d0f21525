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
    if (!parsed) return out.error_in(parsed.error(), text);
    out.value(*parsed);
}

/// Arguments: a collation. Answer: its record, for src/collations.ts.
SLUICE_WASM_FUNCTION(collation_find) {
    const auto how = args.choice<collation>(collation_names);
    const sluice::collation_record& record = record_of(how);
    out.begin_object().member("ignoresCase", record.ignores_case);
    if (record.part) {
        out.member("mark", std::string_view(&record.part->mark, 1));
        out.member("isBefore", record.part->which == text_part::side::before);
    }
    out.end_object();
}

/// Arguments: a text. Answer: the canonical text of the expression, and the expression.
SLUICE_WASM_FUNCTION(metadata_parse) {
    const std::string_view text = args.text();
    const auto parsed = parse_metadata_query(text);
    if (!parsed) return out.error_in(parsed.error(), text);
    out.begin_array().value(std::string_view(to_string(*parsed)));
    out.object(std::make_unique<metadata_object>(*parsed));
    out.end_array();
}

/// Arguments: an expression. Answer: its tree.
SLUICE_WASM_FUNCTION(metadata_tree) { out.json(to_json(args.object<metadata_object>().query)); }

/// Arguments: an expression, a text, and true if a text that isn't JSON counts as an empty document
/// instead of an error. Answer: a boolean.
SLUICE_WASM_FUNCTION(metadata_matches) {
    auto& matcher = args.object<metadata_object>().matcher;
    const std::string_view text = args.text();
    const bool is_lenient = args.flag();
    const auto checked = is_lenient ? result<void>() : sluice::detail::check_json(text);
    if (!checked) return out.error_in(checked.error(), text);
    out.value(is_lenient ? matcher.matches_unchecked(text) : matcher.matches(text));
}

}  // namespace sluice::wasm
