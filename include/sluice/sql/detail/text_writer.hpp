// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_TEXT_WRITER_HPP
#define SLUICE_SQL_DETAIL_TEXT_WRITER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/filter.hpp>
#include <sluice/page.hpp>
#include <sluice/sql/detail/parameters.hpp>

namespace sluice::sql::detail {

/// A row of ANDs is as deep as it is long to SQLite, which takes 1,000; so longer ones are groups.
inline constexpr std::size_t most_in_a_row = 100;

/// Tests as one operand: all of them, or any.
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

/// Writes that a column's text is one of some values, under a collation. However many values there
/// are and whatever they hold, the text is the same.
class text_writer {
public:
    /// Views the values.
    text_writer(const fragments& how, parameters& bound, filter_values values)
        : fragments_(how), bound_(bound), values_(values) {}

    [[nodiscard]] std::string is_any(const std::string& text, collation how) const {
        switch (how) {
            case collation::exact: return any_of(text, bind(is_value));
            case collation::ignore_case: return any_folded(text, bind_folded());
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
    /// The same of a column of whole numbers, which values name as they are written.
    [[nodiscard]] std::string is_number(const std::string& number) const {
        std::vector<std::int64_t> numbers;
        for (const std::string_view value : values_) {
            const auto read = parse_int64(value);
            if (read && std::to_string(*read) == value) numbers.push_back(*read);
        }
        return any_of(number, bound_.add(std::move(numbers), fragments_.list));
    }

private:
    static bool is_value(std::string_view) noexcept { return true; }
    static bool has_query(std::string_view value) noexcept {
        return value.find('?') != std::string_view::npos;
    }
    static bool lacks_query(std::string_view value) noexcept { return !has_query(value); }

    using bound_list = parameters::bound_list;

    [[nodiscard]] std::string is_region(const std::string& text) const {
        const bound_list regions = bind_folded();
        const std::string bare = fill(fragments_.after_dash, {text});
        return joined({any_folded(text, regions), any_folded(bare, regions)}, false);
    }
    [[nodiscard]] std::string is_url(const std::string& text) const {
        const std::string whole = any_of(text, bind(has_query));
        const std::string before_query = fill(fragments_.before_query, {text});
        return joined({whole, any_of(before_query, bind(lacks_query))}, false);
    }

    [[nodiscard]] std::string any_of(const std::string& text, const bound_list& list) const {
        return fill(fragments_.any_of, {text, list[0], list[1]});
    }
    [[nodiscard]] std::string any_folded(const std::string& text, const bound_list& list) const {
        return fill(fragments_.any_folded, {text, list[0], list[1]});
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
    [[nodiscard]] bound_list bind(const Takes& takes) const {
        return bound_.add(texts_that(takes), fragments_.list);
    }
    [[nodiscard]] bound_list bind_folded() const {
        std::vector<std::string> lowered;
        for (const std::string_view value : values_) {
            lowered.push_back(sluice::detail::to_lower(value));
        }
        return bound_.add(std::move(lowered), fragments_.folded_list);
    }

    const fragments& fragments_;
    parameters& bound_;
    filter_values values_;
};

}  // namespace sluice::sql::detail

#endif
