// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LISTS_LINK_INFO_HPP
#define SLUICE_REFERENCE_LISTS_LINK_INFO_HPP

#include <sluice/reference/lists/link_filters.hpp>
#include <sluice/reference/lists/record_search.hpp>

/// One link.
namespace sluice::reference {

/// The parameters of `GET /links/info`.
struct link_info_query {
    std::optional<std::string> domain{}, key{}, link_id{};
    std::optional<std::string> external_id{};  ///< without the prefix `ext_`

    /// Refuses a request that names no link, or a domain or key alone.
    static void settle(auto& bound) {
        const auto& [domain, key, link_id, external_id] = bound.query();
        const auto refuse = [&](std::string_view name, std::string_view accepts, rule broken) {
            bound.refuse(name, detail::refusal(broken, accepts));
        };
        if (domain && !key) refuse("domain", "give key too", rule::companion_missing);
        if (key && !domain) refuse("key", "give domain too", rule::companion_missing);
        if (external_id == "") refuse("externalId", "give an ID after ext_", rule::filter_value);
        if (domain || key || link_id || external_id || bound.is_refused("externalId")) return;
        refuse("linkId", "give linkId, externalId, or domain and key", rule::parameter_missing);
    }
};

/// The table of these parameters.
inline constexpr param_table link_info_params{
    links_schema,
    text_param<&link_info_query::domain>(
        {.name = "domain", .column = "domain", .help = "domain of the link; needs key"}),
    text_param<&link_info_query::key>(
        {.name = "key", .column = "key", .help = "slug of the link; needs domain"}),
    text_param<&link_info_query::link_id>(
        {.name = "linkId", .column = "id", .help = "ID of the link"}),
    text_param<&link_info_query::external_id>({.name = "externalId",
                                               .column = "externalId",
                                               .help = "your own ID of the link, after ext_",
                                               .prefix = "ext_",
                                               .accepts = "it must start with ext_"})};

}  // namespace sluice::reference

#endif
