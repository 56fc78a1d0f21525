// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_METRICS_HPP
#define SLUICE_EXAMPLES_SERVER_METRICS_HPP

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <sluice/api/service/log_record.hpp>
#include <sluice/api/service/metrics.hpp>
#include <sluice/api/service/request.hpp>
#include <sluice/envelope.hpp>

namespace server {

/// What a server measures, as Prometheus reads it. For any number of threads.
struct metrics {
    /// Counts a request that was answered.
    std::function<void(const sluice::api::access_record&)> count;
    /// Answers `GET /metrics`: the text format, version 0.0.4.
    std::function<sluice::response(const sluice::api::request&)> answer;
};

/// What tells the rest that there is to show, such as handler::measure.
using measure_function = std::function<std::vector<sluice::api::measurement>()>;

/// What a path is counted as: one of few, whatever clients ask for, such as api::route_label.
using label_function = std::string_view (*)(std::string_view path);

/// Begins to measure; or says that this server was built without prometheus-cpp.
[[nodiscard]] tl::expected<metrics, std::string> make_metrics(measure_function measure,
                                                              label_function label);

}  // namespace server

#endif
