// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_LINK_INDEX_HPP
#define SLUICE_API_LINK_INDEX_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sluice/api/records.hpp>
#include <sluice/filter_matcher.hpp>
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

    /// The links whose field has, or has among others, any of `values`, in order; none where a
    /// parameter table's `column` is no field of links. Exact values are looked up; else each text
    /// of the field is looked at.
    [[nodiscard]] std::vector<store::code> find(std::string_view column, filter_values values,
                                                collation how) const {
        const auto at = std::ranges::find(columns, column);
        if (at == columns.end()) return {};
        std::vector<store::code> found;
        const auto take = [&found](const std::vector<store::code>& links) {
            found.insert(found.end(), links.begin(), links.end());
        };
        const std::shared_lock lock(mutex_);
        const texts& known = fields_[static_cast<std::size_t>(at - columns.begin())];
        if (how == collation::exact) {
            for (const std::string_view value : values) {
                if (const auto entry = known.find(value); entry != known.end()) take(entry->second);
            }
        } else {
            const filter_matcher names(values, how);
            for (const auto& [text, links] : known) {
                if (names.contains(text)) take(links);
            }
        }
        std::ranges::sort(found);
        found.erase(std::ranges::unique(found).begin(), found.end());
        return found;
    }

    /// Memory taken, in bytes; an estimate.
    [[nodiscard]] std::size_t bytes() const {
        const std::shared_lock lock(mutex_);
        std::size_t total = 0;
        for (const texts& known : fields_) {
            total += known.bucket_count() * sizeof(void*);
            for (const auto& [text, links] : known) {
                total += sizeof(texts::value_type) + 2 * sizeof(void*) + text.capacity() +
                         links.capacity() * sizeof(store::code);
            }
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

    /// Texts are found without a std::string of their own.
    struct text_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };
    using texts =
        std::unordered_map<std::string, std::vector<store::code>, text_hash, std::equal_to<>>;

    void put(field where, std::optional<std::string_view> text, store::code link) {
        if (!text) return;
        auto entry = fields_[where].find(*text);
        if (entry == fields_[where].end()) {
            entry = fields_[where].try_emplace(std::string(*text)).first;
        }
        // A link may have the same tag twice.
        if (entry->second.empty() || entry->second.back() != link) entry->second.push_back(link);
    }

    std::array<texts, field_count> fields_;
    mutable std::shared_mutex mutex_;
};

}  // namespace sluice::api

#endif
