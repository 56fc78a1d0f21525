// SPDX-License-Identifier: MIT
// Costs and gains of a snapshot: loading a sample, writing its snapshot, the first answer of a
// store opened from it, and appends while snapshots are written.
//
//     build/release/bench/snapshot [events=1000000] [folder=the system's for temporary files]
//
// The folder's sample and snapshot are written if they are missing, and kept.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sluice/errors/message.hpp>
#include <sluice/reference/sample.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/reference/store/loader.hpp>
#include <sluice/reference/store/snapshot_file.hpp>

namespace {

using namespace sluice;
namespace fs = std::filesystem;
using steady = std::chrono::steady_clock;

constexpr instant now{std::chrono::milliseconds{1'787'279'415'123}};
constexpr std::string_view workspace = "ws_default";

double seconds_since(steady::time_point begin) {
    return std::chrono::duration<double>(steady::now() - begin).count();
}
template <class Expected>
auto need(Expected got) {
    if (!got) throw std::runtime_error(message(got.error()));
    if constexpr (!std::is_void_v<typename Expected::value_type>) return *std::move(got);
}

reference::events_query query_of(std::string_view text) {
    const query_string pairs = parse_query_string(text);
    return need(reference::parse_events_query(pairs.pairs(), {}, now));
}
std::string page_of(const reference::event_store& store, std::string_view text) {
    return need(reference::list_events(store.find(workspace)->current(), query_of(text))).body;
}

/// Throws if the stores answer differently.
void check_same(const reference::event_store& a, const reference::event_store& b) {
    for (const std::string_view text :
         {"interval=all&country=US", "interval=all&country=US&device=Desktop&browser=Chrome",
          "event=leads&interval=all&query=metadata['plan']:'pro'",
          "event=sales&interval=all&saleType=new&page=7&sortOrder=asc"}) {
        if (page_of(a, text) != page_of(b, text)) throw std::runtime_error("answers differ");
        const auto count = [&](const reference::event_store& of) {
            return need(reference::count_events(of.find(workspace)->current(), query_of(text)));
        };
        if (count(a) != count(b)) throw std::runtime_error("counts differ");
    }
}

/// Appends clicks, publishing each, and records their times.
class appender {
public:
    appender(reference::event_store& store, std::string name)
        : store_(store), name_(std::move(name)) {
        reference::link added;
        added.id = name_;
        added.domain = "go.example.com";
        added.key = name_;
        added.url = "https://example.com/";
        need(store_.add(added));
    }
    void append() {
        const std::string id = name_ + std::to_string(clicks_++);
        const std::string url = "https://example.com/?n=" + std::to_string(clicks_ % 1'000);
        reference::click added{.id = id, .timestamp = now + std::chrono::milliseconds(clicks_)};
        added.link_id = name_;
        added.url = url;
        added.country = "US";
        added.device = "Desktop";
        const auto begin = steady::now();
        need(store_.add(added));
        store_.publish();
        took_.push_back(seconds_since(begin) * 1e6);
    }
    void print(const char* when) {
        std::ranges::sort(took_);
        const auto at = [&](double part) {
            return took_[static_cast<std::size_t>(static_cast<double>(took_.size() - 1) * part)];
        };
        std::printf(
            "  %-16s %8zu appends: median %6.2f us, p99 %6.2f (%.2f medians), "
            "p99.9 %7.2f, most %9.2f\n",
            when, took_.size(), at(0.5), at(0.99), at(0.99) / at(0.5), at(0.999), at(1));
        took_.clear();
    }

private:
    reference::event_store& store_;
    std::string name_;
    std::int64_t clicks_ = 0;
    std::vector<double> took_;
};

/// Measures appends before, while and after a snapshot is written.
void measure_appends(const char* of, reference::event_store& store, const fs::path& file) {
    std::printf("%s\n", of);
    appender clicks(store, of);
    for (int i = 0; i < 20'000; ++i) clicks.append();
    clicks.print("before");
    std::atomic<bool> is_saved = false;
    std::thread saving([&] {
        need(reference::save_snapshot(store, file));
        is_saved = true;
    });
    while (!is_saved) clicks.append();
    saving.join();
    clicks.print("while one is written");
    for (int i = 0; i < 20'000; ++i) clicks.append();
    clicks.print("after");
}

}  // namespace

int main(int count, char** words) try {
    const std::int64_t events = count > 1 ? std::stoll(words[1]) : 1'000'000;
    const fs::path place = count > 2 ? fs::path(words[2]) : fs::temp_directory_path();
    const fs::path folder = place / ("sluice_sample_" + std::to_string(events));
    const fs::path file = folder / "store.snapshot";
    if (!fs::exists(folder)) need(reference::write_sample(folder, {events, 1, now}));

    reference::event_store loaded{std::string(workspace)};
    auto begin = steady::now();
    need(reference::load_folder(loaded, folder));
    std::printf("load the records:    %9.3f s\n", seconds_since(begin));
    while (loaded.maintain()) {
    }
    for (int i = 0; i < 3; ++i) {
        begin = steady::now();
        const std::uint64_t bytes = need(reference::save_snapshot(loaded, file));
        std::printf("write the snapshot:  %9.3f s, %.1f MB\n", seconds_since(begin),
                    static_cast<double>(bytes) / 1e6);
    }
    std::unique_ptr<reference::event_store> opened;
    for (int i = 0; i < 5; ++i) {
        opened.reset();
        begin = steady::now();
        const auto mapped = need(reference::snapshot_file::open(file));
        opened = need(mapped.store());
        page_of(*opened, "interval=all&country=US");
        const double answered = seconds_since(begin);
        begin = steady::now();
        need(mapped.check());
        std::printf("first answer:        %9.4f s, and %.3f s until all bytes are checked\n",
                    answered, seconds_since(begin));
    }
    check_same(loaded, *opened);
    measure_appends("loaded", loaded, file);
    need(reference::save_snapshot(*opened, file));
    measure_appends("opened", *opened, file);
    return 0;
} catch (const std::exception& failed) {
    std::fprintf(stderr, "snapshot: %s\n", failed.what());
    return 1;
}
