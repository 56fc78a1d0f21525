// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_TEXT_WRITER_HPP
#define SLUICE_SQL_DETAIL_TEXT_WRITER_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/filters/filter.hpp>
#include <sluice/query/page.hpp>
#include <sluice/sql/detail/fragments.hpp>
#include <sluice/sql/detail/test_fragments.hpp>
#include <sluice/time/day.hpp>

namespace sluice::sql::detail {

/// Binds the parameters of a statement's text: each call returns the placeholder of its value.
class parameters {
public:
    /// Expects about `count` values.
    explicit parameters(dialect of, std::size_t count = 0)
        : dialect_(of), fragments_(fragments_of(of)), tests_(test_fragments_of(of)) {
        values_.reserve(count);
    }

    std::string add(double number) { return put(tests_.real, number); }
    std::string add(calendar_day day) { return put(tests_.date, day_text(day)); }
    std::string add(const std::vector<calendar_day>& days) {
        std::vector<std::string> texts;
        for (const calendar_day day : days) texts.push_back(day_text(day));
        return put_list(tests_.dates, tests_.date, std::move(texts));
    }
    /// Binds the first of some days; NULL if there is none.
    std::string add_first(const std::vector<calendar_day>& days) {
        return put(tests_.date, days.empty() ? value() : value(day_text(days.front())));
    }
    std::string add(std::int64_t number) { return put(fragments_.integer, number); }
    std::string add(bool flag) { return put(fragments_.boolean, flag); }
    std::string add(std::string text) { return put(fragments_.text, std::move(text)); }
    /// Binds a text; NULL if no row can hold it.
    std::string add_text(std::string text) {
        return can_hold(text) ? add(std::move(text)) : add_optional(std::nullopt);
    }
    std::string add(std::vector<std::int64_t> numbers) {
        return put_list(fragments_.integers, fragments_.integer, std::move(numbers));
    }
    /// Binds texts, except those that no row can hold.
    std::string add(std::vector<std::string> texts) {
        return put_list(fragments_.texts, fragments_.text, held(std::move(texts)));
    }

    /// Binds a value by a fragment of its placeholder, as native_type has them.
    std::string add_as(std::string_view fragment, std::string_view argument, value bound) {
        return put(numbered(fragments_.text, fragment, argument), std::move(bound));
    }
    /// Binds texts by a fragment of their list, or of each if the dialect has no lists.
    std::string add_as(std::string_view fragment, std::string_view item_fragment,
                       std::string_view argument, std::vector<std::string> texts) {
        return put_list(numbered(fragments_.texts, fragment, argument),
                        numbered(fragments_.text, item_fragment, argument), held(std::move(texts)));
    }

    /// Binds the first of some numbers; NULL if there is none.
    std::string add_first(const std::vector<std::int64_t>& numbers) {
        return put(fragments_.integer, numbers.empty() ? value() : value(numbers.front()));
    }

    /// Binds the texts of a choice, as fragments take them.
    std::string add_choices(std::span<const std::string_view> choices) {
        std::string list = add(std::vector<std::string>(choices.begin(), choices.end()));
        if (fragments_.lists != list_form::items) return list;
        return list.substr(1, list.size() - 2);
    }

    std::string add_optional(std::optional<std::string> text) {
        return text ? add(*std::move(text)) : put(fragments_.text, std::monostate());
    }
    /// Binds a path; NULL if no row's JSON can have it.
    std::string add_path(std::span<const std::string> keys) {
        const auto is_held = [this](const std::string& key) { return can_hold(key); };
        if (!std::ranges::all_of(keys, is_held)) return put(fragments_.texts, std::monostate());
        return add(std::vector<std::string>(keys.begin(), keys.end()));
    }

    /// Returns true if a row can hold a text. SQLite's JSON functions would cut it at a NUL and so
    /// match other rows; PostgreSQL refuses NUL.
    [[nodiscard]] bool can_hold(std::string_view text) const noexcept {
        if (fragments_.holds == text_range::bytes) return true;
        const bool may_hold_nul = fragments_.holds == text_range::utf8;
        return sluice::detail::is_valid_utf8(text) &&
               (may_hold_nul || text.find('\0') == std::string_view::npos);
    }

    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    /// Returns the statement of a text, whose placeholders number its parameters. MariaDB's
    /// placeholders have no numbers, so a value is repeated for each placeholder there.
    [[nodiscard]] statement in(std::string text, placeholder form) && {
        if (fragments_.text.front() != number_mark) return {std::move(text), std::move(values_)};
        return by_place(text, form);
    }

private:
    /// Replaces the marked numbers of parameters in a text by `?` or `%s`, and lists a value for
    /// each of them in their order.
    [[nodiscard]] statement by_place(std::string_view text, placeholder form) const {
        const bool is_format = form == placeholder::format;
        statement written;
        while (!text.empty()) {
            const char byte = text.front();
            text.remove_prefix(1);
            const std::size_t number = byte == number_mark ? number_before_mark(text) : 0;
            if (number == 0) {
                written.text.append(is_format && byte == '%' ? 2 : 1, byte);
                continue;
            }
            written.text.append(is_format ? "%s" : "?");
            written.parameters.push_back(values_[number - 1]);
            text.remove_prefix(text.find(number_mark) + 1);
        }
        return written;
    }
    /// Returns the number of the parameter whose placeholder a text begins with; 0 if it begins
    /// with another byte of the program's SQL.
    [[nodiscard]] std::size_t number_before_mark(std::string_view text) const {
        const std::size_t end = text.find(number_mark);
        if (end == text.npos) return 0;
        const auto most = static_cast<std::int64_t>(values_.size());
        const auto number = parse_int64(text.substr(0, end), 1, most);
        return static_cast<std::size_t>(number.value_or(0));
    }
    /// Returns the texts that a row can hold; no row equals the others.
    [[nodiscard]] std::vector<std::string> held(std::vector<std::string> texts) const {
        std::erase_if(texts, [this](const std::string& text) { return !can_hold(text); });
        return texts;
    }
    /// Returns the fragment of a parameter whose placeholder is put into another one.
    static std::string numbered(std::string_view placeholder, std::string_view fragment,
                                std::string_view argument) {
        std::string escaped;
        for (const char byte : argument) escaped.append(byte == '%' ? 2 : 1, byte);
        return fill(fragment, {placeholder, escaped, "%1"});
    }
    std::string put(std::string_view fragment, value bound) {
        values_.push_back(std::move(bound));
        return fill(fragment, {std::to_string(values_.size())});
    }
    /// Binds a list by a fragment of it or of its items.
    template <class Item>
    std::string put_list(std::string_view fragment, std::string_view item_fragment,
                         std::vector<Item> items) {
        switch (fragments_.lists) {
            case list_form::array: return put(fragment, std::move(items));
            case list_form::items: return put_items(item_fragment, items);
            case list_form::json: break;
        }
        std::string json;
        sluice::detail::json_writer writer(json);
        writer.begin_array();
        for (const Item& item : items) writer.value(item);
        writer.end_array();
        return put(fragment, std::move(json));
    }

    /// Binds each item by itself, and the last one again until the number is a power of two, so
    /// that there are few texts.
    template <class Item>
    std::string put_items(std::string_view fragment, const std::vector<Item>& items) {
        if (items.empty()) return "(SELECT NULL FROM DUAL WHERE FALSE)";
        std::string list, item;
        for (std::size_t at = 0; at < std::bit_ceil(items.size()); ++at) {
            if (at < items.size()) item = put(fragment, items[at]);
            list.append(list.empty() ? "(" : ", ").append(item);
        }
        return list.append(")");
    }

    /// Writes a day as the database reads it: PostgreSQL calls the year 0 a year before Christ.
    [[nodiscard]] std::string day_text(calendar_day day) const {
        std::string text = format_day(day);
        if (dialect_ != dialect::postgresql || !text.starts_with("0000")) return text;
        return "0001" + text.substr(4) + " BC";
    }

    dialect dialect_;
    const fragments& fragments_;
    const test_fragments& tests_;
    std::vector<value> values_;
};

/// SQLite parses a chain of ANDs as deep as it is long, up to 1,000; so longer ones are grouped.
inline constexpr std::size_t most_in_a_row = 100;

/// Joins tests to one operand: all of them, or any.
[[nodiscard]] inline std::string joined(std::span<const std::string> tests, bool is_all) {
    if (tests.empty()) return is_all ? "TRUE" : "FALSE";
    if (tests.size() == 1) return tests.front();
    std::string text = "(";
    const std::size_t group_size =
        tests.size() > most_in_a_row ? (tests.size() - 1) / most_in_a_row + 1 : 1;
    for (; !tests.empty(); tests = tests.subspan(std::min(group_size, tests.size()))) {
        if (text.size() > 1) text.append(is_all ? " AND " : " OR ");
        text.append(joined(tests.first(std::min(group_size, tests.size())), is_all));
    }
    return text.append(")");
}
[[nodiscard]] inline std::string joined(std::initializer_list<std::string> tests, bool is_all) {
    return joined(std::span(tests.begin(), tests.size()), is_all);
}

[[nodiscard]] inline std::string negated(const std::string& test) { return "NOT (" + test + ")"; }

/// Returns the integers that texts write in canonical form.
[[nodiscard]] inline std::vector<std::int64_t> numbers_of(filter_values texts) {
    std::vector<std::int64_t> numbers;
    for (const std::string_view text : texts) {
        const auto read = parse_int64(text);
        if (read && std::to_string(*read) == text) numbers.push_back(*read);
    }
    return numbers;
}

/// Writes tests that a column's text is one of some values, under a collation. Their SQL is the
/// same for any values and any number of them, except that a single value, the most frequent list,
/// may have SQL that costs no more than a comparison.
class text_writer {
public:
    /// Views the values.
    text_writer(const fragments& how, parameters& bound, filter_values values,
                const text_rules& rules = {})
        : fragments_(how), bound_(bound), values_(values), rules_(rules) {}

    /// Tests a column of texts, or an item of a list.
    [[nodiscard]] std::string any_text_test(const std::string& column, collation how) const {
        const collation_record& record = record_of(how);
        const std::string text = fill(fragments_.as_text, {column});
        const bound_test whole = bind(record, &collation_record::compares_whole);
        if (!record.part) return by_index(whole, text, column);
        const bool is_before = record.part->which == text_part::side::before;
        const std::string part = fill(is_before ? fragments_.before : fragments_.after,
                                      {text, std::string_view(&record.part->mark, 1)});
        if (!record.part->splits_values()) return joined({whole.of(text), whole.of(part)}, false);
        const bound_test parts = bind(record, &collation_record::compares_part);
        return joined({whole.of(text), parts.of(part)}, false);
    }
    /// Like any_text_test(), for a column of integers, which values match in canonical form.
    [[nodiscard]] std::string integer_test(const std::string& number) const {
        return any_test(number, numbers_of(values_));
    }
    /// Like any_text_test(), for a column of days.
    [[nodiscard]] std::string day_test(const std::string& day) const {
        std::vector<calendar_day> days;
        for (const std::string_view value : values_) {
            if (const auto read = parse_day(value)) days.push_back(*read);
        }
        return any_test(day, std::move(days));
    }

private:
    template <class T>
    [[nodiscard]] std::string any_test(const std::string& column, std::vector<T> values) const {
        if (is_one(fragments_.equals) && values.size() == 1) {
            return fill(fragments_.equals, {column, bound_.add(values.front())});
        }
        if (!is_one(fragments_.one_of)) {
            return fill(fragments_.any_of, {column, bound_.add(std::move(values))});
        }
        return fill(fragments_.one_of, {column, bound_.add_first(values)});
    }
    static bool is_ascii(std::string_view text) noexcept {
        return std::ranges::all_of(text, [](char byte) { return (byte & 0x80) == 0; });
    }

    /// Returns true if there is a single value and a fragment for it.
    [[nodiscard]] bool is_one(std::string_view fragment) const noexcept {
        return values_.size() == 1 && !fragment.empty();
    }

    /// A test that a text is one of some values, which are bound.
    struct bound_test {
        std::string_view fragment;
        std::array<std::string, 2> values;  // placeholders of the values, and of a fragment's `%3`
        bool is_list = false;

        [[nodiscard]] std::string of(const std::string& text) const {
            return fill(fragment, {text, values[0], values[1]});
        }
    };
    /// Writes a test of a column's text, after that which an index of the column's collation
    /// serves, if there is one.
    [[nodiscard]] std::string by_index(const bound_test& test, const std::string& text,
                                       const std::string& column) const {
        const std::string_view served = test.is_list ? rules_.any_text : rules_.one_text;
        if (served.empty()) return test.of(text);
        const std::string first = fill(served, {text, test.values[0], test.values[1], column});
        // coalesce() keeps planners from counting the test as another condition.
        return "(" + first + " AND coalesce(" + test.of(text) + ", FALSE))";
    }
    using value_test = bool (collation_record::*)(std::string_view) const noexcept;

    /// Binds the values that can equal a key. If a collation splits the values, there may be none.
    [[nodiscard]] bound_test bind(const collation_record& record, value_test can_equal) const {
        const bool may_lack = record.part && record.part->splits_values();
        std::vector<std::string> accepted;
        accepted.reserve(values_.size());
        for (const std::string_view value : values_) {
            if ((record.*can_equal)(value)) accepted.emplace_back(value);
        }
        if (record.ignores_case) return bind_folded(may_lack, std::move(accepted));
        if (!may_lack && is_one(fragments_.equals)) {
            return {fragments_.equals, {add_first(std::move(accepted))}};
        }
        const bool is_plain = rules_.equals_bytes;
        const std::string_view one = is_plain ? fragments_.one_of : fragments_.one_text;
        if (is_one(one)) return {one, {add_first(std::move(accepted))}};
        const std::string_view any = is_plain ? fragments_.any_of : fragments_.any_text;
        return {any, {bound_.add(std::move(accepted))}, true};
    }
    /// Binds texts in lower case: as one operand, or the ASCII ones and the others if the fragment
    /// has `%3`; see fragments.
    [[nodiscard]] bound_test bind_folded(bool may_lack, std::vector<std::string> texts) const {
        for (std::string& text : texts) text = sluice::detail::to_lower(text);
        const std::string_view fragment = folded_fragment(may_lack);
        const bool is_list = fragment == fragments_.any_folded;
        const auto bind = [&](std::vector<std::string> list) {
            return is_list ? bound_.add(std::move(list)) : add_first(std::move(list));
        };
        if (fragment.find("%3") == fragment.npos) {
            return {fragment, {bind(std::move(texts))}, is_list};
        }
        std::vector<std::string> ascii, others;
        for (std::string& text : texts) {
            (is_ascii(text) ? ascii : others).push_back(std::move(text));
        }
        std::string first = bind(std::move(ascii));
        return {fragment, {std::move(first), bind(std::move(others))}, is_list};
    }
    [[nodiscard]] std::string_view folded_fragment(bool may_lack) const noexcept {
        if (!may_lack && is_one(fragments_.equals_folded)) return fragments_.equals_folded;
        return is_one(fragments_.one_folded) ? fragments_.one_folded : fragments_.any_folded;
    }

    [[nodiscard]] std::string add_first(std::vector<std::string> texts) const {
        return texts.empty() ? bound_.add_optional(std::nullopt)
                             : bound_.add_text(std::move(texts.front()));
    }

    const fragments& fragments_;
    parameters& bound_;
    filter_values values_;
    text_rules rules_;
};

}  // namespace sluice::sql::detail

#endif
