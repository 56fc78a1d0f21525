// SPDX-License-Identifier: MIT
#ifndef SLUICE_LIST_QUERY_HPP
#define SLUICE_LIST_QUERY_HPP

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

#include <sluice/cursor.hpp>
#include <sluice/detail/heap_sort.hpp>
#include <sluice/detail/visit.hpp>
#include <sluice/page.hpp>
#include <sluice/where.hpp>

namespace sluice {

/// A column that a list is ordered by.
struct sort_key {
    column by{};
    sort_order direction = sort_order::ascending;
    bool is_unique = false;  ///< no two rows share it; a column `id` is taken for that unasked

    /// Whether rows are ordered alike.
    friend bool operator==(const sort_key& a, const sort_key& b) noexcept {
        return a.by == b.by && a.direction == b.direction;
    }
};

/// What a list request asks for, whatever endpoint it was made to: a parameter table makes it of
/// what it has bound, and stores, masks and writers of SQL read nothing else.
///
/// ```
/// status=paid&total[gte]=10&sortBy=-total&page=2
///
/// rows    status any of {paid} AND total >= 10
/// order   total descending, id descending
/// wanted  page 2 of 100 rows
/// ```
struct list_query {
    std::string_view resource{};  ///< which list, where several share a table; static text
    where rows{};                 ///< which rows
    std::string search{};         ///< what rows contain, where a list has a search of its own
    std::string_view search_param = "search";  ///< the parameter of `search`; static text
    std::vector<sort_key> order{};             ///< in this order; the last key is the unique one
    page wanted{};                             ///< which page of them; with a cursor its size alone
    std::optional<cursor> from{};              ///< the place where the page begins or ends
    bool wants_total = false;                  ///< how many rows there are in all is asked for too

    /// Whether an object of a caller's own is among the rows; see where::matches().
    template <cell_source CellOf>
    [[nodiscard]] bool matches(CellOf&& cell_of) const {
        return rows.matches(cell_of);
    }

    /// Equal queries ask for the same, whatever the parameters are called.
    friend bool operator==(const list_query& a, const list_query& b) {
        return a.resource == b.resource && a.rows == b.rows && a.search == b.search &&
               a.order == b.order && a.wanted == b.wanted && a.from == b.from &&
               a.wants_total == b.wants_total;
    }
};

namespace detail {

/// The text of a filter, whatever the order of its values, their repeats and, where case is
/// ignored, their case. A template, as `query_mark` is, so that only who has cursors or cached
/// answers has the compiler go through it.
[[nodiscard]] std::string canonical_text(const std::same_as<filter> auto& written, collation how) {
    const bool ignores_case = how == collation::ignore_case || how == collation::subdivision;
    std::vector<std::string> values;
    values.reserve(written.values().size());
    for (const std::string_view value : written.values()) {
        values.push_back(ignores_case ? to_lower(value) : std::string(value));
    }
    heap_sort(values, std::less<>());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return to_string(filter(values, written.excludes()));
}

/// Writes a test so that other tests have other texts.
struct test_writer {
    collation how;

    std::string operator()(const std::same_as<text_test> auto& asked) const {
        return canonical_text(asked.wanted, how);
    }
    std::string operator()(const boolean_test& asked) const { return asked.wanted ? "1" : "0"; }
    std::string operator()(const metadata_query& asked) const { return to_string(asked); }
    template <class T>
    std::string operator()(const bounds<T>& asked) const {
        std::string text = asked.excludes_least ? "(" : "[";
        if (asked.least) text.append(number_text(*asked.least));
        text.push_back(' ');
        if (asked.most) text.append(number_text(*asked.most));
        return text.append(asked.excludes_most ? ")" : "]");
    }

private:
    static std::string number_text(std::int64_t number) { return std::to_string(number); }
    static std::string number_text(const decimal_number& number) { return number.text(); }
    static std::string number_text(instant at) {
        return std::to_string(at.time_since_epoch().count());
    }
};

}  // namespace detail

/// Writes the key of a column of times, in milliseconds since the epoch, as all engines write it.
[[nodiscard]] inline std::string to_time_key(std::int64_t milliseconds) {
    return std::to_string(milliseconds);
}
/// Reads the key of a column of times, in milliseconds since the epoch. RFC 3339 is read too.
[[nodiscard]] inline result<std::int64_t> parse_time_key(std::string_view key) {
    if (const auto number = parse_int64(key)) return number;
    const auto at = parse_timestamp(key);
    if (!at) return tl::unexpected<error>(at.error());
    return (*at).time_since_epoch().count();
}

/// Whether a cursor's key is what a row may hold in a column: a value of its type, or null.
[[nodiscard]] inline bool is_key_of(const column& by, const std::optional<std::string>& key) {
    if (!key) return by.is_nullable;
    switch (by.type) {
        case column_type::integer: return parse_int64(*key).has_value();
        case column_type::decimal: return detail::parse_decimal(*key).has_value();
        case column_type::time: return parse_time_key(*key).has_value();
        case column_type::boolean: return *key == "true" || *key == "false";
        case column_type::text:
        case column_type::json: break;
    }
    return true;
}
/// Returns true if a cursor may have the beginning alone of the key at an index: of a text, but for
/// the last key, which names the row.
[[nodiscard]] inline bool can_be_cut(const std::vector<sort_key>& order, std::size_t at) noexcept {
    return at + 1 < order.size() && order[at].by.type == column_type::text;
}
/// Whether a cursor has a key for each column of an order; one that is forged may not.
[[nodiscard]] inline bool has_keys_of(const std::vector<sort_key>& order, const cursor& place) {
    if (order.size() != place.keys.size()) return false;
    for (std::size_t at = 0; at < order.size(); ++at) {
        if (!is_key_of(order[at].by, place.keys[at])) return false;
        const bool is_text = place.keys[at] && can_be_cut(order, at);
        if (place.cut_of(at) != nullptr && !is_text) return false;
    }
    return true;
}
/// Cuts the texts that are too long for a cursor; see cut_long_keys() of a predicate.
inline void cut_long_keys(cursor& place, const std::vector<sort_key>& order) {
    cut_long_keys(place, [&](std::size_t at) { return can_be_cut(order, at); });
}

/// The sort keys of a query with the unique one last: an order that lacks one ends with the id, in
/// the direction of the key before it.
[[nodiscard]] std::vector<sort_key> whole_order(const std::same_as<list_query> auto& query) {
    std::vector<sort_key> order = query.order;
    const bool is_whole =
        !order.empty() && (order.back().is_unique || order.back().by.name == "id");
    if (!is_whole) {
        const auto direction = order.empty() ? sort_order::ascending : order.back().direction;
        order.push_back({column{.name = "id"}, direction});
    }
    return order;
}

/// The text of a cursor whose keys are those of an order. Errors: cursor_key_too_long, of the
/// column whose key can't be cut and leaves no room for the others.
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

/// A mark of a query's order and filters, which tells a cursor that was made for others. The list's
/// window of time is left out: a place stays one where the window moves on.
[[nodiscard]] std::uint32_t query_mark(const std::same_as<list_query> auto& query) {
    std::string text(query.resource);
    text.append(query.search).push_back('\0');
    for (const sort_key& key : query.order) {
        text.append(key.by.name).push_back(key.direction == sort_order::ascending ? '+' : '-');
    }
    for (const where::node& node : query.rows.nodes()) {
        const bool is_leaf = node.kind == where_kind::leaf;
        const leaf* const asked = is_leaf ? &query.rows.leaves()[node.leaf] : nullptr;
        if (asked && asked->is_window) continue;
        text.push_back(static_cast<char>('a' + static_cast<int>(node.kind)));
        if (!asked) continue;
        text.append(asked->subject.name).push_back(' ');
        text.append(
            detail::visit_as<std::string>(detail::test_writer{asked->subject.how}, asked->test));
        text.push_back('\0');
    }
    return detail::lasting_hash(text);
}

}  // namespace sluice

#endif
