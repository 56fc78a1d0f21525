// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/bind.hpp>
#include <sluice/named_filters.hpp>

using namespace sluice;

namespace {

struct visits {
    named_filters others{};

    friend bool operator==(const visits&, const visits&) = default;
};

constexpr schema visits_schema{column{.name = "click.asn"},
                               column{.name = "click.carrier", .how = collation::ignore_case}};
constexpr param_table visits_params{
    visits_schema, named_filter_param<&visits::others>({.name = "asn", .column = "click.asn"}),
    named_filter_param<&visits::others>({.name = "carrier", .column = "click.carrier"})};

result<visits> bound(const query_string& given) { return bind(visits_params, given.pairs()); }

}  // namespace

TEST_CASE("filters without a member are bound by their names and give their conditions") {
    struct {
        std::string_view text, canonical;
        std::vector<std::string> columns;
    } const table[] = {
        {"", "", {}},
        {"asn=", "", {}},
        {"asn=1,2", "asn=1%2C2", {"click.asn"}},
        {"asn=1&asn=2", "asn=1%2C2", {"click.asn"}},
        {"carrier=-A&asn=1", "asn=1&carrier=-A", {"click.asn", "click.carrier"}},
    };
    for (const auto& [text, canonical, columns] : table) {
        CAPTURE(text);
        const query_string given = parse_query_string(text);
        const auto query = bound(given);
        REQUIRE(query);
        CHECK(to_query_string(visits_params, *query) == canonical);
        std::vector<std::string> found;
        const list_query asked = to_list_query(visits_params, *query);
        for (const leaf& each : asked.rows.leaves()) found.emplace_back(each.subject.name);
        CHECK(found == columns);
    }
}

TEST_CASE("a filter without a member is refused as any filter is, and leaves nothing") {
    const query_string given = parse_query_string("asn=1,-2");
    const auto query = bound(given);
    REQUIRE(!query);
    CHECK(query.error().broken == rule::filter_dash);
    CHECK(query.error().param == "asn");
    CHECK(query.error().offset == 2);
    visits empty;
    CHECK(!visits_params[0].assign(empty, visits_params[0].info, "1,-2", {}));
    CHECK(empty == visits());
}
