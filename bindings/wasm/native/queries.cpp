// SPDX-License-Identifier: MIT
#include "queries.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sluice/base/visit.hpp>
#include <sluice/query/json_writer.hpp>
#include <sluice/sql/compile.hpp>
#include <sluice/sql/place.hpp>
#include <sluice/time/day.hpp>

#include "host.hpp"

// The functions of queries, regardless of the table that they were bound by.

namespace sluice::wasm {

namespace {

/// Writes a query's conditions for src/conditions.ts.
class condition_writer {
public:
    explicit condition_writer(json_writer& json) : json_(json) {}

    void write(const where& rows) {
        sluice::detail::write_where(json_, rows, [this](const leaf& condition) {
            json_.begin_object();
            write(condition);
            json_.end_object();
        });
    }

    void operator()(const text_test& test) {
        json_.member("excludes", test.wanted.excludes());
        write_texts("texts", test.wanted.values());
    }
    void operator()(const all_of_test& test) { write_texts("all_of", test.wanted); }
    void operator()(const part_test& test) { write_texts(to_string(kind_of(test)), test.parts); }
    void operator()(const boolean_test& test) { json_.member("is", test.wanted); }
    void operator()(const null_test& test) { json_.member("is_null", test.wanted); }
    void operator()(const record_test& test) {
        json_.key("records");
        write(test.wanted());
    }
    void operator()(const metadata_query& test) {
        json_.member("matches", std::string_view(to_string(test)));
    }
    template <class T>
    void operator()(const bounds<T>& test) {
        json_.key("bounds").begin_object();
        if (test.least) write_bound(test.excludes_least ? "gt" : "gte", *test.least);
        if (test.most) write_bound(test.excludes_most ? "lt" : "lte", *test.most);
        json_.end_object();
    }

private:
    void write(const leaf& condition) {
        const column& subject = condition.subject;
        const std::string_view param = condition.param;
        json_.member("column", subject.name).member("param", param.empty() ? subject.name : param);
        json_.member("type", to_string(subject.type)).member("isList", subject.is_list);
        json_.member("collation", record_of(collation_of(subject)).name);
        write_texts("choices", subject.choices);
        sluice::detail::visit_as<void>(*this, condition.test);
    }
    template <class Texts>
    void write_texts(std::string_view name, const Texts& texts) {
        json_.key(name).begin_array();
        for (const std::string_view text : texts) json_.value(text);
        json_.end_array();
    }
    void write_bound(std::string_view name, std::int64_t bound) {
        write_integer(json_.key(name), bound);
    }
    void write_bound(std::string_view name, double bound) {
        json_.raw_member(name, sluice::detail::real_text(bound));
    }
    void write_bound(std::string_view name, instant bound) {
        json_.member(name, std::int64_t{bound.time_since_epoch().count()});
    }
    void write_bound(std::string_view name, calendar_day bound) {
        json_.member(name, std::string_view(format_day(bound)));
    }
    void write_bound(std::string_view name, const decimal_number& bound) {
        json_.member(name, std::string_view(bound.text()));
    }
    void write_bound(std::string_view name, const std::string& bound) {
        json_.member(name, std::string_view(bound));
    }

    json_writer& json_;
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

/// Reads a sort key from a database: `-` for null, or a letter of its type and its text.
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

/// Arguments: a query. Answer: its conditions, a tree as in QueryTree, with leaves
///
/// ```
/// { "column", "param", "type", "isList", "collation", "choices": of the column, test }
/// test = "texts": [ … ], "excludes" / "all_of" / "contains" / "starts_with" / "ends_with": [ … ]
///      / "bounds": { "gte" / "gt": bound, "lte" / "lt": bound } / "is" / "is_null": true or false
///      / "records": conditions on each record / "matches": a metadata expression
/// ```
/// Times are in milliseconds, and integers exact.
SLUICE_WASM_FUNCTION(query_conditions) {
    const query_object& parsed = args.object<query_object>();
    if (!parsed.query.search.empty()) {
        return write_mistake(json, "search: matches has no test for it");
    }
    condition_writer(json.key("value")).write(parsed.query.rows);
}

/// Arguments: two decimals. Answer: their order, -1, 0 or 1.
SLUICE_WASM_FUNCTION(decimal_order) {
    const auto first = parse_decimal_number(args.text());
    const auto second = parse_decimal_number(args.text());
    const auto order = first.value_or(decimal_number()) <=> second.value_or(decimal_number());
    json.member("value", std::int64_t{order < 0 ? -1 : order > 0 ? 1 : 0});
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
