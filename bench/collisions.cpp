// SPDX-License-Identifier: MIT
// Loads 80,000 clicks whose URLs collide in a hash table without a hash seed, and as many with
// random URLs of the same size.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <sluice/reference/store/loader.hpp>

#include "../tests/colliding_texts.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t clicks = 80'000;
constexpr std::size_t url_size = 64;

fs::path write_folder(const char* name, const std::vector<std::string>& urls) {
    const fs::path folder = fs::temp_directory_path() / name;
    fs::create_directories(folder);
    for (const std::string_view file : sluice::reference::folder_files)
        std::ofstream(folder / file);
    std::ofstream(folder / "links.ndjson")
        << R"({"id":"l","domain":"d.example","key":"k","url":"https://example.com/",)"
        << R"("createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"})" << '\n';
    std::ofstream lines(folder / "clicks.ndjson");
    for (std::size_t i = 0; i < urls.size(); ++i) {
        lines << R"({"id":"c)" << i << R"(","timestamp":"2026-01-02T00:00:00Z","linkId":"l",)"
              << R"("country":"US","region":"US-CA","city":"Unknown","continent":"NA",)"
              << R"("device":"Desktop","browser":"Firefox","os":"Linux","referer":"none",)"
              << R"("refererUrl":"none","qr":false,"ip":"192.0.2.1","url":")" << urls[i] << "\"}\n";
    }
    return folder;
}

void load(benchmark::State& state, const fs::path& folder) {
    for (auto _ : state) {
        sluice::reference::event_store store("ws_default");
        const auto loaded = sluice::reference::load_folder(store, folder);
        if (loaded != clicks + 1) throw std::runtime_error("the folder is not loaded");
    }
}

void chosen_urls(benchmark::State& state) {
    static const fs::path folder =
        write_folder("sluice-chosen", colliding_texts::by_products(clicks, url_size));
    load(state, folder);
}
void other_urls(benchmark::State& state) {
    static const fs::path folder =
        write_folder("sluice-others", colliding_texts::at_random(clicks, url_size));
    load(state, folder);
}
BENCHMARK(chosen_urls)->Unit(benchmark::kMillisecond);
BENCHMARK(other_urls)->Unit(benchmark::kMillisecond);

}  // namespace
