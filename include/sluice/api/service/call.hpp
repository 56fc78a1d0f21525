// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_CALL_HPP
#define SLUICE_API_SERVICE_CALL_HPP

#include <stop_token>
#include <string_view>

#include <sluice/api/service/handler_options.hpp>
#include <sluice/api/service/request.hpp>
#include <sluice/api/workspace.hpp>
#include <sluice/envelope.hpp>
#include <sluice/time_zone.hpp>

namespace sluice::api {

/// A request that passed the gates, and what its answer is made from.
struct call {
    const request& asked;
    workspace_view view;  ///< of the key's workspace
    std::string_view workspace_id;
    const time_zone_database& zones;
    const handler_options& options;
    instant now;
    std::stop_token stop{};  ///< asked for once nobody waits for the answer any more
};

/// Makes the response to a call, or says why there is none.
using answer_function = result<response> (*)(const call&);

}  // namespace sluice::api

#endif
