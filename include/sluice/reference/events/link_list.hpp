// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_LINK_LIST_HPP
#define SLUICE_REFERENCE_EVENTS_LINK_LIST_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <sluice/base/ascii.hpp>
#include <sluice/reference/events/link_fields.hpp>
#include <sluice/reference/records/records.hpp>
#include <sluice/store/texts/chunked_list.hpp>

namespace sluice::reference {

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
        for (store::code c = 1; c < limit; ++c) (*this)[c].save(archive);
        addresses_.save(archive, limit);
        fields_.save(archive, limit);
    }
    /// Reads the links below `limit` from an archive into this empty list.
    void open(store::archive_reader& archive, store::code limit) {
        for (store::code c = 1; c < limit && !archive.has_failed(); ++c) {
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
