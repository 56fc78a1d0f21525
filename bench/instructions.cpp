// SPDX-License-Identifier: MIT
// Hot paths for valgrind --tool=callgrind, which counts instructions: the same on a busy machine.
// `instructions` prints the paths and what the counts depend on; `instructions PATH COUNT` runs a
// path COUNT times between two marks. See instructions.py.
#include <array>
#include <cstddef>
#include <iostream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gnu/libc-version.h>
#include <valgrind/callgrind.h>

#include <sluice/base/random.hpp>
#include <sluice/base/simd_level.hpp>
#include <sluice/errors/envelope.hpp>
#include <sluice/grammars/odata.hpp>
#include <sluice/metadata/matcher.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>
#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/records/record_reader.hpp>
#include <sluice/store/json/json_rows.hpp>
#include <sluice/store/plan/scan.hpp>

#include "driver/edges.hpp"
#include "driver/operation.hpp"

namespace {

using namespace sluice;

/// The time of the requests below.
constexpr instant now{std::chrono::milliseconds{1'787'279'415'123}};

constexpr std::string_view six_parameters =
    "event=clicks&country=US,CA&device=-Mobile&interval=7d&limit=50&page=2";

constexpr std::string_view forty_parameters =
    "event=sales&domain=smcp.link&key=W-q_3t4&linkId=link_1,link_2&externalId=ext_1&tenantId=t_1"
    "&tagId=tag_1,tag_2&folderId=f_1&partnerTagId=p_1&groupId=g_1&partnerId=pn_1&customerId=c_1"
    "&interval=30d&start=2026-08-01&end=2026-08-20T12:00:00Z&timezone=UTC&country=-US,CA"
    "&city=Paris&region=US-CA&continent=EU&device=Desktop&browser=Chrome&os=iOS&trigger=qr"
    "&referer=example.com&refererUrl=https://example.com/a&url=https://example.com/b"
    "&utm_source=google&utm_medium=cpc&utm_campaign=launch&utm_term=shoes&utm_content=a&root=false"
    "&saleType=new&query=metadata['plan']:'pro'&page=2&limit=50&sortOrder=asc&sortBy=timestamp"
    "&order=desc";

constexpr std::string_view metadata_json =
    R"({"plan":"pro","seats":12,"trial":false,"ref":{"id":"r_123"}})";

constexpr std::string_view click_line =
    R"({"id":"click_d0fc64f91d58d0e9","timestamp":"2026-07-22T02:30:32.310Z",)"
    R"("linkId":"link_0c866ce3ab707f73","url":"https://www.acme.example/help?utm_source=news",)"
    R"("country":"US","city":"New York","region":"US-NY","continent":"NA","device":"Mobile",)"
    R"("browser":"Chrome","os":"Android","trigger":"pageview","referer":"t.co",)"
    R"("refererUrl":"https://t.co/x","qr":false,"ip":"135.35.64.0"})";

constexpr schema customers{column{.name = "name"}, column{.name = "city"},
                           column{.name = "total", .type = column_type::integer}};

/// A value that the compiler can't compute with in advance.
template <class T>
class unknown {
public:
    explicit unknown(T value) : value_(value) {}
    [[nodiscard]] const T& get() const {
        sluice_bench::keep(value_);
        return value_;
    }

private:
    mutable T value_;
};

/// Runs a body once to warm up, then counts its repetitions between the marks.
template <class Body>
void count(std::size_t repetitions, Body body) {
    sluice_bench::keep(body());
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_TOGGLE_COLLECT;
    for (std::size_t i = 0; i < repetitions; ++i) sluice_bench::keep(body());
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_STOP_INSTRUMENTATION;
}

/// A table of two sealed blocks and an open one: five columns of 3 to 2,000 texts, and an id.
class small_table {
public:
    small_table() {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            for (std::uint32_t k = 0; k < sizes[i]; ++k) {
                texts_[i].encode(std::string_view("value_" + std::to_string(k)));
            }
        }
        append();
        layout_.json("{\"id\":").text(id_column, texts_[id_column]);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const std::string member = ",\"column_" + std::to_string(i) + "\":";
            auto& added = fragments_.emplace_back(
                std::make_unique<store::json_fragments>(member + '"', "\"", member + "null"));
            added->follow(texts_[i]);
            layout_.fragment(i, *added);
        }
        layout_.json("}");
    }

    /// Selects the most frequent value in each of the first `columns` columns.
    [[nodiscard]] store::selection select(std::size_t columns) const {
        store::selection wanted;
        for (std::size_t i = 0; i < columns; ++i) {
            const std::string value = "value_0";
            wanted.conditions.push_back(
                {i, store::codes_named(texts_[i], {&value, 1}, collation::exact)});
        }
        return wanted;
    }
    [[nodiscard]] std::int64_t count(std::size_t columns) const {
        const store::selection wanted = select(columns);
        return *store::scan(rows_, wanted).count();
    }
    [[nodiscard]] std::string page(std::int64_t offset) const {
        const store::selection wanted = select(1);
        const auto page = store::scan(rows_, wanted).page(sort_order::descending, offset, 100);
        std::string json;
        layout_.write(rows_, page->rows, json);
        return json;
    }

private:
    static constexpr std::array<std::uint32_t, 5> sizes{3, 8, 40, 300, 2'000};
    static constexpr std::size_t id_column = sizes.size();
    static constexpr std::size_t rows = 150'000;

    void append() {
        detail::random_source random(1);
        std::vector<detail::zipf> ranks;
        for (const std::uint32_t size : sizes) ranks.emplace_back(size);
        store::row_buffer added(table_.columns());
        for (std::size_t row = 0; row < rows; ++row) {
            const auto codes = added.codes(added.add(static_cast<std::int64_t>(row) * 10));
            for (std::size_t i = 0; i < sizes.size(); ++i) {
                codes[i] = static_cast<store::code>(ranks[i].draw(random) + 1);
            }
            const std::string id = "id_" + std::to_string(1'000'000 + row);
            codes[id_column] = texts_[id_column].encode(std::string_view(id));
        }
        table_.append(std::move(added), [](std::size_t, std::span<store::code>) {});
        rows_ = table_.current();
    }

    std::array<store::dictionary, sizes.size() + 1> texts_;
    store::table table_{{.code_columns = sizes.size() + 1,
                         .integer_columns = 0,
                         .id_column = id_column,
                         .ids = &texts_[id_column]}};
    store::snapshot rows_;
    std::vector<std::unique_ptr<store::json_fragments>> fragments_;
    store::json_rows layout_;
};

/// Parses the parameters of `GET /events`.
void bind(std::size_t repetitions, std::string_view text) {
    const time_zone_database zones({time_zone::utc()});
    const reference::request_options options{.zones = &zones};
    count(repetitions, [&] {
        const query_string pairs = parse_query_string(text);
        return reference::parse_events_query(pairs.pairs(), options, now);
    });
}

/// Runs a function of a text that the compiler can't compute in advance.
template <class Function>
void count_text(std::size_t repetitions, std::string_view text, Function function) {
    const unknown hidden(text);
    count(repetitions, [&] { return function(hidden.get()); });
}

/// Runs an operation of the driver on a list request; see edges.hpp.
void run_edge(std::size_t repetitions, const std::string& name, const std::string& argument = {}) {
    sluice_bench::operation_table operations;
    sluice_bench::add_edges(operations);
    const sluice_bench::operation edge = operations.at(name)(argument);
    edge.time(1);
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_TOGGLE_COLLECT;
    edge.time(repetitions);
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_STOP_INSTRUMENTATION;
}

struct hot_path {
    std::string_view name;
    void (*run)(std::size_t repetitions);
};

constexpr hot_path paths[] = {
    {"query_string",
     [](std::size_t n) { count(n, [] { return parse_query_string(forty_parameters); }); }},
    {"bind_6", [](std::size_t n) { bind(n, six_parameters); }},
    {"bind_40", [](std::size_t n) { bind(n, forty_parameters); }},
    {"filter_parse",
     [](std::size_t n) {
         count_text(n, "-US,CA,FR", [](std::string_view text) { return parse_filter(text); });
     }},
    {"filter_matches",
     [](std::size_t n) {
         const filter wanted = *parse_filter("-US,CA,FR");
         count_text(n, "FR", [&](std::string_view text) { return wanted.matches(text); });
     }},
    {"metadata_parse",
     [](std::size_t n) {
         count(n, [] {
             return parse_metadata_query("metadata['plan']:'pro' AND NOT metadata['seats']>=10");
         });
     }},
    {"metadata_raw",
     [](std::size_t n) {
         metadata_matcher matcher(*parse_metadata_query("metadata['plan']:'pro'"));
         count(n, [&] { return matcher.matches(metadata_json); });
     }},
    {"expression_parse",
     [](std::size_t n) {
         const expression_columns columns(columns_view(customers.begin(), customers.size()));
         count_text(n, "total gt 0 and (name eq 'a' or city eq 'b')",
                    [&](std::string_view text) { return parse_odata_filter(text, columns); });
     }},
    {"to_list_query", [](std::size_t n) { run_edge(n, "to_list_query"); }},
    {"sql_compile", [](std::size_t n) { run_edge(n, "compile", "postgresql"); }},
    {"parse_cursor", [](std::size_t n) { run_edge(n, "parse_cursor"); }},
    {"link_header", [](std::size_t n) { run_edge(n, "link_header"); }},
    {"event_reading",
     [](std::size_t n) {
         reference::record_reader reader;
         count_text(n, click_line, [&](std::string_view line) { return reader.read_click(line); });
     }},
    {"limiter_check",
     [](std::size_t n) {
         keyed_limiter<> limiter;
         const policy limits{1'000'000, std::chrono::minutes{1}};
         count_text(n, "key_1", [&](std::string_view k) { return limiter.check(k, limits, now); });
     }},
    {"error_envelope",
     [](std::size_t n) {
         const error why = parse_filter("US,-CA").error();
         count(n, [&] { return error_body(why, "https://example.com/docs"); });
     }},
    {"timestamp_format",
     [](std::size_t n) {
         const unknown at(now);
         count(n, [&] { return format_timestamp(at.get()); });
     }},
    {"timestamp_parse",
     [](std::size_t n) {
         count_text(n, "2026-08-21T02:30:15.123Z",
                    [](std::string_view text) { return parse_timestamp(text); });
     }},
    {"count_one",
     [](std::size_t n) { count(n, [table = small_table()] { return table.count(1); }); }},
    {"count_three",
     [](std::size_t n) { count(n, [table = small_table()] { return table.count(3); }); }},
    {"page_of_100",
     [](std::size_t n) { count(n, [table = small_table()] { return table.page(0); }); }},
    {"page_behind_50000",
     [](std::size_t n) { count(n, [table = small_table()] { return table.page(50'000); }); }},
};

/// Prints what instruction counts depend on besides the sources, then the paths.
void describe() {
#if defined(NDEBUG) && defined(__OPTIMIZE__)
    constexpr std::string_view build = "release";
#else
    constexpr std::string_view build = "debug";
#endif
    std::cout << "compiler " << __VERSION__ << ", libstdc++ " << __GLIBCXX__ << ", glibc "
              << gnu_get_libc_version() << ", " << build << ", " << to_string(active_simd_level())
              << '\n';
    for (const hot_path& path : paths) std::cout << path.name << '\n';
}

}  // namespace

int main(int argument_count, char** arguments) {
    // The highest levels that valgrind 3.19 supports, whatever the CPU has.
    if (!force_simd_level(simd_level::avx2)) force_simd_level(simd_level::sse2);
    if (argument_count < 3) {
        describe();
        return 0;
    }
    for (const hot_path& path : paths) {
        if (path.name != arguments[1]) continue;
        path.run(std::stoul(arguments[2]));
        return 0;
    }
    std::cerr << "no path " << arguments[1] << '\n';
    return 1;
}
