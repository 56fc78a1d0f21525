// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_EXPRESSIONS_HPP
#define SLUICE_BENCH_DRIVER_EXPRESSIONS_HPP

#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include <sluice/errors/message.hpp>
#include <sluice/grammars/grammar.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/query/json_writer.hpp>
#include <sluice/sql/compile.hpp>
#include <sluice/sql/mapping.hpp>

#include "operation.hpp"

namespace sluice_bench {

/// The columns of tests/python/grammar_oracles.py.
inline constexpr sluice::schema expression_schema{
    sluice::column{.name = "name", .is_nullable = true},
    sluice::column{.name = "city", .is_nullable = true},
    sluice::column{.name = "total", .type = sluice::column_type::integer, .is_nullable = true},
    sluice::column{.name = "paid", .type = sluice::column_type::boolean, .is_nullable = true},
    sluice::column{.name = "tags", .is_list = true, .is_nullable = true}};

[[nodiscard]] inline sluice::where parse_expression(const std::string& text,
                                                    const sluice::grammar_record& record) {
    static const sluice::expression_columns columns{
        sluice::columns_view(expression_schema.begin(), expression_schema.size())};
    auto rows = record.parse(text, columns);
    if (!rows) throw std::runtime_error(sluice::message(rows.error()));
    return *std::move(rows);
}

[[nodiscard]] inline sluice::sql::statement compile_expression(
    const std::string& text, const sluice::grammar_record& record) {
    constexpr auto sqlite = sluice::sql::dialect::sqlite;
    static const sluice::sql::mapping columns = sluice::sql::table_mapping(
        sluice::columns_view(expression_schema.begin(), expression_schema.size()), "rows", sqlite);
    const sluice::list_query query{.rows = parse_expression(text, record)};
    return sluice::sql::compile(query, columns, sqlite, sluice::sql::form::condition).value();
}

/// Writes a statement of SQLite with its parameters in their places.
[[nodiscard]] inline std::string print_statement(const sluice::sql::statement& statement) {
    std::string text = statement.text;
    for (std::size_t number = statement.parameters.size(); number > 0; --number) {
        const std::string place = "?" + std::to_string(number);
        const auto& value = statement.parameters[number - 1];
        const auto* const whole = std::get_if<std::int64_t>(&value);
        const std::string literal =
            whole != nullptr ? std::to_string(*whole) : "'" + std::get<std::string>(value) + "'";
        for (std::size_t at = text.find(place); at != text.npos; at = text.find(place, at)) {
            text.replace(at, place.size(), literal);
        }
    }
    return text;
}

/// Adds `expression GRAMMAR TEXT`, which reads an expression, `expression_sql GRAMMAR TEXT`, which
/// writes it as a condition of SQLite, too, and `metadata_expression TEXT`.
inline void add_expressions(operation_table& operations) {
    const auto add = [&](const std::string& name, auto run, auto print) {
        operations[name] = [run, print](const std::string& argument) {
            const std::size_t space = argument.find(' ');
            const auto kind = sluice::find_grammar(argument.substr(0, space));
            if (!kind) throw std::runtime_error("no grammar");
            const auto body = [run, kind, text = argument.substr(space + 1)] {
                return run(text, sluice::record_of(*kind));
            };
            return repeated([body, print] { return print(body()); }, body);
        };
    };
    add("expression", parse_expression,
        [](sluice::where&& rows) { return to_json(sluice::list_query{.rows = std::move(rows)}); });
    add("expression_sql", compile_expression, print_statement);
    operations["metadata_expression"] = [](const std::string& text) {
        const auto run = [text] { return sluice::parse_metadata_query(text).value(); };
        return repeated([run] { return to_string(run()); }, run);
    };
}

}  // namespace sluice_bench

#endif
