// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENTS_LINK_INDEX_HPP
#define SLUICE_API_EVENTS_LINK_INDEX_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <vector>

#include <sluice/api/records/records.hpp>
#include <sluice/store/dictionary.hpp>

namespace sluice::api {

/// Which links have which texts in the fields that filters name, so that a filter costs as much as
/// it has values and finds links, however many others there are:
///
/// ```
/// link.domain  "go.example.com" -> links 1, 2, 5
/// link.tagIds  "tag_1" -> links 2, 3    "tag_2" -> links 2, 7
/// ```
///
/// One thread adds while any number look texts up. Links are the codes of column::link, which come
/// in order.
class link_index {
public:
    explicit link_index(hash_seed seed) : texts_(store::make_dictionaries<field_count>(seed)) {}

    void add(store::code code, const link& added) {
        const std::unique_lock lock(mutex_);
        put(domain, added.domain, code);
        put(key, added.key, code);
        put(external_id, added.external_id, code);
        put(tenant_id, added.tenant_id, code);
        put(program_id, added.program_id, code);
        put(partner_id, added.partner_id, code);
        put(group_id, added.group_id, code);
        put(folder_id, added.folder_id, code);
        for (const tag& each : added.tags) put(tag_ids, each.id, code);
        for (const std::string_view each : added.partner_tag_ids) put(partner_tag_ids, each, code);
    }

    /// Takes the links from a code on back. Their texts stay, of no link.
    void shrink(store::code limit) noexcept {
        const std::unique_lock lock(mutex_);
        for (auto& texts : links_) {
            for (std::vector<store::code>& links : texts) {
                while (!links.empty() && links.back() >= limit) links.pop_back();
            }
        }
    }

    /// Whether a link has an external id. Only the thread that adds.
    [[nodiscard]] bool has_external_id(std::string_view id) const noexcept {
        const store::code text = texts_[external_id].find(id);
        return text != store::absent && !links_[external_id][text - 1].empty();
    }

    /// The links whose field has, or has among others, any of `values`, in order; none where a
    /// parameter table's `column` is no field of links.
    [[nodiscard]] std::vector<store::code> find(std::string_view column, filter_values values,
                                                collation how) const {
        const auto at = std::ranges::find(columns, column);
        if (at == columns.end()) return {};
        std::vector<store::code> found;
        const std::shared_lock lock(mutex_);
        const auto where = static_cast<std::size_t>(at - columns.begin());
        for (const store::code text : texts_[where].codes_named(values, how)) {
            const std::vector<store::code>& links = links_[where][text - 1];
            found.insert(found.end(), links.begin(), links.end());
        }
        std::ranges::sort(found);
        found.erase(std::ranges::unique(found).begin(), found.end());
        return found;
    }

    /// Memory taken, in bytes; an estimate.
    [[nodiscard]] std::size_t bytes() const {
        const std::shared_lock lock(mutex_);
        std::size_t total = 0;
        for (std::size_t at = 0; at < field_count; ++at) {
            total += texts_[at].bytes() + links_[at].capacity() * sizeof(links_[at][0]);
            for (const auto& links : links_[at]) total += links.capacity() * sizeof(store::code);
        }
        return total;
    }

private:
    enum field : std::size_t {
        domain,
        key,
        external_id,
        tenant_id,
        program_id,
        partner_id,
        group_id,
        folder_id,
        tag_ids,
        partner_tag_ids,
        field_count
    };
    static constexpr std::array<std::string_view, field_count> columns{
        "link.domain",    "link.key",     "link.externalId", "link.tenantId", "link.programId",
        "link.partnerId", "link.groupId", "link.folderId",   "link.tagIds",   "link.partnerTagIds"};

    void put(field where, std::optional<std::string_view> text, store::code link) {
        if (!text) return;
        const store::code code = texts_[where].encode(*text);
        if (code > links_[where].size()) links_[where].emplace_back();
        std::vector<store::code>& links = links_[where][code - 1];
        // A link may have the same tag twice.
        if (links.empty() || links.back() != link) links.push_back(link);
    }

    std::array<store::dictionary, field_count> texts_;
    std::array<std::vector<std::vector<store::code>>, field_count> links_;  // by code, from 1
    mutable std::shared_mutex mutex_;
};

}  // namespace sluice::api

#endif
