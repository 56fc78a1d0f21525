// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/simd_level.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/reference/store/event_store.hpp>
#include <sluice/store/plan/scan.hpp>

#include "../make_records.hpp"

using namespace sluice::reference;
using sluice::sort_order;

namespace {

constexpr int readers = 8;
constexpr int batch = 60;      // clicks that are published at once
constexpr int clicks = 2'400;  // a multiple of it
constexpr int leads_every = 3;

// Everything about a click follows from its number, so that a torn row shows.

std::string id_of(int number) { return std::to_string(1'000'000 + number); }
std::string device_of(int number) { return "device " + std::to_string(number % 7); }
std::string city_of(int number) { return "city " + std::to_string(number * 31 % 101); }
/// Every fifth click comes late, every 500th very late; several share a time.
std::int64_t time_of(int number) {
    if (number % 500 == 489) return number / 2;
    return number % 5 == 4 ? number - 50 : number - number % 2;
}

bool add_click(workspace& records, int number) {
    const std::string id = id_of(number), device = device_of(number), city = city_of(number);
    click added = make_click(id, "link_1", time_of(number));
    added.device = device;
    added.city = city;
    return records.add(added).has_value();
}

bool add_lead(workspace& records, int number) {
    const std::string id = "lead_" + id_of(number);
    const std::string metadata = R"({"n":)" + std::to_string(number) + "}";
    const std::string click_id = id_of(number);
    lead added = make_lead(id, time_of(number) + 1, "cus_1", click_id, "link_1");
    added.metadata = metadata;
    return records.add(added).has_value();
}

/// Counts broken promises; none is expected.
struct faults {
    std::atomic<int> count = 0;

    void expect(bool holds) noexcept {
        if (!holds) ++count;
    }
};

class view_checker {
public:
    view_checker(const workspace_view& view, faults& problems) : view_(view), problems_(problems) {}

    void check() {
        check_rows(event_kind::clicks, batch);
        check_rows(event_kind::leads, batch / leads_every);
        problems_.expect(view_.leads.size() * leads_every == view_.clicks.size());
        for (const events_query& query : queries()) check_pages(query);
    }

private:
    /// The view holds whole batches: the numbers from 0 up, in order of time and id.
    void check_rows(event_kind kind, std::size_t step) {
        const auto& rows = view_.events(kind);
        problems_.expect(rows.size() % step == 0);
        std::vector<bool> seen(clicks);
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const int number = number_at(kind, row);
            const auto expected_end = static_cast<int>(rows.size() / step) * batch;
            problems_.expect(number >= 0 && number < expected_end);
            if (number < 0 || number >= clicks) return;
            problems_.expect(!seen[static_cast<std::size_t>(number)]);
            seen[static_cast<std::size_t>(number)] = true;
            check_row(kind, row, number);
        }
    }
    void check_row(event_kind kind, std::size_t row, int number) {
        const auto& rows = view_.events(kind);
        const bool is_click = kind == event_kind::clicks;
        problems_.expect(text(kind, row, column_named("click.device")) == device_of(number));
        problems_.expect(text(kind, row, column_named("click.city")) == city_of(number));
        problems_.expect(rows.time(row) == time_of(number) + (is_click ? 0 : 1));
        if (row == 0) return;
        const std::int64_t before = rows.time(row - 1);
        const int number_before = number_at(kind, row - 1);
        problems_.expect(before < rows.time(row) ||
                         (before == rows.time(row) && number_before < number));
    }

    /// The pages of a view hold as many rows as are counted, in order.
    void check_pages(events_query query) {
        const std::int64_t count = event_search(view_, query).count().value();
        std::vector<std::size_t> all;
        for (query.page = 1;; ++query.page) {
            const auto page = event_search(view_, query).page().value();
            all.insert(all.end(), page.rows.begin(), page.rows.end());
            if (!page.has_next) break;
        }
        problems_.expect(all.size() == static_cast<std::size_t>(count));
        if (query.sort_order == sort_order::descending) std::ranges::reverse(all);
        problems_.expect(std::ranges::adjacent_find(all, std::greater_equal<>()) == all.end());
    }

    [[nodiscard]] std::string_view text(event_kind kind, std::size_t row, column c) const {
        return view_.source->texts(c).text(view_.events(kind).code_at(row, index_of(c)));
    }
    [[nodiscard]] int number_at(event_kind kind, std::size_t row) const {
        const std::string_view id = text(kind, row, column::click_id);
        int number = 0;
        std::from_chars(id.data(), id.data() + id.size(), number);
        return number - 1'000'000;
    }

    /// The queries, parsed once.
    static std::vector<events_query> make_queries() {
        std::vector<events_query> all;
        for (const std::string text :
             {"", "device=device 3", "city=-city 5&device=device 1,device 2",
              "event=leads&query=metadata['n'] >= 100"}) {
            all.push_back(events_query_of(text + "&limit=700&sortOrder=asc"));
            all.push_back(events_query_of(text + "&limit=700&sortOrder=desc"));
        }
        return all;
    }
    static const std::vector<events_query>& queries() {
        static const std::vector<events_query> all = make_queries();
        return all;
    }

    const workspace_view& view_;
    faults& problems_;
};

// The same below the workspace, where rows are cheap enough to fill blocks. All codes of a row
// follow from its number but the last one, which follows from its place.

namespace store = sluice::store;

enum cheap_column : std::size_t {
    id_of_row,
    number_of_row,
    few,
    many,
    steady,
    place,
    cheap_columns
};

using cheap_codes = std::array<store::code, cheap_columns>;

constexpr store::code few_of(store::code number) { return number * 31 % 5; }
constexpr store::code many_of(store::code number) { return number % 3'001; }
constexpr store::code place_of(std::size_t row) { return static_cast<store::code>(row % 3 + 1); }

/// A table that one thread fills, a tenth of it late.
class cheap_table {
public:
    /// Appends rows, the first of which has the next number. Times are in steps of 10.
    void append(std::size_t rows, std::mt19937& random) {
        store::row_buffer added(table_.columns());
        for (std::size_t i = 0; i < rows; ++i) {
            const store::code number = next_++;
            const bool is_late = number % 10 == 9;
            const std::int64_t late = !is_late ? 0 : random() % 100 == 0 ? 70'000 : 30;
            const std::int64_t time = std::max<std::int64_t>(0, (number - late) * 10);
            write(added.codes(added.add(time)), number);
        }
        table_.append(std::move(added), [](std::size_t row, std::span<store::code> codes) {
            codes[place] = place_of(row);
        });
    }
    [[nodiscard]] store::snapshot current() const { return table_.current(); }
    [[nodiscard]] store::table_stats stats() const { return table_.stats(); }
    /// Projects counts, in steps.
    void project() { table_.project_counts({{few, place}, {steady, many}}); }
    bool maintain() { return table_.maintain(); }

private:
    void write(std::span<store::code> codes, store::code number) {
        codes[id_of_row] = ids_.encode(std::string_view(std::to_string(number)));
        codes[number_of_row] = number;
        codes[few] = few_of(number);
        codes[many] = many_of(number);
        codes[steady] = 1;
    }

    store::dictionary ids_;
    store::table table_{store::schema{cheap_columns, 0, id_of_row, &ids_}};
    store::code next_ = 0;
};

/// Reads one snapshot after the other.
class snapshot_reader {
public:
    snapshot_reader(const cheap_table& table, faults& problems, unsigned seed)
        : table_(table), problems_(problems), random_(seed) {}

    /// Checks the newest snapshot, and that the one before still answers as it did.
    void check_next() {
        const store::snapshot before = std::exchange(rows_, table_.current());
        problems_.expect(rows_.size() >= before.size());
        problems_.expect(table_.stats().rows >= rows_.size());
        if (before.size() > 0) problems_.expect(answer_of(before, wanted_) == answer_);
        check_rows(begin_of_some(200), 200);
        wanted_ = some_query();
        answer_ = answer_of(rows_, wanted_);
        check_answer();
    }
    [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }

private:
    struct query {
        store::selection rows{};
        store::code few_code = 0;
        std::optional<store::code> many_code{};
        sort_order order{};
        store::scan_options how{};
    };
    struct answer {
        std::int64_t count = 0;
        std::vector<std::size_t> rows{};
        friend bool operator==(const answer&, const answer&) = default;
    };

    [[nodiscard]] std::size_t begin_of_some(std::size_t rows) {
        return rows_.size() > rows ? random_() % (rows_.size() - rows) : 0;
    }

    /// Rows are whole and in order.
    void check_rows(std::size_t begin, std::size_t count) {
        cheap_codes codes{};
        const std::size_t end = std::min(rows_.size(), begin + count);
        for (std::size_t row = begin; row < end; ++row) {
            rows_.read_codes(row, codes);
            const store::code number = codes[number_of_row];
            const cheap_codes expected{codes[id_of_row], number, few_of(number),
                                       many_of(number),  1,      place_of(row)};
            problems_.expect(codes == expected);
            problems_.expect(rows_.code_at(row, many) == codes[many]);
            problems_.expect(row == begin || rows_.time(row - 1) <= rows_.time(row));
        }
    }

    /// All rows or a few thousand of them; one value or two; every way to find them.
    query some_query() {
        constexpr std::array<std::optional<store::access_path>, 6> paths{
            std::nullopt,
            store::access_path::counts,
            store::access_path::postings,
            store::access_path::bitmaps,
            store::access_path::code_scan,
            store::access_path::projection};
        query wanted{.few_code = static_cast<store::code>(random_() % 5),
                     .order = random_() % 2 == 0 ? sort_order::ascending : sort_order::descending,
                     .how = {.forced = paths[random_() % paths.size()]}};
        if (random_() % 8 != 0) {
            const std::size_t begin = begin_of_some(2'000);
            wanted.rows.first_time = rows_.time(begin);
            wanted.rows.last_time = rows_.time(std::min(rows_.size() - 1, begin + 2'000));
        }
        wanted.rows.conditions.push_back({few, store::code_set({wanted.few_code})});
        if (random_() % 2 == 0) {
            wanted.many_code = static_cast<store::code>(random_() % 3'001);
            wanted.rows.conditions.push_back({many, store::code_set({*wanted.many_code})});
        }
        return wanted;
    }

    static answer answer_of(const store::snapshot& rows, const query& wanted) {
        store::scan scan(rows, wanted.rows, wanted.how);
        answer expected{.count = scan.count().value()};
        const auto limit = std::max<std::int64_t>(1, expected.count / 3);
        for (bool has_next = true; has_next;) {
            const auto offset = static_cast<std::int64_t>(expected.rows.size());
            const store::row_page page = scan.page(wanted.order, offset, limit).value();
            expected.rows.insert(expected.rows.end(), page.rows.begin(), page.rows.end());
            has_next = page.has_next && !page.rows.empty();
        }
        return expected;
    }
    void check_answer() {
        problems_.expect(answer_.rows.size() == static_cast<std::size_t>(answer_.count));
        problems_.expect(store::scan(rows_, wanted_.rows, wanted_.how).analyze()->rows <=
                         rows_.size());
        std::vector<std::size_t> rows = answer_.rows;
        if (wanted_.order == sort_order::descending) std::ranges::reverse(rows);
        problems_.expect(std::ranges::adjacent_find(rows, std::greater_equal<>()) == rows.end());
        for (const std::size_t row : rows) {
            problems_.expect(rows_.code_at(row, few) == wanted_.few_code);
            problems_.expect(!wanted_.many_code || rows_.code_at(row, many) == *wanted_.many_code);
            problems_.expect(rows_.time(row) >= wanted_.rows.first_time);
            problems_.expect(rows_.time(row) <= wanted_.rows.last_time);
        }
        if (wanted_.rows.first_time > 0) problems_.expect(answer_.count == counted_one_by_one());
    }
    [[nodiscard]] std::int64_t counted_one_by_one() const {
        std::int64_t count = 0;
        const std::size_t begin = rows_.lower_bound(wanted_.rows.first_time, {});
        for (std::size_t row = begin; row < rows_.size(); ++row) {
            if (rows_.time(row) > wanted_.rows.last_time) break;
            const bool takes_many =
                !wanted_.many_code || rows_.code_at(row, many) == *wanted_.many_code;
            count += takes_many && rows_.code_at(row, few) == wanted_.few_code ? 1 : 0;
        }
        return count;
    }

    const cheap_table& table_;
    faults& problems_;
    std::mt19937 random_;
    store::snapshot rows_;
    query wanted_;
    answer answer_;
};

}  // namespace

TEST_CASE("readers count, page and explain while one writer fills and seals blocks") {
    constexpr std::size_t blocks = 2;
    constexpr std::size_t size = blocks * store::block_rows + 100;
    cheap_table table;
    std::mt19937 random(1);
    table.append(store::block_rows - 1'000, random);
    table.project();
    faults problems;
    std::atomic<bool> done = false;
    std::atomic<int> checks = 0;
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < readers; ++seed) {
        threads.emplace_back([&, seed] {
            snapshot_reader reader(table, problems, seed);
            for (bool is_last = false; !is_last; ++checks) {
                is_last = done;
                reader.check_next();
            }
            problems.expect(reader.size() == size);
        });
    }
    threads.emplace_back([&] {
        while (!done) {
            if (!table.maintain()) std::this_thread::yield();
        }
    });
    const auto levels = sluice::supported_simd_levels();
    for (std::size_t step = 0; table.current().size() < size; ++step) {
        problems.expect(sluice::force_simd_level(levels[step % levels.size()]));
        const std::size_t left = size - table.current().size();
        table.append(std::min<std::size_t>(left, 1 + random() % 8'000), random);
        while (checks < static_cast<int>(step)) std::this_thread::yield();
    }
    done = true;
    for (std::thread& thread : threads) thread.join();
    sluice::force_simd_level(std::nullopt);
    CHECK(problems.count == 0);
    CHECK(checks >= readers);
}

TEST_CASE("readers see whole batches in order while one writer appends") {
    workspace records("ws_1");
    REQUIRE(records.add(make_customer("cus_1")));
    REQUIRE(records.add(make_link("link_1")));
    faults problems;
    std::atomic<bool> done = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < readers; ++i) {
        threads.emplace_back([&] {
            std::size_t last = 0;
            for (bool is_last = false; !is_last;) {
                is_last = done;
                const workspace_view view = records.current();
                problems.expect(view.clicks.size() >= last);
                last = view.clicks.size();
                view_checker(view, problems).check();
            }
            problems.expect(last == clicks);
        });
    }
    for (int number = 0; number < clicks; ++number) {
        problems.expect(add_click(records, number));
        if (number % leads_every == 0) problems.expect(add_lead(records, number));
        if (number % batch == batch - 1) records.publish();
    }
    done = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(problems.count == 0);
}

TEST_CASE("a view stays as it is while others change the workspace") {
    workspace records("ws_1");
    REQUIRE(records.add(make_customer("cus_1")));
    REQUIRE(records.add(make_link("link_1")));
    for (int number = 0; number < 2 * batch; ++number) {
        REQUIRE(add_click(records, number));
        if (number % leads_every == 0) REQUIRE(add_lead(records, number));
    }
    records.publish();
    const workspace_view view = records.current();
    const std::string before = list_events(view, events_query_of("limit=1000"))->body;
    faults problems;
    std::vector<std::thread> threads;
    for (int i = 0; i < readers; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 20; ++round) view_checker(view, problems).check();
        });
    }
    threads.emplace_back([&] {
        for (int round = 0; round < 200; ++round) records.maintain();
    });
    for (int number = 2 * batch; number < 20 * batch; ++number) {
        problems.expect(add_click(records, number));
        if (number % 10 == 0) records.publish();
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(problems.count == 0);
    CHECK(list_events(view, events_query_of("limit=1000"))->body == before);
}

TEST_CASE("two writers may add to one store, and readers see a prefix of each one's events") {
    constexpr int events_per_writer = 600;
    event_store store("ws_1");
    REQUIRE(store.add(make_link("link_1")));
    faults problems;
    std::atomic<int> writing = 2;
    const auto write = [&](const std::string& name) {
        for (int i = 0; i < events_per_writer; ++i) {
            const std::string link = i % 100 == 0 ? name + std::to_string(i) : "link_1";
            if (i % 100 == 0) problems.expect(store.add(make_link(link)).has_value());
            const std::int64_t time = i % 7 == 0 ? i - 20 : i;
            problems.expect(store.add(make_click(name + id_of(i), link, time)).has_value());
            if (i % 13 == 0) store.publish();
        }
        store.publish();
        --writing;
    };
    const auto read = [&] {
        const events_query all = events_query_of("");
        for (bool is_last = false; !is_last;) {
            is_last = writing == 0;
            const workspace_view view = store.find("ws_1")->current();
            const auto& rows = view.clicks;
            problems.expect(count_events(view, all).value() ==
                            static_cast<std::int64_t>(rows.size()));
            int counts[2] = {0, 0}, ends[2] = {0, 0};
            for (std::size_t row = 0; row < rows.size(); ++row) {
                const std::string_view id =
                    view.source->texts(column::click_id)
                        .text(rows.code_at(row, index_of(column::click_id)));
                const std::size_t writer = id.front() == 'a' ? 0 : 1;
                int number = 0;
                std::from_chars(id.data() + 1, id.data() + id.size(), number);
                counts[writer] += 1;
                ends[writer] = std::max(ends[writer], number - 1'000'000 + 1);
                problems.expect(row == 0 || rows.time(row - 1) <= rows.time(row));
                const auto link = rows.code_at(row, index_of(column::link));
                problems.expect(link >= 1 && link <= view.links);
            }
            for (const int writer : {0, 1}) problems.expect(counts[writer] == ends[writer]);
            problems.expect(!is_last || rows.size() == 2 * events_per_writer);
            problems.expect(store.size() >= rows.size());
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < readers; ++i) threads.emplace_back(read);
    for (const char* name : {"a", "b"}) threads.emplace_back(write, name);
    for (std::thread& thread : threads) thread.join();
    CHECK(problems.count == 0);
}

TEST_CASE("workspaces may come up while others are read") {
    event_store store("ws_1");
    faults problems;
    std::atomic<bool> done = false;
    std::thread reader([&] {
        while (!done) {
            for (int i = 0; i < 50; ++i) {
                const workspace* const records = store.find("ws_" + std::to_string(i));
                if (records == nullptr) continue;
                problems.expect(records->id() == "ws_" + std::to_string(i));
                problems.expect(records->current().tags <= 3);
            }
            static_cast<void>(store.size());
        }
    });
    for (int i = 0; i < 150; ++i) {
        const std::string workspace_id = "ws_" + std::to_string(i % 50);
        const std::string id = std::to_string(i);
        tag added = make_tag(id, id);
        added.workspace_id = workspace_id;
        problems.expect(store.add(added).has_value());
        if (i % 5 == 0) store.publish();
    }
    done = true;
    reader.join();
    CHECK(problems.count == 0);
}

TEST_CASE("batches may be taken back while others read") {
    event_store store("ws_1");
    faults problems;
    std::atomic<bool> done = false;
    // Published links, customers and clicks have even numbers; those of batches that are taken back
    // odd ones, under the codes that the next ones get.
    const auto add = [&](auto& to, int number) {
        const std::string id = id_of(number);
        const std::string url = "https://example.com/" + id + "?a=" + id;
        auto linked = make_link(id);
        linked.external_id = id;
        click clicked = make_click(id, id, number);
        clicked.url = url;
        problems.expect(to.add(make_tag(id, id)).has_value());
        problems.expect(to.add(make_customer(id)).has_value());
        problems.expect(to.add(linked).has_value());
        problems.expect(to.add(clicked).has_value());
        problems.expect(to.add(make_lead(id, number, id, id, id)).has_value());
    };
    const auto read = [&] {
        while (!done) {
            const workspace_view view = store.find("ws_1")->current();
            for (const int number : {1, 2, 301, 302}) {
                const std::string id = id_of(number);
                for (const std::string& query :
                     {"linkId=" + id, "externalId=ext_" + id, "url=https://example.com/" + id,
                      "url=https://example.com/" + id + "?a=" + id,
                      "domain=GO.example.com&key=" + id, "event=leads&customerId=" + id}) {
                    const auto rows = count_events(view, events_query_of(query)).value();
                    problems.expect(rows <= 1 - number % 2);
                }
            }
            for (const auto& stats : store.stats()) problems.expect(stats.links == stats.customers);
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < readers; ++i) threads.emplace_back(read);
    for (int number = 0; number < 400; number += 2) {
        {
            event_store::batch dropped(store);
            for (int i = 0; i < 5; ++i) add(dropped, number + 1 + 2 * i);
        }
        event_store::batch kept(store);
        add(kept, number);
        kept.publish();
    }
    done = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(problems.count == 0);
    CHECK(store.size() == 2 * 200);
}
