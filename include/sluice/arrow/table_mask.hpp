// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_TABLE_MASK_HPP
#define SLUICE_ARROW_TABLE_MASK_HPP

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sluice/arrow/condition.hpp>

namespace sluice::arrow {

/// Conditions joined by AND, OR and NOT.
///
/// ```
/// nodes       all( 0, not( 1 ) )        as a where has them: leaves by their number
/// conditions  0: country, 1: total
/// ```
struct condition_tree {
    std::vector<condition> conditions{};
    std::vector<where::node> nodes{where::node{}};  ///< every row

    condition_tree() = default;
    /// All of some conditions.
    explicit condition_tree(std::vector<condition> all) : conditions(std::move(all)) {
        const auto count = static_cast<std::uint32_t>(conditions.size());
        nodes[0].size = 1 + count;
        for (std::uint32_t at = 0; at < count; ++at) nodes.push_back({where_kind::leaf, 1, at});
    }
};

/// The rows that meet a tree of conditions, of those that are `wanted`; what is told of the others
/// is left open. `mask_of(leaf, left)` gives those of a leaf by its number, of the rows that are
/// left. It is asked of every leaf, so that what is wrong with a column is always told. The
/// recursion is as deep as the tree.
template <class MaskOf>
class tree_mask {
public:
    tree_mask(std::span<const where::node> nodes, const MaskOf& mask_of)
        : nodes_(nodes), mask_of_(mask_of) {}

    [[nodiscard]] import_result<row_bits> rows(const row_bits& wanted) const {
        return rows(0, wanted);
    }

private:
    [[nodiscard]] import_result<row_bits> rows(std::size_t at, const row_bits& wanted) const {
        const where::node& own = nodes_[at];
        switch (own.kind) {
            case where_kind::leaf: return mask_of_(own.leaf, wanted);
            case where_kind::negation: return rows(at + 1, wanted).map(flipped);
            case where_kind::conjunction: return of_all(at, wanted);
            case where_kind::disjunction: return of_any(at, wanted);
        }
        return wanted;
    }
    [[nodiscard]] static row_bits flipped(row_bits&& bits) {
        detail::flip(bits);
        return std::move(bits);
    }
    [[nodiscard]] import_result<row_bits> of_all(std::size_t at, row_bits left) const {
        for (std::size_t child = at + 1; child < at + nodes_[at].size;
             child += nodes_[child].size) {
            const auto one = rows(child, left);
            if (!one) return one;
            left.intersect(*one);
        }
        return left;
    }
    /// A row is left until a child takes it.
    [[nodiscard]] import_result<row_bits> of_any(std::size_t at, row_bits left) const {
        row_bits taken(left.size(), false);
        for (std::size_t child = at + 1; child < at + nodes_[at].size;
             child += nodes_[child].size) {
            auto one = rows(child, left);
            if (!one) return one;
            one->intersect(left);
            taken.unite(*one);
            detail::flip(*one);
            left.intersect(*one);
        }
        return taken;
    }

    std::span<const where::node> nodes_;
    const MaskOf& mask_of_;
};

/// The conditions that a table is asked for, each with the place of its column.
class table_filter {
public:
    /// fault::unsupported where the type is no table's or a column's can't be compared,
    /// fault::missing where a column is not there or there twice.
    [[nodiscard]] static import_result<table_filter> make(data_type table, condition_tree asked) {
        if (table.id != type_id::structure) {
            return refuse(fault::unsupported,
                          "expected a table, not a column of " + type_name(table));
        }
        table_filter made;
        for (const condition& each : asked.conditions) {
            const auto same = [&](const data_type& child) { return child.name == each.column; };
            const auto found = std::ranges::find_if(table.children, same);
            const auto times = std::ranges::count_if(table.children, same);
            if (times != 1) {
                return refuse(fault::missing, each.parameter + ": the table has " +
                                                  (times == 0 ? "no" : "more than one") +
                                                  " column '" + each.column + "'");
            }
            if (auto checked = check_type(each, *found); !checked) {
                return tl::unexpected(std::move(checked.error()));
            }
            made.places_.push_back(static_cast<std::size_t>(found - table.children.begin()));
        }
        made.table_ = std::move(table);
        made.asked_ = std::move(asked);
        return made;
    }

    [[nodiscard]] static import_result<table_filter> make(data_type table,
                                                          std::vector<condition> all) {
        return make(std::move(table), condition_tree(std::move(all)));
    }

    /// Which rows of a chunk of the table meet the conditions. Where a row is null, all its columns
    /// are, whatever they hold there.
    [[nodiscard]] import_result<row_bits> mask(const ArrowArray& chunk) const {
        const auto opened = array_view::open(&chunk, 1);
        if (!opened) return tl::unexpected(opened.error());
        if (chunk.n_children != static_cast<std::int64_t>(table_.children.size()) ||
            (chunk.n_children > 0 && chunk.children == nullptr)) {
            return refuse(fault::malformed, "a chunk without the table's columns");
        }
        const row_bits present = detail::present_rows(opened->valid(), opened->rows());
        const auto mask_of = [&](std::size_t leaf, row_bits left) {
            left.intersect(present);
            return column_of(chunk, leaf, opened->rows(), present, left);
        };
        return tree_mask(asked_.nodes, mask_of).rows(row_bits(opened->rows().count, true));
    }

private:
    [[nodiscard]] import_result<row_bits> column_of(const ArrowArray& chunk, std::size_t leaf,
                                                    row_span rows, const row_bits& present,
                                                    const row_bits& left) const {
        const condition& asked = asked_.conditions[leaf];
        const ArrowArray* const column = chunk.children[places_[leaf]];
        if (column == nullptr) return refuse(fault::malformed, "a column that was released");
        auto mask =
            column_mask(asked, table_.children[places_[leaf]], *column, rows, present, left);
        if (mask) detail::judge_absent(*mask, present, holds_absent(asked));
        return mask;
    }

    data_type table_;
    condition_tree asked_;
    std::vector<std::size_t> places_;
};

/// A stream's failure in its own words.
[[nodiscard]] inline tl::unexpected<failure> stream_failure(ArrowArrayStream& stream, int number) {
    const char* const said =
        stream.get_last_error != nullptr ? stream.get_last_error(&stream) : nullptr;
    return refuse(fault::stream, said != nullptr ? said : "error " + std::to_string(number));
}

/// The type of a stream's chunks.
[[nodiscard]] inline import_result<data_type> stream_type(owned<ArrowArrayStream>& stream) {
    owned<ArrowSchema> schema;
    if (!stream) return refuse(fault::malformed, "a stream that was released");
    if (const int number = stream->get_schema(&*stream, schema.out()); number != 0) {
        return stream_failure(*stream, number);
    }
    return read_type(*schema);
}

/// The masks of a stream's chunks as one: `mask(chunk)` is asked for each.
/// Every chunk is released before the next is fetched. Rows of failures count from the first chunk.
template <class Mask>
[[nodiscard]] import_result<row_bits> stream_mask(owned<ArrowArrayStream>& stream, Mask mask) {
    row_bits passes;
    owned<ArrowArray> chunk;
    while (true) {
        if (const int number = stream->get_next(&*stream, chunk.out()); number != 0) {
            return stream_failure(*stream, number);
        }
        if (!chunk) return passes;
        import_result<row_bits> one = mask(*chunk);
        if (!one && one.error().row) *one.error().row += passes.size();
        if (!one) return tl::unexpected(std::move(one.error()));
        passes.append(one->words(), one->size());
    }
}

}  // namespace sluice::arrow

#endif
