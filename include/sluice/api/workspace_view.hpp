// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_WORKSPACE_VIEW_HPP
#define SLUICE_API_WORKSPACE_VIEW_HPP

#include <cstddef>
#include <cstdint>

#include <sluice/api/events/events_query.hpp>
#include <sluice/store/table.hpp>

namespace sluice::api {

class workspace;

/// Everything in a workspace at one moment. It stays as it is while the workspace grows; it must
/// not outlive it.
struct workspace_view {
    const workspace* source = nullptr;
    store::snapshot clicks{}, leads{}, sales{};
    std::size_t links = 0, customers = 0, tags = 0;  ///< how many can be seen
    std::uint64_t version = 0;                       ///< how often it was published

    [[nodiscard]] const store::snapshot& events(event_kind kind) const noexcept {
        switch (kind) {
            case event_kind::clicks: return clicks;
            case event_kind::leads: return leads;
            case event_kind::sales: return sales;
        }
        return clicks;
    }
};

}  // namespace sluice::api

#endif
