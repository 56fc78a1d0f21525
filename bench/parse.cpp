// SPDX-License-Identifier: MIT
// From text to values: the cost of a request before it reads data.
#include <stdexcept>

#include <benchmark/benchmark.h>

#include <sluice/errors/envelope.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/reference/events/events_query.hpp>

#include "event_requests.hpp"

namespace {

using namespace sluice;
using namespace sluice_bench;

/// Throws if a request is refused.
template <class Parsed>
void check(const Parsed& parsed) {
    if (!parsed) throw std::runtime_error(message(parsed.error()));
}

void bind_events_query(benchmark::State& state, std::string_view text) {
    const time_zone_database zones({time_zone::utc()});
    const reference::request_options options{.zones = &zones};
    const query_string given = parse_query_string(text);
    check(reference::parse_events_query(given.pairs(), options, now));
    for (auto _ : state) {
        const query_string pairs = parse_query_string(text);
        benchmark::DoNotOptimize(reference::parse_events_query(pairs.pairs(), options, now));
    }
}
BENCHMARK_CAPTURE(bind_events_query, 6_parameters, six_parameters);
BENCHMARK_CAPTURE(bind_events_query, 40_parameters, forty_parameters);

void filter_text(benchmark::State& state) {
    check(parse_filter("-US,CA,FR"));
    for (auto _ : state) benchmark::DoNotOptimize(parse_filter("-US,CA,FR"));
}
BENCHMARK(filter_text);

void metadata_text(benchmark::State& state) {
    constexpr std::string_view text = "metadata['plan']:'pro' AND NOT metadata['seats']>=10";
    check(parse_metadata_query(text));
    for (auto _ : state) benchmark::DoNotOptimize(parse_metadata_query(text));
}
BENCHMARK(metadata_text);

void error_envelope(benchmark::State& state) {
    const auto refused = parse_filter("US,-CA");
    if (refused) throw std::runtime_error("accepted");
    for (auto _ : state) benchmark::DoNotOptimize(error_body(refused.error(), "https://docs.io"));
}
BENCHMARK(error_envelope);

}  // namespace
