// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_STORABLE_COLUMNS_HPP
#define SLUICE_STORE_STORABLE_COLUMNS_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/static_text.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/query/test_set.hpp>

namespace sluice::store {

class json_rows;

/// The tests that a column_store answers.
inline constexpr test_set answered_tests = [] {
    using enum column_type;
    constexpr column_types names = set_of(date, uuid, choice);
    constexpr column_types lists = sluice::detail::listed_types;
    constexpr column_types texts = set_of(text);
    return common_tests.with(test_kind::any_of, names)
        .with(test_kind::none_of, names)
        .with(test_kind::contains, texts)
        .with(test_kind::starts_with, texts)
        .with(test_kind::ends_with, texts)
        .with(test_kind::bounds, set_of(text, real, date, choice))
        .with(test_kind::any, set_of(records))
        .with(test_kind::is_null, all_column_types())
        .with_lists(test_kind::any_of, lists)
        .with_lists(test_kind::none_of, lists)
        .with_lists(test_kind::all_of, lists)
        .with_lists(test_kind::contains, texts)
        .with_lists(test_kind::starts_with, texts)
        .with_lists(test_kind::ends_with, texts)
        .with_lists(test_kind::is_null, lists);
}();

/// The columns of a resource whose rows can be stored: a constexpr sluice::schema with a text
/// column `id` that is neither a list nor nullable. Others don't compile.
///
/// Rows may refer to others by their id. The names of such references follow the schema. The
/// columns with the reference's prefix, up to its last dot, are columns of the referenced rows:
///
/// ```
/// inline constexpr sluice::schema columns{
///     sluice::column{.name = "id"}, sluice::column{.name = "link.id"},
///     sluice::column{.name = "link.domain"}, sluice::column{.name = "link.tags", .is_list =
///     true}};
/// sluice::store::column_store clicks({columns, "link.id"});
/// ```
///
/// A reference is a text column and no list. The columns of its rows are not JSON or records, and
/// nullable if the reference is.
class storable_columns {
public:
    /// The largest number of references.
    static constexpr std::size_t references_max = 8;

    template <std::size_t Columns, std::convertible_to<std::string_view>... References>
        requires(sizeof...(References) <= references_max)
    consteval storable_columns(const sluice::schema<Columns>& of,  // NOLINT(*-explicit-*)
                               const References&... references)
        : columns_(of.begin(), of.end()),
          references_{references...},
          count_(sizeof...(References)) {
        const column* const id = of.find("id");
        if (id == nullptr || id->type != column_type::text || id->is_list || id->is_nullable) {
            sluice::detail::mistake("id",
                                    "rows are stored by their id: give the schema a text column "
                                    "with .name = \"id\" that is neither a list nor nullable");
        }
        for (const column& stored : columns_) {
            for (const column& member : stored.records) {
                if (member.type != column_type::json && member.type != column_type::records)
                    continue;
                sluice::detail::mistake(stored.name,
                                        "the records of a store have no JSON and no records: "
                                        "leave that column out, or store the records as JSON");
            }
        }
        for (const std::string_view reference : this->references()) check(reference);
    }

    [[nodiscard]] constexpr columns_view all() const noexcept { return columns_; }
    [[nodiscard]] constexpr std::span<const std::string_view> references() const noexcept {
        return {references_.data(), count_};
    }
    /// Returns the reference to the rows that have a column; empty for a column of the resource's
    /// rows, such as the reference itself.
    [[nodiscard]] constexpr std::string_view reference_of(std::string_view column) const noexcept {
        for (const std::string_view reference : references()) {
            if (column != reference && column.starts_with(prefix_of(reference))) return reference;
        }
        return {};
    }

private:
    static constexpr std::string_view prefix_of(std::string_view reference) noexcept {
        return reference.substr(0, reference.rfind('.') + 1);
    }
    /// Fails to compile unless a reference and the columns of its rows are valid.
    constexpr void check(std::string_view reference) const noexcept {
        const column* const by = find_column(columns_, reference);
        if (by == nullptr || by->type != column_type::text || by->is_list ||
            prefix_of(reference).empty() || !reference_of(reference).empty()) {
            sluice::detail::mistake(reference,
                                    "a reference is the name of a text column with a dot, such as "
                                    "link.id, that is no list");
        }
        for (const column& of : columns_) {
            if (reference_of(of.name) != reference) continue;
            if (of.type == column_type::json || of.type == column_type::records) {
                sluice::detail::mistake(of.name,
                                        "a column of a referenced row is never JSON, nor records");
            }
            if (by->is_nullable && !of.is_nullable) {
                sluice::detail::mistake(of.name,
                                        "a row may have no reference, and then no value in this "
                                        "column: give it .is_nullable = true");
            }
        }
    }

    columns_view columns_;
    std::array<std::string_view, references_max> references_;
    std::size_t count_;
};

/// A member of rows as JSON: its name, and the column of its value or the members of an object.
/// Names are static text.
struct json_member {
    std::string_view name;
    std::string_view column{};           ///< by default the column of the member's name
    std::vector<json_member> members{};  ///< of an object; if there are any, `column` is unused
};

/// A layout of a column_store's rows as JSON; see column_store::layout(). Views the store.
class json_layout {
public:
    explicit json_layout(std::shared_ptr<const json_rows> pieces) : pieces_(std::move(pieces)) {}

    // For pages:
    [[nodiscard]] const json_rows& pieces() const noexcept { return *pieces_; }

private:
    std::shared_ptr<const json_rows> pieces_;
};

}  // namespace sluice::store

#endif
