// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/params/aggregate.hpp>
#include <sluice/params/openapi.hpp>
#include <sluice/query/aggregate_writer.hpp>

#include "../zones.hpp"

using namespace sluice;

namespace {

constexpr schema columns{
    column{.name = "id"},
    column{.name = "country"},
    column{.name = "status"},
    column{.name = "total", .type = column_type::decimal},
    column{.name = "created", .type = column_type::time},
    column{.name = "data", .type = column_type::json},
};
constexpr std::array<std::string_view, 1> plan{"plan"};
constexpr std::array groups{
    group_choice{.name = "country"},
    group_choice{.name = "day", .column = "created", .bucket = time_bucket::day},
    group_choice{.name = "plan", .column = "data", .path = plan}};
constexpr std::array measures{
    measure_choice{.name = "count"},
    measure_choice{.name = "revenue", .column = "total", .kind = measure_kind::sum}};
constexpr std::array<std::string_view, 2> counted{"country", "status"};

struct report {
    filter status;
    sort_choices groups, measures, order, facets;
    std::int64_t top = 10;
};
constexpr param_table report_params{
    columns,
    filter_param<&report::status>({.name = "status", .column = "status"}),
    group_by_param<&report::groups, groups>({.name = "groupBy"}),
    measures_param<&report::measures, measures>({.name = "measures"}),
    group_order_param<&report::order, groups, measures>({.name = "order"}),
    group_limit_param<&report::top>({.name = "top"}),
    facets_param<&report::facets, counted>({.name = "facets"})};

/// The aggregate of a request as JSON, or its error and the bytes at fault.
std::string aggregate_of(std::string_view text) {
    const query_string request = parse_query_string(text);
    const auto query = bind(report_params, request.pairs(), {});
    const auto groups_of = [](const report& wanted) {
        return to_aggregate_query(report_params, wanted);
    };
    const auto aggregate = query ? groups_of(*query) : tl::unexpected(query.error());
    if (aggregate) return to_json(*aggregate);
    const error& why = aggregate.error();
    return std::string(why.param) + " " + std::string(to_string(why.broken)) + " " +
           std::to_string(why.offset) + "+" + std::to_string(why.length) + " " +
           std::string(why.suggestion);
}

}  // namespace

TEST_CASE("requests name groups, measures, their order and number") {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"", R"({"where":{"all":[]},"group_by":[],"measures":[{"measure":"count"}],)"
             R"("order":[],"limit":10})"},
        {"groupBy=day,country&status=paid",
         R"({"where":{"all":[{"column":"status","any_of":["paid"]}]},"group_by":[)"
         R"({"column":"created","bucket":"day","zone":"UTC","as":"day"},)"
         R"({"column":"country","as":"country"}],"measures":[{"measure":"count"}],)"
         R"("order":[],"limit":10})"},
        {"groupBy=plan&measures=revenue,count&order=-revenue,plan&top=3",
         R"({"where":{"all":[]},"group_by":[{"column":"data","path":["plan"],"as":"plan"}],)"
         R"("measures":[{"measure":"sum","column":"total","as":"revenue"},)"
         R"({"measure":"count","as":"count"}],"order":[)"
         R"({"measure":"revenue","direction":"desc"},{"group":"plan","direction":"asc"}],)"
         R"("limit":3})"},
        {"groupBy=country&order=-count",
         R"({"where":{"all":[]},"group_by":[{"column":"country","as":"country"}],)"
         R"("measures":[{"measure":"count"}],"order":[)"
         R"({"measure":"count","direction":"desc"}],"limit":10})"},
        {"groupBy=country,contry", "groupBy choice_unknown 8+6 country"},
        {"groupBy=day,day", "groupBy sort_repeated 4+3 "},
        {"groupBy=-day", "groupBy choice_unknown 0+4 day"},
        {"measures=revenu", "measures choice_unknown 0+6 revenue"},
        {"order=-total", "order choice_unknown 1+5 "},
        {"order=-revenue", "order field_value 0+0 "},
        {"order=country", "order field_value 0+0 "},
        {"top=0", "top number_too_small 0+1 "},
        {"top=10001", "top number_too_large 0+5 "},
    };
    for (const auto& [text, expected] : table) {
        CAPTURE(text);
        CHECK(aggregate_of(text) == expected);
    }
}

TEST_CASE("requests name facets") {
    const query_string request = parse_query_string("facets=status,country&status=-open");
    const auto query = bind(report_params, request.pairs(), {});
    REQUIRE(query);
    const auto facets = to_facets(report_params, *query);
    REQUIRE(facets.size() == 2);
    CHECK(facets[0].name == "status");
    CHECK(facets[1].name == "country");
    CHECK(to_list_query(report_params, *query).order.size() == 1);
    CHECK(to_query_string(report_params, *query) == "status=-open&facets=status%2Ccountry");
}

TEST_CASE("buckets are those of a zone") {
    const query_string request = parse_query_string("groupBy=day");
    const auto query = bind(report_params, request.pairs(), {});
    REQUIRE(query);
    const auto paris = zones().find("Europe/Paris");
    REQUIRE(paris);
    const auto aggregate = to_aggregate_query(report_params, *query, *paris);
    REQUIRE(aggregate);
    CHECK(aggregate->group_by[0].zone.name() == "Europe/Paris");
}

TEST_CASE("documents list the names") {
    const std::string parameters = openapi_parameters(report_params);
    CHECK(parameters.find(R"("^(?:country|day|plan)(?:,(?:country|day|plan)){0,2}$")") !=
          std::string::npos);
}
