// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_TEXT_WRITER_HPP
#define SLUICE_SQL_DETAIL_TEXT_WRITER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/filters/filter.hpp>
#include <sluice/query/page.hpp>
#include <sluice/sql/detail/parameters.hpp>

namespace sluice::sql::detail {

/// SQLite parses a chain of ANDs as deep as it is long, up to 1,000; so longer ones are grouped.
inline constexpr std::size_t most_in_a_row = 100;

/// Joins tests to one operand: all of them, or any.
[[nodiscard]] inline std::string joined(std::span<const std::string> tests, bool is_all) {
    if (tests.empty()) return is_all ? "TRUE" : "FALSE";
    if (tests.size() == 1) return tests.front();
    std::string text = "(";
    const std::size_t each =
        tests.size() > most_in_a_row ? (tests.size() - 1) / most_in_a_row + 1 : 1;
    for (; !tests.empty(); tests = tests.subspan(std::min(each, tests.size()))) {
        if (text.size() > 1) text.append(is_all ? " AND " : " OR ");
        text.append(joined(tests.first(std::min(each, tests.size())), is_all));
    }
    return text.append(")");
}
[[nodiscard]] inline std::string joined(std::initializer_list<std::string> tests, bool is_all) {
    return joined(std::span(tests.begin(), tests.size()), is_all);
}

[[nodiscard]] inline std::string negated(const std::string& test) { return "NOT (" + test + ")"; }

/// Writes tests that a column's text is one of some values, under a collation. Their SQL is the
/// same for any values and any number of them, except that a single value, the most frequent list,
/// may have SQL that costs no more than a comparison.
class text_writer {
public:
    /// Views the values.
    text_writer(const fragments& how, parameters& bound, filter_values values)
        : fragments_(how), bound_(bound), values_(values) {}

    /// Tests a column of texts, or an item of a list.
    [[nodiscard]] std::string is_any(const std::string& column, collation how) const {
        const std::string text = fill(fragments_.as_text, {column});
        switch (how) {
            case collation::exact: return is_exactly(text);
            case collation::ignore_case: return fill_folded(text, bind_folded());
            case collation::subdivision: return is_region(text);
            case collation::url: return is_url(text);
        }
        return "FALSE";
    }
    [[nodiscard]] std::string shares_any(const std::string& list, collation how) const {
        const std::string items = opened(fragments_, list);
        if (how == collation::exact) {
            return fill(fragments_.shares_any, {items, bound_.add(texts_that(is_value))});
        }
        return fill(fragments_.has_item, {items, is_any(std::string(fragments_.item), how)});
    }
    /// Like is_any(), for a column of integers, which values match in canonical form.
    [[nodiscard]] std::string is_number(const std::string& number) const {
        std::vector<std::int64_t> numbers;
        for (const std::string_view value : values_) {
            const auto read = parse_int64(value);
            if (read && std::to_string(*read) == value) numbers.push_back(*read);
        }
        if (!is_one(fragments_.one_of)) {
            return fill(fragments_.any_of, {number, bound_.add(std::move(numbers))});
        }
        return fill(fragments_.one_of, {number, bound_.add_first(numbers)});
    }

private:
    static bool is_value(std::string_view) noexcept { return true; }
    static bool has_query(std::string_view value) noexcept {
        return value.find('?') != std::string_view::npos;
    }
    static bool lacks_query(std::string_view value) noexcept { return !has_query(value); }

    static bool is_ascii(std::string_view text) noexcept {
        return std::ranges::all_of(text, [](char byte) { return (byte & 0x80) == 0; });
    }
    static bool is_beyond_ascii(std::string_view text) noexcept { return !is_ascii(text); }

    /// Returns true if there is a single value and a fragment for it.
    [[nodiscard]] bool is_one(std::string_view fragment) const noexcept {
        return values_.size() == 1 && !fragment.empty();
    }

    /// Tests if a text is one of the values.
    [[nodiscard]] std::string is_exactly(const std::string& text) const {
        if (!is_one(fragments_.equals)) return is_exactly(text, is_value);
        return fill(fragments_.equals, {text, add_first(texts_that(is_value))});
    }
    /// Tests if a text is one of the values that `takes` accepts, of which there may be none.
    template <class Takes>
    [[nodiscard]] std::string is_exactly(const std::string& text, const Takes& takes) const {
        std::vector<std::string> taken = texts_that(takes);
        if (!is_one(fragments_.one_text)) {
            return fill(fragments_.any_text, {text, bound_.add(std::move(taken))});
        }
        return fill(fragments_.one_text, {text, add_first(taken)});
    }
    [[nodiscard]] std::string is_region(const std::string& text) const {
        const bound_list regions = bind_folded();
        const std::string bare = fill(fragments_.after_dash, {text});
        return joined({fill_folded(text, regions), fill_folded(bare, regions)}, false);
    }
    [[nodiscard]] std::string is_url(const std::string& text) const {
        const std::string whole = is_exactly(text, has_query);
        const std::string before_query = fill(fragments_.before_query, {text});
        return joined({whole, is_exactly(before_query, lacks_query)}, false);
    }

    /// Placeholders of the case-folded values: of ASCII or all of them, then of the rest.
    using bound_list = std::array<std::string, 2>;

    [[nodiscard]] bound_list bind_folded() const {
        const bool is_single = folded_fragment() != fragments_.any_folded;
        const auto bind = [&](std::vector<std::string> texts) {
            return is_single ? add_first(texts) : bound_.add(std::move(texts));
        };
        if (folded_fragment().find("%3") == std::string_view::npos) {
            return {bind(lowered(is_value)), {}};
        }
        std::string ascii = bind(lowered(is_ascii));
        return {std::move(ascii), bind(lowered(is_beyond_ascii))};
    }
    [[nodiscard]] std::string_view folded_fragment() const noexcept {
        if (is_one(fragments_.equals_folded)) return fragments_.equals_folded;
        return is_one(fragments_.one_folded) ? fragments_.one_folded : fragments_.any_folded;
    }
    [[nodiscard]] std::string fill_folded(const std::string& text, const bound_list& list) const {
        return fill(folded_fragment(), {text, list[0], list[1]});
    }

    [[nodiscard]] std::string add_first(const std::vector<std::string>& texts) const {
        return texts.empty() ? bound_.add_optional(std::nullopt) : bound_.add_text(texts.front());
    }
    template <class Takes>
    [[nodiscard]] std::vector<std::string> texts_that(const Takes& takes) const {
        std::vector<std::string> taken;
        for (const std::string_view value : values_) {
            if (takes(value)) taken.emplace_back(value);
        }
        return taken;
    }
    template <class Takes>
    [[nodiscard]] std::vector<std::string> lowered(const Takes& takes) const {
        std::vector<std::string> taken = texts_that(takes);
        for (std::string& text : taken) text = sluice::detail::to_lower(text);
        return taken;
    }

    const fragments& fragments_;
    parameters& bound_;
    filter_values values_;
};

}  // namespace sluice::sql::detail

#endif
