// SPDX-License-Identifier: MIT
// What the handler costs beside the page that it answers with: a page of events alone, the same
// through the handler, and its 304. See the ratio of the first two.
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

#include <benchmark/benchmark.h>

#include <sluice/api/handler.hpp>
#include <sluice/api/loader.hpp>
#include <sluice/api/sample.hpp>

namespace {

using namespace sluice;

constexpr instant now{std::chrono::milliseconds{1'787'279'415'123}};
constexpr std::string_view target = "/events?interval=all&country=US";
constexpr std::string_view wanted = target.substr(target.find('?') + 1);

/// A handler over a sample of 100,000 events, whose key has no limit that is reached here.
class service {
public:
    service() {
        const auto folder = std::filesystem::temp_directory_path() / "sluice_bench_handler";
        const auto written = api::write_sample(folder, {100'000, 1, now});
        const auto loaded = api::load_folder(store_, folder);
        std::filesystem::remove_all(folder);
        api::key_ring keys;
        const auto added = keys.add({.hash = api::sha256("key"),
                                     .workspace_id = "ws_default",
                                     .plan = api::plan::enterprise,
                                     .permissions = {"analytics.read"},
                                     .limits = {policy_max_limit, policy_max_limit}});
        if (!written || !loaded || !added) throw std::runtime_error("no sample");
        handler_ = std::make_unique<api::handler>(store_, std::move(keys), zones_,
                                                  api::handler_options{.start_number = 1});
        if (answer({}).body != page()) throw std::runtime_error("pages differ");
    }

    [[nodiscard]] std::string page() const {
        const query_string pairs = parse_query_string(wanted);
        const auto query = api::parse_events_query(pairs.pairs(), {.zones = &zones_}, now);
        return api::list_events(store_.find("ws_default")->current(), *query)->body;
    }
    [[nodiscard]] response answer(std::string_view etag) const {
        const std::vector<name_value> headers{
            {"authorization", "Bearer key"}, {"host", "localhost"}, {"if-none-match", etag}};
        return handler_->handle({.target = target, .headers = headers}, now);
    }

private:
    time_zone_database zones_{{time_zone::utc()}};
    api::event_store store_{"ws_default"};
    std::unique_ptr<api::handler> handler_;
};

const service& served() {
    static const service made;
    return made;
}

void page_alone(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(served().page());
    state.counters["bytes"] = static_cast<double>(served().page().size());
}
BENCHMARK(page_alone);

void through_handler(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(served().answer({}));
}
BENCHMARK(through_handler);

void not_modified(benchmark::State& state) {
    const std::string etag(served().answer({}).header_value("etag"));
    if (served().answer(etag).status != 304) throw std::runtime_error("no 304");
    for (auto _ : state) benchmark::DoNotOptimize(served().answer(etag));
}
BENCHMARK(not_modified);

}  // namespace
