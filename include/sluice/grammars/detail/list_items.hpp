// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_LIST_ITEMS_HPP
#define SLUICE_GRAMMARS_DETAIL_LIST_ITEMS_HPP

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/query/where.hpp>

/// Conditions on the items of a list, as tests of the list.
namespace sluice::detail {

/// Returns the column of a list's items.
[[nodiscard]] inline column item_of(column list) {
    list.is_list = list.is_nullable = false;
    return list;
}

/// Converts a condition on an item to the condition that any item of a list meets it. Empty if no
/// test of lists can express that, as for an AND on one item.
class any_item {
public:
    explicit any_item(const column& list) noexcept : list_(list) {}

    [[nodiscard]] std::optional<where> leaf(const leaf& of_item) const {
        const auto* const texts = std::get_if<text_test>(&of_item.test);
        const bool is_exclusion = texts != nullptr && texts->wanted.excludes();
        if (is_exclusion || !allows_test(list_, of_item.test)) return std::nullopt;
        return where(sluice::leaf{list_, of_item.test});
    }
    [[nodiscard]] std::optional<where> negation(const std::optional<where>&) const {
        return std::nullopt;
    }
    [[nodiscard]] std::optional<where> group(where_kind kind,
                                             std::vector<std::optional<where>> operands) const {
        if (kind != where_kind::disjunction) return std::nullopt;
        std::vector<where> parts;
        for (auto& operand : operands) {
            if (!operand) return std::nullopt;
            parts.push_back(*std::move(operand));
        }
        return where::any(std::move(parts));
    }

private:
    column list_;
};

/// A condition on an item, and its negation. NOT is applied to the tests only, which is exact
/// because an item always has a value.
struct item_condition {
    where plain;
    where negated;
};

/// Makes the negation of a condition on an item, from the leaves up.
class item_negation {
public:
    [[nodiscard]] item_condition leaf(const leaf& of_item) const {
        const auto* const texts = std::get_if<text_test>(&of_item.test);
        if (texts == nullptr) return {where(of_item), where::negation(where(of_item))};
        const std::vector<std::string> values(texts->wanted.values().begin(),
                                              texts->wanted.values().end());
        return {where(of_item),
                where(sluice::leaf{of_item.subject,
                                   text_test{filter(values, !texts->wanted.excludes())}})};
    }
    [[nodiscard]] item_condition negation(item_condition operand) const {
        return {std::move(operand.negated), std::move(operand.plain)};
    }
    [[nodiscard]] item_condition group(where_kind kind,
                                       std::vector<item_condition> operands) const {
        std::vector<where> plain, negated;
        for (item_condition& operand : operands) {
            plain.push_back(std::move(operand.plain));
            negated.push_back(std::move(operand.negated));
        }
        if (kind == where_kind::conjunction) {
            return {where::all(std::move(plain)), where::any(std::move(negated))};
        }
        return {where::any(std::move(plain)), where::all(std::move(negated))};
    }
};

/// Returns the condition that any item of a list meets a condition; empty if no test of lists can
/// express it.
[[nodiscard]] inline std::optional<where> any_item_meets(const column& list, const where& rows) {
    return rows.visit(any_item(list));
}
/// Like any_item_meets(), for every item.
[[nodiscard]] inline std::optional<where> every_item_meets(const column& list, const where& rows) {
    auto any_fails = any_item_meets(list, rows.visit(item_negation()).negated);
    if (!any_fails) return std::nullopt;
    return any_fails->visit(item_negation()).negated;
}

}  // namespace sluice::detail

#endif
