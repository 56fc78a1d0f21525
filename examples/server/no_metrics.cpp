// SPDX-License-Identifier: MIT
// Replaces metrics.cpp in builds without prometheus-cpp.
#include "metrics.hpp"

namespace server {

tl::expected<metrics, std::string> make_metrics(measure_function /*measure*/) {
    return tl::unexpected(std::string("--metrics: this server was built without prometheus-cpp"));
}

}  // namespace server
