// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_CALL_HPP
#define SLUICE_REFERENCE_SERVICE_CALL_HPP

#include <stop_token>
#include <string>
#include <string_view>

#include <sluice/errors/envelope.hpp>
#include <sluice/reference/service/handler_options.hpp>
#include <sluice/reference/service/request.hpp>
#include <sluice/reference/store/workspace.hpp>
#include <sluice/time/zone.hpp>

namespace sluice::reference {

/// An admitted request, and the inputs of its answer.
struct call {
    const request& asked;
    workspace_view view;  ///< the key's workspace
    std::string_view workspace_id;
    const time_zone_database& zones;
    const handler_options& options;
    instant now;
    std::stop_token stop{};  ///< requested once the answer is no longer needed
};

/// The call's statement runner, stopped with the call; empty if the lists are in memory. Borrows
/// the call.
[[nodiscard]] inline clickhouse::statement_runner runner_of(const call& made) {
    if (!made.options.run_statement) return {};
    return [&made](const sql::statement& asked) -> result<std::string> {
        if (made.stop.stop_requested()) return fail(rule::request_cancelled);
        auto answer = made.options.run_statement(asked, made.stop);
        if (made.stop.stop_requested()) return fail(rule::request_cancelled);
        return answer;
    };
}

/// Answers a call: the response, or an error.
using answer_function = result<response> (*)(const call&);

}  // namespace sluice::reference

#endif
