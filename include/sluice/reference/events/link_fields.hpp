// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_LINK_FIELDS_HPP
#define SLUICE_REFERENCE_EVENTS_LINK_FIELDS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <sluice/reference/events/event_columns.hpp>
#include <sluice/reference/events/events_schema.hpp>
#include <sluice/reference/records/records.hpp>
#include <sluice/store/columns/column_values.hpp>
#include <sluice/store/columns/referenced_values.hpp>

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
    /// A field of all links.
    struct field {
        field(const sluice::column& of, hash_seed seed) : values(of, seed) {}

        store::column_values values;       ///< the distinct values and their codes
        store::referenced_values links{};  ///< the code of each link's value

        /// Returns the value of a link.
        [[nodiscard]] cell at(store::code link) const { return values.reader().at(links[link]); }
    };

    explicit link_fields(hash_seed seed) {
        for (const column_info& info : columns) {
            fields_.emplace_back(*events_schema.find(info.name), seed);
        }
    }

    /// Adds the fields of the next link.
    void add(const link& added) {
        // If memory ran out within an earlier call, drops the fields that it added. The last field
        // is complete only if the link is.
        shrink(fields_.back().links.size());
        std::size_t next = 0;
        for_each_row<link>([&]<class Row>(const Row& row) {
            if (!row.has(field_use::indexed)) return;
            // Compiled for fields that aren't indexed too, whose types may be no cells.
            if constexpr (requires { detail::cell_of(added.*Row::member); }) {
                put(next, detail::cell_of(added.*Row::member));
            }
            ++next;
        });
        std::vector<std::string_view> tags;
        for (const tag& listed : added.tags) tags.push_back(listed.id);
        put(tag_ids, std::span<const std::string_view>(tags));
    }
    /// Removes the last links, keeping the first `links`. Values that no link has any more stay.
    void shrink(std::size_t links) noexcept {
        for (field& shrunk : fields_) shrunk.links.shrink(links);
    }

    /// Returns a field by its name in parameter tables; null if there is none.
    [[nodiscard]] const field* find(std::string_view name) const noexcept {
        const auto position = std::ranges::find(columns, name, &column_info::name);
        if (position == columns.end()) return nullptr;
        return &fields_[static_cast<std::size_t>(position - columns.begin())];
    }
    /// Returns true if a link has this external id.
    [[nodiscard]] bool has_external_id(std::string_view id) const {
        const field& ids = fields_[external_id];
        const store::code known = ids.values.texts().find(id);
        return known != store::absent && !ids.links.with(store::code_set({known})).listed().empty();
    }

    /// Writes the fields of the links with codes below `limit`. Links may be added meanwhile. Safe
    /// on any thread.
    void save(store::archive_writer& archive, store::code limit) const {
        for (const field& saved : fields_) {
            saved.values.save(archive, saved.values.texts().size());
            saved.links.save(archive, limit - 1);
        }
    }
    /// Reads the fields of the links with codes below `limit` from an archive into this empty
    /// object. Stops if the archive fails.
    void open(store::archive_reader& archive, store::code limit) {
        for (field& opened : fields_) {
            opened.values.open(archive);
            const std::size_t size = opened.values.texts().size();
            const auto codes = store::referenced_values::open(archive, limit - 1, size);
            for (const store::code value : codes) opened.links.add(value);
        }
    }

    /// Estimated memory use, in bytes.
    [[nodiscard]] std::size_t bytes() const {
        std::size_t total = 0;
        for (const field& counted : fields_) {
            total += counted.values.bytes() + counted.links.bytes();
        }
        return total;
    }

private:
    /// The fields by their names in parameter tables: those of the record, and the tags.
    static constexpr auto columns =
        detail::join(detail::columns_of<"link.", link, field_use::indexed>(),
                     std::array{column_info{"link.tagIds", "tags"}});
    static constexpr std::size_t tag_ids = columns.size() - 1;
    static constexpr auto external_id = static_cast<std::size_t>(
        std::ranges::find(columns, "link.externalId", &column_info::name) - columns.begin());

    /// Adds the next link's value of the field `fields_[at]`.
    void put(std::size_t at, const cell& value) {
        fields_[at].links.add(fields_[at].values.encode(value));
    }

    std::deque<field> fields_;
};

}  // namespace sluice::reference

#endif
