// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DOCUMENTS_CONDITIONS_HPP
#define SLUICE_STORE_DOCUMENTS_CONDITIONS_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/metadata/query.hpp>
#include <sluice/store/conditions/expression.hpp>
#include <sluice/store/documents/columns.hpp>
#include <sluice/store/documents/document_matcher.hpp>
#include <sluice/store/documents/shredder.hpp>

namespace sluice::store {

/// Converts a metadata query to an expression over the columns of paths, with a test of the rows'
/// JSON for conditions on paths without a column. The columns find the rows that may meet the
/// query and those that surely do. Only the rows between the two are tested:
///
/// ```
/// metadata['plan']:pro AND metadata['far']['away'] > 5          far.away has no column
///
/// all(column of plan has a code of the text "pro",              rows that may meet it
///     any(false,                                                rows that surely do: none
///         test of the JSON: the whole expression))              one walk over the document
/// ```
///
/// A path without a column is absent in all rows, unless there were more paths than columns. Rows
/// are unshredded if the columns can't hold their metadata, see metadata_shredder: a marker column
/// separates them from the shredded ones, and all of them are tested:
///
/// ```
/// any(all(marker is not unshredded, the above), all(marker is unshredded, test of the JSON))
/// ```
class metadata_conditions {
public:
    /// `first_column` is the marker's column, before those of the paths; `param` is the name of the
    /// query's parameter. The columns and the texts of `documents` must outlive the returned
    /// expressions.
    metadata_conditions(const metadata_columns& columns, std::size_t first_column,
                        std::string_view param, row_documents documents,
                        const metadata_query& query)
        : columns_(columns),
          marker_(first_column),
          param_(param),
          query_(query),
          matcher_(std::make_shared<document_matcher>(documents, query)) {}

    /// Returns the expression of the rows that meet the query. It is for one thread if it has a
    /// test.
    [[nodiscard]] expression rows() const {
        if (query_.empty()) return expression::constant(true);
        const bool has_unshredded = columns_.has_unshredded();
        expression shredded = shredded_rows();
        if (!has_unshredded) return shredded;
        return expression::any(
            {with_marker(std::move(shredded), false), with_marker(test(), true)});
    }
    /// Returns the source of the condition that made the test read the most documents so far.
    /// Prefers conditions that only the JSON decides; the first if no documents were read.
    [[nodiscard]] condition_source costliest_test() const {
        const auto conditions = query_.conditions();
        std::size_t most = 0;
        for (std::size_t i = 1; i < conditions.size(); ++i) {
            const auto cost = [&](std::size_t at) {
                return std::pair(is_open(conditions[at]), matcher_->comparisons()[at]);
            };
            if (cost(i) > cost(most)) most = i;
        }
        return source_of(conditions[most]);
    }

private:
    /// The assumed result of conditions that only the JSON decides.
    enum class open_condition : bool { fails, holds };

    /// Returns the rows with metadata in the columns that meet the query.
    [[nodiscard]] expression shredded_rows() const {
        const bool is_decided = std::ranges::none_of(
            query_.conditions(), [this](const auto& condition) { return is_open(condition); });
        expression possible = convert(0, open_condition::holds);
        if (is_decided) return possible;
        return expression::all(
            {std::move(possible), expression::any({convert(0, open_condition::fails), test()})});
    }

    /// Restricts rows to unshredded ones, or to the others.
    [[nodiscard]] expression with_marker(expression rows, bool is_unshredded) const {
        const condition marked{marker_, code_set({unshredded}, !is_unshredded)};
        return expression::all({expression::leaf(marked), std::move(rows)});
    }

    /// Converts the node `at` of the query's tree, with the result `open` for conditions that only
    /// the JSON decides. Recurses as deep as the tree, 131 at most; see metadata/expression.hpp.
    [[nodiscard]] expression convert(std::size_t at, open_condition open) const {
        const metadata_node node = query_.nodes()[at];
        switch (node.kind) {
            case metadata_node_kind::condition:
                return convert(query_.conditions()[node.condition], open);
            case metadata_node_kind::negation:
                return expression::negation(convert(at + 1, opposite(open)));
            case metadata_node_kind::conjunction: return expression::all(operands(at, open));
            case metadata_node_kind::disjunction: return expression::any(operands(at, open));
        }
        return expression::constant(false);
    }
    /// Converts the children of the node `at`.
    [[nodiscard]] std::vector<expression> operands(std::size_t at, open_condition open) const {
        std::vector<expression> list;
        const std::size_t end = at + query_.nodes()[at].size;
        for (std::size_t child = at + 1; child < end; child += query_.nodes()[child].size) {
            list.push_back(convert(child, open));
        }
        return list;
    }
    static constexpr open_condition opposite(open_condition open) noexcept {
        return open == open_condition::holds ? open_condition::fails : open_condition::holds;
    }

    /// Converts a condition: to codes of its path's column, or without a column to a constant,
    /// which is `open` if only the JSON decides it.
    [[nodiscard]] expression convert(const metadata_condition& wanted, open_condition open) const {
        if (const auto place = columns_.find(metadata_path(wanted.path))) {
            auto accepted = columns_.at(*place).scalars.meeting(wanted);
            return expression::leaf({marker_ + 1 + *place, std::move(accepted), source_of(wanted)});
        }
        const bool holds =
            columns_.has_others() ? open == open_condition::holds : wanted.matches(std::nullopt);
        return expression::constant(holds);
    }
    /// Returns true if only the JSON decides a condition.
    [[nodiscard]] bool is_open(const metadata_condition& wanted) const {
        return columns_.has_others() && !columns_.find(metadata_path(wanted.path));
    }

    /// Returns the test of the JSON.
    [[nodiscard]] expression test() const {
        return expression::test(test_of(matcher_), {.param = param_});
    }
    [[nodiscard]] condition_source source_of(const metadata_condition& wanted) const noexcept {
        return {param_, wanted.offset, wanted.length};
    }

    const metadata_columns& columns_;
    std::size_t marker_;
    std::string_view param_;
    metadata_query query_;
    std::shared_ptr<document_matcher> matcher_;
};

/// The metadata expressions of a list query; owns the data that their conditions refer to.
class metadata_leaves {
public:
    /// Returns an expression of the rows that meet `query`, which must outlive it. See
    /// metadata_conditions.
    [[nodiscard]] expression add(const metadata_columns& columns, std::size_t first_column,
                                 std::string_view param, row_documents documents,
                                 const metadata_query& query) {
        leaves_.push_back({param, std::make_unique<metadata_conditions>(columns, first_column,
                                                                        param, documents, query)});
        return leaves_.back().conditions->rows();
    }
    /// Points a scan's error about a metadata test at the test's costliest condition.
    [[nodiscard]] error pointed_at_test(error why) const {
        const auto at_fault = std::ranges::find(leaves_, why.param, &leaf::param);
        if (at_fault == leaves_.end() || why.length > 0) return why;
        const condition_source source = at_fault->conditions->costliest_test();
        why.offset = source.offset;
        why.length = source.length;
        return why;
    }

private:
    struct leaf {
        std::string_view param;
        std::unique_ptr<metadata_conditions> conditions;
    };

    std::vector<leaf> leaves_;
};

}  // namespace sluice::store

#endif
