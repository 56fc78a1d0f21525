// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_METADATA_CONDITIONS_HPP
#define SLUICE_API_METADATA_CONDITIONS_HPP

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/api/metadata_columns.hpp>
#include <sluice/api/metadata_lookup.hpp>
#include <sluice/api/metadata_shredder.hpp>
#include <sluice/metadata_query.hpp>
#include <sluice/store/expression.hpp>

namespace sluice::api {

/// Turns a metadata expression into one over the columns of a table:
///
/// ```
/// metadata['plan']:pro AND metadata['far']['away'] > 5
///
/// any(all(column of plan has a code of the text "pro",      where the row's metadata is in columns
///         test of the JSON: far.away > 5),
///     all(marker is unshredded, test of the JSON))          else, if there are such rows
/// ```
///
/// A path without a column is absent in all rows, unless there were more paths than columns.
class metadata_conditions {
public:
    /// The metadata of a row, by its number; it lasts as long as the view.
    using json_of_row = std::function<std::string_view(std::size_t row)>;

    /// `first_column` is the marker's. The query, the columns and what `json_of` reads have to
    /// outlive the expressions made.
    metadata_conditions(const metadata_columns& columns, std::size_t first_column,
                        json_of_row json_of)
        : columns_(columns), marker_(first_column), json_of_(std::move(json_of)) {}

    /// The rows that meet a query, all of these at once: for a conjunction, an expression for each
    /// of its operands.
    [[nodiscard]] std::vector<store::expression> of(const metadata_query& query) const {
        if (query.empty()) return {};
        const bool has_unshredded = columns_.has_unshredded();
        std::vector<store::expression> parts;
        if (query.nodes()[0].kind == metadata_node_kind::conjunction) {
            parts = operands(query, 0);
        } else {
            parts.push_back(convert(query, 0));
        }
        if (!has_unshredded) return parts;
        std::vector<store::expression> either{
            with_marker(std::move(parts), false),
            with_marker(one_of(store::expression::test(test_of(query))), true)};
        return one_of(store::expression::any(std::move(either)));
    }

private:
    static std::vector<store::expression> one_of(store::expression only) {
        std::vector<store::expression> list;
        list.push_back(std::move(only));
        return list;
    }

    /// The rows that meet all parts among those that are unshredded, or among the others.
    [[nodiscard]] store::expression with_marker(std::vector<store::expression> parts,
                                                bool is_unshredded) const {
        const store::condition marked{marker_, store::code_set({unshredded}, !is_unshredded)};
        parts.insert(parts.begin(), store::expression::leaf(marked));
        return store::expression::all(std::move(parts));
    }

    /// The recursion is as deep as the query's tree, 131 at most.
    [[nodiscard]] store::expression convert(const metadata_query& query, std::size_t at) const {
        const metadata_node node = query.nodes()[at];
        switch (node.kind) {
            case metadata_node_kind::condition: return convert(query.conditions()[node.condition]);
            case metadata_node_kind::negation:
                return store::expression::negation(convert(query, at + 1));
            case metadata_node_kind::conjunction:
                return store::expression::all(operands(query, at));
            case metadata_node_kind::disjunction:
                return store::expression::any(operands(query, at));
        }
        return store::expression::constant(false);
    }
    [[nodiscard]] std::vector<store::expression> operands(const metadata_query& query,
                                                          std::size_t at) const {
        std::vector<store::expression> list;
        const std::size_t end = at + query.nodes()[at].size;
        for (std::size_t child = at + 1; child < end; child += query.nodes()[child].size) {
            list.push_back(convert(query, child));
        }
        return list;
    }

    [[nodiscard]] store::expression convert(const metadata_condition& wanted) const {
        const auto place = columns_.find(metadata_path(wanted.path));
        if (place) {
            auto accepted = columns_.at(*place).scalars.meeting(wanted);
            return store::expression::leaf({marker_ + 1 + *place, std::move(accepted)});
        }
        if (columns_.has_others()) return store::expression::test(test_of(wanted));
        return store::expression::constant(wanted.matches(std::nullopt));
    }

    /// A test of a row's JSON; any number of threads may ask it.
    [[nodiscard]] store::expression::row_test test_of(const metadata_condition& wanted) const {
        return [&wanted, json_of = json_of_](std::size_t row) {
            return wanted.matches(metadata_lookup(json_of(row)).find(wanted.path));
        };
    }
    [[nodiscard]] store::expression::row_test test_of(const metadata_query& query) const {
        return [&query, json_of = json_of_](std::size_t row) {
            metadata_lookup metadata(json_of(row));
            return query.matches(
                [&](std::span<const std::string> path) { return metadata.find(path); });
        };
    }

    const metadata_columns& columns_;
    std::size_t marker_;
    json_of_row json_of_;
};

}  // namespace sluice::api

#endif
