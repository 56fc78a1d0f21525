// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SELECTED_PAGE_HPP
#define SLUICE_STORE_SELECTED_PAGE_HPP

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/query/list_query.hpp>
#include <sluice/store/column_store.hpp>

namespace sluice::store {

/// A row of a page. Keeps the rows of its moment alive and views the store.
class stored_row {
public:
    /// Returns the value in a column; see stored_rows::at().
    [[nodiscard]] cell at(const column& of) const { return rows_->at(number_, of); }
    /// Returns the text of a JSON column; nullopt for an absent value.
    [[nodiscard]] std::optional<std::string_view> json(const column& of) const {
        return rows_->json(number_, of);
    }

private:
    friend class selected_page;
    stored_row(std::shared_ptr<const stored_rows> rows, std::size_t number)
        : rows_(std::move(rows)), number_(number) {}

    std::shared_ptr<const stored_rows> rows_;
    std::size_t number_;
};

/// The page of a list query, with cursors to its neighbours. Keeps the rows of its moment, which
/// later rows don't change, and views the store.
///
/// ```
/// for (const stored_row& row : page.rows()) print(row.at(columns[0]));
/// ```
class selected_page : public page_info {
public:
    selected_page(const stored_rows& of, page_info&& place, std::vector<std::size_t>&& numbers)
        : page_info(std::move(place)), of_(of), numbers_(std::move(numbers)) {}

    [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
    [[nodiscard]] bool empty() const noexcept { return numbers_.empty(); }
    /// Returns the rows in the query's order.
    [[nodiscard]] std::vector<stored_row> rows() const {
        const auto moment = std::make_shared<const stored_rows>(of_);
        std::vector<stored_row> rows;
        rows.reserve(size());
        for (const std::size_t number : numbers_) rows.push_back(stored_row(moment, number));
        return rows;
    }
    /// Returns the rows as a JSON array of objects, with the members of the schema.
    [[nodiscard]] std::string json() const;
    /// Returns the rows as a JSON array, in a layout of the same store.
    [[nodiscard]] std::string json(const json_layout& layout) const {
        return json(layout.pieces());
    }
    /// Returns the rows as a JSON array, in a layout of the same store's code columns.
    [[nodiscard]] std::string json(const json_rows& pieces) const;

private:
    stored_rows of_;
    std::vector<std::size_t> numbers_;  // row numbers in of_
};

}  // namespace sluice::store

#if SLUICE_STORE_DEFINED
#include <sluice/store/columns/stored_columns.hpp>

namespace sluice::store {

SLUICE_STORE_INLINE std::string selected_page::json() const { return json(of_.columns().layout()); }

SLUICE_STORE_INLINE std::string selected_page::json(const json_rows& pieces) const {
    std::string text = "[";
    pieces.write(of_.rows(), numbers_, text);
    return text.append("]");
}

}  // namespace sluice::store
#endif

#endif
