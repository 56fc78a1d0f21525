// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_LINK_INDEX_HPP
#define SLUICE_REFERENCE_EVENTS_LINK_INDEX_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <vector>

#include <sluice/reference/events/event_columns.hpp>
#include <sluice/reference/records/records.hpp>
#include <sluice/store/texts/dictionary.hpp>

namespace sluice::reference {

/// An index of links by the fields that filters use. A lookup costs as much as the filter has
/// values and matches, regardless of the number of links:
///
/// ```
/// link.domain  "go.example.com" -> links 1, 2, 5
/// link.tagIds  "tag_1" -> links 2, 3    "tag_2" -> links 2, 7
/// ```
///
/// One thread adds while any number look texts up. Links are codes of column::link, which ascend.
class link_index {
public:
    explicit link_index(hash_seed seed) : texts_(store::make_dictionaries<field_count>(seed)) {}

    void add(store::code code, const link& added) {
        const std::unique_lock lock(mutex_);
        std::size_t next = 0;
        for_each_row<link>([&]<class Row>(const Row& row) {
            if (!row.has(field_use::indexed)) return;
            if constexpr (requires { this->put(next, added.*Row::member, code); }) {
                put(next, added.*Row::member, code);
            }
            ++next;
        });
        for (const tag& each : added.tags) put(tag_ids, each.id, code);
    }

    /// Removes the links from `limit` on. Their texts stay, without links.
    void shrink(store::code limit) noexcept {
        const std::unique_lock lock(mutex_);
        for (auto& texts : links_) {
            for (std::vector<store::code>& links : texts) {
                while (!links.empty() && links.back() >= limit) links.pop_back();
            }
        }
    }

    /// Returns true if a link has this external id. Only for the thread that adds.
    [[nodiscard]] bool has_external_id(std::string_view id) const noexcept {
        const store::code text = texts_[external_id].find(id);
        return text != store::absent && !links_[external_id][text - 1].empty();
    }

    /// The links whose field equals, or whose list contains, any of `values`, sorted. Empty if
    /// `column` is not an indexed field of links.
    [[nodiscard]] std::vector<store::code> find(std::string_view column, filter_values values,
                                                collation how) const {
        const auto at = std::ranges::find(fields, column, &column_info::name);
        if (at == fields.end()) return {};
        std::vector<store::code> found;
        const std::shared_lock lock(mutex_);
        const auto where = static_cast<std::size_t>(at - fields.begin());
        for (const store::code text : texts_[where].codes_named(values, how)) {
            const std::vector<store::code>& links = links_[where][text - 1];
            found.insert(found.end(), links.begin(), links.end());
        }
        std::ranges::sort(found);
        found.erase(std::ranges::unique(found).begin(), found.end());
        return found;
    }

    /// Calls `visit(text, links)` for each text of a field. Does nothing for unknown fields.
    template <class Visit>
    void for_each_text(std::string_view column, const Visit& visit) const {
        const auto at = std::ranges::find(fields, column, &column_info::name);
        if (at == fields.end()) return;
        const auto where = static_cast<std::size_t>(at - fields.begin());
        const std::shared_lock lock(mutex_);
        for (std::size_t text = 0; text < links_[where].size(); ++text) {
            visit(texts_[where].text(static_cast<store::code>(text + 1)), links_[where][text]);
        }
    }

    /// Writes the index of the links below `limit`. Links may be added meanwhile. Safe on any
    /// thread.
    void save(store::archive_writer& to, store::code limit) const {
        for (std::size_t at = 0; at < field_count; ++at) {
            const flat_links flat = flatten(at, limit);
            texts_[at].save(to, flat.ends.size() + 1);
            to.array(std::span<const std::uint32_t>(flat.ends));
            to.array(std::span<const store::code>(flat.links));
        }
    }
    /// Reads the index of the links below `limit` from an archive into this empty object.
    void open(store::archive_reader& from, store::code limit) {
        for (std::size_t at = 0; at < field_count; ++at) {
            texts_[at].open(from);
            const auto ends = from.view<std::uint32_t>(texts_[at].size() - 1);
            const auto links = from.view<store::code>();
            std::size_t begin = 0;
            for (const std::uint32_t end : ends) {
                if (end < begin || end > links.size()) return static_cast<void>(from.fail());
                const auto own = links.subspan(begin, end - begin);
                links_[at].emplace_back(own.begin(), own.end());
                begin = end;
            }
            const auto is_known = [limit](store::code each) { return each != 0 && each < limit; };
            if (!std::ranges::all_of(links, is_known)) from.fail();
        }
    }

    /// Estimated memory use, in bytes.
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
    /// The indexed fields by their names in parameter tables: those of the record, and the tags.
    static constexpr auto fields =
        detail::join(detail::columns_of<"link.", link, field_use::indexed>(),
                     std::array{column_info{"link.tagIds", "tags"}});
    static constexpr std::size_t field_count = fields.size();
    static constexpr std::size_t tag_ids = field_count - 1;
    static constexpr auto external_id = static_cast<std::size_t>(
        std::ranges::find(fields, "link.externalId", &column_info::name) - fields.begin());

    void put(std::size_t where, std::span<const std::string_view> texts, store::code link) {
        for (const std::string_view each : texts) put(where, each, link);
    }
    void put(std::size_t where, std::optional<std::string_view> text, store::code link) {
        if (!text) return;
        const store::code code = texts_[where].encode(*text);
        if (code > links_[where].size()) links_[where].emplace_back();
        std::vector<store::code>& links = links_[where][code - 1];
        // A link may have the same tag twice.
        if (links.empty() || links.back() != link) links.push_back(link);
    }

    /// The links of a field, concatenated in the order of its texts.
    struct flat_links {
        std::vector<std::uint32_t> ends;  // end of each text's links in `links`
        std::vector<store::code> links;
    };
    [[nodiscard]] flat_links flatten(std::size_t field, store::code limit) const {
        flat_links made;
        const std::shared_lock lock(mutex_);
        for (const std::vector<store::code>& each : links_[field]) {
            const auto end = std::ranges::lower_bound(each, limit);
            made.links.insert(made.links.end(), each.begin(), end);
            made.ends.push_back(static_cast<std::uint32_t>(made.links.size()));
        }
        return made;
    }

    std::array<store::dictionary, field_count> texts_;
    std::array<std::vector<std::vector<store::code>>, field_count> links_;  // by code, from 1
    mutable std::shared_mutex mutex_;
};

}  // namespace sluice::reference

#endif
