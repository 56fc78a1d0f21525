// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_DETAIL_QUERY_FAULT_HPP
#define SLUICE_QUERY_DETAIL_QUERY_FAULT_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/near_miss.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/query/detail/json_members.hpp>

namespace sluice::detail {

/// Joins words as `a, b or c`, for the message of a fault.
template <class Words>
[[nodiscard]] std::string to_alternatives(const Words& words) {
    std::string text;
    std::size_t left = std::size(words);
    for (const std::string_view word : words) {
        text.append(word);
        if (--left > 0) text.append(left == 1 ? " or " : ", ");
    }
    return text;
}

/// Builds `no column 'b', expected a or c`, with `(did you mean 'c'?)` for a near miss.
template <class Words>
[[nodiscard]] std::string to_unknown(std::string_view what, std::string_view name,
                                     std::string_view suffix, const Words& words) {
    std::string text(what);
    text.append(" '");
    write_escaped(name, [&](std::string_view part) { text.append(part); });
    text.append("'").append(suffix);
    const std::string_view meant = near_miss(name, words);
    if (!meant.empty()) text.append(" (did you mean '").append(meant).append("'?)");
    return text.append(", expected ").append(to_alternatives(words));
}

/// The place and message of an error in a query's JSON, completed while the error is passed up.
struct query_fault {
    std::string place{};     ///< path such as .all[1].gte, relative to the current reader
    std::string column{};    ///< column of the current condition
    std::string accepts{};   ///< accepted values, if only the text or the schema determines them
    std::string sentence{};  ///< the whole message after the place; replaces the rule's

    using names = std::initializer_list<std::string_view>;

    /// Returns `read`; if it is an error, puts `step` before the place.
    template <class T>
    result<T> at(std::string_view step, result<T> read) {
        if (!read) place.insert(0, step);
        return read;
    }
    /// Reads an array with `read(element)`, and adds the index of a faulty element to the place.
    template <class T, class Read>
    result<std::vector<T>> each_of(const std::optional<dom::element>& json, std::string_view name,
                                   const Read& read) {
        std::size_t index = 0;
        return list_of<T>(json, name, [&](const dom::element& item) {
            return at("[" + std::to_string(index++) + "]", result<T>(read(item)));
        });
    }
    /// Checks that an object has no other members than `known`, and each of them at most once.
    result<void> check(const dom::object& object, std::string_view name, names known) {
        auto checked = check_members(object, name, known);
        if (checked) return checked;
        const std::string_view unknown = unknown_member(object, known);
        if (unknown.empty()) {
            sentence = "a member given twice, expected each once";
            return checked;
        }
        sentence = to_unknown("unknown member", unknown, "", known);
        if (name == "query" && is_of_condition(unknown)) {
            sentence.append("; put conditions under 'where'");
        }
        return checked;
    }
    /// Checks the members of a condition on `column`: column, collation and `tests`. `accepted` are
    /// the tests named in errors.
    result<void> check_tests(const dom::object& object, names tests, names accepted) {
        std::vector<std::string_view> known{"column", "collation"};
        known.insert(known.end(), tests.begin(), tests.end());
        for (const dom::key_value_pair entry : object) {
            if (const auto match = std::ranges::find(known, entry.key); match != known.end()) {
                known.erase(match);  // so that a repeated member is refused
                continue;
            }
            const bool is_test = std::ranges::find(accepted, entry.key) != accepted.end();
            sentence =
                is_test ? "several tests of column " + column + ", expected one of them"
                        : to_unknown("unknown test", entry.key, " of column " + column, accepted);
            return refuse_member(rule::field_unknown, "where", "expected the documented members");
        }
        return {};
    }
    static std::string_view unknown_member(const dom::object& object, names known) {
        for (const dom::key_value_pair entry : object) {
            if (std::ranges::find(known, entry.key) == known.end()) return entry.key;
        }
        return {};
    }
    static bool is_of_condition(std::string_view member) noexcept {
        constexpr std::array<std::string_view, 4> words{"column", "all", "any", "not"};
        return std::ranges::find(words, member) != words.end();
    }
    result<dom::object> with_members(const std::optional<dom::element>& json, std::string_view name,
                                     names known) {
        return object_of(json, name).and_then([&](const dom::object& object) {
            return check(object, name, known).map([&] { return object; });
        });
    }
};

}  // namespace sluice::detail

#endif
