// SPDX-License-Identifier: MIT
#include "metrics.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace server {

namespace {

using sluice::reference::measurement;
using sluice::reference::metric;

/// Registers a metric and returns it.
template <class Builder>
auto& add(Builder builder, const metric& what, prometheus::Registry& registry) {
    return builder.Name(std::string(what.name)).Help(std::string(what.help)).Register(registry);
}

/// A counter or gauge with one value, without labels.
prometheus::MetricFamily to_family(const measurement& measured) {
    prometheus::ClientMetric one;
    const auto value = static_cast<double>(measured.value);
    (measured.is_counter ? one.counter.value : one.gauge.value) = value;
    return {std::string(measured.what.name),
            std::string(measured.what.help),
            measured.is_counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge,
            {one}};
}

/// The answer with a text; for HEAD without it, but with its size.
sluice::response to_response(int status, std::string_view type, std::string text,
                             const sluice::reference::request& request) {
    sluice::response answer{status, {{"content-type", std::string(type)}}, std::move(text)};
    answer.headers.push_back({"content-length", std::to_string(answer.body.size())});
    if (request.method == "HEAD") answer.body.clear();
    return answer;
}

/// Counts requests, with a bounded set of label values.
class request_metrics {
public:
    explicit request_metrics(measure_function measure)
        : measure_(std::move(measure)),
          requests_(add(prometheus::BuildCounter(), sluice::reference::requests_metric, registry_)),
          durations_(
              add(prometheus::BuildHistogram(), sluice::reference::duration_metric, registry_)) {}

    void count(const sluice::reference::access_record& access) {
        const std::string route(access.route);
        requests_.Add({{"route", route}, {"status", std::to_string(access.status)}}).Increment();
        const auto& bounds = sluice::reference::duration_buckets;
        durations_.Add({{"route", route}}, std::vector<double>(bounds.begin(), bounds.end()))
            .Observe(std::chrono::duration<double>(access.taken).count());
    }

    [[nodiscard]] sluice::response answer(const sluice::reference::request& request) const {
        if (request.path() != "/metrics" || !request.is_get()) {
            return to_response(404, "text/plain; charset=utf-8", "expected GET /metrics\n",
                               request);
        }
        return to_response(200, "text/plain; version=0.0.4; charset=utf-8", to_text(), request);
    }

private:
    /// All metrics in the text format of Prometheus.
    [[nodiscard]] std::string to_text() const {
        auto families = registry_.Collect();
        for (const measurement& measured : measure_()) families.push_back(to_family(measured));
        return prometheus::TextSerializer().Serialize(families);
    }

    measure_function measure_;
    prometheus::Registry registry_;
    prometheus::Family<prometheus::Counter>& requests_;
    prometheus::Family<prometheus::Histogram>& durations_;
};

}  // namespace

tl::expected<metrics, std::string> make_metrics(measure_function measure) {
    const auto counters = std::make_shared<request_metrics>(std::move(measure));
    return metrics{[counters](const auto& access) { counters->count(access); },
                   [counters](const auto& request) { return counters->answer(request); }};
}

}  // namespace server
