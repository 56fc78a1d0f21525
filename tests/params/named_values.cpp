// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/params/bind.hpp>
#include <sluice/params/named_values.hpp>
#include <sluice/params/openapi.hpp>
#include <sluice/query/json_writer.hpp>

using namespace sluice;

namespace {

struct visits {
    named_values others{};

    friend bool operator==(const visits&, const visits&) = default;
};

constexpr schema visits_schema{column{.name = "click.asn", .type = column_type::integer},
                               column{.name = "click.carrier", .how = collation::ignore_case}};
constexpr param_table visits_params{
    visits_schema, named_integer_params<&visits::others, "asn">({.column = "click.asn"}),
    named_filter_param<&visits::others>({.name = "carrier", .column = "click.carrier"})};

result<visits> bound(const query_string& request) { return bind(visits_params, request.pairs()); }

/// Returns the conditions of a query as JSON.
std::string conditions_of(const visits& query) {
    const std::string json = to_json(to_list_query(visits_params, query));
    const std::size_t begin = json.find("\"where\":") + 8;
    return json.substr(begin, json.find(",\"order\"") - begin);
}

}  // namespace

TEST_CASE("values without a member are bound by their names and give their conditions") {
    const struct {
        std::string_view text, canonical;
        std::string where;  // within its "all"
    } table[] = {
        {"", "", ""},
        {"asn=", "", ""},
        {"asn=1,2", "asn=1%2C2", R"({"column":"click.asn","any_of":["1","2"]})"},
        {"asn=1&asn=2", "asn=1%2C2", R"({"column":"click.asn","any_of":["1","2"]})"},
        {R"(asn=-\-7)", "asn=-%5C-7", R"({"column":"click.asn","none_of":["-7"]})"},
        {"carrier=-A&asn=1", "asn=1&carrier=-A",
         R"({"column":"click.asn","any_of":["1"]},)"
         R"({"column":"click.carrier","collation":"ignore_case","none_of":["A"]})"},
        {"asn[gte]=7", "asn%5Bgte%5D=7", R"({"column":"click.asn","gte":7})"},
        {"asn[gt]=-7", "asn%5Bgt%5D=-7", R"({"column":"click.asn","gt":-7})"},
        {"asn[lte]=1e2", "asn%5Blte%5D=100", R"({"column":"click.asn","lte":100})"},
        {"asn[lt]=0", "asn%5Blt%5D=0", R"({"column":"click.asn","lt":0})"},
        {"asn[lt]=9223372036854775807&asn[gte]=-9223372036854775808",
         "asn%5Bgte%5D=-9223372036854775808&asn%5Blt%5D=9223372036854775807",
         R"({"column":"click.asn","gte":-9223372036854775808},)"
         R"({"column":"click.asn","lt":9223372036854775807})"},
    };
    for (const auto& [text, canonical, where] : table) {
        CAPTURE(text);
        const query_string request = parse_query_string(text);
        const auto query = bound(request);
        REQUIRE(query);
        CHECK(to_query_string(visits_params, *query) == canonical);
        CHECK(conditions_of(*query) == R"({"all":[)" + where + "]}");
        const query_string again = parse_query_string(canonical);
        CHECK(bound(again) == *query);
    }
}

TEST_CASE("a value without a member is refused as any value is, and leaves nothing") {
    const struct {
        std::string_view text, param;
        rule broken;
        std::uint32_t offset;
    } table[] = {
        {"asn=1,-2", "asn", rule::filter_dash, 2},
        {"asn=1,02", "asn", rule::filter_value, 2},
        {"asn=1,x", "asn", rule::filter_value, 2},
        {R"(asn=\-0)", "asn", rule::filter_value, 0},
        {"asn[gte]=", "asn[gte]", rule::number_malformed, 0},
        {"asn[gt]=x", "asn[gt]", rule::number_malformed, 0},
        {"asn[lt]=0.5", "asn[lt]", rule::number_not_whole, 0},
        {"asn[lte]=9223372036854775808", "asn[lte]", rule::number_too_large, 0},
        {"asn[lt]=1&asn[lt]=2", "asn[lt]", rule::parameter_repeated, 0},
    };
    for (const auto& [text, param, broken, offset] : table) {
        CAPTURE(text);
        const query_string request = parse_query_string(text);
        const auto query = bound(request);
        REQUIRE(!query);
        CHECK(query.error().param == param);
        CHECK(query.error().broken == broken);
        CHECK(query.error().offset == offset);
    }
    for (const auto& [row, text] : std::vector<std::pair<std::size_t, std::string>>{
             {0, "1,-2"}, {0, ""}, {1, "x"}, {5, "--a"}}) {
        visits empty;
        static_cast<void>(visits_params[row].assign(empty, visits_params[row].info, text, {}));
        CHECK(empty == visits());
    }
}

TEST_CASE("OpenAPI has a filter and the ranges of integers, which have no bounds of their own") {
    const std::string described = openapi_parameters(visits_params);
    for (const std::string name : {"asn[gte]", "asn[gt]", "asn[lte]", "asn[lt]"}) {
        CAPTURE(name);
        CHECK(described.find(R"("name":")" + name +
                             R"(","in":"query","description":"","required":false,)"
                             R"("schema":{"type":"integer"}})") != std::string::npos);
    }
    CHECK(described.find(R"("name":"asn","in")") != std::string::npos);
}
