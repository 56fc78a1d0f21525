// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_JSON_WRITER_HPP
#define SLUICE_QUERY_JSON_WRITER_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/base/real.hpp>
#include <sluice/base/value.hpp>
#include <sluice/base/visit.hpp>
#include <sluice/query/list_query.hpp>

namespace sluice {

namespace detail {

/// JSON names of the comparisons of metadata, in the order of the enumeration.
inline constexpr std::array<std::string_view, 6> metadata_operator_names{
    "equal", "not_equal", "gt", "gte", "lt", "lte"};

/// Writes conditions from the node `at` on, as in to_json(); `write_leaf(const leaf&)` writes one.
/// `json` is a json_writer, or another writer of objects and arrays.
template <class Writer, class WriteLeaf>
void write_where(Writer& json, const where& rows, const WriteLeaf& write_leaf, std::size_t at = 0) {
    const where::node& node = rows.nodes()[at];
    if (node.kind == where_kind::leaf) return write_leaf(rows.leaves()[node.leaf]);
    json.begin_object();
    if (node.kind == where_kind::negation) {
        json.key("not");
        write_where(json, rows, write_leaf, at + 1);
    } else {
        json.key(node.kind == where_kind::conjunction ? "all" : "any").begin_array();
        for (std::size_t child = at + 1; child < at + node.size;) {
            write_where(json, rows, write_leaf, child);
            child += rows.nodes()[child].size;
        }
        json.end_array();
    }
    json.end_object();
}

/// Writes the parts of a query as JSON; see to_json(). Recurses as deep as the query's trees.
class query_writer {
public:
    explicit query_writer(json_writer& json) : json_(json) {}

    void write(const where& rows) {
        write_where(json_, rows, [this](const leaf& condition) { write(condition); });
    }

    void write_order(const std::vector<sort_key>& order) {
        json_.begin_array();
        for (const sort_key& key : order) {
            json_.begin_object().member("column", key.by.name);
            json_.member("direction", sort_order_names[static_cast<std::size_t>(key.direction)]);
            if (key.is_unique && key.by.name != "id") json_.member("unique", true);
            json_.end_object();
        }
        json_.end_array();
    }

    void write(const metadata_query& paths) {
        if (!paths.empty()) return write(paths, 0);
        json_.begin_object().key("all").begin_array().end_array().end_object();
    }

    // --- Tests, as members of a leaf -------------------------------------------------------

    void operator()(const text_test& test) {
        json_.key(test.wanted.excludes() ? "none_of" : "any_of").begin_array();
        for (const std::string_view value : test.wanted.values()) json_.value(value);
        json_.end_array();
    }
    void operator()(const all_of_test& test) { write_texts(test_kind::all_of, test.wanted); }
    void operator()(const part_test& test) { write_texts(kind_of(test), test.parts); }
    void operator()(const boolean_test& test) { json_.member("is", test.wanted); }
    void operator()(const null_test& test) { json_.member("is_null", test.wanted); }
    void operator()(const record_test& test) {
        json_.key("any");
        write(test.wanted());
    }
    void operator()(const metadata_query& test) {
        json_.key("matches");
        write(test);
    }
    template <class T>
    void operator()(const bounds<T>& test) {
        if (test.least) write_bound(test.excludes_least ? "gt" : "gte", *test.least);
        if (test.most) write_bound(test.excludes_most ? "lt" : "lte", *test.most);
    }

private:
    void write(const leaf& condition) {
        json_.begin_object().member("column", condition.subject.name);
        if (condition.subject.how != collation::exact) {
            json_.member("collation", record_of(condition.subject.how).name);
        }
        visit_as<void>(*this, condition.test);
        if (condition.is_window) json_.member("window", true);
        json_.end_object();
    }

    void write(const metadata_query& query, std::size_t at) {
        const metadata_node node = query.nodes()[at];
        if (node.kind == metadata_node_kind::condition) {
            return write(query.conditions()[node.condition]);
        }
        json_.begin_object();
        if (node.kind == metadata_node_kind::negation) {
            json_.key("not");
            write(query, at + 1);
        } else {
            json_.key(node.kind == metadata_node_kind::conjunction ? "all" : "any").begin_array();
            for (std::size_t child = at + 1; child < at + node.size;) {
                write(query, child);
                child += query.nodes()[child].size;
            }
            json_.end_array();
        }
        json_.end_object();
    }
    void write(const metadata_condition& condition) {
        json_.begin_object().key("path").begin_array();
        for (const std::string& key : condition.path) json_.value(std::string_view(key));
        json_.end_array();
        json_.member(metadata_operator_names[static_cast<std::size_t>(condition.op)],
                     condition.value);
        json_.end_object();
    }

    void write_texts(test_kind kind, const std::vector<std::string>& texts) {
        json_.key(to_string(kind)).begin_array();
        for (const std::string& text : texts) json_.value(std::string_view(text));
        json_.end_array();
    }
    void write_bound(std::string_view name, const std::string& bound) {
        json_.member(name, std::string_view(bound));
    }
    void write_bound(std::string_view name, double bound) {
        json_.raw_member(name, real_text(bound));
    }
    void write_bound(std::string_view name, calendar_day bound) {
        json_.member(name, std::string_view(format_day(bound)));
    }
    void write_bound(std::string_view name, std::int64_t bound) { json_.member(name, bound); }
    void write_bound(std::string_view name, const decimal_number& bound) {
        json_.member(name, std::string_view(bound.text()));
    }
    void write_bound(std::string_view name, instant bound) {
        json_.member(name, std::string_view(format_timestamp(bound)));
    }

    json_writer& json_;
};

}  // namespace detail

/// Writes a query as JSON, for people and for programs in other languages, in terms of the schema's
/// columns.
///
/// ```
/// query = { "resource": name, "search": text,            ; each only where there is one
///           "where": where, "order": [ key … ],
///           "page": { "number": 1, "size": 100 } or "cursor": { "text": …, "size": 100 },
///                                                        ; "offset": 40 of a page, unless it is 0
///           "total": true / false }
/// key   = { "column": name, "direction": "asc" / "desc", "unique": true / false }
///                                                        ; unique where true, and not of an `id`
/// where = { "all": [ where … ] } / { "any": [ where … ] } / { "not": where } / leaf
/// leaf  = { "column": name, "collation": …, test }       ; of the collations exact is left out
/// test  = "any_of": [ text … ] / "none_of": [ text … ]   ; of a list column: shares any, or none
///       / "all_of": [ text … ]                           ; of a list column: has every one
///       / "contains": [ text … ] / "starts_with": [ text … ] / "ends_with": [ text … ]
///       / "gte" / "gt": bound, and / or "lte" / "lt": bound
///                                                        ; and "window": true of a list's window
///       / "is": true / false
///       / "is_null": true / false
///       / "any": where                                   ; on the columns of a column's records
///       / "matches": paths                               ; of a JSON column
/// bound = whole number / number / "decimal" / "time" / "day" / "text"
///                                                        ; by the column; times as RFC 3339
/// paths = as where, with leaves { "path": [ key … ], operator: text }; { "all": [] } if blank
/// operator = "equal" / "not_equal" / "gt" / "gte" / "lt" / "lte"
/// ```
///
/// Decimals are strings, so that no reader rounds them. parse_list_query() parses it back.
[[nodiscard]] inline std::string to_json(const list_query& query) {
    std::string text;
    detail::json_writer json(text);
    detail::query_writer writer(json);
    json.begin_object();
    if (!query.resource.empty()) json.member("resource", query.resource);
    if (!query.search.empty()) json.member("search", std::string_view(query.search));
    json.key("where");
    writer.write(query.rows);
    json.key("order");
    writer.write_order(query.order);
    json.key(query.from ? "cursor" : "page").begin_object();
    if (query.from) {
        json.member("text", std::string_view(to_string(*query.from).value_or(std::string())));
    } else {
        json.member("number", query.wanted.number);
        if (query.wanted.skipped != 0) json.member("offset", query.wanted.skipped);
    }
    json.member("size", query.wanted.size).end_object();
    json.member("total", query.wants_total).end_object();
    return text;
}

/// Writes a metadata expression as JSON: the `paths` of a query's JSON.
[[nodiscard]] inline std::string to_json(const metadata_query& query) {
    std::string text;
    detail::json_writer json(text);
    detail::query_writer(json).write(query);
    return text;
}

/// Returns the JSON of a query.
[[nodiscard]] inline std::string print_text(const list_query& query) { return to_json(query); }
/// Returns the text that a query is hashed by. It leaves out the values of tests, as equal decimals
/// may have different texts.
[[nodiscard]] inline std::string hash_text(const list_query& query) {
    std::string text(query.resource);
    text.append("\n").append(query.search).append("\n").append(to_string(query.wanted));
    for (const sort_key& key : query.order) text.append("\n").append(to_string(key));
    for (const leaf& condition : query.rows.leaves()) {
        text.append("\n").append(condition.subject.name).append(" ");
        text.append(to_string(kind_of(condition.test)));
    }
    return query.from ? text.append("\n").append(print_text(*query.from)) : text;
}
template <>
inline constexpr bool is_value<list_query> = true;

}  // namespace sluice

#endif
