// SPDX-License-Identifier: MIT
// The handler's cost beyond its page: a page of events alone, the same through the handler, and its
// 304. Compare the first two.
#include <filesystem>
#include <memory>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "sample_service.hpp"

namespace {

constexpr std::string_view wanted = "interval=all&country=US";

/// Returns a service over 100,000 events, built once.
const sluice_bench::sample_service& served() {
    static const auto made = [] {
        const auto folder = std::filesystem::temp_directory_path() / "sluice_bench_handler";
        sluice_bench::write_sample(folder, 100'000);
        auto service = std::make_unique<sluice_bench::sample_service>(folder);
        std::filesystem::remove_all(folder);
        if (service->answer(wanted, {}).body != service->page(wanted)) {
            throw std::runtime_error("pages differ");
        }
        return service;
    }();
    return *made;
}

void page_alone(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(served().page(wanted));
    state.counters["bytes"] = static_cast<double>(served().page(wanted).size());
}
BENCHMARK(page_alone);

void through_handler(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(served().answer(wanted, {}));
}
BENCHMARK(through_handler);

void not_modified(benchmark::State& state) {
    const std::string etag(served().answer(wanted, {}).header_value("etag"));
    if (served().answer(wanted, etag).status != 304) throw std::runtime_error("no 304");
    for (auto _ : state) benchmark::DoNotOptimize(served().answer(wanted, etag));
}
BENCHMARK(not_modified);

}  // namespace
