// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_STORE_WORKSPACE_VIEW_HPP
#define SLUICE_REFERENCE_STORE_WORKSPACE_VIEW_HPP

#include <cstddef>
#include <cstdint>

#include <sluice/reference/events/events_query.hpp>
#include <sluice/store/table.hpp>

namespace sluice::reference {

class workspace;
template <class Record>
class record_rows;

/// All published records of a workspace at one moment. It doesn't change while the workspace grows,
/// and must not outlive it.
struct workspace_view {
    const workspace* source = nullptr;  ///< the workspace, never null in a view of current()
    store::snapshot clicks{}, leads{}, sales{};
    std::size_t links = 0, customers = 0, tags = 0;  ///< number of visible records
    std::size_t domains = 0, folders = 0;            ///< of these, those with a record of their own
    std::uint64_t version = 0;                       ///< number of publish() calls before it

    [[nodiscard]] const store::snapshot& events(event_kind kind) const noexcept {
        switch (kind) {
            case event_kind::clicks: return clicks;
            case event_kind::leads: return leads;
            case event_kind::sales: return sales;
        }
        return clicks;
    }
    // The number of visible records of a kind.
    [[nodiscard]] std::size_t size_of(const record_rows<tag>&) const noexcept { return tags; }
    [[nodiscard]] std::size_t size_of(const record_rows<domain>&) const noexcept { return domains; }
    [[nodiscard]] std::size_t size_of(const record_rows<folder>&) const noexcept { return folders; }
    [[nodiscard]] std::size_t size_of(const record_rows<link>&) const noexcept { return links; }
    [[nodiscard]] std::size_t size_of(const record_rows<customer>&) const noexcept {
        return customers;
    }
};

}  // namespace sluice::reference

#endif
