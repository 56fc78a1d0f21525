// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_METRICS_HPP
#define SLUICE_EXAMPLES_SERVER_METRICS_HPP

#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include <sluice/errors/envelope.hpp>
#include <sluice/reference/service/log_record.hpp>
#include <sluice/reference/service/metrics.hpp>
#include <sluice/reference/service/request.hpp>

namespace server {

/// The metrics of a server, in Prometheus format. Thread-safe.
struct metrics {
    /// Counts an answered request.
    std::function<void(const sluice::reference::access_record&)> count;
    /// Answers `GET /metrics`: the text format, version 0.0.4.
    std::function<sluice::response(const sluice::reference::request&)> answer;
};

/// Returns the remaining measurements, such as handler::measure.
using measure_function = std::function<std::vector<sluice::reference::measurement>()>;

/// Starts measuring; an error if this server was built without prometheus-cpp.
[[nodiscard]] tl::expected<metrics, std::string> make_metrics(measure_function measure);

}  // namespace server

#endif
