// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LISTS_RECORD_COLUMNS_HPP
#define SLUICE_REFERENCE_LISTS_RECORD_COLUMNS_HPP

#include <array>
#include <cstdint>
#include <string_view>

#include <sluice/query/schema.hpp>
#include <sluice/reference/records/records.hpp>

/// The columns of lists: the fields of records that conditions, orders and searches read.
namespace sluice::reference {

/// The list of a kind of record. A specialisation has `columns`, a schema of the record's fields by
/// their names (`tags.id` is a list: the ids of its tags), and `searched`, the names of the text
/// columns that a search looks into.
template <class Record>
struct record_list;

/// The columns of tags.
inline constexpr schema tags_schema{
    sluice::column{.name = "id"},
    sluice::column{.name = "name"},
    sluice::column{.name = "createdAt", .type = column_type::time},
};

template <>
struct record_list<tag> {
    static constexpr const auto& columns = tags_schema;
    static constexpr std::array<std::string_view, 1> searched{"name"};
};

/// The columns of domains.
inline constexpr schema domains_schema{
    sluice::column{.name = "id"}, sluice::column{.name = "slug", .how = collation::ignore_case},
    sluice::column{.name = "archived", .type = column_type::boolean},
    sluice::column{.name = "createdAt", .type = column_type::time}};

template <>
struct record_list<domain> {
    static constexpr const auto& columns = domains_schema;
    static constexpr std::array<std::string_view, 1> searched{"slug"};
};

/// The columns of folders.
inline constexpr schema folders_schema{sluice::column{.name = "id"},
                                       sluice::column{.name = "name"}};

template <>
struct record_list<folder> {
    static constexpr const auto& columns = folders_schema;
    static constexpr std::array<std::string_view, 1> searched{"name"};
};

/// The columns of customers.
inline constexpr schema customers_schema{
    sluice::column{.name = "id"},
    sluice::column{.name = "externalId"},
    sluice::column{.name = "name", .is_nullable = true},
    sluice::column{.name = "email", .is_nullable = true},
    sluice::column{.name = "country", .is_nullable = true, .how = collation::ignore_case},
    sluice::column{.name = "createdAt", .type = column_type::time}};

template <>
struct record_list<customer> {
    static constexpr const auto& columns = customers_schema;
    static constexpr std::array<std::string_view, 4> searched{"id", "externalId", "name", "email"};
};

/// The columns of links.
inline constexpr schema links_schema{
    sluice::column{.name = "id"},
    sluice::column{.name = "domain", .how = collation::ignore_case},
    sluice::column{.name = "key"},
    sluice::column{.name = "url"},
    sluice::column{.name = "externalId", .is_nullable = true},
    sluice::column{.name = "tenantId", .is_nullable = true},
    sluice::column{.name = "archived", .type = column_type::boolean},
    sluice::column{.name = "tags.id", .is_list = true, .is_nullable = true},
    sluice::column{
        .name = "tags.name", .is_list = true, .is_nullable = true, .how = collation::ignore_case},
    sluice::column{.name = "folderId", .is_nullable = true},
    sluice::column{.name = "userId", .is_nullable = true},
    sluice::column{.name = "createdAt", .type = column_type::time}};

template <>
struct record_list<link> {
    static constexpr const auto& columns = links_schema;
    static constexpr std::array<std::string_view, 2> searched{"key", "url"};
};

/// The field of links that groups are of.
enum class link_group : std::uint8_t { domain, tag_id, user_id, folder_id };
inline constexpr std::array<std::string_view, 4> link_group_names{"domain", "tagId", "userId",
                                                                  "folderId"};
inline constexpr std::array<std::string_view, 4> link_group_columns{"domain", "tags.id", "userId",
                                                                    "folderId"};

}  // namespace sluice::reference

#endif
