// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/reference/clickhouse/analytics.hpp>
#include <sluice/reference/clickhouse/load.hpp>
#include <sluice/reference/clickhouse/queries.hpp>
#include <sluice/reference/clickhouse/request.hpp>

#include "make_records.hpp"
#include "make_service.hpp"

using namespace sluice;
using namespace sluice::reference;
using clickhouse::answer_row;
using clickhouse::load_counts;

namespace {

std::string answer_of(const std::vector<answer_row>& rows) {
    std::string text;
    sluice::detail::json_writer json(text);
    json.begin_object().key("meta").begin_array().end_array().key("data").begin_array();
    for (const answer_row& row : rows) {
        json.begin_array();
        for (const std::string& cell : row) json.value(cell);
        json.end_array();
    }
    json.end_array().member("rows", static_cast<std::int64_t>(rows.size())).end_object();
    return text;
}

TEST_CASE("answers that are whole are read, whatever their texts hold") {
    const std::vector<std::vector<answer_row>> cases{
        {}, {{"a"}}, {{"", "-9223372036854775808"}, {"\"\\\n\t\x01\xE2\x80\xA8", "x"}}};
    for (const auto& rows : cases) {
        const std::size_t columns = rows.empty() ? 3 : rows[0].size();
        CHECK(clickhouse::read_answer(answer_of(rows), columns) == rows);
    }
}

TEST_CASE("answers that are not whole are refused") {
    const std::vector<std::string> cases{
        "",
        "Ok.\n",
        "Code: 279. DB::Exception: All connection tries failed",
        "[]",
        R"({"data":[["a"],["b"]],"rows":2)",                        // breaks off
        R"({"data":[["a"],["b"]]})",                                // does not say how many
        R"({"data":[["a"],["b"]],"rows":3})",                       // is a part
        R"({"data":[["a"],["b"]],"rows":1})",                       // is too much
        R"({"data":[["a"]],"rows":1,"exception":"Code: 241."})",    // failed on its way
        R"({"data":[["a"]],"rows":1}Code: 241. DB::Exception: x)",  // failed after it
        R"({"data":[["a","b"]],"rows":1})",                         // other columns
        R"({"data":[[]],"rows":1})",
        R"({"data":[[null]],"rows":1})",
        R"({"data":[[1]],"rows":1})",
        R"({"data":["a"],"rows":1})",
        R"({"data":{},"rows":0})",
    };
    for (const std::string& text : cases) {
        const auto read = clickhouse::read_answer(text, 1);
        CHECK_MESSAGE(!read, text);
        if (!read) CHECK(read.error().broken == rule::store_unavailable);
    }
    // Each prefix of an answer is a part of it.
    const std::string whole = answer_of({{"a"}, {"b"}});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CHECK_FALSE(clickhouse::read_answer(whole.substr(0, size), 1));
    }
}

TEST_CASE("tables have each column that is filtered by, once") {
    const std::string events = clickhouse::table_statements().front();
    const auto columns = clickhouse::events_mapping().columns;
    CHECK(columns.size() == events_schema.size() + 2);
    for (const auto& column : columns) {
        for (const std::string& name : {column.expression, column.numbers}) {
            if (name.empty()) continue;
            const auto first = events.find(name + " ");
            CHECK(first != std::string::npos);
            CHECK(events.find(name + " ", first + 1) == std::string::npos);
        }
    }
    CHECK(events.starts_with("CREATE TABLE IF NOT EXISTS events ("));
    CHECK(
        events.ends_with("ENGINE = ReplacingMergeTree(added) "
                         "ORDER BY (workspace, kind, timestamp, id)"));
    const auto spread = clickhouse::table_statements("two \"shards\\");
    REQUIRE(spread.size() == 4);
    CHECK(spread[0].starts_with("CREATE TABLE IF NOT EXISTS events_part ("));
    CHECK(spread[1] ==
          "CREATE TABLE IF NOT EXISTS events AS events_part ENGINE = "
          R"(Distributed("two ""shards\\", currentDatabase(), events_part, cityHash64(id)))");
}

// --- Questions -----------------------------------------------------------------------------

/// Answers each statement with the same rows, and keeps what it was asked.
struct fixed_server {
    std::vector<std::vector<answer_row>> answers;
    std::vector<sql::statement> questions{};

    clickhouse::statement_runner runner() {
        return [this](const sql::statement& question) -> result<std::string> {
            questions.push_back(question);
            if (questions.size() > answers.size()) return fail(rule::store_unavailable);
            return answer_of(answers[questions.size() - 1]);
        };
    }
    clickhouse::stoppable_runner stoppable() {
        return [run = runner()](const auto& question, const auto&) { return run(question); };
    }
};

std::vector<answer_row> rows_from(int first, int count) {
    std::vector<answer_row> rows;
    for (int at = first; at < first + count; ++at) {
        rows.push_back({std::to_string(at), std::to_string(1'000 - at), "id" + std::to_string(at)});
    }
    return rows;
}

TEST_CASE("a page asks for one row more, which tells whether a page follows") {
    struct page_case {
        const char* query;
        int rows;
        const char* body;
        bool has_previous, has_next;
    };
    const std::vector<page_case> cases{
        {"limit=2", 0, "[]", false, false},        {"limit=2", 2, "[0,1]", false, false},
        {"limit=2", 3, "[0,1]", false, true},      {"limit=2&page=2", 3, "[0,1]", true, true},
        {"limit=2&page=2", 1, "[0]", true, false}, {"limit=2&page=7", 0, "[]", true, false},
    };
    for (const auto& [text, rows, body, has_previous, has_next] : cases) {
        fixed_server server{{rows_from(0, rows), {{"3"}}, rows_from(0, rows)}};
        const auto page = clickhouse::list_events(server.runner(), "ws", events_query_of(text));
        REQUIRE(page);
        CHECK(page->body == body);
        CHECK(page->has_previous == has_previous);
        CHECK(page->has_next == has_next);
        CHECK(page->next.has_value() == (has_next && rows > 0));
        CHECK(page->previous.has_value() == (has_previous && rows > 0));
        const auto& bound = server.questions[0].parameters;
        CHECK(std::get<std::int64_t>(bound[bound.size() - 2]) == 3);
        CHECK(server.questions.size() == (rows == 3 ? 1 : 3));
    }
}

TEST_CASE("a page that isn't full is asked for by all versions of its rows, or by all rows") {
    const auto query = events_query_of("limit=2&page=2&country=US");
    const auto looks_at = [](const sql::statement& question) -> std::int64_t {
        const std::size_t inner = question.text.find(" GLOBAL IN (SELECT ");
        if (inner == std::string::npos) return 0;
        const std::size_t limit = question.text.find(" LIMIT {p", inner);
        const auto number = std::stoul(question.text.substr(limit + 9));
        return std::get<std::int64_t>(question.parameters.at(number - 1));
    };
    constexpr auto all = std::numeric_limits<std::int64_t>::max();
    const struct {
        const char* versions;
        std::vector<std::int64_t> looked_at;  // of the questions for rows
    } table[] = {{"0", {10}}, {"1", {10, all}}, {"100000", {10, all}}, {"100001", {10, 0}}};
    for (const auto& [versions, looked_at] : table) {
        fixed_server server{{rows_from(0, 1), {{versions}}, rows_from(0, 2)}};
        const auto page = clickhouse::list_events(server.runner(), "ws", query);
        REQUIRE(page);
        CHECK(page->body == (looked_at.size() == 1 ? "[0]" : "[0,1]"));
        REQUIRE(server.questions.size() == looked_at.size() + 1);
        CHECK(looks_at(server.questions[0]) == looked_at[0]);
        CHECK(server.questions[1].text.starts_with("SELECT count(*) FROM events WHERE "));
        if (looked_at.size() == 2) CHECK(looks_at(server.questions[2]) == looked_at[1]);
    }
    // One that is far from the start is asked for by all rows at once.
    fixed_server server{{rows_from(0, 1)}};
    REQUIRE(clickhouse::list_events(server.runner(), "ws", events_query_of("page=102")));
    CHECK(looks_at(server.questions[0]) == 0);
}

TEST_CASE("pages at a cursor are those after and before its row") {
    const auto query = events_query_of("limit=2&country=US");
    fixed_server first{{rows_from(0, 3)}};
    const auto page = clickhouse::list_events(first.runner(), "ws", query);
    REQUIRE(page->next);
    CHECK(page->next->keys == cursor{false, 0, 0, {"999", "id1"}}.keys);
    CHECK(page->next->query_mark == query_mark(to_list_query(events_params, query)));

    auto after = query, before = query;
    after.cursor = page->next;
    before.cursor = page->next;
    before.cursor->is_before = true;
    fixed_server server{{rows_from(2, 2), {{"9"}}, rows_from(2, 2), rows_from(0, 3)}};
    const auto second = clickhouse::list_events(server.runner(), "other", after);
    CHECK(second->body == "[2,3]");
    CHECK(second->has_previous);
    CHECK_FALSE(second->has_next);
    const auto back = clickhouse::list_events(server.runner(), "other", before);
    CHECK(back->body == "[1,2]");  // the row too many is the one farthest from the place
    CHECK(back->has_previous);
    CHECK(back->has_next);
}

TEST_CASE("no value is in the text of a question, and the workspace is in each") {
    const auto query = events_query_of("count=true&country=QQ&city=sought&page=3&limit=7");
    fixed_server server{{{}, {{"12"}}, {}, {{"12"}}, {{"1", "2", "3", "4"}}}};
    const auto run = server.runner();
    CHECK(clickhouse::list_events(run, "ws_sought", query)->total == 12);
    CHECK(clickhouse::canonical_text(run, "ws_sought", query));
    REQUIRE(server.questions.size() == 5);
    for (const sql::statement& question : server.questions) {
        CHECK(question.text.find("sought") == std::string::npos);
        CHECK(question.text.find("QQ") == std::string::npos);
        CHECK(
            question.text.ends_with("skip_unavailable_shards = 0, "
                                    "output_format_json_quote_64bit_integers = 1 "
                                    "FORMAT JSONCompact"));
        CHECK(std::ranges::find(question.parameters, sql::value("ws_sought")) !=
              question.parameters.end());
    }
}

TEST_CASE("a workspace without an id has no events, rather than those of all") {
    for (const std::string_view workspace : {"", "-", "a,b", "\\"}) {
        fixed_server server{{{}, {{"0"}}}};
        REQUIRE(clickhouse::list_events(server.runner(), workspace, events_query_of("city=-x")));
        const sql::statement& question = server.questions[0];
        const sql::value only = std::string(workspace);
        CHECK((question.text.find("FALSE") != std::string::npos) == workspace.empty());
        CHECK((question.parameters[0] == only) == !workspace.empty());
    }
}

TEST_CASE("a count or a page that is no answer is an error") {
    const auto query = events_query_of("count=true");
    for (const auto& answers :
         std::vector<std::vector<std::vector<answer_row>>>{{},
                                                           {rows_from(0, 1)},
                                                           {rows_from(0, 1), {{"1"}}},
                                                           {{}, {{"0"}}, {}},
                                                           {{}, {{"0"}}, {{"x"}}},
                                                           {{}, {{"x"}}},
                                                           {{}, {{"0"}}, {{"1"}, {"2"}}}}) {
        fixed_server server{answers};
        const auto page = clickhouse::list_events(server.runner(), "ws", query);
        REQUIRE_FALSE(page);
        CHECK(page.error().broken == rule::store_unavailable);
    }
}

TEST_CASE("groups of events are read from texts, and what is no number is an error") {
    aggregate_query query{.group_by = {{.by = *events_schema.find("click.country")}}};
    const auto ask = [&](const std::vector<answer_row>& rows, fixed_server& server) {
        server.answers = {rows};
        return clickhouse::queried_analytics(server.runner(), "ws_sought")
            .aggregate(event_kind::clicks, query);
    };
    fixed_server server{};
    const auto groups = ask({answer_row{"FR", "2"}, answer_row{"", "9223372036854775808"}}, server);
    REQUIRE(groups);
    REQUIRE(groups->size() == 2);
    CHECK((*groups)[1].groups == std::vector<aggregate_value>{std::string("FR")});
    CHECK((*groups)[1].measures == std::vector<aggregate_value>{std::int64_t{2}});
    CHECK((*groups)[0].measures ==
          std::vector<aggregate_value>{*sluice::parse_decimal_number("9223372036854775808")});
    REQUIRE(server.questions.size() == 1);
    const sql::statement& question = server.questions[0];
    CHECK(question.text.find("sought") == std::string::npos);
    CHECK(std::ranges::find(question.parameters, sql::value("ws_sought")) !=
          question.parameters.end());
    for (const answer_row& wrong :
         {answer_row{"FR", "x"}, answer_row{"FR", ""}, answer_row{"FR"}}) {
        fixed_server other{};
        const auto refused = ask({wrong}, other);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().broken == rule::store_unavailable);
    }
}

// --- Questions over HTTP -------------------------------------------------------------------

TEST_CASE(
    "a question over HTTP has its parameters in the target, and nothing of them in the body") {
    const std::string text("'\\\t\n\r\0+ %&=\xC3\xA9", 13),
        escaped = "\\'\\\\\\t\\n\\r\\0+ %&=\xC3\xA9";
    const sql::statement question{"SELECT {p1:String}",
                                  {text, std::vector<std::string>{text, ""}, std::int64_t{-1}, true,
                                   std::vector<std::int64_t>{1, 2}, std::monostate()}};
    const auto [target, body] =
        clickhouse::to_http(question, "my db", std::chrono::milliseconds(1));
    CHECK(body == question.text);
    REQUIRE(target.starts_with("/?"));
    const query_string read = parse_query_string(std::string_view(target).substr(1));
    const std::vector<std::pair<std::string, std::string>> expected{
        {"database", "my db"},
        {"wait_end_of_query", "1"},
        {"readonly", "2"},
        {"cancel_http_readonly_queries_on_client_close", "1"},
        {"max_execution_time", "1"},
        {"param_p1", escaped},
        {"param_p2", "['" + escaped + "','']"},
        {"param_p3", "-1"},
        {"param_p4", "true"},
        {"param_p5", "[1,2]"},
        {"param_p6", "\\N"}};
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& [name, value] : read.pairs()) pairs.emplace_back(name, value);
    CHECK(pairs == expected);
}

TEST_CASE("a question has whole seconds, one at least") {
    const auto seconds_of = [](int milliseconds) {
        const auto encoded = clickhouse::to_http({}, "d", std::chrono::milliseconds(milliseconds));
        const query_string read = parse_query_string(std::string_view(encoded.target).substr(1));
        CHECK(read.pairs()[4].name == "max_execution_time");
        return std::string(read.pairs()[4].value);
    };
    CHECK(seconds_of(-1) == "1");
    CHECK(seconds_of(1'000) == "1");
    CHECK(seconds_of(1'001) == "2");
}

TEST_CASE("of a failure its number and name are told, and nothing of the question") {
    const auto check = [](std::string_view code, std::string_view text, std::string_view expected) {
        CHECK(clickhouse::failure_in(500, code, text) == expected);
    };
    check("60", "Code: 60. DB::Exception: secret (UNKNOWN_TABLE) (version 26.7.3.1 (x))",
          "error 60 of ClickHouse, UNKNOWN_TABLE");
    check("62", "(SECRET) (version 1) of 'secret' (SYNTAX_ERROR) (version 26.7)",
          "error 62 of ClickHouse, SYNTAX_ERROR");
    check("516", "Code: 516. DB::Exception: x\n. (AUTHENTICATION_FAILED)\n",
          "error 516 of ClickHouse, AUTHENTICATION_FAILED");
    check("62", "", "error 62 of ClickHouse");
    check("62", "secret", "error 62 of ClickHouse");
    check("62", "(SECRET", "error 62 of ClickHouse");
    check("62", "(SECRET) and so on", "error 62 of ClickHouse");
    check("62", "(", "error 62 of ClickHouse");
    check("62", ")", "error 62 of ClickHouse");
    check("62", ")(", "error 62 of ClickHouse");
    check("62", "SECRET)", "error 62 of ClickHouse");
    check("62", "secret) (version 1)", "error 62 of ClickHouse");
    check("62", "(secret) (version 1)", "error 62 of ClickHouse");
    check("62", "() (version 1)", "error 62 of ClickHouse");
    check("", "secret (SECRET) (version 1)", "HTTP status 500");
    check("6 secret", "", "HTTP status 500");
    check("1234567", "", "HTTP status 500");
}

// --- Loads ---------------------------------------------------------------------------------

/// Takes the rows of INSERTs, and tells which are there; fails at a statement if told to.
class fake_table {
public:
    clickhouse::statement_runner runner() {
        return [this](const sql::statement& question) { return run(question); };
    }

    int fails_at = -1;
    std::map<std::string, std::vector<std::string>> rows{};  // cells as JSON, by id
    int inserted = 0;

private:
    result<std::string> run(const sql::statement& question) {
        if (fails_at-- == 0) return fail(rule::store_unavailable);
        if (question.text.starts_with("SELECT id, timestamp")) return answer_of(known(question));
        if (question.text.starts_with("SELECT cells")) {
            return answer_of(records_[std::get<std::string>(question.parameters[1])]);
        }
        insert(question.text);
        return "";
    }
    std::vector<answer_row> known(const sql::statement& question) const {
        std::vector<answer_row> answers;
        for (const auto& id : std::get<std::vector<std::string>>(question.parameters[2])) {
            const auto there = rows.find(std::get<std::string>(question.parameters[1]) + id);
            if (there == rows.end()) continue;
            const std::string& mark = there->second.back();
            answers.push_back({id, there->second[3], mark.substr(1, mark.size() - 2)});
        }
        return answers;
    }
    void insert(const std::string& text) {
        std::string_view rest = std::string_view(text).substr(text.find('\n') + 1);
        for (; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1), ++inserted) {
            simdjson::dom::parser parser;
            std::vector<std::string> cells;
            const auto line = rest.substr(0, rest.find('\n'));
            for (const simdjson::dom::element cell :
                 simdjson::dom::array(parser.parse(std::string(line)))) {
                cells.push_back(simdjson::minify(cell));
            }
            keep(text.starts_with("INSERT INTO events"), std::move(cells));
        }
    }
    void keep(bool is_event, std::vector<std::string> cells) {
        const auto plain = [](const std::string& cell) { return cell.substr(1, cell.size() - 2); };
        if (is_event) {
            rows[plain(cells[1]) + plain(cells[2])] = std::move(cells);
        } else {
            simdjson::dom::parser parser;
            const auto json =
                std::string(std::string_view(parser.parse("[" + cells[4] + "]").at(0)));
            records_[plain(cells[1])].push_back({plain(cells[3]), json});
        }
    }

    std::map<std::string, std::vector<answer_row>> records_;  // by list
};

void fill(event_store& store) {
    auto link = make_link("l1");
    const std::vector<tag> tags{{.id = "t1", .name = "One"}};
    link.tags = tags;
    link.external_id = "ours";
    REQUIRE(store.add(make_tag("t1", "One", 5)));
    REQUIRE(store.add(make_customer("c1")));
    REQUIRE(store.add(make_customer("c2")));
    REQUIRE(store.add(link));
    for (int at = 0; at < 3; ++at)
        REQUIRE(store.add(make_click("k" + std::to_string(at), "l1", at)));
    auto lead = make_lead("e1", 10, "c1", "k1", "l1");
    lead.metadata = R"({"plan":"pro","seats":12})";
    REQUIRE(store.add(lead));
    REQUIRE(store.add(make_lead("e1", 11, "c2", "k1", "l1")));  // the same id again
    REQUIRE(store.add(make_sale("e1", 12, "c2", "k1", "l1")));
    REQUIRE(store.add(make_sale("e2", 13, "c2", "k2", "l1")));
    store.publish();
}

TEST_CASE("rows have what conditions are about, and the event as it is listed") {
    event_store store("ws");
    fill(store);
    fake_table table;
    REQUIRE(clickhouse::load_tables(store, table.runner()));
    const auto names = clickhouse::detail::events_table().columns;
    const auto cell = [&](const std::string& row, const std::string& name) {
        for (std::size_t at = 0; at < names.size(); ++at) {
            if (names[at].name == name) return table.rows.at(row).at(at);
        }
        return std::string("no column");
    };
    const auto quoted = [](const std::string& name) { return '"' + name + '"'; };
    const std::vector<std::array<std::string, 3>> cases{
        {"clicksk1", "workspace", R"("ws")"},
        {"clicksk1", "kind", R"("clicks")"},
        {"clicksk1", "timestamp", "1"},
        {"clicksk1", "click_country", R"("US")"},
        {"clicksk1", "click_trigger", "null"},
        {"clicksk1", "link_id", R"("l1")"},
        {"clicksk1", "link_domain", R"("go.example.com")"},
        {"clicksk1", "link_externalId", R"("ours")"},
        {"clicksk1", "link_tenantId", "null"},
        {"clicksk1", "link_tagIds", R"(["t1"])"},
        {"clicksk0", "customer_id", "[]"},
        {"clicksk1", "customer_id", R"(["c1","c2"])"},
        {"clicksk2", "customer_id", R"(["c2"])"},
        {"clicksk1", "metadata_text", "{}"},
        {"leadse1", "customer_id", R"(["c1"])"},
        {"leadse1", "metadata_text", R"({"/plan":"pro","=/seats":"12"})"},
        {"leadse1", "metadata_num", R"({"/seats":"211212"})"},
        {"leadse1", "sale_type", "null"},
        {"salese1", "sale_type", R"("new")"},
        {"salese2", "sale_type", R"("recurring")"},
    };
    for (const auto& [row, name, value] : cases)
        CHECK_MESSAGE(cell(row, quoted(name)) == value, row << name);

    const auto view = store.find("ws")->current();
    const std::string page =
        reference::list_events(view, events_query_of("event=sales&sortOrder=asc"))->body;
    std::string both, json;
    for (const char* const row : {"salese1", "salese2"}) {
        simdjson::dom::parser parser;
        json = std::string_view(parser.parse("[" + cell(row, "json") + "]").at(0));
        both.append(both.empty() ? "" : ",").append(json);
    }
    CHECK(page == "[" + both + "]");
}

TEST_CASE("a load adds what is missing: nothing the second time, the rest after it broke off") {
    event_store store("ws");
    fill(store);
    fake_table whole;
    CHECK(clickhouse::load_tables(store, whole.runner()) == load_counts{7, 6, 4});
    CHECK(whole.inserted == 10);
    CHECK(clickhouse::load_tables(store, whole.runner()) == load_counts{7, 0, 0});
    CHECK(whole.inserted == 10);

    for (int broken = 0; broken < 14; ++broken) {
        fake_table table;
        table.fails_at = broken;
        const auto first = clickhouse::load_tables(store, table.runner());
        REQUIRE_FALSE(first);
        CHECK(first.error().broken == rule::store_unavailable);
        table.fails_at = -1;
        REQUIRE(clickhouse::load_tables(store, table.runner()));
        CHECK(table.rows == whole.rows);
        CHECK(table.inserted == whole.inserted);
    }
}

TEST_CASE("a late event is added, and changes others as it does in memory") {
    event_store store("ws");
    fill(store);
    fake_table table;
    REQUIRE(clickhouse::load_tables(store, table.runner()));
    REQUIRE(store.add(make_sale("e0", 1, "c2", "k0", "l1")));  // before those that are there
    store.publish();
    // The sale itself, that which was the first until now, and the click that it names.
    CHECK(clickhouse::load_tables(store, table.runner()) == load_counts{8, 3, 0});
    CHECK(clickhouse::load_tables(store, table.runner()) == load_counts{8, 0, 0});
}

// --- The handler ---------------------------------------------------------------------------

TEST_CASE("a store that does not answer is a 500 that says when to try again") {
    fixed_server silent{{}};
    sluice_tests::service api({.start_number = 7, .run_statement = silent.stoppable()});
    for (const char* const target :
         {"/events", "/events?event=sales&count=true", "/tags", "/links", "/links/count",
          "/links/info?linkId=l1", "/domains", "/customers?linkId=l1", "/folders", "/readyz"}) {
        const response answer = api.get(target);
        CHECK(answer.status == 500);
        CHECK(answer.header_value("retry-after") == "1");
        CHECK(answer.body.find(R"("code":"internal_server_error")") != std::string::npos);
    }
    CHECK(api.get("/events?limit=x").status == 400);  // which no store is needed for
    CHECK(api.get("/openapi.json").status == 200);
}

TEST_CASE("what is asked for a client that has gone is no question more") {
    std::stop_source gone;
    int calls = 0;
    const auto run = [&](const sql::statement&,
                         const std::stop_token& stop) -> result<std::string> {
        CHECK(stop == gone.get_token());
        if (++calls == 2) gone.request_stop();
        return answer_of({{"0", "0", "0", "0"}});
    };
    sluice_tests::service api({.start_number = 7, .run_statement = run});
    const std::vector<name_value> headers{{"authorization", "Bearer all"}};
    const request asking{.target = "/events?count=true", .headers = headers};
    const response answer = api.handle(asking, sluice_tests::now, gone.get_token());
    CHECK(answer.status == 500);
    CHECK(answer.header_value("retry-after").empty());
    CHECK(calls == 2);
    CHECK(api.handle(asking, sluice_tests::now, gone.get_token()).status == 500);
    CHECK(calls == 2);
}

TEST_CASE("lists of records read what a load wrote, as they are in memory") {
    sluice_tests::service api({.start_number = 7});
    fill(api.store);
    fake_table table;
    REQUIRE(clickhouse::load_tables(api.store, table.runner()));
    const auto run = [&](const sql::statement& question,
                         const std::stop_token&) -> result<std::string> {
        if (question.text.starts_with("SELECT DISTINCT")) {
            CHECK(std::get<std::string>(question.parameters[1]) == "l1");
            return answer_of({{"c1"}});
        }
        if (question.text.starts_with("SELECT toString")) return answer_of({{"1", "2"}});
        return table.runner()(question);
    };
    sluice_tests::service remote({.start_number = 7, .run_statement = run});
    for (const char* const target :
         {"/tags", "/links", "/links/count?groupBy=tagId", "/links/info?linkId=l1", "/domains",
          "/customers", "/folders", "/links?search=L1&count=true"}) {
        CHECK_MESSAGE(remote.get(target).body == api.get(target).body, target);
    }
    CHECK(ids_in(remote.get("/customers?linkId=l1").body) == id_list{"c1"});
    CHECK(remote.get("/links/info?linkId=l2").status == 404);
}

TEST_CASE("rows of records that no load wrote are no answer") {
    const auto run = [](const sql::statement& question,
                        const std::stop_token&) -> result<std::string> {
        if (question.text.starts_with("SELECT toString")) return answer_of({{"1", "2"}});
        return answer_of({{"not base64!", "{}"}});
    };
    sluice_tests::service api({.start_number = 7, .run_statement = run});
    CHECK(api.get("/folders").status == 500);
}

TEST_CASE("entity tags tell what the store says of its data") {
    const auto ask = [](const answer_row& version, const std::string& copy) {
        fixed_server server{{{version}, rows_from(0, 1), {{"1"}}, rows_from(0, 1)}};
        sluice_tests::service api({.start_number = 7, .run_statement = server.stoppable()});
        return api.get("/events?interval=all", "all", sluice_tests::now, {{"If-None-Match", copy}});
    };
    const response first = ask({"1", "2", "0", "1"}, "");
    const std::string etag(first.header_value("etag"));
    CHECK(first.status == 200);
    CHECK(ask({"1", "2", "0", "1"}, etag).status == 304);
    for (const answer_row& other : std::vector<answer_row>{{"2", "2", "0", "1"},
                                                           {"1", "3", "0", "1"},
                                                           {"1", "2", "1", "1"},
                                                           {"1", "2", "0", "0"}}) {
        CHECK(ask(other, etag).status == 200);
    }
}

TEST_CASE("a service is ready while its store answers, and alive anyway") {
    fixed_server server{{{{"0"}}}};
    sluice_tests::service api({.run_statement = server.stoppable()});
    CHECK(api.handle({.target = "/healthz"}, sluice_tests::now).status == 200);
    CHECK(api.handle({.target = "/readyz"}, sluice_tests::now).status == 200);
    CHECK(api.handle({.target = "/readyz"}, sluice_tests::now).status == 500);
    CHECK(api.handle({.target = "/healthz"}, sluice_tests::now).status == 200);
}

}  // namespace
