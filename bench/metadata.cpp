// SPDX-License-Identifier: MIT
// Expressions over metadata: on paths without a column, and ranges on a path with one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <sluice/reference/search/event_page.hpp>

namespace {

/// The bytes allocated now, and their maximum since it was last reset.
std::size_t allocated = 0, most_allocated = 0;

}  // namespace

void* operator new(std::size_t size) {
    void* const made = std::malloc(size == 0 ? 1 : size);
    if (made == nullptr) throw std::bad_alloc();
    allocated += malloc_usable_size(made);
    most_allocated = std::max(most_allocated, allocated);
    return made;
}
void operator delete(void* made) noexcept {
    allocated -= malloc_usable_size(made);
    std::free(made);
}
void operator delete(void* made, std::size_t) noexcept { operator delete(made); }

namespace {

using namespace sluice;

constexpr std::int64_t leads = 1'000'000;

/// Leads with a number below `numbers` in their metadata, twice: at `seats`, which has a column,
/// and at `far`, `late`, which arrived after all columns were taken.
class lead_source {
public:
    explicit lead_source(std::int64_t numbers) {
        const bool has_added = own_.add(reference::customer{.id = "cus", .external_id = "cus"}) &&
                               own_.add(a_link()) && own_.add(a_click());
        if (!has_added) throw std::runtime_error("no sample");
        add(0, R"({"seats":0)" + keys() + "}");
        for (std::int64_t i = 1; i < leads; ++i) {
            const std::string number = std::to_string(i % numbers);
            add(i, R"({"seats":)" + number + R"(,"k1":"pro","k2":true,"far":{"late":)" + number +
                       "}}");
        }
        own_.publish();
    }
    [[nodiscard]] reference::workspace_view view() const { return own_.current(); }

private:
    static std::string keys() {
        std::string json;
        for (std::size_t i = 1; i < store::metadata_paths_max; ++i) {
            json += ",\"k" + std::to_string(i) + "\":1";
        }
        return json;
    }
    static reference::link a_link() {
        reference::link made;
        made.id = "link";
        made.domain = "go.example.com";
        made.key = "key";
        made.url = "https://example.com/";
        return made;
    }
    static reference::click a_click() {
        reference::click made;
        made.id = "click";
        made.link_id = "link";
        made.url = "https://example.com/";
        return made;
    }
    void add(std::int64_t number, const std::string& metadata) {
        const std::string id = std::to_string(number);
        reference::lead made;
        made.event_id = id;
        made.timestamp = instant{std::chrono::milliseconds{number}};
        made.customer_id = "cus";
        made.click_id = "click";
        made.link_id = "link";
        made.metadata = metadata;
        if (!own_.add(made)) throw std::runtime_error("no sample");
    }

    reference::workspace own_{"ws"};
};

/// Returns the sample in which each lead has a different number.
const reference::workspace_view& sample() {
    static const lead_source source(leads);
    static const reference::workspace_view view = source.view();
    return view;
}
constexpr std::int64_t shared_numbers = 1'000;
const reference::workspace_view& shared_sample() {
    static const lead_source source(shared_numbers);
    static const reference::workspace_view view = source.view();
    return view;
}

/// Conditions on paths that no lead has, joined by OR with one that half of the leads meet.
std::string absent_paths(std::int64_t count, std::int64_t numbers) {
    std::string text = "metadata['far']['late']>=" + std::to_string(numbers / 2);
    for (std::int64_t i = 1; i < count; ++i) text += " OR metadata['a" + std::to_string(i) + "']:x";
    return text;
}
/// Ranges on a path, joined by OR; each matches one lead.
std::string ranges(std::string_view path, std::int64_t count) {
    std::string text;
    for (std::int64_t i = 0; i < count; ++i) {
        if (i > 0) text += " OR ";
        text.append("(").append(path).append(">=").append(std::to_string(3 * i)).append(" AND ");
        text.append(path).append("<").append(std::to_string(3 * i + 1)).append(")");
    }
    return text;
}
/// Ranges on two paths in turn, so that they can't be merged into one condition.
std::string mixed_ranges(std::int64_t count) {
    std::string text;
    for (std::int64_t i = 0; i < count; ++i) {
        text.append(i > 0 ? " OR " : "").append("(metadata['seats']>=").append(std::to_string(i));
        text.append(" AND metadata['k1']:pro)");
    }
    return text;
}

void count(benchmark::State& state, const std::string& expression, std::int64_t expected,
           const reference::workspace_view& from = sample()) {
    reference::events_query query;
    query.event = reference::event_kind::leads;
    query.window.end = instant{std::chrono::milliseconds{leads}};
    query.query = parse_metadata_query(expression).value();
    if (reference::count_events(from, query) != expected) throw std::runtime_error("counts differ");
    const std::size_t before = most_allocated = allocated;
    for (auto _ : state) benchmark::DoNotOptimize(reference::count_events(from, query));
    state.counters["bytes"] = static_cast<double>(most_allocated - before);
}

void paths_without_columns(benchmark::State& state) {
    count(state, absent_paths(state.range(0), leads), leads / 2);
}
BENCHMARK(paths_without_columns)->Arg(1)->Arg(16)->Arg(256)->Unit(benchmark::kMillisecond);

/// Each document is shared by a thousand leads.
void paths_of_shared_documents(benchmark::State& state) {
    count(state, absent_paths(state.range(0), shared_numbers), leads / 2, shared_sample());
}
BENCHMARK(paths_of_shared_documents)->Arg(1)->Arg(16)->Arg(256)->Unit(benchmark::kMillisecond);

void ranges_without_column(benchmark::State& state) {
    // The first lead has no value at that path.
    count(state, ranges("metadata['far']['late']", state.range(0) / 2), state.range(0) / 2 - 1);
}
BENCHMARK(ranges_without_column)->Arg(2)->Arg(16)->Arg(128)->Unit(benchmark::kMillisecond);

void ranges_of_column(benchmark::State& state) {
    count(state, ranges("metadata['seats']", state.range(0) / 2), state.range(0) / 2);
}
BENCHMARK(ranges_of_column)->Arg(2)->Arg(16)->Arg(128)->Arg(256)->Unit(benchmark::kMillisecond);

void ranges_of_column_mixed(benchmark::State& state) {
    count(state, mixed_ranges(state.range(0)), leads - 1);
}
BENCHMARK(ranges_of_column_mixed)->Arg(1)->Arg(16)->Arg(128)->Unit(benchmark::kMillisecond);

}  // namespace
