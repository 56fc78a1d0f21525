// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_CONDITION_HPP
#define SLUICE_SQL_DETAIL_CONDITION_HPP

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <sluice/sql/detail/text_writer.hpp>

namespace sluice::sql::detail {

/// A condition as SQL that is true or false for each row, never NULL: a test, or AND or OR of some.
///
/// It is nested no more deeply than it has to be, since parsers limit nesting: a group inside one
/// of its own kind becomes part of it, NOT moves into groups by De Morgan's laws, and the most
/// deeply nested part comes first.
///
/// ```
/// a AND (b AND NOT (c OR NOT d))    is    (a AND b AND NOT (c) AND d)
/// a AND (b OR (c AND d))            is    (((c AND d) OR b) AND a)
/// ```
class condition {
public:
    condition(std::string test) : test_(std::move(test)) {}  // NOLINT: a test is a condition
    /// Makes a test with a separate text for its NOT, which may be empty.
    condition(std::string test, std::string negation)
        : test_(std::move(test)), negation_(std::move(negation)) {}

    /// Returns AND of some conditions, true if there are none, or OR, false if there are none.
    [[nodiscard]] static condition group(std::vector<condition> parts, bool is_all) {
        condition combined(is_all ? kind::all : kind::any);
        for (condition& part : parts) combined.take(std::move(part));
        if (combined.parts_.size() != 1) return combined;
        condition only = std::move(combined.parts_.front());
        return only;
    }
    [[nodiscard]] condition negation() && {
        if (kind_ == kind::test) {
            is_negated_ = !is_negated_;
            return std::move(*this);
        }
        kind_ = kind_ == kind::all ? kind::any : kind::all;
        for (condition& part : parts_) part = std::move(part).negation();
        return std::move(*this);
    }

    [[nodiscard]] std::string text() const {
        if (kind_ == kind::test && !is_negated_) return test_;
        if (kind_ == kind::test) return negation_.empty() ? negated(test_) : negation_;
        std::vector<std::string> texts;
        for (const condition& part : parts_) texts.push_back(part.text());
        const auto deepest = std::ranges::max_element(parts_, {}, &condition::nesting);
        const auto first = texts.begin() + (deepest - parts_.begin());
        if (!texts.empty()) std::rotate(texts.begin(), first, std::next(first));
        return joined(texts, kind_ == kind::all);
    }
    /// Returns how deep a parser nests it, on top of a test's own depth: `(` for a group's first
    /// part, and `( first AND` for the others.
    [[nodiscard]] std::size_t nesting() const {
        std::size_t first = 0, others = 0;
        for (const condition& part : parts_) {
            const std::size_t depth = part.nesting();
            others = std::max(others, std::min(depth, first));
            first = std::max(depth, first);
        }
        return parts_.empty() ? 0 : std::max(first + 1, others + 3);
    }

private:
    enum class kind : unsigned char { test, all, any };

    explicit condition(kind of) : kind_(of) {}

    void take(condition part) {
        if (part.kind_ != kind_) return parts_.push_back(std::move(part));
        std::ranges::move(part.parts_, std::back_inserter(parts_));
    }

    kind kind_ = kind::test;
    bool is_negated_ = false;  // of a test
    std::string test_{};
    std::string negation_{};  // empty for NOT of the test
    std::vector<condition> parts_{};
};

}  // namespace sluice::sql::detail

#endif
