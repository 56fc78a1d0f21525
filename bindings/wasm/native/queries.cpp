// SPDX-License-Identifier: MIT
#include "queries.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sluice/base/visit.hpp>
#include <sluice/grammars/grammar.hpp>
#include <sluice/query/json_writer.hpp>
#include <sluice/sql/compile.hpp>
#include <sluice/sql/place.hpp>
#include <sluice/time/day.hpp>

// The functions of queries, regardless of the table that they were bound by.

namespace sluice::wasm {

namespace {

/// Writes a query's conditions for src/conditions.ts.
class condition_writer {
public:
    explicit condition_writer(answer_writer& out) : out_(out) {}

    void write(const where& rows) {
        sluice::detail::write_where(out_, rows, [this](const leaf& condition) {
            out_.begin_object();
            write(condition);
            out_.end_object();
        });
    }

    void operator()(const text_test& test) {
        out_.member("excludes", test.wanted.excludes());
        out_.key("texts").texts(test.wanted.values());
    }
    void operator()(const all_of_test& test) { out_.key("all_of").texts(test.wanted); }
    void operator()(const part_test& test) { out_.key(to_string(kind_of(test))).texts(test.parts); }
    void operator()(const boolean_test& test) { out_.member("is", test.wanted); }
    void operator()(const null_test& test) { out_.member("is_null", test.wanted); }
    void operator()(const record_test& test) {
        out_.key("records");
        write(test.wanted());
    }
    void operator()(const metadata_query& test) {
        out_.member("matches", std::string_view(to_string(test)));
    }
    template <class T>
    void operator()(const bounds<T>& test) {
        out_.key("bounds").begin_object();
        if (test.least) write_bound(test.excludes_least ? "gt" : "gte", *test.least);
        if (test.most) write_bound(test.excludes_most ? "lt" : "lte", *test.most);
        out_.end_object();
    }

private:
    void write(const leaf& condition) {
        const column& subject = condition.subject;
        const std::string_view param = condition.param;
        out_.member("column", subject.name).member("param", param.empty() ? subject.name : param);
        out_.member("type", to_string(subject.type)).member("isList", subject.is_list);
        out_.member("collation", record_of(collation_of(subject)).name);
        out_.key("choices").texts(subject.choices);
        sluice::detail::visit_as<void>(*this, condition.test);
    }
    template <class T>
    void write_bound(std::string_view name, const T& bound) {
        out_.member(name, bound);
    }
    void write_bound(std::string_view name, instant bound) {
        out_.member(name, std::int64_t{bound.time_since_epoch().count()});
    }
    void write_bound(std::string_view name, calendar_day bound) {
        out_.member(name, std::string_view(format_day(bound)));
    }
    void write_bound(std::string_view name, const decimal_number& bound) {
        out_.member(name, std::string_view(bound.text()));
    }
    void write_bound(std::string_view name, const std::string& bound) {
        out_.member(name, std::string_view(bound));
    }

    answer_writer& out_;
};

/// Writes an sql::value.
struct value_writer {
    answer_writer& out;

    void operator()(std::monostate) const { out.value(nullptr); }
    void operator()(const std::string& text) const { out.value(std::string_view(text)); }
    template <class T>
    void operator()(const T& value) const {
        out.value(value);
    }
    template <class T>
    void operator()(const std::vector<T>& items) const {
        out.begin_array();
        for (const T& item : items) (*this)(item);
        out.end_array();
    }
};

/// The places of a table's columns in a database.
struct table_places {
    std::shared_ptr<const void> owner;  // of the columns, so that no others have their address
    columns_view columns;
    sql::dialect dialect;
    sql::storage storage;
    std::string table;
    sql::mapping mapping;
};

/// Returns the places of a query's columns; those of the last table are kept, which most programs
/// ask about again.
[[nodiscard]] sql::mapping& places_of(const query_object& parsed, std::string_view table,
                                      sql::dialect of, sql::storage how) {
    static table_places kept{};
    const bool is_kept = kept.columns.data() == parsed.columns.data() && kept.dialect == of &&
                         kept.storage == how && kept.table == table;
    if (!is_kept) {
        kept = {
            parsed.owner, parsed.columns,     of,
            how,          std::string(table), sql::table_mapping(parsed.columns, table, of, how)};
    }
    return kept.mapping;
}

/// Reads a sort key from a database: `-` for null, or a letter of its type and its text.
sql::value read_key(arguments& args) {
    const std::string_view form = args.text();
    if (form == "t") return std::string(args.text());
    if (form == "i") return args.integer();
    if (form == "d") return args.real();
    if (form == "b") return args.flag();
    return std::monostate();
}

}  // namespace

std::optional<std::string> place_columns(sql::mapping& places, columns_view schema, sql::dialect of,
                                         arguments& args) {
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

void write_statement(answer_writer& out, const result<sql::statement>& compiled) {
    if (!compiled) return out.errors({&compiled.error(), 1});
    out.begin_array().value(std::string_view(compiled->text));
    for (const sql::value& value : compiled->parameters) std::visit(value_writer{out}, value);
    out.end_array();
}

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
        return out.mistake("search: matches has no test for it");
    }
    condition_writer(out).write(parsed.query.rows);
}

/// Arguments: two decimals. Answer: their order, -1, 0 or 1.
SLUICE_WASM_FUNCTION(decimal_order) {
    const auto first = parse_decimal_number(args.text());
    const auto second = parse_decimal_number(args.text());
    const auto order = first.value_or(decimal_number()) <=> second.value_or(decimal_number());
    out.value(std::int64_t{order < 0 ? -1 : order > 0 ? 1 : 0});
}

/// Arguments: a query. Answer: its tree.
SLUICE_WASM_FUNCTION(query_tree) { out.json(to_json(args.object<query_object>().query)); }

/// Arguments: a query, the numbers of a dialect, a storage and a form, a table, true if the table
/// is SQL and not a name, the selected SQL, and the number of columns with their SQL. Answer: the
/// text of the statement and its parameters.
SLUICE_WASM_FUNCTION(query_sql) {
    const query_object& parsed = args.object<query_object>();
    const auto database = args.number<sql::dialect>();
    const auto how = args.number<sql::storage>();
    const auto form = args.number<sql::form>();
    const std::string_view table = args.text();
    const bool is_sql = args.flag();
    sql::mapping& kept = places_of(parsed, table, database, how);
    kept.selects = args.text();
    std::optional<sql::mapping> changed;
    if (is_sql) {
        changed = sql::table_mapping(parsed.columns, table, database, how);
        changed->table = table;
        changed->selects = kept.selects;
        if (const auto wrong = place_columns(*changed, parsed.columns, database, args)) {
            return out.mistake("columns: " + *wrong);
        }
    }
    write_statement(out, sql::compile(parsed.query, changed ? *changed : kept, database, form));
}

/// Arguments: a query, the number of a grammar, and the number of names with the column of each;
/// without names all columns have their own. Answer: the query's conditions as an expression.
SLUICE_WASM_FUNCTION(query_expression) {
    const query_object& parsed = args.object<query_object>();
    const auto in = args.number<grammar>();
    std::vector<expression_column> named;
    for (std::int64_t left = args.integer(); left > 0; --left) {
        const std::string_view name = args.text();
        const std::string_view of = args.text();
        const column* const subject = find_column(parsed.columns, of);
        if (subject == nullptr) {
            return out.mistake("names: the query has no column '" + std::string(of) + "'");
        }
        named.push_back({name, *subject});
    }
    const auto text = to_expression(
        parsed.query.rows, in,
        named.empty() ? expression_columns(parsed.columns) : expression_columns(std::move(named)));
    if (!text) return out.errors({&text.error(), 1});
    out.value(std::string_view(*text));
}

/// Arguments: a query, the number of a storage, true if the page ends before the row and not begins
/// after it, the number of the row's sort keys, and these. Answer: the text of a cursor.
SLUICE_WASM_FUNCTION(query_cursor) {
    const query_object& parsed = args.object<query_object>();
    const auto how = args.number<sql::storage>();
    const bool is_before = args.flag();
    const auto order = whole_order(parsed.query);
    std::vector<sql::value> keys;
    for (std::int64_t left = args.integer(); left > 0; --left) {
        const std::size_t at = keys.size();
        const bool is_fraction = std::holds_alternative<double>(keys.emplace_back(read_key(args)));
        if (is_fraction && at < order.size() && order[at].by.type != column_type::real) {
            return out.mistake("keys: expected a whole number");
        }
    }
    const auto place = sql::place_beside(parsed.query, keys, is_before, how);
    if (!place) return out.errors({&place.error(), 1});
    const auto text = cursor_text(*place, order);
    if (!text) return out.errors({&text.error(), 1});
    out.value(std::string_view(*text));
}

}  // namespace sluice::wasm
