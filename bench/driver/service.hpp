// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_SERVICE_HPP
#define SLUICE_BENCH_DRIVER_SERVICE_HPP

#include <memory>
#include <string>

#include "../sample_service.hpp"
#include "operation.hpp"

namespace sluice_bench {

/// Returns an operation whose answer is its measured result.
template <class Run>
[[nodiscard]] operation measured(Run run) {
    return repeated(run, run);
}

/// Adds operations of the reference service over sample events: `event_count TEXT` and `event_page
/// TEXT` of the store; `request TEXT` and `request_unchanged TEXT` (a 304) of the handler.
inline void add_service(operation_table& operations,
                        const std::unique_ptr<sample_service>& service) {
    operations["event_count"] = [&service](std::string_view text) {
        const auto run = [&service, text = std::string(text)] { return service->count(text); };
        return repeated([run] { return std::to_string(run()); }, run);
    };
    operations["event_page"] = [&service](std::string_view text) {
        return measured([&service, text = std::string(text)] { return service->page(text); });
    };
    operations["request"] = [&service](std::string_view text) {
        const auto run = [&service, text = std::string(text)] { return service->answer(text, {}); };
        return repeated([run] { return run().body; }, run);
    };
    operations["request_unchanged"] = [&service](std::string_view text) {
        const std::string etag(service->answer(text, {}).header_value("etag"));
        const auto run = [&service, etag, text = std::string(text)] {
            return service->answer(text, etag);
        };
        return repeated([run] { return std::to_string(run().status); }, run);
    };
}

}  // namespace sluice_bench

#endif
