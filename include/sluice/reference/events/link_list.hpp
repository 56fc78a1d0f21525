// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_LINK_LIST_HPP
#define SLUICE_REFERENCE_EVENTS_LINK_LIST_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/reference/events/event_columns.hpp>
#include <sluice/reference/events/events_schema.hpp>
#include <sluice/reference/records/records.hpp>
#include <sluice/store/columns/referenced_cells.hpp>
#include <sluice/store/texts/chunked_list.hpp>

namespace sluice::reference {

namespace detail {

/// The value of a link's field as a cell.
inline cell cell_of(std::span<const std::string_view> texts) { return texts; }
inline cell cell_of(std::optional<std::string_view> text) { return text ? cell(*text) : cell(); }

/// Returns true if all indexed fields of the record are of types that have a cell_of().
consteval bool can_store_link_fields() {
    bool can_store = true;
    for_each_row<link>([&]<class Row>(const Row& row) {
        constexpr bool is_cell = requires(const link& from) { cell_of(from.*Row::member); };
        can_store = can_store && (is_cell || !row.has(field_use::indexed));
    });
    return can_store;
}
static_assert(can_store_link_fields(), "an indexed field is of a type without cell_of()");

}  // namespace detail

/// The fields of links that filters use, such as `link.domain`. Events hold the code of their link
/// in column::link; a field maps it to the link's value, and values to links. Codes of links are
/// 1, 2 ... in the order of add(). One thread adds; any number read links that they have seen.
class link_fields {
public:
    explicit link_fields(hash_seed seed) {
        for (const column_info& info : columns) {
            fields_.emplace_back(*events_schema.find(info.name), seed, false);
        }
    }

    /// Adds the fields of the next link.
    void add(const link& added) {
        // If memory ran out within an earlier call, drops the fields that it added. The last field
        // is complete only if the link is.
        shrink(fields_.back().rows().size());
        std::size_t next = 0;
        for_each_row<link>([&]<class Row>(const Row& row) {
            if (!row.has(field_use::indexed)) return;
            // Compiled for fields that aren't indexed too, whose types may be no cells.
            if constexpr (requires { detail::cell_of(added.*Row::member); }) {
                fields_[next].add(detail::cell_of(added.*Row::member));
            }
            ++next;
        });
        std::vector<std::string_view> tags;
        for (const tag& listed : added.tags) tags.push_back(listed.id);
        fields_.back().add(std::span<const std::string_view>(tags));
    }
    /// Removes the last links, keeping the first `links`. Values that no link has any more stay.
    void shrink(std::size_t links) noexcept {
        for (store::referenced_cells& field : fields_) field.shrink(links);
    }

    /// Returns a field by its name in parameter tables; null if there is none.
    [[nodiscard]] const store::referenced_cells* find(std::string_view name) const noexcept {
        const auto position = std::ranges::find(columns, name, &column_info::name);
        if (position == columns.end()) return nullptr;
        return &fields_[static_cast<std::size_t>(position - columns.begin())];
    }
    /// Returns true if a link has this external id.
    [[nodiscard]] bool has_external_id(std::string_view id) const {
        const store::referenced_cells& ids = fields_[external_id];
        const store::code known = ids.values().texts().find(id);
        return known != store::absent &&
               !ids.rows().with(store::code_set({known})).listed().empty();
    }

    /// Writes the fields of the links with codes below `limit`. Links may be added meanwhile. Safe
    /// on any thread.
    void save(store::archive_writer& archive, store::code limit) const {
        for (const store::referenced_cells& field : fields_) field.save(archive, limit - 1);
    }
    /// Reads the fields of the links with codes below `limit` from an archive into this empty
    /// object.
    void open(store::archive_reader& archive, store::code limit) {
        for (store::referenced_cells& field : fields_) field.open(archive, limit - 1);
    }

    /// Estimated memory use, in bytes.
    [[nodiscard]] std::size_t bytes() const {
        std::size_t total = 0;
        for (const store::referenced_cells& field : fields_) total += field.bytes();
        return total;
    }

private:
    /// The fields by their names in parameter tables: those of the record, and the tags.
    static constexpr auto columns =
        detail::join(detail::columns_of<"link.", link, field_use::indexed>(),
                     std::array{column_info{"link.tagIds", "tags"}});
    static constexpr auto external_id = static_cast<std::size_t>(
        std::ranges::find(columns, "link.externalId", &column_info::name) - columns.begin());

    std::deque<store::referenced_cells> fields_;  // by column
};

/// The UTM fields of a link, by the numbers of utm_column(). Clicks inherit them.
struct stored_link {
    std::array<std::optional<std::string>, utm_count> utm;

    /// Writes the fields to an archive, the format of snapshot files.
    void save(store::archive_writer& archive) const {
        for (const auto& field : utm) {
            archive.number(field ? 1 : 0);
            if (field) archive.text(*field);
        }
    }
    static stored_link open(store::archive_reader& archive) {
        stored_link data;
        for (auto& field : data.utm) {
            if (archive.number(1) != 0) field.emplace(archive.text());
        }
        return data;
    }
    /// The UTM fields of a link record.
    static stored_link of(const link& stored) {
        stored_link data;
        std::size_t next = 0;
        for_each_row<link>([&]<class Row>(const Row& row) {
            if constexpr (std::is_same_v<typename Row::kind, kinds::nullable_text> &&
                          stored_row<Row>) {
                if (row.has(field_use::inherited)) data.utm[next++] = stored.*Row::member;
            }
        });
        return data;
    }
};

/// The links of a workspace by their codes, which start at 1. Addresses (domain and key) and
/// external ids are unique. One thread adds; any thread may read links that it has seen.
class link_list {
public:
    explicit link_list(hash_seed seed) : addresses_(seed), fields_(seed) {}

    /// Adds a link under the next code. Errors: identifier_taken, param `key` or `externalId`.
    [[nodiscard]] result<void> add(const link& added) {
        const std::string address = address_of(added);
        if (addresses_.find(address) != store::absent) {
            return fail_in(rule::identifier_taken, "key");
        }
        if (added.external_id && fields_.has_external_id(*added.external_id)) {
            return fail_in(rule::identifier_taken, "externalId");
        }
        static_cast<void>(addresses_.encode(std::string_view(address)));
        fields_.add(added);
        links_.push_back(stored_link::of(added));
        return {};
    }

    /// Removes the links from the code `limit` on.
    void shrink(std::size_t limit) noexcept {
        addresses_.shrink(limit);
        links_.shrink(limit - 1);
        fields_.shrink(limit - 1);
    }

    [[nodiscard]] std::size_t size() const noexcept { return links_.size(); }
    [[nodiscard]] const stored_link& operator[](store::code code) const noexcept {
        return links_[code - 1];
    }
    [[nodiscard]] const link_fields& fields() const noexcept { return fields_; }

    /// Writes the links below `limit`. Links may be added meanwhile. Safe on any thread.
    void save(store::archive_writer& archive, store::code limit) const {
        for (store::code at = 1; at < limit; ++at) (*this)[at].save(archive);
        addresses_.save(archive, limit);
        fields_.save(archive, limit);
    }
    /// Reads the links below `limit` from an archive into this empty list.
    void open(store::archive_reader& archive, store::code limit) {
        for (store::code at = 1; at < limit && !archive.has_failed(); ++at) {
            links_.push_back(stored_link::open(archive));
        }
        addresses_.open(archive);
        fields_.open(archive, limit);
    }

private:
    /// The address of a link: its domain, in lower case, and its key.
    static std::string address_of(const link& added) {
        return sluice::detail::to_lower(added.domain).append("/").append(added.key);
    }

    store::dictionary addresses_;
    store::chunked_list<stored_link> links_;
    link_fields fields_;
};

}  // namespace sluice::reference

#endif
