// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_DETAIL_JSON_MEMBERS_HPP
#define SLUICE_QUERY_DETAIL_JSON_MEMBERS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include <sluice/base/ascii.hpp>
#include <sluice/base/decimal.hpp>
#include <sluice/base/json_cursor.hpp>
#include <sluice/base/near_miss.hpp>
#include <sluice/base/real.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/query/page.hpp>

/// Members of a query's JSON: reading by their type, with the error that names them.
namespace sluice::detail {

namespace dom = simdjson::dom;

// In these functions `name` is the `param` of errors: the member's name, static text. A missing
// member is refused like one of another type.

/// Returns an error for a member; `accepts` are the accepted values.
[[nodiscard]] inline tl::unexpected<error> refuse_member(rule broken, std::string_view name,
                                                         std::string_view accepts) noexcept {
    error why = make_error(broken);
    why.param = name;
    why.accepts = accepts;
    return tl::unexpected<error>(why);
}

/// Returns the member of an object; nullopt if there is none.
[[nodiscard]] inline std::optional<dom::element> member(const dom::object& object,
                                                        std::string_view name) {
    dom::element json;
    if (object[name].get(json) != simdjson::SUCCESS) return std::nullopt;
    return json;
}

/// Reads an object. Error: field_type.
[[nodiscard]] inline result<dom::object> object_of(const std::optional<dom::element>& json,
                                                   std::string_view name) {
    dom::object object;
    if (json && json->get(object) == simdjson::SUCCESS) return object;
    return refuse_member(rule::field_type, name, "expected an object");
}
/// Checks that an object has no other members than `known`, and each of them at most once.
[[nodiscard]] inline result<void> check_members(const dom::object& object, std::string_view name,
                                                std::initializer_list<std::string_view> known) {
    std::size_t count = 0;
    for (const std::string_view member_name : known) count += member(object, member_name) ? 1 : 0;
    if (count == object.size()) return {};
    return refuse_member(rule::field_unknown, name, "expected only documented members, each once");
}
/// Reads a text, which views the JSON. Error: field_type.
[[nodiscard]] inline result<std::string_view> text_of(const std::optional<dom::element>& json,
                                                      std::string_view name) {
    std::string_view text;
    if (json && json->get(text) == simdjson::SUCCESS) return text;
    return refuse_member(rule::field_type, name, "expected a text");
}
/// Reads a boolean. Error: field_type.
[[nodiscard]] inline result<bool> flag_of(const dom::element& json, std::string_view name) {
    bool flag = false;
    if (json.get(flag) == simdjson::SUCCESS) return flag;
    return refuse_member(rule::field_type, name, "expected true or false");
}
/// The whole numbers that stand for those beyond the largest double; see with_readable_numbers().
inline constexpr std::string_view beyond_doubles = "18446744073709551615",
                                  below_doubles = "18446744073709551614";

/// Copies minified JSON for simdjson, which refuses numbers that fit none of its types. Whole
/// numbers beyond std::int64_t become doubles; numbers beyond doubles become beyond_doubles or
/// below_doubles, which stand for no other number.
[[nodiscard]] inline std::string with_readable_numbers(std::string_view json) {
    std::string copied;
    copied.reserve(json.size());
    json_cursor reader(json);
    while (reader.peek() != '\0') {
        const std::size_t begin = reader.offset();
        const bool is_number = reader.peek() == '-' || is_digit(reader.peek());
        if (!is_number) {
            if (!reader.take_string()) reader.move_to(begin + 1);
            copied.append(json.substr(begin, reader.offset() - begin));
            continue;
        }
        const std::string_view word = reader.take_word();
        const auto number = parse_decimal(word);
        if (!number || to_int64(*number)) {
            copied.append(word);
        } else if (!parse_real(word)) {
            copied.append(number->negative ? below_doubles : beyond_doubles);
        } else {
            const bool is_plain = word.find_first_of(".eE") == word.npos;
            copied.append(word).append(is_plain ? "e0" : "");
        }
    }
    return copied;
}
/// Returns the sign, 1 or -1, of a number beyond doubles in a text of with_readable_numbers(); 0
/// for any other value.
[[nodiscard]] inline int sign_beyond_doubles(const dom::element& json) {
    std::uint64_t number = 0;
    const bool is_unsigned = json.is_uint64() && !json.is_int64();
    if (!is_unsigned || json.get(number) != simdjson::SUCCESS) return 0;
    return number == std::numeric_limits<std::uint64_t>::max() ? 1 : -1;
}
/// Returns the sign, 1 or -1, of a number beyond std::int64_t in a text of with_readable_numbers();
/// 0 for any other value.
[[nodiscard]] inline int sign_beyond_int64(const dom::element& json) {
    if (const int sign = sign_beyond_doubles(json); sign != 0) return sign;
    double number = 0;
    const bool is_double = json.is_double() && json.get(number) == simdjson::SUCCESS;
    if (!is_double) return 0;
    return std::abs(number) < 0x1p63 ? 0 : number < 0 ? -1 : 1;
}
/// Reads an integer. Errors: field_type; number_too_large or number_too_small beyond std::int64_t.
[[nodiscard]] inline result<std::int64_t> integer_of(const std::optional<dom::element>& json,
                                                     std::string_view name) {
    std::int64_t number = 0;
    if (json && json->get(number) == simdjson::SUCCESS) return number;
    const int sign = json ? sign_beyond_int64(*json) : 0;
    if (sign == 0) return refuse_member(rule::field_type, name, "expected a whole number");
    error beyond = parse_int64(sign < 0 ? "-1e300" : "1e300").error();
    beyond.param = name;
    return tl::unexpected<error>(beyond);
}
/// Reads a number as the nearest double. Errors: field_type; number_too_large or number_too_small
/// beyond doubles.
[[nodiscard]] inline result<double> real_of(const std::optional<dom::element>& json,
                                            std::string_view name) {
    const int sign = json ? sign_beyond_doubles(*json) : 0;
    if (sign != 0) {
        return refuse_member(sign < 0 ? rule::number_too_small : rule::number_too_large, name,
                             "expected a number that a double can hold");
    }
    double number = 0;
    if (json && json->is_number() && json->get(number) == simdjson::SUCCESS) return number;
    return refuse_member(rule::field_type, name, "expected a number");
}
/// Reads an array with `read(element)`; stops at the first error.
template <class T, class Read>
[[nodiscard]] result<std::vector<T>> list_of(const std::optional<dom::element>& json,
                                             std::string_view name, const Read& read) {
    dom::array items;
    if (!json || json->get(items) != simdjson::SUCCESS) {
        return refuse_member(rule::field_type, name, "expected an array");
    }
    std::vector<T> list;
    for (const dom::element item : items) {
        result<T> element = read(item);
        if (!element) return tl::unexpected(element.error());
        list.push_back(*std::move(element));
    }
    return list;
}

/// Returns the name of a condition group: the member of "not" and "all" that exists, else "any".
[[nodiscard]] inline std::string_view group_name(const dom::object& group) {
    return member(group, "not") ? "not" : member(group, "all") ? "all" : "any";
}

/// Joins words as `a, b or c`, for the message of a fault.
[[nodiscard]] inline std::string to_alternatives(std::span<const std::string_view> words) {
    std::string text;
    std::size_t left = words.size();
    for (const std::string_view word : words) {
        text.append(word);
        if (--left > 0) text.append(left == 1 ? " or " : ", ");
    }
    return text;
}

/// Builds `no column 'b' (did you mean 'c'?), expected a or c`: `what`, the unknown name, `suffix`,
/// the nearest of the known `words` if it is near enough, and all of them.
[[nodiscard]] inline std::string to_unknown(std::string_view what, std::string_view name,
                                            std::string_view suffix,
                                            std::span<const std::string_view> words) {
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
    result<std::vector<T>> list_at(const std::optional<dom::element>& json, std::string_view name,
                                   const Read& read) {
        std::size_t index = 0;
        return list_of<T>(json, name, [&](const dom::element& item) {
            return at("[" + std::to_string(index++) + "]", result<T>(read(item)));
        });
    }
    /// Like check_members(), with a sentence that names the unknown member.
    result<void> check(const dom::object& object, std::string_view name, names known) {
        auto checked = check_members(object, name, known);
        if (checked) return checked;
        const std::string_view unknown = unknown_member(object, known);
        if (unknown.empty()) {
            sentence = "a repeated member, expected each member once";
            return checked;
        }
        sentence = to_unknown("unknown member", unknown, "", std::span(known));
        if (name == "query" && is_of_condition(unknown)) {
            sentence.append("; put conditions under 'where'");
        }
        return checked;
    }
    /// Checks the members of a condition on `column`: column, collation and `tests`. `accepted` are
    /// the tests named in errors.
    result<void> check_tests(const dom::object& object, std::span<const std::string_view> tests,
                             std::span<const std::string_view> accepted) {
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
    /// Returns the first member that isn't `known`; empty if there is none.
    static std::string_view unknown_member(const dom::object& object, names known) {
        for (const dom::key_value_pair entry : object) {
            if (std::ranges::find(known, entry.key) == known.end()) return entry.key;
        }
        return {};
    }
    /// Returns true for a member of conditions, which a client may have put outside of `where`.
    static bool is_of_condition(std::string_view member) noexcept {
        constexpr std::array<std::string_view, 4> words{"column", "all", "any", "not"};
        return std::ranges::find(words, member) != words.end();
    }
    /// Reads an object and checks its members.
    result<dom::object> with_members(const std::optional<dom::element>& json, std::string_view name,
                                     names known) {
        return object_of(json, name).and_then([&](const dom::object& object) {
            return check(object, name, known).map([&] { return object; });
        });
    }
};

}  // namespace sluice::detail

#endif
