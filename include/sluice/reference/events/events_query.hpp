// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_EVENTS_QUERY_HPP
#define SLUICE_REFERENCE_EVENTS_EVENTS_QUERY_HPP

#include <sluice/params/bind.hpp>
#include <sluice/params/named_values.hpp>
#include <sluice/reference/events/events_schema.hpp>
#include <sluice/reference/limits.hpp>
#include <sluice/reference/records/records.hpp>
#include <sluice/reference/request_options.hpp>

namespace sluice::reference {

enum class event_kind : std::uint8_t { clicks, leads, sales };
enum class event_sort : std::uint8_t { timestamp };
/// A customer's first sale on a link, or a later one.
enum class sale_type : std::uint8_t { first, recurring };

inline constexpr std::array<std::string_view, 3> event_kind_names{"clicks", "leads", "sales"};
inline constexpr std::array<std::string_view, 1> event_sort_names{"timestamp"};
inline constexpr std::array<std::string_view, 2> sale_type_names{"new", "recurring"};
inline constexpr std::array<std::string_view, 1> root_link_keys{root_link_key};
inline constexpr std::array<std::string_view, 8> continent_names{"AF", "AN", "AS", "EU",
                                                                 "NA", "OC", "SA", "Unknown"};

/// The parsed and validated parameters of `GET /events`. A deprecated parameter and its replacement
/// always have the same value here, whichever the request used: code that uses the query needs no
/// deprecated one, and equivalent queries are equal.
struct events_query {
    events_query() noexcept {}  // sets the defaults below; `= default` would first zero it all

    event_kind event = event_kind::clicks;
    filter domain{};
    std::optional<std::string> key{};
    filter link_id{};
    std::optional<std::string> external_id{};  ///< without the prefix `ext_`
    filter tenant_id{}, tag_id{}, folder_id{}, partner_tag_id{}, group_id{}, partner_id{};
    std::optional<std::string> customer_id{};
    sluice::interval interval{};
    std::optional<time_expression> start{}, end{};
    sluice::time_zone timezone = sluice::time_zone::utc();
    filter country{}, city{}, region{}, continent{}, device{}, browser{}, os{};
    filter trigger{}, referer{}, referer_url{}, url{};
    filter utm_source{}, utm_medium{}, utm_campaign{}, utm_term{}, utm_content{};
    std::optional<bool> root{};
    std::optional<reference::sale_type> sale_type{};
    metadata_query query{};
    std::int64_t page = 1;
    std::int64_t limit = events_limit_default;
    sluice::sort_order sort_order = sluice::sort_order::descending;
    event_sort sort_by = event_sort::timestamp;
    std::optional<std::string> program_id{};
    filter tag_ids{};                                           ///< deprecated form of tag_id
    std::optional<bool> qr{};                                   ///< deprecated form of trigger
    sluice::sort_order order = sluice::sort_order::descending;  ///< deprecated form of sort_order
    named_values others{};                   ///< parameters without a member of their own
    std::optional<sluice::cursor> cursor{};  ///< begin or end of the page
    bool count = false;                      ///< return the total too
    time_range window{};                     ///< resolved from interval, start, end and timezone

    friend bool operator==(const events_query&, const events_query&) = default;
};

namespace detail {

/// Returns true for `Unknown` and for the form of an ISO 3166-1 alpha-2 code, in any letter case.
constexpr bool is_country(std::string_view value) noexcept {
    using sluice::detail::is_letter;
    return (value.size() == 2 && is_letter(value[0]) && is_letter(value[1])) ||
           sluice::detail::equal_ignoring_case(value, "Unknown");
}

}  // namespace detail

/// The parameters of `GET /events`.
inline constexpr param_table events_params{
    events_schema,
    resource_param<&events_query::event, event_kind_names>(
        {.name = "event", .help = "the kind of events to list", .example = "sales"}),
    filter_param<&events_query::domain>({.name = "domain",
                                         .column = "link.domain",
                                         .help = "domain of the short link",
                                         .example = "acme.example"}),
    text_param<&events_query::key>({.name = "key",
                                    .column = "link.key",
                                    .help = "slug of the short link; needs domain",
                                    .example = "spring"}),
    filter_param<&events_query::link_id>({.name = "linkId",
                                          .column = "link.id",
                                          .help = "ID of the short link",
                                          .example = "link_1"}),
    text_param<&events_query::external_id>({.name = "externalId",
                                            .column = "link.externalId",
                                            .help = "your own ID of the link, after ext_",
                                            .example = "ext_42",
                                            .prefix = "ext_",
                                            .accepts = "it must start with ext_"}),
    filter_param<&events_query::tenant_id>({.name = "tenantId",
                                            .column = "link.tenantId",
                                            .help = "ID of the link's tenant",
                                            .example = "tenant_1"}),
    filter_param<&events_query::tag_id>({.name = "tagId",
                                         .column = "link.tagIds",
                                         .help = "ID of a tag of the link",
                                         .example = "tag_1,tag_2"}),
    filter_param<&events_query::folder_id>({.name = "folderId",
                                            .column = "link.folderId",
                                            .help = "ID of the link's folder",
                                            .example = "folder_1"}),
    filter_param<&events_query::partner_tag_id>({.name = "partnerTagId",
                                                 .column = "link.partnerTagIds",
                                                 .help = "ID of a tag of the link's partner",
                                                 .example = "ptag_1"}),
    filter_param<&events_query::group_id>({.name = "groupId",
                                           .column = "link.groupId",
                                           .help = "ID of the partner's group",
                                           .example = "group_1"}),
    filter_param<&events_query::partner_id>({.name = "partnerId",
                                             .column = "link.partnerId",
                                             .help = "ID of the link's partner",
                                             .example = "partner_1"}),
    text_param<&events_query::customer_id>({.name = "customerId",
                                            .column = "customer.id",
                                            .help = "ID of one customer",
                                            .example = "cus_1"}),
    window_params<&events_query::interval, &events_query::start, &events_query::end,
                  &events_query::timezone, &events_query::window, events_query, end_of_all::now>(
        {.column = "timestamp",
         .accepts = sluice::detail::choices_text<common_intervals>.view(),
         .choices = common_intervals}),
    filter_param<&events_query::country>({.name = "country",
                                          .column = "click.country",
                                          .help = "ISO 3166-1 alpha-2 code",
                                          .example = "US,CA",
                                          .accepts_value = detail::is_country,
                                          .accepts = "expected a 2-letter country code or Unknown",
                                          .pattern = "[A-Za-z]{2}|[Uu][Nn][Kk][Nn][Oo][Ww][Nn]"}),
    filter_param<&events_query::city>(
        {.name = "city", .column = "click.city", .help = "name of the city", .example = "Berlin"}),
    filter_param<&events_query::region>(
        {.name = "region",
         .column = "click.region",
         .help = "ISO 3166-2 code such as US-CA, or a subdivision of any country such as CA",
         .example = "US-CA"}),
    filter_param<&events_query::continent, continent_names>(
        {.name = "continent", .column = "click.continent", .help = "code of the continent"}),
    filter_param<&events_query::device>({.name = "device",
                                         .column = "click.device",
                                         .help = "kind of device",
                                         .example = "-Desktop"}),
    filter_param<&events_query::browser>({.name = "browser",
                                          .column = "click.browser",
                                          .help = "name of the browser",
                                          .example = "Chrome,Safari"}),
    filter_param<&events_query::os>({.name = "os",
                                     .column = "click.os",
                                     .help = "name of the operating system",
                                     .example = "iOS"}),
    filter_param<&events_query::trigger, click_triggers>(
        {.name = "trigger", .column = "click.trigger", .help = "what caused the click"}),
    filter_param<&events_query::referer>({.name = "referer",
                                          .column = "click.referer",
                                          .help = "host name of the referer",
                                          .example = "news.example"}),
    filter_param<&events_query::referer_url>(
        {.name = "refererUrl",
         .column = "click.refererUrl",
         .help = "URL of the referer; without ? any query string",
         .example = "https://news.example/today"}),
    filter_param<&events_query::url>({.name = "url",
                                      .column = "click.url",
                                      .help = "destination URL; without ? any query string",
                                      .example = "https://acme.example/pricing"}),
    filter_param<&events_query::utm_source>({.name = "utm_source",
                                             .column = "utm_source",
                                             .help = "UTM source of the click",
                                             .example = "newsletter"}),
    filter_param<&events_query::utm_medium>({.name = "utm_medium",
                                             .column = "utm_medium",
                                             .help = "UTM medium of the click",
                                             .example = "email"}),
    filter_param<&events_query::utm_campaign>({.name = "utm_campaign",
                                               .column = "utm_campaign",
                                               .help = "UTM campaign of the click",
                                               .example = "spring"}),
    filter_param<&events_query::utm_term>({.name = "utm_term",
                                           .column = "utm_term",
                                           .help = "UTM term of the click",
                                           .example = "shoes"}),
    filter_param<&events_query::utm_content>({.name = "utm_content",
                                              .column = "utm_content",
                                              .help = "UTM content of the click",
                                              .example = "header"}),
    membership_param<&events_query::root, root_link_keys>(
        {.name = "root",
         .column = "link.key",
         .help = "true: root domains only; false: other links only"}),
    choice_param<&events_query::sale_type, sale_type_names>(
        {.name = "saleType",
         .column = "sale.type",
         .help = "a customer's first sale on a link, or later ones; event=sales only"}),
    expression_param<&events_query::query>(
        {.name = "query",
         .column = "metadata",
         .help = "metadata expression; event=leads and event=sales only"}),
    page_param<&events_query::page>({.name = "page", .help = "page number from 1"}),
    page_size_param<&events_query::limit, events_limit_max>(
        {.name = "limit", .help = "events on a page"}),
    sort_order_param<&events_query::sort_order>({.name = "sortOrder", .help = "order of the list"}),
    sort_column_param<&events_query::sort_by, event_sort_names>(
        {.name = "sortBy", .help = "field that the list is ordered by"}),
    text_param<&events_query::program_id>({.name = "programId",
                                           .column = "link.programId",
                                           .help = "ID of the link's program",
                                           .example = "prog_1",
                                           .deprecated = true}),
    filter_param<&events_query::tag_ids>({.name = "tagIds",
                                          .help = "use tagId, which wins over it",
                                          .example = "tag_1",
                                          .deprecated = true,
                                          .replaced_by = "tagId"}),
    boolean_param<&events_query::qr>(
        {.name = "qr",
         .help = "use trigger, which wins over it: true is qr, false is link",
         .deprecated = true,
         .replaced_by = "trigger"}),
    choice_param<&events_query::order, sort_order_names>(
        {.name = "order",
         .help = "use sortOrder; asc in either one wins",
         .deprecated = true,
         .replaced_by = "sortOrder"}),
    cursor_param<&events_query::cursor>(
        {.name = "cursor", .help = "place in the list where the page begins or ends"}),
    total_param<&events_query::count>(
        {.name = "count", .help = "true: X-Total-Count has the number of all events"}),
};

/// The names of the parameters of a window.
inline constexpr std::array<std::string_view, 4> event_window_names{"interval", "start", "end",
                                                                    "timezone"};

namespace detail {

using events_binding = binding<std::remove_const_t<decltype(events_params)>>;

/// Checks the rules between parameters: required companions and required kinds of events.
template <class Binding>
void check_companions(Binding& bound) {
    const events_query& query = bound.query();
    if (query.key && query.domain.empty() && !bound.is_refused("domain")) {
        bound.refuse("key", refusal(rule::companion_missing, "give domain too"));
    }
    if (bound.is_refused("event")) return;
    if (query.sale_type && query.event != event_kind::sales) {
        bound.refuse("saleType", refusal(rule::not_applicable, "give it with event=sales"));
    }
    if (!query.query.empty() && query.event == event_kind::clicks) {
        bound.refuse("query",
                     refusal(rule::not_applicable, "give it with event=leads or event=sales"));
    }
}

/// Returns true if a filter accepts exactly this one value.
inline bool takes_only(const filter& values, std::string_view value) noexcept {
    return !values.excludes() && values.values().size() == 1 && values.values().front() == value;
}

/// Gives each deprecated parameter and its replacement the same value.
inline void fold_twins(events_query& query) {
    if (query.tag_id.empty()) query.tag_id = query.tag_ids;
    query.tag_ids = query.tag_id;
    if (query.trigger.empty() && query.qr) query.trigger = filter({*query.qr ? "qr" : "link"});
    const bool is_qr = takes_only(query.trigger, "qr");
    query.qr = is_qr || takes_only(query.trigger, "link") ? std::optional(is_qr) : std::nullopt;
    if (query.order == sort_order::ascending) query.sort_order = sort_order::ascending;
    query.order = query.sort_order;
}

/// Checks and completes the query of `bound`, which has taken all parameters and collects the
/// errors: an events_query, or one that inherits it.
template <class Binding>
void finish_events_query(Binding& bound) {
    check_companions(bound);
    fold_twins(bound.query());
    bound.finish();
}

}  // namespace detail

/// Parses the parameters of `GET /events`. Returns the query, or all errors in table order.
[[nodiscard]] inline tl::expected<events_query, errors> parse_events_query_all(
    std::span<const name_value> pairs, const request_options& options, instant now) {
    tl::expected<events_query, errors> query(tl::in_place);
    detail::events_binding bound(events_params, *query,
                                 {.zones = options.zones, .strict = options.strict, .now = now});
    bound.take(pairs);
    detail::finish_events_query(bound);
    if (errors all = bound.all_errors(); !all.empty()) query = tl::unexpected(std::move(all));
    return query;
}

/// Parses the parameters of `GET /events`. Returns the query, or the first error in table order.
///
/// ```
/// auto zones = sluice::load_time_zones();  // <sluice/time/system_zones.hpp>
/// auto pairs = sluice::parse_query_string("country=US,CA&interval=7d");
/// auto query = sluice::reference::parse_events_query(pairs.pairs(), {.zones = &*zones}, now);
/// ```
[[nodiscard]] inline result<events_query> parse_events_query(std::span<const name_value> pairs,
                                                             const request_options& options,
                                                             instant now) {
    result<events_query> query(tl::in_place);
    detail::events_binding bound(events_params, *query,
                                 {.zones = options.zones, .strict = options.strict, .now = now});
    bound.take(pairs);
    detail::finish_events_query(bound);
    if (const auto why = bound.first_error()) query = tl::unexpected(*why);
    return query;
}

}  // namespace sluice::reference

#endif
