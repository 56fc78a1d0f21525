// SPDX-License-Identifier: MIT
// Loads a sample of a million events; counts and pages of the reference store over it.
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <stdexcept>
#include <system_error>

#include <benchmark/benchmark.h>

#include <sluice/errors/message.hpp>
#include <sluice/reference/sample.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/reference/store/loader.hpp>

namespace {

using namespace sluice;

constexpr instant now{std::chrono::milliseconds{1'787'279'415'123}};

/// A folder with the sample; removed at the end of the program.
class sample_folder {
public:
    sample_folder() {
        if (!reference::write_sample(path_, {1'000'000, 1, now}))
            throw std::runtime_error("no sample");
    }
    sample_folder(const sample_folder&) = delete;
    sample_folder& operator=(const sample_folder&) = delete;
    ~sample_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_ = std::filesystem::temp_directory_path() / "sluice_bench_sample";
};

/// Returns the folder of the sample, written once.
const std::filesystem::path& folder() {
    static const sample_folder made;
    return made.path();
}

std::unique_ptr<reference::event_store> load_sample(const reference::load_options& options) {
    auto store = std::make_unique<reference::event_store>("ws_default");
    const auto loaded = reference::load_folder(*store, folder(), options);
    if (!loaded) throw std::runtime_error(message(loaded.error()));
    return store;
}

/// Returns the sample, loaded once.
const reference::workspace_view& sample() {
    static const std::unique_ptr<reference::event_store> store = load_sample({});
    static const reference::workspace_view view = store->find("ws_default")->current();
    return view;
}

reference::events_query query_of(std::string_view text) {
    const query_string pairs = parse_query_string(text);
    auto query = reference::parse_events_query(pairs.pairs(), {}, now);
    if (!query) throw std::runtime_error(message(query.error()));
    return *std::move(query);
}

/// Throws if a query's count differs from the number of rows on its pages.
void check(const reference::events_query& query) {
    reference::events_query all = query;
    all.page = 1;
    all.limit = std::numeric_limits<std::int64_t>::max();
    const auto rows = reference::event_search(sample(), all).page()->rows.size();
    const auto counted = reference::count_events(sample(), query).value();
    if (static_cast<std::int64_t>(rows) != counted) throw std::runtime_error("counts differ");
}

void count(benchmark::State& state, std::string_view text) {
    const reference::events_query query = query_of(text);
    check(query);
    for (auto _ : state) benchmark::DoNotOptimize(reference::count_events(sample(), query));
}
BENCHMARK_CAPTURE(count, one_equality, "interval=all&country=US");
BENCHMARK_CAPTURE(count, three_equalities, "interval=all&country=US&device=Desktop&browser=Chrome");
BENCHMARK_CAPTURE(count, list_of_four, "interval=all&country=US,DE,FR,GB");
BENCHMARK_CAPTURE(count, time_range, "interval=7d&country=US");
BENCHMARK_CAPTURE(count, metadata, "event=leads&interval=all&query=metadata['plan']:'pro'");

void page(benchmark::State& state, std::string_view text) {
    const reference::events_query query = query_of(text);
    check(query);
    for (auto _ : state) benchmark::DoNotOptimize(reference::list_events(sample(), query));
}
BENCHMARK_CAPTURE(page, first_100, "interval=all&country=US");
BENCHMARK_CAPTURE(page, first_1000, "interval=all&country=US&limit=1000");
BENCHMARK_CAPTURE(page, page_1000, "interval=all&country=US&page=1000");

/// Returns the number of events of each kind, and how many are of one country.
std::array<std::int64_t, 4> contents(const reference::workspace_view& view) {
    const auto size = [](const auto& rows) { return static_cast<std::int64_t>(rows.size()); };
    const auto counted = reference::count_events(view, query_of("interval=all&country=US")).value();
    return {size(view.clicks), size(view.leads), size(view.sales), counted};
}

/// Measures loads. Throws if a loaded store differs from the sample's, which also writes the
/// folder.
void load(benchmark::State& state, bool parses_ahead) {
    const reference::load_options options{.parses_ahead = parses_ahead};
    const auto checked = load_sample(options);
    if (contents(checked->find("ws_default")->current()) != contents(sample())) {
        throw std::runtime_error("loads differ");
    }
    for (auto _ : state) {
        auto store = load_sample(options);
        state.PauseTiming();
        store.reset();
        state.ResumeTiming();
    }
}
BENCHMARK_CAPTURE(load, on_one_thread, false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, parsed_ahead, true)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
