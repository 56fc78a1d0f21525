// SPDX-License-Identifier: MIT
#include "queries.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sluice/metadata/matcher.hpp>
#include <sluice/query/json_writer.hpp>
#include <sluice/sql/compile.hpp>
#include <sluice/sql/place.hpp>

// The functions of queries, regardless of the table that they were bound by.

namespace sluice::wasm {

namespace {

/// A row's value in the column of a condition: a letter for its form, followed by its data.
///
/// ```
/// -            nothing                  i  digits   a whole number
/// t  text      a text, or of a decimal  @  digits   an instant, in milliseconds
/// l  text* ∅   a list of texts          z  text     an instant, as RFC 3339 text
/// j  text      JSON                     b  true     a boolean
/// ```
/// ∅ is an absent argument. src/rows.ts writes these forms.
class row_cell {
public:
    explicit row_cell(arguments& args) : form_(args.text()) {
        if (form_ == "-") return;
        while (const auto text = args.optional_text()) {
            texts_.push_back(*text);
            if (form_ != "l") break;
        }
    }

    /// Returns true if the data fits the form; only RFC 3339 text can fail. meets() expects it.
    [[nodiscard]] bool is_readable() const {
        return form_ != "z" || parse_timestamp(text()).has_value();
    }
    /// Returns true if the value meets a condition.
    [[nodiscard]] bool meets(const leaf& condition) const {
        const auto* const paths = std::get_if<metadata_query>(&condition.test);
        if (paths == nullptr) return holds(condition, value());
        metadata_matcher matcher(*paths);
        if (form_ != "j") return matcher.matches_empty_document();
        return matcher.matches_unchecked(text());
    }

private:
    [[nodiscard]] std::string_view text() const { return texts_.empty() ? "" : texts_[0]; }
    [[nodiscard]] cell value() const {
        if (form_ == "t") return text();
        if (form_ == "l") return std::span<const std::string_view>(texts_);
        if (form_ == "b") return text() == "true";
        if (form_ == "z") return *parse_timestamp(text());
        const std::int64_t number = parse_int64(text()).value_or(0);
        if (form_ == "i") return number;
        if (form_ == "@") return instant{std::chrono::milliseconds{number}};
        return std::monostate();
    }

    std::string_view form_;
    std::vector<std::string_view> texts_;
};

/// Writes an sql::value as JSON.
struct value_writer {
    json_writer& json;

    void operator()(std::monostate) const { json.value(nullptr); }
    void operator()(bool flag) const { json.value(flag); }
    void operator()(std::int64_t number) const { write_integer(json, number); }
    void operator()(double number) const { json.raw(sluice::detail::real_text(number)); }
    void operator()(const std::string& text) const { json.value(std::string_view(text)); }
    template <class T>
    void operator()(const std::vector<T>& items) const {
        json.begin_array();
        for (const T& item : items) (*this)(item);
        json.end_array();
    }
};

/// The names of sql::storage, in its order.
constexpr std::array<std::string_view, 3> storage_names{"prepared", "native", "function"};

/// Replaces the SQL of columns by the caller's: their number, and the name, SQL and SQL for numbers
/// of each. Returns the name of a column that doesn't exist; nullopt if all do.
[[nodiscard]] std::optional<std::string_view> place_columns(sql::mapping& places, arguments& args) {
    for (std::int64_t left = args.integer(); left > 0; --left) {
        const std::string_view name = args.text();
        const auto column = std::ranges::find(places.columns, name, &sql::mapped_column::name);
        if (column == places.columns.end()) return name;
        column->expression = args.text();
        column->numbers = args.text();
    }
    return std::nullopt;
}

/// Reads a sort key from a database, in the forms `-`, `t`, `i` and `b` of row_cell.
sql::value read_key(arguments& args) {
    const std::string_view form = args.text();
    if (form == "t") return std::string(args.text());
    if (form == "i") return args.integer();
    if (form == "b") return args.flag();
    return std::monostate();
}

}  // namespace

/// Arguments: a query, and a row's cells of its conditions, in order. Answer: a boolean.
SLUICE_WASM_FUNCTION(query_matches) {
    const query_object& parsed = args.object<query_object>();
    if (!parsed.query.search.empty()) {
        return write_mistake(json, "search: matches has no test for it");
    }
    std::vector<row_cell> row;
    const auto leaves = parsed.query.rows.leaves();
    for (const leaf& condition : leaves) {
        if (row.emplace_back(args).is_readable()) continue;
        const std::string_view param =
            condition.param.empty() ? condition.subject.name : condition.param;
        return write_mistake(json, std::string(param) + ": expected RFC 3339 text");
    }
    json.member("value", parsed.query.rows.matches_if([&](const leaf& condition) {
        return row[static_cast<std::size_t>(&condition - leaves.data())].meets(condition);
    }));
}

/// Arguments: a query. Answer: its tree.
SLUICE_WASM_FUNCTION(query_tree) {
    json.raw_member("value", to_json(args.object<query_object>().query));
}

/// Arguments: a query, a dialect, a storage, a form, a table, true if the table is SQL and not a
/// name, the selected SQL, and the number of columns with their SQL. Answer: the statement.
SLUICE_WASM_FUNCTION(query_sql) {
    const query_object& parsed = args.object<query_object>();
    const auto database = args.choice<sql::dialect>(sql::dialect_names);
    const auto how = args.choice<sql::storage>(storage_names);
    const auto form = args.choice<sql::form>(sql::form_names);
    const std::string_view table = args.text();
    sql::mapping places = sql::table_mapping(parsed.columns, table, database, how);
    if (args.flag()) places.table = table;
    places.selects = args.text();
    if (const auto unknown = place_columns(places, args)) {
        return write_mistake(json,
                             "columns: the query has no column '" + std::string(*unknown) + "'");
    }
    const auto statement = sql::compile(parsed.query, places, database, form);
    if (!statement) return write_errors(json, {&statement.error(), 1});
    json.key("value").begin_object().member("text", std::string_view(statement->text));
    json.key("parameters").begin_array();
    for (const sql::value& value : statement->parameters) std::visit(value_writer{json}, value);
    json.end_array().end_object();
}

/// Arguments: a query, a storage, true if the page ends before the row and not begins after it,
/// the number of the row's sort keys, and these. Answer: the text of a cursor.
SLUICE_WASM_FUNCTION(query_cursor) {
    const query_object& parsed = args.object<query_object>();
    const auto how = args.choice<sql::storage>(storage_names);
    const bool is_before = args.flag();
    std::vector<sql::value> keys;
    for (std::int64_t left = args.integer(); left > 0; --left) keys.push_back(read_key(args));
    const auto place = sql::place_beside(parsed.query, keys, is_before, how);
    if (!place) return write_errors(json, {&place.error(), 1});
    const auto text = cursor_text(*place, whole_order(parsed.query));
    if (!text) return write_errors(json, {&text.error(), 1});
    json.member("value", std::string_view(*text));
}

}  // namespace sluice::wasm
