// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_JOINED_TESTS_HPP
#define SLUICE_GRAMMARS_DETAIL_JOINED_TESTS_HPP

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/visit.hpp>
#include <sluice/query/where.hpp>

/// Neighbours in an AND or OR that are one test of the form: `price gt 1 and price lt 5` is a
/// range, `state eq 'a' or state eq 'b'` a list of texts. So expressions read as the trees that
/// were written; parentheses keep neighbours apart.
namespace sluice::detail {

/// Joins a test with its right neighbour on the same column. Each overload returns the test of
/// both, or the blank one if they stay apart.
class test_joiner {
public:
    test_joiner(where_kind kind, bool is_list, const column_test& next) noexcept
        : kind_(kind), is_list_(is_list), next_(next) {}

    /// Equalities join in an OR, exclusions in an AND; equalities of a list in an AND are an
    /// all_of.
    std::optional<column_test> operator()(const text_test& test) const {
        const auto* const next = std::get_if<text_test>(&next_);
        if (next == nullptr || next->wanted.excludes() != test.wanted.excludes()) return {};
        const bool excludes = test.wanted.excludes();
        auto texts = texts_of(test);
        const auto more = texts_of(*next);
        const bool are_single = texts.size() == 1 && more.size() == 1;
        texts.insert(texts.end(), more.begin(), more.end());
        if ((kind_ == where_kind::conjunction) == excludes) {
            if (texts.size() > filter_max_values) return {};
            return text_test{filter(texts, excludes)};
        }
        if (excludes || !is_list_ || !are_single) return {};
        return all_of_test{std::move(texts)};
    }
    std::optional<column_test> operator()(const all_of_test& test) const {
        const auto* const next = std::get_if<text_test>(&next_);
        if (kind_ != where_kind::conjunction || next == nullptr || next->wanted.excludes())
            return {};
        const auto more = texts_of(*next);
        if (more.size() != 1) return {};
        all_of_test both = test;
        both.wanted.push_back(more[0]);
        return both;
    }
    std::optional<column_test> operator()(const part_test& test) const {
        const auto* const next = std::get_if<part_test>(&next_);
        if (kind_ != where_kind::disjunction || next == nullptr || next->place != test.place)
            return {};
        part_test both = test;
        both.parts.insert(both.parts.end(), next->parts.begin(), next->parts.end());
        return both;
    }
    /// A bound on one side joins with one on the other.
    template <class T>
    std::optional<column_test> operator()(const bounds<T>& test) const {
        const auto* const next = std::get_if<bounds<T>>(&next_);
        if (kind_ != where_kind::conjunction || next == nullptr) return {};
        const bool is_range = test.least && !test.most && !next->least && next->most;
        const bool is_reversed = !test.least && test.most && next->least && !next->most;
        if (!is_range && !is_reversed) return {};
        bounds<T> both = is_range ? test : *next;
        const bounds<T>& upper = is_range ? *next : test;
        both.most = upper.most;
        both.excludes_most = upper.excludes_most;
        return both;
    }
    std::optional<column_test> operator()(const boolean_test&) const { return {}; }
    std::optional<column_test> operator()(const null_test&) const { return {}; }
    std::optional<column_test> operator()(const metadata_query&) const { return {}; }
    std::optional<column_test> operator()(const record_test&) const { return {}; }

private:
    static std::vector<std::string> texts_of(const text_test& test) {
        return {test.wanted.values().begin(), test.wanted.values().end()};
    }

    where_kind kind_;
    bool is_list_;
    const column_test& next_;
};

/// Returns the test that two neighbours in a group make together, or nullopt if they stay apart.
[[nodiscard]] inline std::optional<column_test> joined_tests(where_kind group, const leaf& test,
                                                             const leaf& next) {
    if (test.subject != next.subject) return std::nullopt;
    return visit_as<std::optional<column_test>>(test_joiner(group, test.subject.is_list, next.test),
                                                test.test);
}

/// Returns true if a test could be read as one with the test before it, or if part of it could: a
/// series of the group's own kind.
[[nodiscard]] inline bool may_join(where_kind group, const leaf* before, const leaf& next,
                                   bool is_series) {
    if (before == nullptr || before->subject != next.subject) return false;
    return is_series || joined_tests(group, *before, next).has_value();
}

/// Returns the opposite of a test: none_of for any_of, and is_null; nullopt if it has none.
[[nodiscard]] inline std::optional<column_test> opposite_of(const column_test& test) {
    if (const auto* const missing = std::get_if<null_test>(&test)) {
        return null_test{!missing->wanted};
    }
    const auto* const texts = std::get_if<text_test>(&test);
    if (texts == nullptr || texts->wanted.excludes()) return std::nullopt;
    return text_test{filter(texts->wanted.values(), true)};
}

}  // namespace sluice::detail

#endif
