// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SEARCH_SEARCHED_COLUMNS_HPP
#define SLUICE_STORE_SEARCH_SEARCHED_COLUMNS_HPP

#include <cstddef>
#include <functional>
#include <optional>
#include <variant>

#include <sluice/errors/error.hpp>
#include <sluice/query/test_set.hpp>
#include <sluice/store/columns/referenced_values.hpp>
#include <sluice/store/columns/value_reader.hpp>
#include <sluice/store/conditions/scan_budget.hpp>
#include <sluice/store/documents/columns.hpp>

namespace sluice::store {

/// A column without a value in any row.
struct absent_column {};

/// The time that rows are sorted by.
struct time_column {};

/// A column of codes and their values.
struct value_column {
    std::size_t at;  ///< index of the code column
    value_reader values;
};

/// A column of integers beside the codes, which sums and averages read. Orders don't know it.
struct number_column {
    std::size_t at;  ///< index of the integer column
};

/// A column of JSON texts, and the columns of its paths; see metadata_columns. A marker column
/// before those separates rows whose paths aren't in columns; see documents/shredder.hpp.
struct json_column {
    value_column texts;
    const metadata_columns& paths;
    std::size_t first_code;  ///< index of the paths' first code column, the marker
};

/// A column of the rows that a code column refers to, such as `link.domain` by `link.id`.
struct referenced_column {
    std::size_t at;  ///< index of the code column with the references
    /// Returns the references to rows that meet a test of this column, within the scan's limits.
    std::function<result<code_set>(const leaf&, const scan_options&)> meeting;
    const referenced_values* rows = nullptr;  ///< the values of references; null if they have many
    std::optional<value_reader> values{};     ///< of `rows`
};

/// The storage of a schema's column.
using searched_column = std::variant<absent_column, time_column, value_column, number_column,
                                     json_column, referenced_column>;

/// The columns of a table of codes by their names in queries, for a list_search.
class searched_columns {
public:
    /// Returns where a column of a query is stored; absent_column for one that the table lacks. The
    /// result views this.
    [[nodiscard]] virtual searched_column find(const column& of) const = 0;
    /// Returns true if rows are sorted by time, then by the column `id`; otherwise by that alone.
    [[nodiscard]] virtual bool has_row_time() const noexcept = 0;
    /// Returns the tests that the columns answer.
    [[nodiscard]] virtual const test_set& answered() const noexcept = 0;

protected:
    searched_columns() = default;
    ~searched_columns() = default;
};

}  // namespace sluice::store

#endif
