// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_TEST_SET_HPP
#define SLUICE_QUERY_TEST_SET_HPP

#include <array>
#include <cstddef>

#include <sluice/query/column_test.hpp>
#include <sluice/query/schema.hpp>

namespace sluice {

/// The tests that an engine answers, by the types of columns.
///
/// ```
/// inline constexpr auto answered_tests = sluice::test_set()
///     .with(test_kind::any_of, set_of(column_type::text))
///     .with_lists(test_kind::any_of, set_of(column_type::text));
/// answered_tests.has(test_kind::contains, column{.name = "status"});  // false
/// ```
class test_set {
public:
    /// Returns the set with a test of some types of columns that aren't lists.
    [[nodiscard]] constexpr test_set with(test_kind kind, column_types on) const noexcept {
        test_set more = *this;
        more.on_[static_cast<std::size_t>(kind)] |= on;
        return more;
    }
    /// Returns the set with a test of lists with some types of items.
    [[nodiscard]] constexpr test_set with_lists(test_kind kind, column_types on) const noexcept {
        test_set more = *this;
        more.on_lists_[static_cast<std::size_t>(kind)] |= on;
        return more;
    }
    /// Returns true if any test of a column is in the set.
    [[nodiscard]] constexpr bool has_any(const column& subject) const noexcept {
        for (const test_record& record : test_records) {
            if (has(record.kind, subject)) return true;
        }
        return false;
    }
    /// Returns true if a test of a column is in the set.
    [[nodiscard]] constexpr bool has(test_kind kind, const column& subject) const noexcept {
        const auto& on = subject.is_list ? on_lists_ : on_;
        return (on[static_cast<std::size_t>(kind)] & set_of(subject.type)) != 0;
    }

private:
    std::array<column_types, test_kind_count> on_{};
    std::array<column_types, test_kind_count> on_lists_{};
};

/// The tests of text, integer, decimal, time, boolean and JSON columns, and of lists of texts, that
/// every engine answers.
inline constexpr auto common_tests =
    test_set()
        .with(test_kind::any_of, set_of(column_type::text, column_type::integer))
        .with(test_kind::none_of, set_of(column_type::text, column_type::integer))
        .with(test_kind::bounds,
              set_of(column_type::integer, column_type::decimal, column_type::time))
        .with(test_kind::is, set_of(column_type::boolean))
        .with(test_kind::matches, set_of(column_type::json))
        .with_lists(test_kind::any_of, detail::text_type)
        .with_lists(test_kind::none_of, detail::text_type);

}  // namespace sluice

#endif
