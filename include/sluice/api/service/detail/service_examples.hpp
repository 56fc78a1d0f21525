// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_DETAIL_SERVICE_EXAMPLES_HPP
#define SLUICE_API_SERVICE_DETAIL_SERVICE_EXAMPLES_HPP

#include <array>

#include <sluice/api/service/detail/example_sources.hpp>

namespace sluice::api::example_sources {

/// Examples for the rules of records and files, in the order of the rules.
inline constexpr std::array record_examples{
    error_example{rule::json_malformed, &tags_file, "{'id':'tag_1','name':'new'}",
                  R"({"id":"tag_1","name":"new","createdAt":"2026-01-01T00:00:00Z"})",
                  "Write one JSON object a line, with double quotes."},
    error_example{rule::json_too_deep, &list_query_json, R"({"where":)", "",
                  "Flatten the condition.", R"({"not":)", 300},
    error_example{rule::text_encoding, &tags_file, "{\"id\":\"tag_1\",\"name\":\"caf\xE9\"}",
                  R"({"id":"tag_1","name":"cafe","createdAt":"2026-01-01T00:00:00Z"})",
                  "Save the file as UTF-8: the byte is of another encoding."},
    error_example{rule::byte_order_mark, &tags_file,
                  "\xEF\xBB\xBF{\"id\":\"tag_1\",\"name\":\"new\"}",
                  R"({"id":"tag_1","name":"new","createdAt":"2026-01-01T00:00:00Z"})",
                  "Save the file as UTF-8 without a byte-order mark."},
    error_example{rule::field_unknown, &list_query_json,
                  R"({"wher":{"column":"id","any_of":["tag_1"]}})",
                  R"({"where":{"column":"id","any_of":["tag_1"]}})",
                  "Write the field as the reference does. In files of records unknown fields are "
                  "ignored."},
    error_example{rule::field_missing, &tags_file,
                  R"({"name":"new","createdAt":"2026-01-01T00:00:00Z"})",
                  R"({"id":"tag_1","name":"new","createdAt":"2026-01-01T00:00:00Z"})",
                  "Add the field that the message names."},
    error_example{rule::field_type, &tags_file,
                  R"({"id":1,"name":"new","createdAt":"2026-01-01T00:00:00Z"})",
                  R"({"id":"1","name":"new","createdAt":"2026-01-01T00:00:00Z"})",
                  "Write the field's value in the type that the message names."},
    error_example{
        rule::field_value, &tags_file,
        R"({"id":"tag_1","name":"new","color":"mauve","createdAt":"2026-01-01T00:00:00Z"})",
        R"({"id":"tag_1","name":"new","color":"purple","createdAt":"2026-01-01T00:00:00Z"})",
        "Use a value that the message names."},
    error_example{rule::reference_unknown, &leads_file,
                  R"({"eventId":"lead_1","eventName":"Sign up","timestamp":"2026-01-01T00:00:00Z",)"
                  R"("customerId":"cus_1","clickId":"click_1","linkId":"link_1"})",
                  "", "Load the record that is named before the ones that name it."},
    error_example{rule::identifier_taken, &tags_file,
                  "{\"id\":\"tag_1\",\"name\":\"new\",\"createdAt\":\"2026-01-01T00:00:00Z\"}\n"
                  "{\"id\":\"tag_1\",\"name\":\"old\",\"createdAt\":\"2026-01-02T00:00:00Z\"}",
                  "{\"id\":\"tag_1\",\"name\":\"new\",\"createdAt\":\"2026-01-01T00:00:00Z\"}\n"
                  "{\"id\":\"tag_2\",\"name\":\"old\",\"createdAt\":\"2026-01-02T00:00:00Z\"}",
                  "Give each record an identifier of its own, and load each file once."},
    error_example{rule::file_unreadable, &service, "--data /nowhere", "",
                  "Check the path and that the process may read it."},
    error_example{rule::file_unwritable, &service, "sluice sample /proc/sample", "",
                  "Choose a folder that the process may write to, on a disk with room."}};

/// Examples for the rules of requests.
inline constexpr std::array request_examples{
    error_example{rule::transport_insecure, &service, "GET http://api.example.com/tags",
                  "GET https://api.example.com/tags",
                  "Ask by HTTPS. Behind a proxy that ends TLS, start the server with "
                  "--behind-proxy, and let the proxy send X-Forwarded-Proto: https."},
    error_example{rule::route_unknown, &service, "GET /event", "GET /events",
                  "Check the path and the method: /openapi.json lists all there are."},
    error_example{rule::credentials_missing, &service, "GET /tags",
                  "GET /tags, Authorization: Bearer KEY",
                  "Send a key of the workspace in the Authorization header."},
    error_example{rule::credentials_invalid, &service, "GET /tags, Authorization: Basic KEY",
                  "GET /tags, Authorization: Bearer KEY",
                  "Write Bearer, a space and the whole key. If the key is refused still, it has "
                  "expired or is not of this server: ask for a new one."},
    error_example{rule::rate_exceeded, &service, "GET /events, more often than the plan allows", "",
                  "Wait as many seconds as Retry-After says. X-RateLimit-Remaining tells how many "
                  "requests are left before that."},
    error_example{rule::query_too_costly, &service,
                  "GET /events?event=leads&interval=all&query=..., for more than a second of CPU",
                  "",
                  "Leave the condition out that the message names, or search a shorter window. "
                  "--deadline sets how long a search may take."},
    error_example{rule::store_unavailable, &service, "GET /events, while ClickHouse is down", "",
                  "Wait as many seconds as Retry-After says, then send the request again. /readyz "
                  "tells whether the store answers."},
    error_example{rule::request_cancelled, &service, "GET /events, while the server stops", "",
                  "Send the request again."},
    error_example{
        rule::sql_inexact, &tags_in_sql, "search=promo", "ids=tag_1",
        "Tell the endpoint's author: its class has a parameter that the database can't "
        "answer. Leave the parameter out, or store the column in a form that the database "
        "compares exactly."},
    error_example{rule::sql_too_large, &service, "an endpoint whose SQL has 70,000 values", "",
                  "Ask for fewer values, or for less at once."},
    error_example{rule::sql_name, &table_name, "", "tags", "Give the table or column a name."},
    error_example{rule::plan_insufficient, &service, "GET /events, with a key of a Pro plan", "",
                  "Events need the Business plan or a higher one."},
    error_example{rule::permission_missing, &service,
                  "GET /tags, with a key for analytics.read alone", "",
                  "Use a key that has the permission: /openapi.json names it for each path."},
    error_example{rule::unexpected_failure, &service, "any request, while memory has run out", "",
                  "Send the request again later. If it fails again, tell the server's operator the "
                  "X-Request-Id of the answer."}};

}  // namespace sluice::api::example_sources

#endif
