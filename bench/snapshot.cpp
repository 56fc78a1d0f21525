// SPDX-License-Identifier: MIT
// Loads a sample, writes its snapshot, and measures the first answer of a store opened from it.
//
//     build/release/bench/snapshot [events=1000000] [folder=the system's for temporary files]
//
// The folder's sample and snapshot are written if they are missing, and kept.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/reference/store/snapshot_file.hpp>

#include "driver/reference.hpp"

namespace {

using namespace sluice;
namespace fs = std::filesystem;
using steady = std::chrono::steady_clock;

double seconds_since(steady::time_point begin) {
    return std::chrono::duration<double>(steady::now() - begin).count();
}
template <class Expected>
auto need(Expected got) {
    if (!got) throw std::runtime_error(message(got.error()));
    return *std::move(got);
}

/// Returns the page of a query, and the count of its rows.
std::pair<std::string, std::int64_t> answer(const reference::event_store& store,
                                            std::string_view text) {
    const time_zone_database zones({time_zone::utc()});
    const reference::events_query query = sluice_bench::parse_events(text, zones);
    const reference::workspace_view view = store.find("ws_default")->current();
    return {need(reference::list_events(view, query)).body,
            need(reference::count_events(view, query))};
}

/// Throws if the stores answer differently.
void check_same(const reference::event_store& a, const reference::event_store& b) {
    for (const std::string_view text :
         {"interval=all&country=US", "interval=all&country=US&device=Desktop&browser=Chrome",
          "event=leads&interval=all&query=metadata['plan']:'pro'",
          "event=sales&interval=all&saleType=new&page=7&sortOrder=asc"}) {
        if (answer(a, text) != answer(b, text)) throw std::runtime_error("answers differ");
    }
}

}  // namespace

int main(int count, char** words) try {
    const std::int64_t events = count > 1 ? std::stoll(words[1]) : 1'000'000;
    const fs::path place = count > 2 ? fs::path(words[2]) : fs::temp_directory_path();
    const fs::path folder = place / ("sluice_sample_" + std::to_string(events));
    const fs::path file = folder / "store.snapshot";
    if (!fs::exists(folder) && !reference::write_sample(folder, {events, 1, sluice_bench::now})) {
        throw std::runtime_error("no sample");
    }
    auto begin = steady::now();
    const auto loaded = sluice_bench::load_sample(folder);
    std::printf("load the records:    %9.3f s\n", seconds_since(begin));
    while (loaded->maintain()) {
    }
    begin = steady::now();
    const std::uint64_t bytes = need(reference::save_snapshot(*loaded, file));
    std::printf("write the snapshot:  %9.3f s, %.1f MB\n", seconds_since(begin),
                static_cast<double>(bytes) / 1e6);
    for (int i = 0; i < 5; ++i) {
        begin = steady::now();
        const auto mapped = need(reference::snapshot_file::open(file));
        const auto opened = need(mapped.store());
        answer(*opened, "interval=all&country=US");
        const double answered = seconds_since(begin);
        begin = steady::now();
        if (!mapped.check()) throw std::runtime_error("the snapshot is damaged");
        std::printf("first answer:        %9.4f s, and %.3f s until all bytes are checked\n",
                    answered, seconds_since(begin));
        if (i == 0) check_same(*loaded, *opened);
    }
    return 0;
} catch (const std::exception& failed) {
    std::fprintf(stderr, "snapshot: %s\n", failed.what());
    return 1;
}
