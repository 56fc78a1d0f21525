// SPDX-License-Identifier: MIT
// Processor times of `GET /analytics` through the handler, for each group and kind of events:
//
//     analytics FOLDER EVENTS     writes a sample of so many events, if there is none, and loads it
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/reference/handler.hpp>
#include <sluice/reference/sample.hpp>
#include <sluice/reference/store/loader.hpp>
#include <sluice/time/system_zones.hpp>

namespace {

using namespace sluice;
using namespace sluice::reference;

constexpr std::size_t most_runs = 101;
constexpr double most_time = 5'000;  // milliseconds, but at least few_runs
constexpr std::size_t few_runs = 11;

/// The times of a request, in rising order, in milliseconds. Ends the program if it fails.
std::vector<double> times_of(handler& answers, const std::string& target, instant now) {
    const std::vector<name_value> headers{{"Authorization", "Bearer key"}};
    constexpr double ticks = CLOCKS_PER_SEC / 1'000.0;
    std::vector<double> times;
    double all = 0;
    while (times.size() < most_runs && (times.size() < few_runs || all < most_time)) {
        const std::clock_t start = std::clock();
        const response answer = answers.handle({.target = target, .headers = headers}, now);
        const double taken = static_cast<double>(std::clock() - start) / ticks;
        if (answer.status != 200) {
            std::cerr << target << ": " << answer.body << '\n';
            std::exit(1);
        }
        times.push_back(taken);
        all += taken;
    }
    std::ranges::sort(times);
    return times;
}
double percentile(const std::vector<double>& times, std::size_t percent) {
    return times[(times.size() - 1) * percent / 100];
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) {
        std::cerr << "usage: analytics FOLDER EVENTS\n";
        return 2;
    }
    const std::filesystem::path folder(words[1]);
    const instant now = parse_timestamp("2026-08-21T00:00:00Z").value();
    if (!std::filesystem::exists(folder / "clicks.ndjson")) {
        const std::int64_t events = std::strtoll(words[2], nullptr, 10);
        if (!write_sample(folder, {.events = events, .seed = 1, .now = now})) return 1;
    }
    event_store store("ws_default");
    if (!load_folder(store, folder)) return 1;
    while (store.maintain()) {
    }
    key_ring keys;
    api_key key{.hash = sha256("key"),
                .workspace_id = "ws_default",
                .plan = plan::enterprise,
                .permissions = {"analytics.read"},
                .limits = {100'000'000, 100'000'000}};
    if (!keys.add(key)) return 1;
    const auto zones = load_time_zones();
    handler answers(store, std::move(keys), *zones);
    std::cout << store.size() << " events; milliseconds of processor time\n"
              << std::left << std::setw(18) << "groupBy" << std::right;
    for (const std::string_view event : analytics_event_names)
        std::cout << std::setw(12) << event << " p50" << std::setw(9) << "p99";
    std::cout << '\n' << std::fixed << std::setprecision(3);
    for (const std::string_view group : analytics_group_names) {
        std::cout << std::left << std::setw(18) << group << std::right << std::flush;
        for (const std::string_view event : analytics_event_names) {
            std::string target = "/analytics?interval=all&groupBy=";
            target.append(group).append("&event=").append(event);
            const auto times = times_of(answers, target, now);
            std::cout << std::setw(16) << percentile(times, 50) << std::setw(9)
                      << percentile(times, 99) << std::flush;
        }
        std::cout << '\n';
    }
    return 0;
}
