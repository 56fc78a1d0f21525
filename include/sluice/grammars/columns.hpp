// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_COLUMNS_HPP
#define SLUICE_GRAMMARS_COLUMNS_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/near_miss.hpp>
#include <sluice/query/column_test.hpp>
#include <sluice/query/schema.hpp>

namespace sluice {

/// A set of kinds of tests, for the columns of a grammar.
using test_kinds = std::uint16_t;
template <std::same_as<test_kind>... Kinds>
[[nodiscard]] constexpr test_kinds set_of(Kinds... kinds) noexcept {
    return static_cast<test_kinds>(((1U << static_cast<unsigned>(kinds)) | ... | 0U));
}
inline constexpr test_kinds all_test_kinds = (1U << test_kind_count) - 1;
[[nodiscard]] constexpr bool has_kind(test_kinds kinds, test_kind kind) noexcept {
    return (kinds & set_of(kind)) != 0;
}

/// A column that clients may name in an expression. Its texts are static.
struct expression_column {
    std::string_view name{};  ///< in expressions, such as `createTime`; dots separate its steps
    column subject{};         ///< the column of the schema, such as `created`
    test_kinds allowed = all_test_kinds;
};

/// The columns that clients may name in the expressions of an endpoint.
///
/// ```
/// const sluice::expression_columns all(orders_schema);
/// const sluice::expression_columns some({
///     {.name = "createTime", .subject = *orders_schema.find("created")},
///     {.name = "state", .subject = *orders_schema.find("status"),
///      .allowed = sluice::set_of(sluice::test_kind::any_of)},
/// });
/// ```
class expression_columns {
public:
    /// All columns, by their own names.
    expression_columns(columns_view all) {  // NOLINT(*-explicit-*)
        for (const column& subject : all) columns_.push_back({subject.name, subject});
    }
    explicit expression_columns(std::vector<expression_column> columns)
        : columns_(std::move(columns)) {}

    /// Sets the columns of texts that words without a column are searched in, as in AIP-160.
    [[nodiscard]] expression_columns searching(columns_view searched) && {
        searched_.assign(searched.begin(), searched.end());
        return std::move(*this);
    }

    [[nodiscard]] const std::vector<column>& searched() const& noexcept { return searched_; }
    const std::vector<column>& searched() const&& = delete;
    [[nodiscard]] const std::vector<expression_column>& columns() const& noexcept {
        return columns_;
    }
    const std::vector<expression_column>& columns() const&& = delete;

    /// Returns the column of a name; null if there is none.
    [[nodiscard]] const expression_column* find(std::string_view name) const noexcept {
        for (const expression_column& candidate : columns_) {
            if (detail::equal_bytes(candidate.name, name)) return &candidate;
        }
        return nullptr;
    }
    /// Like find(), in any case of ASCII letters.
    [[nodiscard]] const expression_column* find_ignoring_case(
        std::string_view name) const noexcept {
        for (const expression_column& candidate : columns_) {
            if (detail::equal_ignoring_case(candidate.name, name)) return &candidate;
        }
        return nullptr;
    }
    /// Returns the first name of a column of the schema that allows a test; empty if it has none.
    [[nodiscard]] std::string_view name_of(const column& subject, test_kind kind) const noexcept {
        for (const expression_column& candidate : columns_) {
            if (candidate.subject == subject && has_kind(candidate.allowed, kind)) {
                return candidate.name;
            }
        }
        return {};
    }
    /// Returns the name that a text was probably meant to be; empty if none is near.
    [[nodiscard]] std::string_view near_miss(std::string_view text) const noexcept {
        return detail::near_miss(text, columns_, &expression_column::name);
    }

private:
    std::vector<expression_column> columns_{};
    std::vector<column> searched_{};
};

}  // namespace sluice

#endif
