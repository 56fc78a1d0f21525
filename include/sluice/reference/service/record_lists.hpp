// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_RECORD_LISTS_HPP
#define SLUICE_REFERENCE_SERVICE_RECORD_LISTS_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/reference/clickhouse/records.hpp>
#include <sluice/reference/lists/customers.hpp>
#include <sluice/reference/lists/domains.hpp>
#include <sluice/reference/lists/folders.hpp>
#include <sluice/reference/lists/link_info.hpp>
#include <sluice/reference/lists/links.hpp>
#include <sluice/reference/lists/links_count.hpp>
#include <sluice/reference/lists/workspace_rows.hpp>
#include <sluice/reference/service/lists.hpp>

/// The lists of records: tags, links, domains, customers and folders.
namespace sluice::reference {

/// Returns the rows of a list: of the call's view, or read from ClickHouse if the call has a
/// statement runner. Error: store_unavailable.
template <class Record>
[[nodiscard]] result<loaded_rows> load_rows(const call& context) {
    const auto run = runner_of(context);
    if (!run) return loaded_rows{.all = rows_of<Record>(context.view)};
    return clickhouse::find_rows<Record>(run, context.workspace_id)
        .map([](std::vector<std::string>&& texts) {
            loaded_rows rows{.texts = std::move(texts)};
            rows.views.assign(rows.texts.begin(), rows.texts.end());
            rows.all.rows = rows.views;
            return rows;
        });
}

/// Requests for a kind of record, by a parameter table.
template <class Record, const auto& Params, const std::string_view& Schema>
struct record_requests : listing_of<Params> {
    using query_type = typename listing_of<Params>::query_type;
    static constexpr std::array<std::string_view, 1> records{Schema};

    static result<query_type> parse(std::span<const name_value> pairs,
                                    const bind_options& options) {
        return parse_record_query<Params>(pairs, options);
    }
    static result<std::string> canonical_text(const call& context, const query_type& query) {
        const std::string text = canonical_record_text(Params, query);
        const auto run = runner_of(context);
        if (!run) return text;
        return clickhouse::version_of_records(run, context.workspace_id)
            .map([&](const std::string& version) { return text + " " + version; });
    }
    static std::size_t searched(const call& context) {
        return context.view.size_of(context.view.source->rows<Record>());
    }

    /// Returns the page of a query among some rows; see record_search.
    template <class Keeps = every_row>
    static result<json_page> page_of(const call& context, const query_type& query,
                                     const listed_rows& all, Keeps keeps = {}) {
        const store::scan_limits limits = detail::limits_of(context);
        record_search<Record, Keeps> search(all, to_list_query(Params, query), limits,
                                            std::move(keeps));
        if constexpr (std::derived_from<query_type, record_page>) return search.page(query);
        return search.page();
    }
    static result<json_page> list(const call& context, const query_type& query) {
        const auto rows = load_rows<Record>(context);
        if (!rows) return tl::unexpected(rows.error());
        return page_of(context, query, rows->all);
    }
};

namespace detail {

// The names of records' schemas in the OpenAPI document.
inline constexpr std::string_view tag_schema_name = "Tag", link_schema_name = "Link",
                                  domain_schema_name = "Domain", customer_schema_name = "Customer",
                                  folder_schema_name = "Folder",
                                  link_group_schema_name = "LinkGroup";

}  // namespace detail

using tag_listing = record_requests<tag, tags_params, detail::tag_schema_name>;
using link_listing = record_requests<link, links_params, detail::link_schema_name>;
using folder_listing = record_requests<folder, folders_params, detail::folder_schema_name>;

/// The list of domains, those that only links name among them.
struct domain_listing : record_requests<domain, domains_params, detail::domain_schema_name> {
    static result<json_page> list(const call& context, const domains_query& query) {
        const auto records = load_rows<domain>(context);
        if (!records) return tl::unexpected(records.error());
        const auto links = load_rows<link>(context);
        if (!links) return tl::unexpected(links.error());
        const loaded_rows all = domains_of(records->all.rows, links->all.rows);
        return page_of(context, query, all.all);
    }
    static std::size_t searched(const call& context) {
        return context.view.domains + context.view.links;
    }
};

/// The list of customers, or of those with leads or sales of a link.
struct customer_listing
    : record_requests<customer, customers_params, detail::customer_schema_name> {
    static result<json_page> list(const call& context, const customers_query& query) {
        const auto rows = load_rows<customer>(context);
        if (!rows) return tl::unexpected(rows.error());
        const listed_rows& all = rows->all;
        if (!query.link_id) return page_of(context, query, all);
        if (const auto run = runner_of(context)) {
            return clickhouse::customers_of(run, context.workspace_id, *query.link_id)
                .and_then([&](const std::set<std::string, std::less<>>& ids) {
                    return customer_listing::page_of(context, query, all, [&](std::size_t at) {
                        return ids.contains(detail::value_in<customer, 0>(all.rows[at]));
                    });
                });
        }
        return customers_of(context.view, *query.link_id, detail::limits_of(context))
            .and_then([&](const store::code_set& codes) {
                return customer_listing::page_of(context, query, all, [&](std::size_t at) {
                    return codes.contains(static_cast<store::code>(at + 1));
                });
            });
    }
    static std::size_t searched(const call& context) {
        const workspace_view& view = context.view;
        return view.customers + view.leads.size() + view.sales.size();
    }
};

/// The number of links, and of those in each group: no list.
struct links_count_requests
    : record_requests<link, links_count_params, detail::link_group_schema_name> {
    static constexpr std::string_view type = "integer";

    static result<json_page> list(const call& context, const links_count_query& query) {
        const auto rows = load_rows<link>(context);
        if (!rows) return tl::unexpected(rows.error());
        return count_links(rows->all, query, detail::limits_of(context))
            .map([](std::string&& text) { return json_page{{}, std::move(text)}; });
    }
};

/// One link.
struct link_requests : record_requests<link, link_info_params, detail::link_schema_name> {
    static constexpr std::string_view type = "object";

    static result<json_page> list(const call& context, const link_info_query& query) {
        return record_requests::list(context, query).and_then([&](json_page&& page) {
            page.body = page.body.substr(1, page.body.size() - 2);  // of a list of at most one
            if (!page.body.empty()) return result<json_page>(std::move(page));
            return result<json_page>(fail(rule::record_unknown));
        });
    }
};

}  // namespace sluice::reference

#endif
