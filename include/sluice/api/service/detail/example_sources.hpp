// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_DETAIL_EXAMPLE_SOURCES_HPP
#define SLUICE_API_SERVICE_DETAIL_EXAMPLE_SOURCES_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/api/event_store.hpp>
#include <sluice/api/events/events_query.hpp>
#include <sluice/api/limits.hpp>
#include <sluice/api/records/record_reader.hpp>
#include <sluice/api/service/error_example.hpp>
#include <sluice/api/tags/tags_query.hpp>
#include <sluice/list_params.hpp>
#include <sluice/sql/compile.hpp>
#include <sluice/sql/ddl.hpp>
#include <sluice/store/list_query_reader.hpp>
#include <sluice/uuid.hpp>

namespace sluice::api::example_sources {

/// A custom parameter type: a text of at most 20 bytes.
struct order_note {
    static constexpr std::size_t most = 20;
    std::string text;
};

}  // namespace sluice::api::example_sources

template <>
struct sluice::param_traits<sluice::api::example_sources::order_note> {
    using note = api::example_sources::order_note;

    static result<note> parse(std::string_view text) {
        if (text.size() <= note::most) return note{std::string(text)};
        return fail_beyond(rule::text_too_long, note::most, note::most, text.size() - note::most);
    }
    static std::string format(const note& held) { return held.text; }
    static constexpr std::string_view form = "note";
    static constexpr std::string_view accepts = "expected at most 20 bytes";
};

/// The sources that read the inputs of examples.
namespace sluice::api::example_sources {

template <class Read>
std::optional<refused_example> refusal_of(const Read& read, std::string_view input = {}) {
    if (read) return std::nullopt;
    return refused_example{read.error().broken, message(read.error(), input)};
}

inline constexpr instant now{std::chrono::milliseconds{1'787'279'415'123}};  // 2026-08-21

inline const time_zone_database& zones() {
    static const time_zone_database made({time_zone::utc()});
    return made;
}

/// Parses a query string with `parse(pairs)` and returns its error.
template <class Parse>
std::optional<refused_example> refusal_of_query(std::string_view text, const Parse& parse) {
    const query_string given = parse_query_string(text);
    const auto query = parse(given.pairs());
    return refusal_of(query, query ? "" : text_at_fault(given.pairs(), query.error()));
}

inline constexpr example_source events{"GET /events?", "", [](std::string_view text) {
                                           return refusal_of_query(text, [](auto pairs) {
                                               return parse_events_query(
                                                   pairs, {.zones = &zones(), .strict = true}, now);
                                           });
                                       }};

inline constexpr example_source tags{"GET /tags?", "", [](std::string_view text) {
                                         return refusal_of_query(text, [](auto pairs) {
                                             return parse_tags_query(pairs, {.strict = true});
                                         });
                                     }};

/// A custom endpoint.
struct orders_query : list_window {
    std::optional<std::string> shop{};
    std::optional<uuid> customer{};
    std::optional<order_note> note{};
    sort_choices order{};
};
inline constexpr schema orders_schema{sluice::column{.name = "id"},
                                      sluice::column{.name = "shop"},
                                      sluice::column{.name = "customer"},
                                      sluice::column{.name = "note"},
                                      sluice::column{.name = "total", .type = column_type::integer},
                                      sluice::column{.name = "created", .type = column_type::time}};
inline constexpr std::array<std::string_view, 2> orders_sorts{"created", "total"};
inline constexpr param_table orders_params{
    orders_schema,
    text_param<&orders_query::shop>({.name = "shop", .column = "shop", .required = true}),
    value_param<&orders_query::customer>({.name = "customer", .column = "customer"}),
    value_param<&orders_query::note>({.name = "note", .column = "note"}),
    sort_param<&orders_query::order, orders_sorts>({.name = "sortBy"}),
    window_params<orders_query>({.column = "created"})};

inline std::optional<refused_example> refusal_of_orders(
    std::string_view text, const bind_options_for<decltype(orders_params)>& options) {
    return refusal_of_query(
        text, [&](auto pairs) { return sluice::bind(orders_params, pairs, options); });
}
inline constexpr example_source orders{
    "GET /orders?", "",
    [](std::string_view text) { return refusal_of_orders(text, {.zones = &zones(), .now = now}); }};
inline constexpr example_source orders_without_clock{
    "GET /orders?", ", bound without the present", [](std::string_view text) {
        return refusal_of_orders(text, {.zones = &zones(), .now = std::nullopt});
    }};
inline constexpr example_source orders_without_zones{
    "GET /orders?", ", bound without zones",
    [](std::string_view text) { return refusal_of_orders(text, {.zones = nullptr, .now = now}); }};

/// Adds the records of some lines to a store, and returns the first error.
template <auto Read>
std::optional<refused_example> refusal_of_lines(std::string_view lines) {
    event_store store("ws_default");
    record_reader reader;
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        const auto record = (reader.*Read)(lines.substr(0, end));
        if (!record) return refusal_of(record);
        if (const auto added = store.add(*record); !added) return refusal_of(added);
        lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    return std::nullopt;
}
inline constexpr example_source tags_file{"tags.ndjson: ", "",
                                          refusal_of_lines<&record_reader::read_tag>};
inline constexpr example_source leads_file{"leads.ndjson: ", "",
                                           refusal_of_lines<&record_reader::read_lead>};

inline constexpr example_source list_query_json{
    "a list query as JSON: ", "", [](std::string_view text) -> std::optional<refused_example> {
        const auto query = store::parse_list_query(text, tags_schema);
        if (query) return std::nullopt;
        return refused_example{query.error().why.broken, message(query.error())};
    }};

inline constexpr example_source bulk_size{
    "check_bulk_size(", ")", [](std::string_view text) {
        constexpr std::int64_t most = 1'000'000;
        auto size = parse_whole_number(text, 0, most);
        return refusal_of(std::move(size).and_then(check_bulk_size));
    }};

inline constexpr example_source key_size{
    "the cursor of a tag whose id has ", " bytes", [](std::string_view text) {
        constexpr std::int64_t most = 10'000;
        auto size = parse_whole_number(text, 0, most);
        return refusal_of(std::move(size).and_then([](std::int64_t bytes) {
            const std::string id(static_cast<std::size_t>(bytes), 'x');
            return cursor_text({.keys = {"new", id}},
                               to_list_query(tags_params, tags_query()).order);
        }));
    }};

inline constexpr example_source tags_in_sql{
    "GET /tags?", ", as SQL for SQLite", [](std::string_view text) {
        const sql::mapping places{
            .table = "tags", .columns = {{"id", "id"}, {"name", "name"}, {"createdAt", "made"}}};
        const query_string given = parse_query_string(text);
        auto query = parse_tags_query(given.pairs());
        return refusal_of(std::move(query).and_then([&](const tags_query& asked) {
            return sql::compile(to_list_query(tags_params, asked), places, sql::dialect::sqlite);
        }));
    }};

inline constexpr example_source table_name{
    "ddl(schema, {.table = \"", "\", ...})", [](std::string_view text) {
        const sql::mapping places{.table = std::string(text), .columns = {{"id", "id"}}};
        return refusal_of(sql::ddl(tags_schema, places, sql::dialect::sqlite));
    }};

/// The source of examples whose errors have no details beyond the rule: checks of the handler, and
/// files.
inline constexpr example_source service{};

}  // namespace sluice::api::example_sources

#endif
