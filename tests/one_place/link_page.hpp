// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_LINKS_LINK_PAGE_HPP
#define SLUICE_API_LINKS_LINK_PAGE_HPP

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sluice/reference/limits.hpp>
#include <sluice/reference/service/lists.hpp>

namespace sluice::reference {

/// A request for `GET /links`, read and checked.
struct links_query {
    filter domain{}, folder_id{};
    std::int64_t page = 1;
    std::int64_t page_size = page_size_default;
    std::optional<sluice::cursor> cursor{};
    bool count = false;

    friend bool operator==(const links_query&, const links_query&) = default;
};

/// The columns of links that are asked about.
inline constexpr schema links_schema{
    sluice::column{.name = "id"},
    sluice::column{.name = "link.domain", .how = collation::ignore_case},
    sluice::column{.name = "link.folderId", .is_nullable = true}};

/// The parameters of `GET /links`.
inline constexpr param_table links_params{
    links_schema,
    filter_param<&links_query::domain>(
        {.name = "domain", .column = "link.domain", .help = "domain of the links"}),
    filter_param<&links_query::folder_id>(
        {.name = "folderId", .column = "link.folderId", .help = "ID of the links' folder"}),
    page_param<&links_query::page>({.name = "page", .help = "page number from 1"}),
    page_size_param<&links_query::page_size, page_size_max>(
        {.name = "pageSize", .help = "links on a page"}),
    cursor_param<&links_query::cursor>(
        {.name = "cursor", .help = "place in the list where the page begins or ends"}),
    total_param<&links_query::count>(
        {.name = "count", .help = "true: X-Total-Count has the number of all links"})};

namespace detail {

/// Links as their list has them in order: by their IDs.
struct link_reader {
    using row = store::code;
    const workspace& source;

    [[nodiscard]] std::string_view id(row link) const noexcept {
        return source.texts(column::link).text(link);
    }
    [[nodiscard]] std::vector<std::optional<std::string>> keys(row link) const {
        return {std::string(id(link))};
    }
    [[nodiscard]] std::strong_ordering compare(row link, const cursor& place) const noexcept {
        return id(link) <=> place.key(0);
    }
    [[nodiscard]] std::string_view json(row link) const noexcept {
        return source.fragments().links().value(link);
    }
};

/// The links that a query takes, in its order.
inline std::vector<store::code> find_links(const workspace_view& view, const list_query& request,
                                           const link_reader& of) {
    store::code_set chosen({}, true);
    for (const leaf& condition : request.rows.leaves()) {
        const auto* const field = of.source.link_fields().find(condition.subject.name);
        chosen.intersect(field->rows().with(field->values().reader().meeting(condition)));
    }
    std::vector<store::code> links;
    for (store::code link = 1; link <= view.links; ++link) {
        if (chosen.contains(link)) links.push_back(link);
    }
    std::ranges::sort(links, {}, [&](store::code link) { return of.id(link); });
    return links;
}

}  // namespace detail

/// A workspace's links.
struct link_listing : listing_of<links_params> {
    static constexpr std::array<std::string_view, 1> records{"Link"};

    static result<json_page> list(const call& context, const links_query& query) {
        const workspace_view& view = context.view;
        const list_query request = to_list_query(links_params, query);
        const detail::link_reader reader{*view.source};
        return page_of(detail::find_links(view, request, reader), request, reader);
    }
};

}  // namespace sluice::reference

#endif
