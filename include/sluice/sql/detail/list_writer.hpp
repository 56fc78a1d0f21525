// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_LIST_WRITER_HPP
#define SLUICE_SQL_DETAIL_LIST_WRITER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/json_writer.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/sql/detail/part_writer.hpp>
#include <sluice/sql/detail/text_writer.hpp>

/// A list writer: SQL for lists that have some items.
namespace sluice::sql::detail {

/// Writes tests of a JSON text that may have some texts, for databases without an index of them.
class json_text_writer {
public:
    json_text_writer(dialect of, parameters& bound, const std::string& json, bool ignores_case)
        : tests_(test_fragments_of(of)), bound_(bound), json_(json), ignores_case_(ignores_case) {}

    /// Returns true if tests of the whole text cost less than reading its values.
    [[nodiscard]] bool can_test(const std::vector<std::string>& wanted) const {
        constexpr std::size_t most_tests = 8;
        const auto is_held = [&](const std::string& text) { return bound_.can_hold(text); };
        return !tests_.json_may_have.empty() && !wanted.empty() && wanted.size() <= most_tests &&
               std::ranges::all_of(wanted, is_held);
    }
    /// Returns a test that is true for every JSON with a value that has any of some parts, or with
    /// values that have all of them.
    [[nodiscard]] std::string may_have(const std::vector<std::string>& parts, bool is_all) const {
        const std::string text =
            fill(ignores_case_ ? tests_.json_folded : tests_.json_bytes, {json_});
        std::vector<std::string> tests;
        for (const std::string& part : padded(parts)) {
            tests.push_back(fill(tests_.json_may_have, {text, bound_.add(part)}));
        }
        return joined({joined(tests, is_all), fill(tests_.json_escapes, {json_})}, false);
    }
    /// Returns the text that JSON has for any value that equals a text, if it has no escapes: in
    /// quotes, unless a number or a word without quotes is the same text.
    [[nodiscard]] static std::string literal_of(const std::string& value) {
        const bool is_word = value == "true" || value == "false";
        const bool is_number =
            value.starts_with('-') || (!value.empty() && sluice::detail::is_digit(value.front()));
        return is_word || is_number ? value : '"' + value + '"';
    }

private:
    const test_fragments& tests_;
    parameters& bound_;
    const std::string& json_;
    bool ignores_case_;
};

/// Writes tests of the items of a list.
///
/// MariaDB reads the items of a list by JSON_TABLE(), which is exact and slow. JSON_OVERLAPS() is
/// fast, but compares texts with their escapes, and numbers as doubles. So tests of the whole text
/// settle most lists without reading their items:
///
/// ```
/// (a value or a backslash is somewhere in the text) AND        else no item can be one
///     ((the text has a value, without escapes) OR              then an item surely is one
///      (an item that JSON_TABLE() reads is one))
/// ```
class list_writer {
public:
    list_writer(dialect of, parameters& bound, const column& subject, const std::string& list)
        : fragments_(fragments_of(of)),
          tests_(test_fragments_of(of)),
          bound_(bound),
          how_(collation_of(subject)),
          is_number_(subject.type == column_type::integer),
          list_(list),
          items_(opened(fragments_, list)),
          text_(of, bound, list, ignores_case()) {}

    /// Returns the test that a list has any of some values.
    [[nodiscard]] std::string has_any(filter_values values) const {
        if (!is_number_)
            return has_any_text(std::vector<std::string>(values.begin(), values.end()));
        const std::vector<std::int64_t> numbers = numbers_of(values);
        if (is_one(values)) return fill(fragments_.shares_one, {items_, bound_.add_first(numbers)});
        if (!tests_.shares_number.empty()) {
            return fill(tests_.shares_number, {items_, bound_.add(numbers)});
        }
        std::vector<std::string> texts;  // the items of JSON are texts
        for (const std::int64_t number : numbers) texts.push_back(std::to_string(number));
        return has_any_text(std::move(texts));
    }
    /// Returns the test that a list has every one of some values: by the database's own test if it
    /// compares as the column's collation does, else value by value, or by the number of distinct
    /// items that are among the values.
    [[nodiscard]] std::string has_all(const std::vector<std::string>& values) const {
        const std::vector<std::string> wanted = distinct(values, ignores_case());
        if (is_number_ && !tests_.has_all_numbers.empty()) {
            return with_first(wanted,
                              fill(tests_.has_all_numbers,
                                   {items_, bound_.add(numbers_of(wanted)), bind_count(wanted)}));
        }
        if (record_of(how_).part) return has_each(wanted);
        if (!is_number_ && record_of(how_).is_exact() && !tests_.has_all.empty()) {
            const std::string list = bound_.add(wanted);
            return fill(tests_.has_all, {items_, list, bind_count(wanted)});
        }
        const std::string item = fill(fragments_.in_bytes, {fragments_.item});
        const std::string once = ignores_case() ? fill(tests_.folded, {item}) : item;
        const std::string counted = fill(tests_.count_items, {items_, once, is_any(wanted)});
        const std::string exact = counted + " = " + bind_count(wanted);
        return settled(wanted, true, ignores_case() ? exact : with_first(wanted, exact));
    }
    /// Returns the test that a list of texts has one with any of some parts.
    [[nodiscard]] std::string has_part(const part_writer& parts) const {
        const std::string exact = has_item(parts.test_of(std::string(fragments_.item)));
        if (!text_.can_test(parts.parts())) return exact;
        return joined({text_.may_have(parts.parts(), false), exact}, true);
    }

private:
    [[nodiscard]] bool ignores_case() const noexcept { return record_of(how_).ignores_case; }
    /// Returns true if there is a single value and a fragment for it.
    [[nodiscard]] bool is_one(filter_values values) const noexcept {
        return values.size() == 1 && !fragments_.shares_one.empty();
    }
    [[nodiscard]] std::string has_item(const std::string& test) const {
        return fill(fragments_.has_item, {items_, test});
    }
    [[nodiscard]] std::string is_any(const std::vector<std::string>& wanted) const {
        return text_writer(fragments_, bound_, wanted)
            .any_text_test(std::string(fragments_.item), how_);
    }
    [[nodiscard]] std::string has_any_text(const std::vector<std::string>& values) const {
        const bool is_plain = is_number_ || record_of(how_).is_exact();
        if (is_plain && is_one(values)) {
            return fill(fragments_.shares_one,
                        {items_, bound_.add_text(std::string(values.front()))});
        }
        return settled(distinct(values, ignores_case()), false,
                       is_plain ? fill(fragments_.shares_any, {items_, bound_.add(values)})
                                : has_item(is_any(values)));
    }
    /// Joins the test of the first value, which few lists have, with the test of all, if the former
    /// is faster.
    [[nodiscard]] std::string with_first(const std::vector<std::string>& wanted,
                                         const std::string& all) const {
        if (fragments_.shares_one.empty() || wanted.empty()) return all;
        return joined({has_any(filter_values(wanted.data(), 1)), all}, true);
    }
    /// Joins a test of each value: a text may equal several of them.
    [[nodiscard]] std::string has_each(const std::vector<std::string>& wanted) const {
        std::vector<std::string> tests;
        for (const std::string& value : padded(wanted)) tests.push_back(has_any_text({value}));
        return joined(tests, true);
    }
    /// Binds the number of some values and returns its placeholder.
    [[nodiscard]] std::string bind_count(const std::vector<std::string>& wanted) const {
        return bound_.add(static_cast<std::int64_t>(wanted.size()));
    }

    // --- Tests of JSON texts -----------------------------------------------------------------

    /// Joins the test that a list has any of some values, or all of them, with tests of its text.
    [[nodiscard]] std::string settled(const std::vector<std::string>& wanted, bool is_all,
                                      const std::string& exact) const {
        // No item is an integer that isn't written as one, and a pattern can't have it.
        const bool are_integers = !is_number_ || numbers_of(wanted).size() == wanted.size();
        if (!are_integers || !text_.can_test(wanted)) return exact;
        std::vector<std::string> literals;
        for (const std::string& value : wanted) {
            const bool is_whole = !record_of(how_).part;
            literals.push_back(is_whole ? json_text_writer::literal_of(value) : value);
        }
        const std::string may = text_.may_have(literals, is_all);
        if (record_of(how_).part) return joined({may, exact}, true);
        std::vector<std::string> sure;
        if (!is_all) sure.push_back(surely_has(wanted));
        for (const std::string& value : is_all ? padded(wanted) : std::vector<std::string>()) {
            sure.push_back(surely_has({&value, 1}));
        }
        return joined({may, joined({joined(sure, true), exact}, false)}, true);
    }
    /// Returns a test that is true for no list without any of some values.
    [[nodiscard]] std::string surely_has(std::span<const std::string> wanted) const {
        if (is_number_) return fill(tests_.json_matches, {list_, bound_.add(pattern_of(wanted))});
        std::string json;
        sluice::detail::json_writer writer(json);
        writer.begin_array();
        for (const std::string& value : wanted) writer.value(value);
        writer.end_array();
        const std::string bytes = fill(fragments_.in_bytes, {list_});
        const std::string text = ignores_case() ? fill(tests_.folded, {bytes}) : bytes;
        return fill(tests_.json_shares, {list_, text, bound_.add(std::move(json))});
    }
    /// Returns the pattern of a list that has any of some integers after others.
    static std::string pattern_of(std::span<const std::string> numbers) {
        std::string pattern = R"(^\[[-0-9,\s]*(?<![-0-9])(?:)";
        for (const std::string& number : numbers) {
            pattern.append(&number == numbers.data() ? "" : "|").append(number);
        }
        return pattern.append(")(?![0-9.eE])");
    }

    const fragments& fragments_;
    const test_fragments& tests_;
    parameters& bound_;
    collation how_;
    bool is_number_;
    const std::string& list_;
    std::string items_;
    json_text_writer text_;
};

}  // namespace sluice::sql::detail

#endif
