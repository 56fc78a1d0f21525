// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/params.hpp>
#include <sluice/params/guideline_errors.hpp>
#include <sluice/params/guidelines.hpp>

// Answers with errors in the forms of guidelines: the table that Python and TypeScript read, too.

namespace guideline_error_tests {

using namespace sluice;

std::string text_of(simdjson::dom::element value) {
    return std::string(value.get_string().value());
}

TEST_CASE("each row of the table of error bodies holds") {
    std::ifstream lines(SLUICE_TEST_DATA "/guidelines/errors.ndjson");
    REQUIRE(lines.is_open());
    simdjson::dom::parser parser;
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        CAPTURE(line);
        const simdjson::dom::element row = parser.parse(line);
        std::vector<reported_error> errors;
        for (const simdjson::dom::element one : row["errors"].get_array()) {
            errors.push_back({static_cast<int>(one["status"].get_int64().value()),
                              text_of(one["rule"].value()), text_of(one["message"].value()),
                              text_of(one["param"].value())});
        }
        const auto form = std::ranges::find(error_form_records, text_of(row["form"].value()),
                                            &error_form_record::name);
        REQUIRE(form != error_form_records.end());
        const response answer = guideline_error_response(form->kind, errors, "api.example.com");
        CHECK(answer.status == row["status"].get_int64().value());
        CHECK(answer.body == text_of(row["body"].value()));
        CHECK(answer.header_value("content-type") == form->content_type);
    }
    CHECK(count >= 40);
}

constexpr schema columns{column{.name = "id"},
                         column{.name = "total", .type = column_type::integer}};
struct orders : guideline_list {};
constexpr param_table table{columns, odata_params<orders, 50>()};

TEST_CASE("the errors of a request name its parameters, unknown ones too") {
    const query_string request = parse_query_string("$filter=totl eq 1&top=1&$top=-1");
    const auto query = bind_all(table, request.pairs());
    REQUIRE_FALSE(query.has_value());
    const response answer =
        guideline_error_response(error_form::odata, query.error(), request.pairs());
    CHECK(answer.status == 400);
    CHECK(
        answer.body ==
        R"({"error":{"code":"column_unknown","message":"$filter: unknown column (did you mean 'total'?), expected one of the documented names","target":"$filter","details":[{"code":"column_unknown","message":"$filter: unknown column (did you mean 'total'?), expected one of the documented names","target":"$filter"},{"code":"number_too_small","message":"$top: too small, expected a whole number of at least 0","target":"$top"},{"code":"parameter_unknown","message":"top: unknown parameter (did you mean '$top'?), expected one of the documented names","target":"top"}]}})");
}

}  // namespace guideline_error_tests
