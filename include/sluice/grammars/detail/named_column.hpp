// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_NAMED_COLUMN_HPP
#define SLUICE_GRAMMARS_DETAIL_NAMED_COLUMN_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/inline_list.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/text_scanner.hpp>
#include <sluice/query/schema.hpp>

/// Names in expressions, and the columns that they lead to.
namespace sluice::detail {

/// A column as an expression names it.
struct named_column {
    column subject{};  ///< of the schema, or of the records in `around`
    test_kinds allowed = all_test_kinds;
    std::vector<std::string> keys{};  ///< the path below a JSON column
    std::optional<column> around{};   ///< the column of the records that have the subject
    text_place place{};
};

/// The steps of a name, such as `customer` and `country`.
using name_steps = inline_list<std::string_view, 4>;

/// Returns the steps of a name between separators: at least one.
[[nodiscard]] inline name_steps steps_of(std::string_view name, std::string_view separators) {
    name_steps steps;
    while (true) {
        const std::size_t end = std::min(name.find_first_of(separators), name.size());
        steps.push_back(name.substr(0, end));
        if (end == name.size()) return steps;
        name.remove_prefix(end + 1);
    }
}
/// Returns steps as one name, with dots between them.
[[nodiscard]] inline std::string with_dots(std::span<const std::string_view> steps) {
    std::string name;
    for (const std::string_view& step : steps) {
        if (&step != steps.data()) name.push_back('.');
        name.append(step);
    }
    return name;
}

/// Returns the column of a name in the records of another; null if there is none.
[[nodiscard]] inline const column* find_inner(const column& records, std::string_view name,
                                              bool names_have_case) noexcept {
    for (const column& candidate : records.records) {
        if (equal_bytes(candidate.name, name)) return &candidate;
        if (!names_have_case && equal_ignoring_case(candidate.name, name)) return &candidate;
    }
    return nullptr;
}

/// Returns the column that steps of a name lead to: a column by all of them; a JSON column with
/// keys; a column of records with one of theirs. nullopt if there is none.
[[nodiscard]] inline std::optional<named_column> find_named(const expression_columns& columns,
                                                            std::span<const std::string_view> steps,
                                                            bool names_have_case) {
    const std::string whole = steps.size() > 1 ? with_dots(steps) : std::string();
    const std::string_view all = steps.size() > 1 ? whole : steps[0];
    std::size_t size = all.size();
    for (std::size_t count = steps.size(); count > 0; --count) {
        const std::string_view name = all.substr(0, size);
        size -= std::min(size, steps[count - 1].size() + 1);
        const expression_column* const match =
            names_have_case ? columns.find(name) : columns.find_ignoring_case(name);
        if (match == nullptr) continue;
        named_column named{match->subject, match->allowed, {}, {}, {}};
        if (count == steps.size()) return named;
        if (named.subject.type == column_type::json) {
            named.keys.assign(steps.begin() + static_cast<std::ptrdiff_t>(count), steps.end());
            return named;
        }
        const bool is_inner = count + 1 == steps.size();
        const column* const inner =
            is_inner ? find_inner(named.subject, steps.back(), names_have_case) : nullptr;
        if (inner == nullptr) return std::nullopt;
        named.around = named.subject;
        named.subject = *inner;
        named.allowed = has_kind(match->allowed, test_kind::any) ? all_test_kinds : test_kinds{};
        return named;
    }
    return std::nullopt;
}

}  // namespace sluice::detail

#endif
