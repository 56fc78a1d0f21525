// SPDX-License-Identifier: MIT
// Compiles a request of a custom endpoint to SQL, for tables with other column names.
#include <iostream>

#include <sluice/sluice.hpp>
#include <sluice/sql/compile.hpp>

constexpr sluice::schema columns{
    sluice::column{.name = "id"}, sluice::column{.name = "status"},
    sluice::column{.name = "customer.country", .how = sluice::collation::ignore_case},
    sluice::column{.name = "created", .type = sluice::column_type::time}};

struct orders : sluice::list_page {
    sluice::filter status, country;
};

constexpr sluice::param_table params{
    columns, sluice::filter_param<&orders::status>({.name = "status", .column = "status"}),
    sluice::filter_param<&orders::country>({.name = "country", .column = "customer.country"}),
    sluice::page_params<orders, 1'000>()};

int main(int, char** arguments) {
    const auto pairs = sluice::parse_query_string(arguments[1]);
    const auto query = sluice::bind(params, pairs.pairs());
    if (!query) {
        std::cout << sluice::message(query.error()) << '\n';
        return 1;
    }
    const sluice::sql::mapping places{
        .table = "orders o JOIN customers c ON c.id = o.customer",
        .columns = {{"id", "o.id"}, {"status", "o.status"}, {"customer.country", "c.country"}},
        .selects = "o.*"};
    const auto statement = sluice::sql::compile(sluice::to_list_query(params, *query), places,
                                                sluice::sql::dialect::postgresql);
    if (!statement) {
        std::cout << sluice::message(statement.error()) << '\n';
        return 1;
    }
    std::cout << statement->text << '\n' << statement->parameters.size() << " parameters\n";
}
