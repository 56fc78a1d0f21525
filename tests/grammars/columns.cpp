// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sluice/grammars/columns.hpp>

#include "expression_cases.hpp"

namespace columns_tests {

using namespace expression_samples;

TEST_CASE("an expression names the columns that it may, by their names in expressions") {
    CHECK(orders().find("price")->subject == *order_columns.find("price"));
    CHECK(orders().find("createTime")->subject == *order_columns.find("created"));
    CHECK(orders().find("secret") == nullptr);
    CHECK(orders().find("PRICE") == nullptr);
    CHECK(orders().find_ignoring_case("PRICE")->name == "price");
    CHECK(orders().find_ignoring_case("prices") == nullptr);
    CHECK(orders().near_miss("pirce") == "price");
    CHECK(orders().near_miss("nothing like it").empty());
    CHECK(orders().name_of(*order_columns.find("created"), test_kind::bounds) == "created");
    CHECK(orders().name_of(*order_columns.find("secret"), test_kind::any_of).empty());
    CHECK(orders().searched().empty());
    const expression_columns searched = searched_orders();
    CHECK(searched.searched().size() == 2);
}

TEST_CASE("all columns of a schema, by their own names") {
    const expression_columns all{columns_view(order_columns.begin(), order_columns.size())};
    CHECK(all.columns().size() == order_columns.size());
    CHECK(all.find("secret")->allowed == all_test_kinds);
}

}  // namespace columns_tests
