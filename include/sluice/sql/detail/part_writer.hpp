// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_PART_WRITER_HPP
#define SLUICE_SQL_DETAIL_PART_WRITER_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/heap_sort.hpp>
#include <sluice/query/column_test.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/sql/detail/text_writer.hpp>

/// A part writer: SQL for texts that contain, start with or end with others.
namespace sluice::sql::detail {

/// Returns texts without repeats, in lower case if their case doesn't count.
[[nodiscard]] inline std::vector<std::string> distinct(std::vector<std::string> texts,
                                                       bool ignores_case) {
    if (ignores_case) {
        for (std::string& text : texts) text = sluice::detail::to_lower(text);
    }
    sluice::detail::heap_sort(texts, std::less<>());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
}

/// Repeats the last of some values until their number is a power of two, so that there are few
/// texts of statements.
[[nodiscard]] inline std::vector<std::string> padded(std::vector<std::string> values) {
    if (!values.empty()) {
        const std::string last = values.back();
        values.resize(std::bit_ceil(values.size()), last);
    }
    return values;
}

/// Writes the test that a text has any of some parts at a place.
class part_writer {
public:
    part_writer(dialect of, parameters& bound, const part_test& test, bool ignores_case)
        : fragments_(fragments_of(of)),
          tests_(test_fragments_of(of)),
          bound_(bound),
          place_(test.place),
          ignores_case_(ignores_case),
          is_one_(test.parts.size() == 1),
          parts_(distinct(test.parts, ignores_case)) {
        std::erase_if(parts_, [&](const std::string& part) { return !bound_.can_hold(part); });
    }

    /// Returns the test of a column of texts, or of an item of a list. It is NULL for NULL.
    [[nodiscard]] std::string test_of(const std::string& column) const {
        const std::string bytes = fill(fragments_.in_bytes, {column});
        const std::string text = ignores_case_ ? fill(tests_.folded, {bytes}) : bytes;
        if (is_one_ && parts_.size() == 1 && is_in_order()) {
            const std::string first = bound_.add(parts_.front());
            const std::string end = bound_.add(sluice::detail::text_after(parts_.front()));
            return fill(tests_.starts_in_order, {text, first, end});
        }
        if (is_one_ && parts_.size() == 1) return has_part(text, bound_.add(parts_.front()));
        if (tests_.any_part.empty()) return has_any(text);
        const std::string_view parted = tests_.parted.empty() ? text : tests_.parted;
        return fill(tests_.any_part, {bound_.add(parts_), has_part(parted, tests_.part), text});
    }

private:
    /// Returns true if an index of texts in the order of their bytes finds those that start with
    /// the part.
    [[nodiscard]] bool is_in_order() const {
        const bool starts = place_ == part_place::at_start && !ignores_case_;
        const std::string& part = parts_.front();
        // No text comes after all that start with U+10FFFF.
        return starts && !tests_.starts_in_order.empty() && !part.empty() &&
               !sluice::detail::text_after(part).starts_with(part);
    }
    [[nodiscard]] std::string has_part(std::string_view text, std::string_view part) const {
        switch (place_) {
            case part_place::at_start: return fill(tests_.starts, {text, part});
            case part_place::at_end: return fill(tests_.ends, {text, part});
            case part_place::anywhere: break;
        }
        return fill(tests_.contains, {text, part});
    }
    [[nodiscard]] std::string has_any(const std::string& text) const {
        std::vector<std::string> tests;
        for (const std::string& part : padded(parts_)) {
            tests.push_back(has_part(text, bound_.add(part)));
        }
        return joined(tests, false);
    }

    const fragments& fragments_;
    const test_fragments& tests_;
    parameters& bound_;
    part_place place_;
    bool ignores_case_, is_one_;
    std::vector<std::string> parts_;
};

/// Writes tests of the items of a list.
class list_writer {
public:
    list_writer(dialect of, parameters& bound, const column& subject, const std::string& list)
        : fragments_(fragments_of(of)),
          tests_(test_fragments_of(of)),
          bound_(bound),
          subject_(subject),
          how_(collation_of(subject)),
          items_(opened(fragments_, list)) {}

    /// Returns the test that a list of integers has any of some.
    [[nodiscard]] std::string shares_number(filter_values values) const {
        if (tests_.shares_number.empty()) {  // the items of JSON are texts
            const text_writer texts(fragments_, bound_, values);
            return texts.shared_item_test(items_, collation::exact);
        }
        return fill(tests_.shares_number, {items_, bound_.add(numbers_of(values))});
    }
    /// Returns the test that a list has every one of some values.
    [[nodiscard]] std::string has_all(const std::vector<std::string>& values) const {
        const std::vector<std::string> wanted = distinct(values, record_of(how_).ignores_case);
        const bool is_number = subject_.type == column_type::integer;
        if (is_number && !tests_.has_all_numbers.empty()) {
            return fill(tests_.has_all_numbers,
                        {items_, bound_.add(numbers_of(wanted)), count(wanted)});
        }
        if (record_of(how_).part) return has_each(wanted);
        if (!is_number && record_of(how_).is_exact() && !tests_.has_all.empty()) {
            const std::string list = bound_.add(wanted);
            return fill(tests_.has_all, {items_, list, count(wanted)});
        }
        const std::string item = item_in_bytes();
        const std::string once = record_of(how_).ignores_case ? fill(tests_.folded, {item}) : item;
        const std::string counted = fill(tests_.count_items, {items_, once, is_any(wanted)});
        return counted + " = " + count(wanted);
    }
    /// Returns the test that a list of texts has one with any of some parts.
    [[nodiscard]] std::string has_part(const part_writer& parts) const {
        return has_item(parts.test_of(std::string(fragments_.item)));
    }

private:
    [[nodiscard]] std::string item_in_bytes() const {
        return fill(fragments_.in_bytes, {fragments_.item});
    }
    [[nodiscard]] std::string has_item(const std::string& test) const {
        return fill(fragments_.has_item, {items_, test});
    }
    [[nodiscard]] std::string is_any(const std::vector<std::string>& wanted) const {
        return text_writer(fragments_, bound_, wanted)
            .any_text_test(std::string(fragments_.item), how_);
    }
    /// Joins a test of each value: a text may equal several of them.
    [[nodiscard]] std::string has_each(const std::vector<std::string>& wanted) const {
        std::vector<std::string> tests;
        for (const std::string& value : padded(wanted)) {
            tests.push_back(has_item(is_any({value})));
        }
        return joined(tests, true);
    }
    [[nodiscard]] std::string count(const std::vector<std::string>& wanted) const {
        return bound_.add(static_cast<std::int64_t>(wanted.size()));
    }

    const fragments& fragments_;
    const test_fragments& tests_;
    parameters& bound_;
    const column& subject_;
    collation how_;
    std::string items_;
};

}  // namespace sluice::sql::detail

#endif
