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
#include <sluice/time/day.hpp>

#include "host.hpp"

// The functions of queries, regardless of the table that they were bound by.

namespace sluice::wasm {

namespace {

[[nodiscard]] std::string_view param_of(const leaf& condition) noexcept {
    return condition.param.empty() ? condition.subject.name : condition.param;
}

/// A row's value in the column of a condition: a letter for its form, followed by its data.
///
/// ```
/// -            nothing                  i  digits    a whole number
/// t  text      a text, UUID or choice,  n  digits* ∅ a list of these
///              or of a decimal          d  number    a real
/// l  text* ∅   a list of texts          @  digits    an instant, in milliseconds
/// j  text      JSON                     z  text      an instant, as RFC 3339 text
/// b  true      a boolean                y  text      a day
/// r  digits    the number of records, and the cells of the conditions on each
/// ```
/// ∅ is an absent argument. src/rows.ts writes these forms.
class row_cell {
public:
    row_cell(arguments& args, const leaf& condition) : form_(args.text()) {
        if (form_ == "-") return;
        if (form_ == "r") read_records(args, condition);
        while (form_ != "r") {
            const auto text = args.optional_text();
            if (!text) break;
            texts_.push_back(*text);
            if (form_ == "n") numbers_.push_back(parse_int64(*text).value_or(0));
            if (form_ != "l" && form_ != "n") break;
        }
    }

    /// Returns the accepted values of a cell whose data don't fit its form, with the condition;
    /// nullopt if they do. meets() expects that.
    [[nodiscard]] std::optional<std::string> problem(const leaf& condition) const {
        const std::string param(param_of(condition));
        if (form_ == "z" && !parse_timestamp(text())) return param + ": expected RFC 3339 text";
        if (form_ == "y" && !parse_day(text())) return param + ": expected text such as 2026-08-21";
        for (const auto& record : records_) {
            if (auto inner = problem_in(std::get<record_test>(condition.test).wanted(), record)) {
                return inner;
            }
        }
        return std::nullopt;
    }
    /// Returns true if the value meets a condition.
    [[nodiscard]] bool meets(const leaf& condition) const {
        const auto* const paths = std::get_if<metadata_query>(&condition.test);
        if (paths == nullptr) return holds(condition, value());
        metadata_matcher matcher(*paths);
        if (form_ != "j") return matcher.matches_empty_document();
        return matcher.matches_unchecked(text());
    }

    /// Reads the cells of a row, one for each condition.
    static std::vector<row_cell> read(arguments& args, const where& rows) {
        std::vector<row_cell> cells;
        for (const leaf& condition : rows.leaves()) cells.emplace_back(args, condition);
        return cells;
    }
    /// Returns the first problem of a row's cells.
    static std::optional<std::string> problem_in(const where& rows,
                                                 const std::vector<row_cell>& cells) {
        const auto leaves = rows.leaves();
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (auto fault = cells[i].problem(leaves[i])) return fault;
        }
        return std::nullopt;
    }
    /// Returns true if a row meets all of a where.
    static bool meet(const where& rows, const std::vector<row_cell>& cells) {
        const auto leaves = rows.leaves();
        return rows.matches_if([&](const leaf& condition) {
            return cells[static_cast<std::size_t>(&condition - leaves.data())].meets(condition);
        });
    }

private:
    void read_records(arguments& args, const leaf& condition) {
        const auto* const test = std::get_if<record_test>(&condition.test);
        for (std::int64_t left = args.integer(); left > 0 && test != nullptr; --left) {
            records_.push_back(read(args, test->wanted()));
        }
    }
    [[nodiscard]] std::string_view text() const { return texts_.empty() ? "" : texts_[0]; }
    [[nodiscard]] cell value() const {
        if (form_ == "t") return text();
        if (form_ == "l") return std::span<const std::string_view>(texts_);
        if (form_ == "n") return std::span<const std::int64_t>(numbers_);
        if (form_ == "b") return text() == "true";
        if (form_ == "z") return *parse_timestamp(text());
        if (form_ == "y") return *parse_day(text());
        if (form_ == "d") return sluice_parse_real(text().data(), text().size());
        if (form_ == "j") return text();
        if (form_ == "r") {
            return record_lookup([this](const where& wanted) {
                return std::ranges::any_of(
                    records_, [&](const auto& record) { return meet(wanted, record); });
            });
        }
        const std::int64_t number = parse_int64(text()).value_or(0);
        if (form_ == "i") return number;
        if (form_ == "@") return instant{std::chrono::milliseconds{number}};
        return std::monostate();
    }

    std::string_view form_;
    std::vector<std::string_view> texts_;
    std::vector<std::int64_t> numbers_;
    std::vector<std::vector<row_cell>> records_;
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

/// Replaces the places of columns by the caller's: their number, and the name, SQL, SQL for numbers
/// and native type of each. Returns the caller's mistake; nullopt if there is none.
[[nodiscard]] std::optional<std::string> place_columns(sql::mapping& places, columns_view schema,
                                                       sql::dialect of, arguments& args) {
    for (std::int64_t left = args.integer(); left > 0; --left) {
        const std::string name(args.text());
        const auto place = std::ranges::find(places.columns, name, &sql::mapped_column::name);
        if (place == places.columns.end()) return "the query has no column '" + name + "'";
        place->expression = args.text();
        place->numbers = args.text();
        place->type = args.text();
        const column& source = *std::ranges::find(schema, place->name, &column::name);
        if (place->type.empty() || sql::detail::find_native_type(place->type, source, of)) continue;
        const std::string known = sql::detail::native_type_names(source, of);
        return name + ": kind: " +
               (known.empty() ? "no type but that of ddl()" : "expected one of " + known) +
               ", not '" + place->type + "'";
    }
    return std::nullopt;
}

/// Reads a sort key from a database, in the forms `-`, `t`, `i`, `d` and `b` of row_cell.
sql::value read_key(arguments& args) {
    const std::string_view form = args.text();
    if (form == "t") return std::string(args.text());
    if (form == "i") return args.integer();
    if (form == "d") {
        const std::string_view number = args.text();
        return sluice_parse_real(number.data(), number.size());
    }
    if (form == "b") return args.flag();
    return std::monostate();
}

}  // namespace

void write_conditions(json_writer& json, const where& rows) {
    json.begin_array();
    for (const leaf& condition : rows.leaves()) {
        json.begin_object().member("column", condition.subject.name);
        json.member("param", param_of(condition));
        json.member("type", to_string(condition.subject.type));
        if (condition.subject.is_list) json.member("isList", true);
        if (const auto* const test = std::get_if<record_test>(&condition.test)) {
            write_conditions(json.key("records"), test->wanted());
        }
        json.end_object();
    }
    json.end_array();
}

/// Arguments: a query, and a row's cells of its conditions, in order. Answer: a boolean.
SLUICE_WASM_FUNCTION(query_matches) {
    const query_object& parsed = args.object<query_object>();
    if (!parsed.query.search.empty()) {
        return write_mistake(json, "search: matches has no test for it");
    }
    const auto row = row_cell::read(args, parsed.query.rows);
    if (const auto fault = row_cell::problem_in(parsed.query.rows, row)) {
        return write_mistake(json, *fault);
    }
    json.member("value", row_cell::meet(parsed.query.rows, row));
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
    if (const auto wrong = place_columns(places, parsed.columns, database, args)) {
        return write_mistake(json, "columns: " + *wrong);
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
    const auto order = whole_order(parsed.query);
    std::vector<sql::value> keys;
    for (std::int64_t left = args.integer(); left > 0; --left) {
        const std::size_t at = keys.size();
        const bool is_fraction = std::holds_alternative<double>(keys.emplace_back(read_key(args)));
        if (is_fraction && at < order.size() && order[at].by.type != column_type::real) {
            return write_mistake(json, "keys: expected a whole number");
        }
    }
    const auto place = sql::place_beside(parsed.query, keys, is_before, how);
    if (!place) return write_errors(json, {&place.error(), 1});
    const auto text = cursor_text(*place, order);
    if (!text) return write_errors(json, {&text.error(), 1});
    json.member("value", std::string_view(*text));
}

}  // namespace sluice::wasm
