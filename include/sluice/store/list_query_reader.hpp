// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_LIST_QUERY_READER_HPP
#define SLUICE_STORE_LIST_QUERY_READER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/choice.hpp>
#include <sluice/detail/json_text.hpp>
#include <sluice/list_query_json.hpp>
#include <sluice/store/detail/metadata_json.hpp>

namespace sluice::store {

namespace detail {

/// Reads the parts of a query's JSON; see parse_list_query(). A member's name is static text. The
/// recursion is as deep as the JSON, json_max_depth at most.
class list_query_reader {
public:
    list_query_reader(columns_view columns, std::string_view resource)
        : columns_(columns), resource_(resource) {}

    [[nodiscard]] result<list_query> read(const dom::element& json) {
        list_query made{.resource = resource_};
        auto members = object_of(
            json, "query", {"resource", "search", "where", "order", "page", "cursor", "total"});
        if (!members) return tl::unexpected(members.error());
        return read_resource(*members)
            .and_then([&] { return keep(read_search(*members), made.search); })
            .and_then([&] { return keep(read_rows(*members), made.rows); })
            .and_then([&] { return keep(read_order(*members), made.order); })
            .and_then([&] { return read_place(*members, made); })
            .and_then([&] { return keep(read_total(*members), made.wants_total); })
            .map([&] { return std::move(made); });
    }

private:
    template <class T>
    static result<void> keep(result<T>&& read, T& to) {
        return std::move(read).map([&](T&& value) { to = std::move(value); });
    }

    // --- The query -------------------------------------------------------------------------

    result<void> read_resource(const dom::object& query) const {
        const auto given = member(query, "resource");
        if (!given && resource_.empty()) return {};
        const auto text = text_of(given, "resource");
        if (text && *text == resource_) return {};
        return refuse_member(rule::field_value, "resource", "expected the resource that is read");
    }
    static result<std::string> read_search(const dom::object& query) {
        const auto given = member(query, "search");
        if (!given) return std::string();
        return text_of(given, "search").map([](std::string_view text) {
            return std::string(text);
        });
    }
    static result<bool> read_total(const dom::object& query) {
        const auto given = member(query, "total");
        return given ? flag_of(*given, "total") : result<bool>(false);
    }
    result<std::vector<sort_key>> read_order(const dom::object& query) const {
        const auto given = member(query, "order");
        if (!given) return std::vector<sort_key>();
        return list_of<sort_key>(given, "order",
                                 [this](const dom::element& item) { return read_sort_key(item); });
    }
    result<sort_key> read_sort_key(const dom::element& json) const {
        const auto members = object_of(json, "order", {"column", "direction"});
        if (!members) return tl::unexpected(members.error());
        const auto by = read_column(*members);
        if (!by) return tl::unexpected(by.error());
        const auto given = text_of(member(*members, "direction"), "direction");
        const auto place = std::ranges::find(sort_order_names, given.value_or(""));
        if (place == sort_order_names.end()) {
            return refuse_member(rule::field_value, "direction", "expected asc or desc");
        }
        return sort_key{*by, static_cast<sort_order>(place - sort_order_names.begin())};
    }
    static result<void> read_place(const dom::object& query, list_query& to) {
        const auto from = member(query, "cursor"), number = member(query, "page");
        if (from && number) return fail_in(rule::cursor_with_page, "cursor");
        if (!from && !number) return {};
        const std::string_view name = from ? "cursor" : "page";
        const auto members = from ? object_of(from, name, {"text", "size"})
                                  : object_of(number, name, {"number", "size"});
        if (!members) return tl::unexpected(members.error());
        if (!from) {
            const auto page = integer_of(member(*members, "number"), "page");
            if (!page) return tl::unexpected(page.error());
            to.wanted.number = *page;
        }
        const auto size = integer_of(member(*members, "size"), "size");
        if (!size) return tl::unexpected(size.error());
        to.wanted.size = *size;
        if (to.wanted.number < 1 || to.wanted.size < 1) {
            return refuse_member(rule::field_value, name, "expected numbers of at least 1");
        }
        return from ? read_cursor(*members, to) : result<void>();
    }
    static result<void> read_cursor(const dom::object& members, list_query& to) {
        return text_of(member(members, "text"), "cursor")
            .and_then([](std::string_view text) { return parse_cursor(text); })
            .map([&](cursor&& place) { to.from = std::move(place); })
            .map_error([](error why) { return why.param = "cursor", why; });
    }
    result<column> read_column(const dom::object& of) const {
        const auto name = text_of(member(of, "column"), "column");
        if (!name) return tl::unexpected(name.error());
        if (const column* const found = find_column(columns_, *name)) return *found;
        return refuse_member(rule::field_value, "column", "expected a column of the schema");
    }

    // --- Conditions ------------------------------------------------------------------------

    result<where> read_rows(const dom::object& query) const {
        const auto given = member(query, "where");
        return given ? read_where(given) : result<where>(where());
    }
    result<where> read_where(const std::optional<dom::element>& json) const {
        const auto object = object_of(json, "where");
        if (!object) return tl::unexpected(object.error());
        if (member(*object, "column")) {
            return read_leaf(*object).map([](leaf&& only) { return where(std::move(only)); });
        }
        const std::string_view name = group_name(*object);
        if (auto known = check_members(*object, "where", {name}); !known) {
            return tl::unexpected(known.error());
        }
        if (name == "not") return read_where(member(*object, name)).map(where::negation);
        const auto read_each = [this](const dom::element& item) { return read_where(item); };
        return list_of<where>(member(*object, name), "where", read_each)
            .map(name == "all" ? where::all : where::any);
    }
    result<leaf> read_leaf(const dom::object& members) const {
        const auto of = read_column(members);
        if (!of) return tl::unexpected(of.error());
        if (const auto how = member(members, "collation")) {
            const auto text = text_of(how, "collation");
            if (!text || *text != collation_names[static_cast<std::size_t>(of->how)]) {
                return refuse_member(rule::field_value, "collation",
                                     "expected the column's collation");
            }
        }
        return read_test(*of, members).map([&](column_test&& test) {
            return leaf{*of, std::move(test)};
        });
    }
    result<column_test> read_test(const column& of, const dom::object& members) const {
        switch (of.type) {
            case column_type::boolean: return read_boolean_test(members);
            case column_type::json: return read_metadata_test(members);
            case column_type::time: return read_bounds<instant>(members, time_of);
            case column_type::decimal: return read_bounds<decimal_number>(members, decimal_of);
            case column_type::text: return read_text_test(members);
            case column_type::integer: {
                const bool has_texts = member(members, "any_of") || member(members, "none_of");
                if (has_texts) return read_text_test(members);
                return read_bounds<std::int64_t>(members, whole_number_of);
            }
        }
        return fail_in(rule::field_value, "column");
    }
    static result<column_test> read_text_test(const dom::object& members) {
        const bool excludes = member(members, "none_of").has_value();
        const std::string_view name = excludes ? "none_of" : "any_of";
        const auto known = check_members(members, "where", {"column", "collation", name});
        if (!known) return tl::unexpected(known.error());
        const auto given = member(members, name);
        if (!given) return refuse_member(rule::field_missing, name, "expected a list of texts");
        return texts_of(*given, name).map([&](const std::vector<std::string>& texts) {
            return column_test(text_test{filter(texts, excludes)});
        });
    }
    static result<column_test> read_boolean_test(const dom::object& members) {
        const auto known = check_members(members, "where", {"column", "is"});
        if (!known) return tl::unexpected(known.error());
        const auto given = member(members, "is");
        if (!given) return refuse_member(rule::field_missing, "is", "expected true or false");
        return flag_of(*given, "is").map([](bool wanted) {
            return column_test(boolean_test{wanted});
        });
    }

    static result<std::int64_t> whole_number_of(const dom::element& json, std::string_view name) {
        return integer_of(json, name);
    }
    static result<decimal_number> decimal_of(const dom::element& json, std::string_view name) {
        return text_of(json, name).and_then(parse_decimal_number).map_error([&](error why) {
            return why.param = name, why;
        });
    }
    static result<instant> time_of(const dom::element& json, std::string_view name) {
        const auto text = text_of(json, name);
        const auto at = parse_timestamp(text.value_or(""));
        if (at) return *at;
        return refuse_member(rule::field_value, name,
                             "expected a time such as 2026-08-21T02:30:15Z");
    }
    template <class T, class Read>
    static result<column_test> read_bounds(const dom::object& members, const Read& read) {
        const auto known = check_members(members, "where", {"column", "gt", "gte", "lt", "lte"});
        if (!known) return tl::unexpected(known.error());
        bounds<T> made;
        for (const comparison op : {comparison::more_than, comparison::at_least,
                                    comparison::less_than, comparison::at_most}) {
            const std::string_view name = to_string(op);
            const auto given = member(members, name);
            if (!given) continue;
            const bool is_upper = op == comparison::less_than || op == comparison::at_most;
            if (is_upper ? made.most : made.least) {
                return refuse_member(rule::field_value, name, "expected one bound on each side");
            }
            result<T> bound = read(*given, name);
            if (!bound) return tl::unexpected(bound.error());
            made.narrow(op, *std::move(bound));
        }
        return column_test(std::move(made));
    }

    static result<column_test> read_metadata_test(const dom::object& members) {
        if (auto known = check_members(members, "where", {"column", "matches"}); !known) {
            return tl::unexpected(known.error());
        }
        return metadata_reader().read(member(members, "matches")).map([](metadata_query&& query) {
            return column_test(std::move(query));
        });
    }

    columns_view columns_;
    std::string_view resource_;
};

}  // namespace detail

/// Reads what sluice::to_json() wrote of a query, or a program in another language: conditions and
/// sort keys on the columns of a schema. `resource` is the one that it has to name, static text.
/// What is left out is as in a query that asks for nothing: every row, page 1.
///
/// ```
/// const auto query = sluice::store::parse_list_query(
///     R"({"where":{"column":"status","any_of":["paid"]},"page":{"number":1,"size":10}})",
///     columns);
/// ```
///
/// Errors: those of JSON, with their offset; field_type, field_missing, field_unknown, field_value,
/// with what was expected; of texts those of their parsers: cursor_malformed, number_malformed,
/// and those of metadata expressions. Param is the member at fault. A path needs a key.
[[nodiscard]] inline result<list_query> parse_list_query(std::string_view json,
                                                         columns_view columns,
                                                         std::string_view resource = {}) {
    if (auto is_json = sluice::detail::check_json(json); !is_json) {
        return tl::unexpected(is_json.error());
    }
    simdjson::dom::parser parser;
    simdjson::dom::element query;
    if (parser.parse(json.data(), json.size()).get(query) != simdjson::SUCCESS) {
        return detail::refuse_member(rule::field_value, "query", "expected numbers of 64 bits");
    }
    return detail::list_query_reader(columns, resource).read(query).map_error([](error why) {
        why.offset = why.length = 0;  // of a member's text, which is not where it is here
        return why;
    });
}

}  // namespace sluice::store

#endif
