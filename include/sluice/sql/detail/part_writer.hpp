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
    part_writer(dialect of, parameters& bound, const part_test& test, bool ignores_case,
                const text_rules& rules = {})
        : fragments_(fragments_of(of)),
          tests_(test_fragments_of(of)),
          bound_(bound),
          rules_(rules),
          place_(test.place),
          ignores_case_(ignores_case),
          parts_(distinct(test.parts, ignores_case)) {
        std::erase_if(parts_, [&](const std::string& part) { return !bound_.can_hold(part); });
        // Every text has the empty part, which ClickHouse doesn't find among others.
        if (!parts_.empty() && parts_.front().empty()) parts_.resize(1);
    }

    /// The distinct parts that a row can hold, in lower case if their case doesn't count.
    [[nodiscard]] const std::vector<std::string>& parts() const noexcept { return parts_; }
    /// Returns the test of a column of texts, or of an item of a list. It is NULL for NULL.
    [[nodiscard]] std::string test_of(const std::string& column) const {
        const bool is_plain = rules_.equals_bytes && !ignores_case_;
        const std::string_view in_bytes = is_plain ? fragments_.as_text : fragments_.in_bytes;
        const std::string bytes = fill(in_bytes, {column});
        const std::string text = ignores_case_ ? fill(tests_.folded, {bytes}) : bytes;
        constexpr std::size_t most_tests = 16;
        if (tests_.any_part.empty() || parts_.size() <= most_tests) return has_any(text, column);
        const std::string_view parted = tests_.parted.empty() ? text : tests_.parted;
        const std::string_view test = plain_fragment();
        std::vector<std::string> parts = parts_;
        if (has(test, "%3")) {
            for (std::string& part : parts) part = pattern_of(part);
        }
        return fill(tests_.any_part, {bound_.add(std::move(parts)),
                                      fill(test, {parted, tests_.part, tests_.part}), text});
    }

private:
    static bool has(std::string_view fragment, std::string_view operand) noexcept {
        return fragment.find(operand) != fragment.npos;
    }
    /// Returns the pattern of LIKE for texts that have a part at the place.
    [[nodiscard]] std::string pattern_of(std::string_view part) const {
        std::string pattern = place_ == part_place::at_start ? "" : "%";
        for (const char byte : part) {
            if (byte == '%' || byte == '_' || byte == tests_.like_escape) {
                pattern.push_back(tests_.like_escape);
            }
            pattern.push_back(byte);
        }
        return pattern.append(place_ == part_place::at_end ? "" : "%");
    }
    [[nodiscard]] std::string_view plain_fragment() const {
        switch (place_) {
            case part_place::at_start: return tests_.starts;
            case part_place::at_end: return tests_.ends;
            case part_place::anywhere: break;
        }
        return tests_.contains;
    }
    /// Returns the fragment that an index serves, if there is one.
    [[nodiscard]] std::string_view fragment_of(const std::string& part) const {
        if (part.empty()) return tests_.contains;
        if (place_ != part_place::at_start) return plain_fragment();
        const bool is_ruled = !rules_.starts.empty() && !(ignores_case_ && rules_.equals_bytes);
        std::string_view indexed = ignores_case_ ? tests_.starts_folded : tests_.starts_in_order;
        if (is_ruled) indexed = rules_.starts;
        // No text comes after all that start with U+10FFFF.
        const bool is_last = sluice::detail::text_after(part).starts_with(part);
        const bool is_served = !indexed.empty() && !(is_last && has(indexed, "%5"));
        return is_served ? indexed : plain_fragment();
    }
    [[nodiscard]] std::string has_part(const std::string& text, const std::string& column,
                                       const std::string& part) const {
        const std::string_view fragment = fragment_of(part);
        const auto bind = [&](std::string_view operand, std::string value) {
            return has(fragment, operand) ? bound_.add(std::move(value)) : std::string();
        };
        const std::string value = bind("%2", part);
        const std::string pattern = bind("%3", pattern_of(part));
        const std::string end = bind("%5", sluice::detail::text_after(part));
        return fill(fragment, {text, value, pattern, column, end});
    }
    [[nodiscard]] std::string has_any(const std::string& text, const std::string& column) const {
        std::vector<std::string> tests;
        for (const std::string& part : padded(parts_)) {
            tests.push_back(has_part(text, column, part));
        }
        return joined(tests, false);
    }

    const fragments& fragments_;
    const test_fragments& tests_;
    parameters& bound_;
    text_rules rules_;
    part_place place_;
    bool ignores_case_;
    std::vector<std::string> parts_;
};

}  // namespace sluice::sql::detail

#endif
