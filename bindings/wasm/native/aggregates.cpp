// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/visit.hpp>
#include <sluice/query/aggregate_reader.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/query/aggregation.hpp>
#include <sluice/query/detail/member_cell.hpp>
#include <sluice/query/facets.hpp>
#include <sluice/sql/aggregate.hpp>

#include "queries.hpp"
#include "zones.hpp"

// Aggregates: groups and measures of the rows of queries.

namespace sluice::wasm {

namespace {

/// An aggregate, with the conditions of its rows as a query.
struct aggregate_object : query_object {
    aggregate_object(const query_object& of, aggregate_query read)
        : query_object({.rows = read.rows}, of.columns, of.owner), wanted(std::move(read)) {}

    aggregate_query wanted;
};

/// A value of a row, which owns what its cell views.
class row_value {
public:
    /// Reads the value of a column: absent, or as src/aggregates.ts writes cells.
    row_value(arguments& args, const column& of) {
        if (args.skips_absent()) return;
        if (of.is_list) {
            for (std::int64_t left = args.integer(); left > 0; --left) {
                if (of.type == column_type::integer) {
                    numbers_.push_back(args.integer());
                } else {
                    texts_.push_back(args.text());
                }
            }
            if (of.type == column_type::integer) {
                cell_ = std::span<const std::int64_t>(numbers_);
            } else {
                cell_ = std::span<const std::string_view>(texts_);
            }
            return;
        }
        switch (of.type) {
            case column_type::integer: cell_ = args.integer(); return;
            case column_type::real: cell_ = args.real(); return;
            case column_type::time: cell_ = args.time(); return;
            case column_type::boolean: cell_ = args.flag(); return;
            case column_type::json:
                cell_ = scalar_lookup(sluice::detail::json_text_lookup(args.text()));
                return;
            case column_type::date: {
                const auto day = parse_day(args.text());
                if (day) cell_ = *day;
                return;
            }
            case column_type::text:
            case column_type::uuid:
            case column_type::choice:
            case column_type::decimal: cell_ = args.text(); return;
            case column_type::records: return;  // no group or measure
        }
    }
    row_value(row_value&&) = default;
    row_value& operator=(row_value&&) = default;

    [[nodiscard]] const cell& get() const { return cell_; }

private:
    std::vector<std::string_view> texts_;
    std::vector<std::int64_t> numbers_;
    cell cell_;
};

/// The columns of groups and measures, each once, in the order of cells.
std::vector<column> read_columns(const aggregate_query& wanted) {
    std::vector<column> all;
    const auto add = [&](const column& of) {
        if (std::ranges::find(all, of.name, &column::name) == all.end()) all.push_back(of);
    };
    for (const group_key& group : wanted.group_by) add(group.by);
    for (const measure& of : wanted.measures) {
        if (of.kind != measure_kind::count) add(of.of);
    }
    return all;
}

/// The groups of the rows so far, and what they view.
struct groups_object : object {
    explicit groups_object(const aggregate_object& of)
        : owner(of.owner), wanted(of.wanted), groups(wanted), columns(read_columns(wanted)) {}

    std::shared_ptr<const void> owner;
    aggregate_query wanted;
    aggregation groups;
    std::vector<column> columns;
};

/// Writes the value of a group or measure.
struct aggregate_value_writer {
    answer_writer& out;
    const column& of;

    void operator()(std::monostate) const { out.value(nullptr); }
    void operator()(const std::string& text) const { out.value(std::string_view(text)); }
    void operator()(const decimal_number& number) const {
        if (of.type == column_type::integer) {
            out.digits(number.text());  // a sum beyond 64 bits
        } else {
            out.value(std::string_view(number.text()));
        }
    }
    void operator()(calendar_day day) const { out.value(std::string_view(format_day(day))); }
    template <class T>
    void operator()(const T& value) const {
        out.value(value);
    }
};

}  // namespace

/// Arguments: a query, and an aggregate as JSON without conditions, or a column and a number of
/// values, which name a facet. Answer: the aggregate.
SLUICE_WASM_FUNCTION(aggregate_make) {
    const query_object& of = args.object<query_object>();
    if (!of.query.search.empty()) {
        return out.mistake("search: groups and facets have no test for it: name its columns");
    }
    const std::optional<std::string_view> json = args.optional_text();
    if (json) {
        auto read = parse_aggregate_query(*json, of.columns, host_zones());
        if (!read) return out.refusal(read.error().why, message(read.error()));
        read->resource = of.query.resource;
        read->rows = of.query.rows;
        return out.object(std::make_unique<aggregate_object>(of, *std::move(read)));
    }
    const std::string_view name = args.text();
    const column* const by = find_column(of.columns, name);
    if (by == nullptr) return out.mistake("column: the query has no '" + std::string(name) + "'");
    const std::int64_t values = args.integer();
    auto checked = check_facet_values(values);
    aggregate_query wanted = facet_query(of.query, *by, values);
    if (checked) checked = check(wanted);
    if (!checked) return out.errors({&checked.error(), 1});
    out.object(std::make_unique<aggregate_object>(of, std::move(wanted)));
}

/// Arguments: an aggregate. Answer: its tree.
SLUICE_WASM_FUNCTION(aggregate_tree) { out.json(to_json(args.object<aggregate_object>().wanted)); }

/// Arguments: an aggregate. Answer: the columns that its groups and measures read, in the order of
/// cells: { "column", "type", "isList" }.
SLUICE_WASM_FUNCTION(aggregate_columns) {
    out.begin_array();
    for (const column& of : read_columns(args.object<aggregate_object>().wanted)) {
        out.begin_object().member("column", of.name).member("type", to_string(of.type));
        out.member("isList", of.is_list).end_object();
    }
    out.end_array();
}

/// Arguments: an aggregate. Answer: its groups, without rows.
SLUICE_WASM_FUNCTION(groups_make) {
    out.object(std::make_unique<groups_object>(args.object<aggregate_object>()));
}

/// Arguments: groups, the number of rows, and their cells, row by row. Answer: nothing.
SLUICE_WASM_FUNCTION(groups_add) {
    groups_object& target = args.object<groups_object>();
    for (std::int64_t left = args.integer(); left > 0; --left) {
        std::vector<row_value> row;
        row.reserve(target.columns.size());
        for (const column& of : target.columns) row.emplace_back(args, of);
        target.groups.add_matching([&](const column& of) -> const cell& {
            const auto place = std::ranges::find(target.columns, of.name, &column::name);
            return row[static_cast<std::size_t>(place - target.columns.begin())].get();
        });
    }
    out.value(nullptr);
}

/// Arguments: groups. Answer: a list of objects, with groups and measures by their names; decimals
/// are texts.
SLUICE_WASM_FUNCTION(groups_finish) {
    const groups_object& of = args.object<groups_object>();
    const auto rows = of.groups.finish();
    const aggregate_query& wanted = of.wanted;
    if (!rows) return out.errors({&rows.error(), 1});
    out.begin_array();
    for (const aggregate_row& row : *rows) {
        out.begin_object();
        for (std::size_t at = 0; at < row.groups.size(); ++at) {
            out.key(name_of(wanted.group_by[at]));
            sluice::detail::visit_as<void>(aggregate_value_writer{out, wanted.group_by[at].by},
                                           row.groups[at]);
        }
        for (std::size_t at = 0; at < row.measures.size(); ++at) {
            out.key(name_of(wanted.measures[at]));
            sluice::detail::visit_as<void>(aggregate_value_writer{out, wanted.measures[at].of},
                                           row.measures[at]);
        }
        out.end_object();
    }
    out.end_array();
}

/// Arguments: an aggregate, the numbers of a dialect and a storage, a table, true if the table is
/// SQL and not a name, and the number of columns with their SQL. Answer: the text of the statement
/// and its parameters.
SLUICE_WASM_FUNCTION(aggregate_sql) {
    const aggregate_object& of = args.object<aggregate_object>();
    const auto database = args.number<sql::dialect>();
    const auto how = args.number<sql::storage>();
    const std::string_view table = args.text();
    sql::mapping places = sql::table_mapping(of.columns, table, database, how);
    if (args.flag()) places.table = table;
    if (const auto wrong = place_columns(places, of.columns, database, args)) {
        return out.mistake("columns: " + *wrong);
    }
    write_statement(out, sql::compile_aggregate(of.wanted, places, database));
}

}  // namespace sluice::wasm
