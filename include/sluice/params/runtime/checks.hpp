// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_RUNTIME_CHECKS_HPP
#define SLUICE_PARAMS_RUNTIME_CHECKS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/params/param.hpp>
#include <sluice/params/runtime/declaration.hpp>

// Checks of a declaration. Each returns a sentence that says what to do, or an empty text if there
// is no mistake. In param_table these mistakes don't compile.

namespace sluice::detail {

/// Returns the sentence of checks of choices: `expected a, b or c`.
[[nodiscard]] inline std::string choices_sentence(const std::vector<std::string>& choices) {
    std::string text = "expected ";
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (i > 0) text.append(i + 1 == choices.size() ? " or " : ", ");
        text.append(choices[i]);
    }
    return text;
}

/// Returns `expected a whole number from 1 to 100`, or as much of it as there are bounds.
[[nodiscard]] inline std::string range_sentence(std::int64_t minimum, std::int64_t maximum) {
    using limits = std::numeric_limits<std::int64_t>;
    const std::string text = "expected a whole number";
    const std::string least = std::to_string(minimum), most = std::to_string(maximum);
    if (minimum == limits::min() && maximum == limits::max()) return text;
    if (maximum == limits::max()) return text + " of at least " + least;
    if (minimum == limits::min()) return text + " of at most " + most;
    return text + " from " + least + " to " + most;
}

[[nodiscard]] inline bool has_choices(declared_kind kind) noexcept {
    return kind == declared_kind::choice || kind == declared_kind::sort;
}
[[nodiscard]] inline bool is_group(declared_kind kind) noexcept {
    return kind == declared_kind::window || kind == declared_kind::page;
}

[[nodiscard]] inline std::string mistake_in_choices(const declaration& spec) {
    std::vector<std::string> sorted = spec.choices;
    std::ranges::sort(sorted);
    if (has_choices(spec.kind) && sorted.empty()) return "it needs choices: give it at least one";
    if (std::ranges::adjacent_find(sorted) != sorted.end()) {
        return "two choices are the same: give each once";
    }
    const auto has_dash = [](const std::string& choice) { return choice.starts_with('-'); };
    if (spec.kind == declared_kind::sort && std::ranges::any_of(sorted, has_dash)) {
        return "a choice of a sort is a column without '-', which its default may have: rename it";
    }
    const bool in_lists = spec.kind == declared_kind::sort || spec.kind == declared_kind::filter;
    const auto is_no_item = [](const std::string& choice) {
        return choice.empty() || choice.starts_with('-') ||
               choice.find_first_of(",\\") != choice.npos;
    };
    if (in_lists && std::ranges::any_of(sorted, is_no_item)) {
        return "a choice in a list is not empty, begins with no '-' and has no ',' or '\\': "
               "rename it";
    }
    return {};
}

[[nodiscard]] inline std::string mistake_in_kind(const declaration& spec) {
    if (spec.kind == declared_kind::integer && spec.minimum > spec.maximum) {
        return "its minimum is larger than its maximum: swap them";
    }
    if (spec.kind == declared_kind::page && spec.maximum < 1) {
        return "its maximum is below 1: a page has at least one row";
    }
    if (spec.kind == declared_kind::time && spec.op == comparison::equal) {
        return "rows of one instant are seldom meant: give it another operator than =";
    }
    if (spec.kind == declared_kind::custom && !spec.parse) {
        return "a type of your own is read by a function: give it one";
    }
    return {};
}

/// Checks a declaration by itself.
[[nodiscard]] inline std::string mistake_in(const declaration& spec) {
    if (spec.name.empty() && !is_group(spec.kind)) return "a parameter needs a name: give it one";
    if (spec.required && spec.absent) {
        return "what is required has no default: leave one of them out";
    }
    if (std::string what = mistake_in_choices(spec); !what.empty()) return what;
    return mistake_in_kind(spec);
}

/// Checks the column that a row names, or its absence.
[[nodiscard]] inline std::string mistake_in_column(const param<declared_query>& row,
                                                   columns_view columns) {
    const param_info& info = row.info;
    if (info.column.empty()) {
        const bool needs_column = info.type == param_type::filter;
        return needs_column ? "a filter yields a condition on a column: give it a column" : "";
    }
    if (row.comparable == 0) {
        return "this kind of parameter yields no condition: leave the column out";
    }
    const column* const subject = find_column(columns, info.column);
    if (subject == nullptr) {
        return "the schema has no column '" + std::string(info.column) +
               "': add it, or see its name";
    }
    if ((set_of(subject->type) & row.comparable) == 0) {
        return "it can't be compared with a column of type " +
               std::string(to_string(subject->type)) + ": see the column";
    }
    return {};
}

/// Checks a custom rule that is declared at run time; see custom_rule.
[[nodiscard]] inline std::string mistake_in(const rule_info& spec) {
    if (!is_rule_name(spec.name)) return "its name is of a-z, 0-9 and _, such as check_digit";
    const auto has_name = [&](const rule_info& listed) { return listed.name == spec.name; };
    if (std::ranges::any_of(rules, has_name)) {
        return "the library has a rule of this name: give yours a name of its own";
    }
    if (spec.problem.empty()) return "it doesn't say what is wrong: give it words";
    if (!is_advice(spec.advice)) {
        return "what is accepted begins with a verb: expected, give, use, leave ...";
    }
    return {};
}

}  // namespace sluice::detail

#endif
