// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_LIST_QUERY_HPP
#define SLUICE_QUERY_LIST_QUERY_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/heap_sort.hpp>
#include <sluice/base/real.hpp>
#include <sluice/base/value.hpp>
#include <sluice/base/visit.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/query/page.hpp>
#include <sluice/query/where.hpp>

namespace sluice {

/// Returns true if rows can be ordered by a column.
[[nodiscard]] constexpr bool has_order(const column& by) noexcept {
    constexpr column_types ordered =
        set_of(column_type::text, column_type::integer, column_type::decimal, column_type::time,
               column_type::boolean, column_type::real, column_type::date, column_type::uuid,
               column_type::choice);
    return !by.is_list && (set_of(by.type) & ordered) != 0;
}

/// A column by which a list is ordered, and its direction.
struct sort_key {
    column by{};
    sort_order direction = sort_order::ascending;
    bool is_unique = false;  ///< no two rows share a value; a column `id` is always taken as unique

    /// Compares column and direction.
    friend bool operator==(const sort_key& a, const sort_key& b) noexcept {
        return a.by == b.by && a.direction == b.direction;
    }
};

/// Writes a sort key as `total`, or as `-total` if it is descending.
[[nodiscard]] inline std::string to_string(const sort_key& key) {
    return (key.direction == sort_order::ascending ? "" : "-") + std::string(key.by.name);
}
template <>
inline constexpr bool is_value<sort_key> = true;

/// A request for a list, independent of its endpoint: parameter tables produce it; stores, masks
/// and SQL writers read nothing else.
///
/// ```
/// status=paid&total[gte]=10&sortBy=-total&page=2
///
/// rows    status any of {paid} AND total >= 10
/// order   total descending, id descending
/// wanted  page 2 of 100 rows
/// ```
struct list_query {
    std::string_view resource{};               ///< the list, if several share a table; static text
    where rows{};                              ///< conditions on the rows
    std::string search{};                      ///< text to search for, if the list supports it
    std::string_view search_param = "search";  ///< name of the parameter of `search`; static text
    std::vector<sort_key> order{};             ///< most significant first; the last is unique
    page wanted{};                 ///< page number and size; with a cursor its size alone
    std::optional<cursor> from{};  ///< the cursor at which the page begins or ends
    bool wants_total = false;      ///< the total number of rows is requested too
    column id{.name = "id"};       ///< ends an order whose last key isn't unique

    /// Returns true if a caller's object meets the conditions on the rows; see where::matches().
    template <cell_source CellOf>
    [[nodiscard]] bool matches(CellOf&& cell_of) const {
        return rows.matches(cell_of);
    }

    /// Returns true if both request the same. Names of parameters don't count.
    friend bool operator==(const list_query& a, const list_query& b) {
        return a.resource == b.resource && a.rows == b.rows && a.search == b.search &&
               a.order == b.order && a.wanted == b.wanted && a.from == b.from &&
               a.wants_total == b.wants_total;
    }
};

/// The place of a page in its list.
struct page_info {
    bool has_next = false;
    bool has_previous = false;
    std::optional<cursor> next{};         ///< after the last row; empty without a next page
    std::optional<cursor> previous{};     ///< before the first row; empty without a previous page
    std::optional<std::int64_t> total{};  ///< rows on all pages; empty unless the query wants it
};

namespace detail {

/// Returns the text of a filter with its values sorted, without repeats, and in lower case if the
/// collation ignores case.
[[nodiscard]] inline std::string canonical_text(const filter& written, collation how) {
    const bool ignores_case = record_of(how).ignores_case;
    std::vector<std::string> values;
    values.reserve(written.values().size());
    for (const std::string_view value : written.values()) {
        values.push_back(ignores_case ? to_lower(value) : std::string(value));
    }
    heap_sort(values, std::less<>());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return to_string(filter(values, written.excludes()));
}

[[nodiscard]] inline std::string marked_text(const where& rows);

/// Writes a test as a text; different tests have different texts.
struct test_writer {
    collation how;

    std::string operator()(const text_test& test) const { return canonical_text(test.wanted, how); }
    std::string operator()(const all_of_test& test) const {
        return named_texts(test_kind::all_of, test.wanted);
    }
    std::string operator()(const part_test& test) const {
        return named_texts(kind_of(test), test.parts);
    }
    std::string operator()(const boolean_test& test) const { return test.wanted ? "1" : "0"; }
    std::string operator()(const null_test& test) const {
        return test.wanted ? "is_null" : "is_null not";
    }
    std::string operator()(const record_test& test) const {
        return "any " + marked_text(test.wanted());
    }
    std::string operator()(const metadata_query& test) const { return to_string(test); }
    template <class T>
    std::string operator()(const bounds<T>& test) const {
        std::string text = test.excludes_least ? "(" : "[";
        if (test.least) text.append(number_text(*test.least));
        text.push_back(' ');
        if (test.most) text.append(number_text(*test.most));
        return text.append(test.excludes_most ? ")" : "]");
    }

private:
    /// Writes texts in lower case if the collation ignores case, sorted, without repeats.
    [[nodiscard]] std::string named_texts(test_kind kind, std::vector<std::string> texts) const {
        if (record_of(how).ignores_case) {
            for (std::string& text : texts) text = to_lower(text);
        }
        heap_sort(texts, std::less<>());
        texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
        std::string all(to_string(kind));
        for (const std::string& text : texts) {
            all.append(" ").append(std::to_string(text.size())).append(":").append(text);
        }
        return all;
    }
    static std::string number_text(const std::string& text) {
        return std::to_string(text.size()) + ":" + text;
    }
    static std::string number_text(double number) { return real_text(number); }
    static std::string number_text(calendar_day day) { return format_day(day); }
    static std::string number_text(std::int64_t number) { return std::to_string(number); }
    static std::string number_text(const decimal_number& number) { return number.text(); }
    static std::string number_text(instant at) {
        return std::to_string(at.time_since_epoch().count());
    }
};

/// Writes conditions as a text, without a list's window; different ones have different texts.
[[nodiscard]] inline std::string marked_text(const where& rows) {
    std::string text;
    std::vector<std::size_t> ends;  // of the ANDs and ORs around a node, but the whole
    for (std::size_t at = 0; at < rows.nodes().size(); ++at) {
        while (!ends.empty() && ends.back() == at) {
            text.push_back(')');
            ends.pop_back();
        }
        const where::node& node = rows.nodes()[at];
        const bool is_leaf = node.kind == where_kind::leaf;
        const leaf* const condition = is_leaf ? &rows.leaves()[node.leaf] : nullptr;
        if (condition && condition->is_window) continue;
        text.push_back(static_cast<char>('a' + static_cast<int>(node.kind)));
        if (!condition) {
            const bool has_one_operand = node.kind == where_kind::negation;
            if (at > 0 && !has_one_operand) ends.push_back(at + node.size);
            continue;
        }
        text.append(condition->subject.name).push_back(' ');
        text.append(
            visit_as<std::string>(test_writer{collation_of(condition->subject)}, condition->test));
        text.push_back('\0');
    }
    return text;
}

}  // namespace detail

/// Writes a sort key of a time column, in milliseconds since the epoch, as all engines write it.
[[nodiscard]] inline std::string to_time_key(std::int64_t milliseconds) {
    return std::to_string(milliseconds);
}
/// Parses a sort key of a time column: milliseconds since the epoch, or RFC 3339.
[[nodiscard]] inline result<std::int64_t> parse_time_key(std::string_view key) {
    if (const auto number = parse_int64(key)) return number;
    const auto at = parse_timestamp(key);
    if (!at) return tl::unexpected<error>(at.error());
    return (*at).time_since_epoch().count();
}

/// Returns true if a row may have a cursor's key in a column: a value of its type, or null if it is
/// nullable.
[[nodiscard]] inline bool is_key_of(const column& subject, const std::optional<std::string>& key) {
    const bool may_be_nan =
        subject.type == column_type::real || subject.type == column_type::decimal;
    if (!key) return subject.is_nullable || may_be_nan;  // NaN is missing
    switch (subject.type) {
        case column_type::integer: return parse_int64(*key).has_value();
        case column_type::decimal: return detail::parse_decimal(*key).has_value();
        case column_type::time: return parse_time_key(*key).has_value();
        case column_type::boolean: return *key == "true" || *key == "false";
        case column_type::real: return detail::parse_any_real(*key).has_value();
        case column_type::date: return parse_day(*key).has_value();
        case column_type::choice: return place_of_choice(subject, *key) < subject.choices.size();
        case column_type::text:
        case column_type::uuid:
        case column_type::records:
        case column_type::json: break;
    }
    return true;
}
/// Returns true if a cursor may hold only the beginning of the key at an index: a text, except the
/// last key, which identifies the row.
[[nodiscard]] inline bool can_be_cut(const std::vector<sort_key>& order, std::size_t at) noexcept {
    return at + 1 < order.size() && order[at].by.type == column_type::text;
}
/// Returns true if a cursor has a valid key for each column of an order. A forged cursor may not.
[[nodiscard]] inline bool has_keys_of(const std::vector<sort_key>& order, const cursor& place) {
    if (order.size() != place.keys.size()) return false;
    for (std::size_t at = 0; at < order.size(); ++at) {
        if (!is_key_of(order[at].by, place.keys[at])) return false;
        const bool is_text = place.keys[at] && can_be_cut(order, at);
        if (place.cut_of(at) != nullptr && !is_text) return false;
    }
    return true;
}
/// Cuts texts that are too long for a cursor; see cut_long_keys() with a predicate.
inline void cut_long_keys(cursor& place, const std::vector<sort_key>& order) {
    cut_long_keys(place, [&](std::size_t at) { return can_be_cut(order, at); });
}

/// Returns the sort keys of a query, the last one unique: `id` is appended to an order without a
/// unique last key, in the direction of its last key.
[[nodiscard]] inline std::vector<sort_key> whole_order(const list_query& query) {
    std::vector<sort_key> order = query.order;
    const bool is_whole =
        !order.empty() && (order.back().is_unique || order.back().by.name == "id");
    if (!is_whole) {
        const auto direction = order.empty() ? sort_order::ascending : order.back().direction;
        order.push_back({query.id, direction});
    }
    return order;
}

/// Returns the text of a cursor for an order. Error: cursor_key_too_long, with the column whose key
/// can't be cut and leaves no room for the others.
[[nodiscard]] inline result<std::string> cursor_text(const cursor& place,
                                                     const std::vector<sort_key>& order) {
    if (auto text = to_string(place)) return *std::move(text);
    std::size_t longest = place.keys.size() - 1, others = 0;
    for (std::size_t at = 0; at < place.keys.size(); ++at) {
        const bool is_short = can_be_cut(order, at);
        if (!is_short && place.key(at).size() > place.key(longest).size()) longest = at;
    }
    for (std::size_t at = 0; at < place.keys.size(); ++at) {
        if (at == longest) continue;
        const std::size_t size = detail::size_of_key(place.keys[at]);
        others += can_be_cut(order, at) ? std::min(size, detail::key_cut_head + 1) : size;
    }
    const std::size_t taken = others + detail::key_size_head;
    const std::size_t room = detail::cursor_keys_max - std::min(taken, detail::cursor_keys_max);
    error why = fail_beyond(rule::cursor_key_too_long, static_cast<std::int64_t>(room)).value();
    if (longest < order.size()) why.param = order[longest].by.name;
    return tl::unexpected<error>(why);
}

/// Returns a hash of a query's order and filters, which detects cursors of other queries. It leaves
/// the list's time window out: a cursor stays valid while the window moves on.
[[nodiscard]] inline std::uint32_t query_mark(const list_query& query) {
    std::string text(query.resource);
    text.append(query.search).push_back('\0');
    for (const sort_key& key : query.order) {
        text.append(key.by.name).push_back(key.direction == sort_order::ascending ? '+' : '-');
    }
    text.append(detail::marked_text(query.rows));
    return detail::lasting_hash(text);
}

}  // namespace sluice

#endif
