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
        for (const tag& listed : added.tags) put(tag_ids, listed.id, code);
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
        const auto position = std::ranges::find(fields, column, &column_info::name);
        if (position == fields.end()) return {};
        std::vector<store::code> matches;
        const std::shared_lock lock(mutex_);
        const auto field = static_cast<std::size_t>(position - fields.begin());
        for (const store::code text : texts_[field].codes_named(values, how)) {
            const std::vector<store::code>& links = links_[field][text - 1];
            matches.insert(matches.end(), links.begin(), links.end());
        }
        std::ranges::sort(matches);
        matches.erase(std::ranges::unique(matches).begin(), matches.end());
        return matches;
    }

    /// Calls `visit(text, links)` for each text of a field. Does nothing for unknown fields.
    template <class Visit>
    void for_each_text(std::string_view column, const Visit& visit) const {
        const auto position = std::ranges::find(fields, column, &column_info::name);
        if (position == fields.end()) return;
        const auto field = static_cast<std::size_t>(position - fields.begin());
        const std::shared_lock lock(mutex_);
        for (std::size_t text = 0; text < links_[field].size(); ++text) {
            visit(texts_[field].text(static_cast<store::code>(text + 1)), links_[field][text]);
        }
    }

    /// Writes the index of the links below `limit`. Links may be added meanwhile. Safe on any
    /// thread.
    void save(store::archive_writer& archive, store::code limit) const {
        for (std::size_t field = 0; field < field_count; ++field) {
            const flat_links flat = flatten(field, limit);
            texts_[field].save(archive, flat.ends.size() + 1);
            archive.array(std::span<const std::uint32_t>(flat.ends));
            archive.array(std::span<const store::code>(flat.links));
        }
    }
    /// Reads the index of the links below `limit` from an archive into this empty object.
    void open(store::archive_reader& archive, store::code limit) {
        for (std::size_t field = 0; field < field_count; ++field) {
            texts_[field].open(archive);
            const auto ends = archive.view<std::uint32_t>(texts_[field].size() - 1);
            const auto links = archive.view<store::code>();
            std::size_t begin = 0;
            for (const std::uint32_t end : ends) {
                if (end < begin || end > links.size()) return static_cast<void>(archive.fail());
                const auto field_links = links.subspan(begin, end - begin);
                links_[field].emplace_back(field_links.begin(), field_links.end());
                begin = end;
            }
            const auto is_known = [limit](store::code code) { return code != 0 && code < limit; };
            if (!std::ranges::all_of(links, is_known)) archive.fail();
        }
    }

    /// Estimated memory use, in bytes.
    [[nodiscard]] std::size_t bytes() const {
        const std::shared_lock lock(mutex_);
        std::size_t total = 0;
        for (std::size_t field = 0; field < field_count; ++field) {
            total += texts_[field].bytes() + links_[field].capacity() * sizeof(links_[field][0]);
            for (const auto& links : links_[field]) total += links.capacity() * sizeof(store::code);
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

    void put(std::size_t field, std::span<const std::string_view> texts, store::code link) {
        for (const std::string_view text : texts) put(field, text, link);
    }
    void put(std::size_t field, std::optional<std::string_view> text, store::code link) {
        if (!text) return;
        const store::code code = texts_[field].encode(*text);
        if (code > links_[field].size()) links_[field].emplace_back();
        std::vector<store::code>& links = links_[field][code - 1];
        // A link may have the same tag twice.
        if (links.empty() || links.back() != link) links.push_back(link);
    }

    /// The links of a field, concatenated in the order of its texts.
    struct flat_links {
        std::vector<std::uint32_t> ends;  // end of each text's links in `links`
        std::vector<store::code> links;
    };
    [[nodiscard]] flat_links flatten(std::size_t field, store::code limit) const {
        flat_links flat;
        const std::shared_lock lock(mutex_);
        for (const std::vector<store::code>& links : links_[field]) {
            const auto end = std::ranges::lower_bound(links, limit);
            flat.links.insert(flat.links.end(), links.begin(), end);
            flat.ends.push_back(static_cast<std::uint32_t>(flat.links.size()));
        }
        return flat;
    }

    std::array<store::dictionary, field_count> texts_;
    std::array<std::vector<std::vector<store::code>>, field_count> links_;  // by code, from 1
    mutable std::shared_mutex mutex_;
};

}  // namespace sluice::reference

#endif
