// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_JSON_READER_HPP
#define SLUICE_QUERY_JSON_READER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/errors/message.hpp>
#include <sluice/metadata/json_text.hpp>
#include <sluice/query/detail/condition_reader.hpp>
#include <sluice/query/detail/json_members.hpp>
#include <sluice/query/json_writer.hpp>

namespace sluice {

/// An error in a query's JSON, with the path to the member at fault.
struct list_query_error {
    error why;               ///< its offset is in the text if that isn't JSON
    std::string place;       ///< such as where.all[1].gte; empty at the top level
    std::string column{};    ///< column of the condition at fault
    std::string accepts{};   ///< accepted values, if only the text or the schema determines them
    std::string sentence{};  ///< the whole message after the place; replaces the rule's

    friend bool operator==(const list_query_error&, const list_query_error&) = default;
};

/// Builds `where.all[1].gte of column total: not a number, expected one such as -3 or 1.5e3`.
[[nodiscard]] inline std::string message(const list_query_error& failed) {
    if (!failed.sentence.empty()) {
        return (failed.place.empty() ? "tree" : failed.place) + ": " + failed.sentence;
    }
    error why = failed.why;
    if (!failed.accepts.empty()) why.accepts = failed.accepts;
    std::string text = failed.place;
    if (!failed.column.empty()) text.append(" of column ").append(failed.column);
    if (!text.empty()) text.append(": ");
    if (!failed.place.empty()) why.param = {};
    return text.append(message(why));
}

namespace detail {

/// Checks that the JSON of a query has the resource that is read, or none if that has no name.
[[nodiscard]] inline result<void> check_resource(const dom::object& query,
                                                 std::string_view resource) {
    const auto json = member(query, "resource");
    if (!json && resource.empty()) return {};
    const auto text = text_of(json, "resource");
    if (text && *text == resource) return {};
    return refuse_member(rule::field_value, "resource", "expected the resource that is read");
}
/// Reads the direction of a sort key.
[[nodiscard]] inline result<sort_order> direction_of(const dom::object& key) {
    const auto text = text_of(member(key, "direction"), "direction");
    const auto place = std::ranges::find(sort_order_names, text.value_or(""));
    if (place == sort_order_names.end()) {
        return refuse_member(rule::field_value, "direction", "expected asc or desc");
    }
    return static_cast<sort_order>(place - sort_order_names.begin());
}

/// Reads a query's JSON; see parse_list_query(). Members' names are static text. The recursion is
/// as deep as the JSON: at most json_max_depth.
class list_query_reader {
public:
    list_query_reader(columns_view columns, std::string_view resource)
        : resource_(resource), conditions_(columns, fault_) {}

    [[nodiscard]] tl::expected<list_query, list_query_error> read(const dom::element& json) {
        return read_query(json).map_error([this](error why) {
            why.offset = why.length = 0;  // an offset in a member's text, not in the JSON
            return list_query_error{why, fault_.place, fault_.column, fault_.accepts,
                                    fault_.sentence};
        });
    }

private:
    // --- The query -------------------------------------------------------------------------

    result<list_query> read_query(const dom::element& json) {
        list_query query{.resource = resource_};
        if (const column* const id = conditions_.find("id"); id && has_order(*id)) query.id = *id;
        auto members = fault_.with_members(
            json, "query", {"resource", "search", "where", "order", "page", "cursor", "total"});
        if (!members) return tl::unexpected(members.error());
        return fault_.at("resource", check_resource(*members, resource_))
            .and_then(
                [&] { return keep(fault_.at("search", read_search(*members)), query.search); })
            .and_then([&] { return keep(fault_.at("where", read_rows(*members)), query.rows); })
            .and_then([&] { return keep(fault_.at("order", read_order(*members)), query.order); })
            .and_then([&] { return read_place(*members, query); })
            .and_then([&] {
                return keep(fault_.at("total", read_flag(*members, "total")), query.wants_total);
            })
            .map([&] { return std::move(query); });
    }
    template <class T>
    static result<void> keep(result<T>&& read, T& target) {
        return std::move(read).map([&](T&& value) { target = std::move(value); });
    }

    static result<std::string> read_search(const dom::object& query) {
        const auto json = member(query, "search");
        if (!json) return std::string();
        return text_of(json, "search").map([](std::string_view text) { return std::string(text); });
    }
    static result<bool> read_flag(const dom::object& object, std::string_view name) {
        const auto json = member(object, name);
        return json ? flag_of(*json, name) : result<bool>(false);
    }
    result<std::vector<sort_key>> read_order(const dom::object& query) {
        const auto json = member(query, "order");
        if (!json) return std::vector<sort_key>();
        return fault_.list_at<sort_key>(
            json, "order", [this](const dom::element& item) { return read_sort_key(item); });
    }
    result<sort_key> read_sort_key(const dom::element& json) {
        const auto members = fault_.with_members(json, "order", {"column", "direction", "unique"});
        if (!members) return tl::unexpected(members.error());
        const auto by = conditions_.read_column(*members);
        if (!by) return tl::unexpected(by.error());
        sort_key key{.by = *by};
        return keep(fault_.at(".direction", direction_of(*members)), key.direction)
            .and_then([&] {
                return keep(fault_.at(".unique", read_flag(*members, "unique")), key.is_unique);
            })
            .map([&] { return key; });
    }
    result<where> read_rows(const dom::object& query) {
        const auto json = member(query, "where");
        return json ? conditions_.read(json) : result<where>(where());
    }

    // --- The place -------------------------------------------------------------------------

    result<void> read_place(const dom::object& query, list_query& list) {
        const auto cursor_member = member(query, "cursor"), number = member(query, "page");
        if (cursor_member && number) return fail_in(rule::cursor_with_page, "cursor");
        if (cursor_member) return fault_.at("cursor", read_cursor(cursor_member, list));
        return number ? fault_.at("page", read_page(number, list)) : result<void>();
    }
    result<void> read_page(const std::optional<dom::element>& json, list_query& list) {
        const auto members = fault_.with_members(json, "page", {"number", "size", "offset"});
        if (!members) return tl::unexpected(members.error());
        page& wanted = list.wanted;
        return read_count(*members, {"number", "page", 1}, wanted.number)
            .and_then([&] { return read_count(*members, {"size", "page"}, wanted.size); })
            .and_then(
                [&] { return read_count(*members, {"offset", "page", 0, true}, wanted.skipped); });
    }
    result<void> read_cursor(const std::optional<dom::element>& json, list_query& list) {
        const auto members = fault_.with_members(json, "cursor", {"text", "size"});
        if (!members) return tl::unexpected(members.error());
        const auto text = fault_.at(".text", text_of(member(*members, "text"), "cursor"));
        if (!text) return tl::unexpected(text.error());
        return read_count(*members, {"size", "cursor"}, list.wanted.size).and_then([&] {
            return fault_.at<void>(".text",
                                   parse_cursor(*text)
                                       .map([&](cursor&& place) { list.from = std::move(place); })
                                       .map_error([](error why) {
                                           why.param = "cursor";
                                           return why;
                                       }));
        });
    }
    /// A member with a number, and its least value, 0 or 1.
    struct count_member {
        std::string_view name, param;
        std::int64_t least = 0;
        bool is_optional = false;
    };
    result<void> read_count(const dom::object& members, const count_member& of,
                            std::int64_t& target) {
        const auto json = member(members, of.name);
        if (!json && of.is_optional) return {};
        const auto count = integer_of(json, of.param);
        if (count && *count >= of.least) {
            target = *count;
            return {};
        }
        const std::string_view advice = of.least == 0 ? "expected 0 or more" : "expected 1 or more";
        return fault_.at<void>("." + std::string(of.name),
                               count ? refuse_member(rule::field_value, of.param, advice)
                                     : tl::unexpected(count.error()));
    }

    std::string_view resource_;
    query_fault fault_{};
    condition_reader conditions_;
};

/// Parses the JSON of a query and returns `read(element)`. Errors: those of JSON, with their
/// offset.
template <class Query, class Read>
[[nodiscard]] tl::expected<Query, list_query_error> read_query_json(std::string_view json,
                                                                    const Read& read) {
    const auto refuse = [](const error& why) {
        return tl::unexpected<list_query_error>(list_query_error{why, {}});
    };
    const auto minified = minify_json(json, json_max_depth, lone_surrogates::refused);
    if (!minified) return refuse(minified.error());
    simdjson::dom::parser parser;
    simdjson::dom::element query;
    if (parser.parse(with_readable_numbers(*minified)).get(query) == simdjson::SUCCESS) {
        return read(query);
    }
    return refuse(refuse_member(rule::field_value, "query", "expected less JSON").value());
}

}  // namespace detail

/// Reads the JSON of a query, as written by sluice::to_json() or a program in another language:
/// conditions and sort keys on the columns of a schema. `resource` is the name that it must have,
/// static text. Members left out have their defaults: every row, page 1.
///
/// ```
/// const auto query = sluice::parse_list_query(
///     R"({"where":{"column":"status","any_of":["paid"]},"page":{"number":1,"size":10}})",
///     columns);
/// ```
///
/// Errors: those of JSON, with their offset; field_type, field_missing, field_unknown and
/// field_value, with the expected value; number_too_large and number_too_small of an integer beyond
/// 64 bits; those of texts: cursor_malformed, number_malformed and those of metadata expressions.
/// Param is the member at fault, `place` its path. A metadata path needs a key.
[[nodiscard]] inline tl::expected<list_query, list_query_error> parse_list_query(
    std::string_view json, columns_view columns, std::string_view resource = {}) {
    return detail::read_query_json<list_query>(json, [&](const simdjson::dom::element& query) {
        return detail::list_query_reader(columns, resource).read(query);
    });
}

}  // namespace sluice

#endif
