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
    const request& received;
    workspace_view view;  ///< the key's workspace
    std::string_view workspace_id;
    const time_zone_database& zones;
    const handler_options& options;
    instant now;
    std::stop_token stop{};  ///< requested once the answer is no longer needed
};

/// The call's statement runner, stopped with the call; empty if the lists are in memory. Borrows
/// `context`.
[[nodiscard]] inline clickhouse::statement_runner runner_of(const call& context) {
    if (!context.options.run_statement) return {};
    return [&context](const sql::statement& statement) -> result<std::string> {
        if (context.stop.stop_requested()) return fail(rule::request_cancelled);
        auto answer = context.options.run_statement(statement, context.stop);
        if (context.stop.stop_requested()) return fail(rule::request_cancelled);
        return answer;
    };
}

/// Answers a call: the response, or an error.
using answer_function = result<response> (*)(const call&);

}  // namespace sluice::reference

#endif
