// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_TABLE_TESTS_HPP
#define SLUICE_PARAMS_TABLE_TESTS_HPP

#include <cstddef>
#include <string_view>

#include <sluice/params/table.hpp>
#include <sluice/query/test_set.hpp>

/// Tests that the conditions of a parameter table may have.
namespace sluice {

/// Returns the test of a parameter's condition on a column: of a custom type by the column's.
[[nodiscard]] constexpr test_kind test_of(const param_info& info, const column& subject) noexcept {
    if (info.type != param_type::value || allows_test(subject, info.test)) return info.test;
    return subject.type == column_type::boolean ? test_kind::is : test_kind::bounds;
}

/// Calls `action(test_kind, const column&)` for each test that a condition in a grammar may have.
/// Does nothing for other parameters.
template <class Action>
constexpr void visit_tests(const param_info& info, Action action) {
    const auto add_tests = [&](const column& subject, test_kinds allowed) {
        for (const test_record& test : test_records) {
            const bool is_allowed = (allowed & set_of(test.kind)) != 0;
            if (is_allowed && allows_test(subject, test.kind)) action(test.kind, subject);
        }
    };
    if (info.type != param_type::condition) return;
    for (const expression_column& named : info.named) add_tests(named.subject, named.allowed);
    if (!info.named.empty()) return;
    for (const column& subject : info.columns) add_tests(subject, all_test_kinds);
}

/// Returns the index of the first row of a table whose condition an engine doesn't answer; its size
/// if it answers all of them.
///
/// ```
/// static_assert(sluice::find_unanswered(orders_params, sluice::store::answered_tests) ==
///               orders_params.size());
/// ```
template <parameter_table Table>
[[nodiscard]] constexpr std::size_t find_unanswered(const Table& table, const test_set& answered) {
    for (std::size_t row = 0; row < table.size(); ++row) {
        const param_info& info = table[row].info;
        const column* const subject = table.column_of(row);
        if (subject != nullptr && table[row].contribute != nullptr &&
            !answered.has(test_of(info, *subject), *subject)) {
            return row;
        }
        for (const std::string_view name : info.searched) {
            const column* const searched = find_column(table.columns(), name);
            if (searched != nullptr && !answered.has(test_kind::contains, *searched)) return row;
        }
        bool is_unanswered = false;
        visit_tests(info, [&](test_kind kind, const column& named) {
            is_unanswered = is_unanswered || !answered.has(kind, named);
        });
        if (is_unanswered) return row;
    }
    return table.size();
}

}  // namespace sluice

#endif
