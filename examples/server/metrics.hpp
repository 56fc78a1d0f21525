// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_METRICS_HPP
#define SLUICE_EXAMPLES_SERVER_METRICS_HPP

#include <functional>
#include <string>
#include <string_view>
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

/// Maps a path to its label, one of a bounded set, such as reference::route_label.
using label_function = std::string_view (*)(std::string_view path);

/// Starts measuring; an error if this server was built without prometheus-cpp.
[[nodiscard]] tl::expected<metrics, std::string> make_metrics(measure_function measure,
                                                              label_function label);

}  // namespace server

#endif
