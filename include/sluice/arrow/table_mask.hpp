// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_TABLE_MASK_HPP
#define SLUICE_ARROW_TABLE_MASK_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sluice/arrow/condition.hpp>

/// Masks of tables: the rows of a table or a stream that meet conditions on several columns.
namespace sluice::arrow {

/// Conditions on a table, joined by AND, OR and NOT.
///
/// ```
/// nodes       all( 0, not( 1 ) )        laid out as in sluice::where; a leaf is an index
/// conditions  0: country, 1: total
/// ```
struct condition_tree {
    std::vector<condition> conditions{};
    std::vector<where::node> nodes{where::node{}};  ///< matches every row

    condition_tree() = default;
    /// Joins conditions by AND.
    explicit condition_tree(std::vector<condition> all) : conditions(std::move(all)) {
        const auto count = static_cast<std::uint32_t>(conditions.size());
        nodes[0].size = 1 + count;
        for (std::uint32_t at = 0; at < count; ++at) nodes.push_back({where_kind::leaf, 1, at});
    }
};

/// Computes the rows, among those `wanted`, that meet a tree of conditions; the bits of the others
/// are unspecified. `mask_of(leaf, left)` returns the mask of a leaf, by its index. `left` has the
/// rows that earlier conditions have not decided; the mask's other bits are unspecified. It is
/// called for every leaf, even if no rows are left, so that a malformed column is always reported.
/// Recurses as deep as the tree. It views `nodes`.
class tree_mask {
public:
    using mask_function =
        std::function<import_result<row_bits>(std::size_t leaf, const row_bits& left)>;

    tree_mask(std::span<const where::node> nodes, mask_function mask_of)
        : nodes_(nodes), mask_of_(std::move(mask_of)) {}

    [[nodiscard]] import_result<row_bits> rows(const row_bits& wanted) const {
        return rows(0, wanted);
    }

private:
    [[nodiscard]] import_result<row_bits> rows(std::size_t at, const row_bits& wanted) const {
        const where::node& node = nodes_[at];
        switch (node.kind) {
            case where_kind::leaf: return mask_of_(node.leaf, wanted);
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
    /// Returns the rows that meet all children of node `at`.
    [[nodiscard]] import_result<row_bits> of_all(std::size_t at, row_bits left) const {
        for (std::size_t child = at + 1; child < at + nodes_[at].size;
             child += nodes_[child].size) {
            const auto one = rows(child, left);
            if (!one) return one;
            left.intersect(*one);
        }
        return left;
    }
    /// Returns the rows that meet any child of node `at`. A row is left until a child accepts it.
    [[nodiscard]] import_result<row_bits> of_any(std::size_t at, row_bits left) const {
        row_bits taken(left.size(), false);
        for (std::size_t child = at + 1; child < at + nodes_[at].size;
             child += nodes_[child].size) {
            auto one = rows(child, left);
            if (!one) return one;
            one->intersect(left);
            taken.merge(*one);
            detail::flip(*one);
            left.intersect(*one);
        }
        return taken;
    }

    std::span<const where::node> nodes_;
    mask_function mask_of_;
};

namespace detail {

/// The path to a column of a table: its index or, for one in structs, the index at each level.
using column_path = std::vector<std::size_t>;

/// Returns the paths of all columns of a name: `click.country` finds a column of that name, and
/// field `country` of the struct `click`.
inline std::vector<column_path> find_columns(const data_type& table, std::string_view name) {
    std::vector<column_path> paths;
    for (std::size_t at = 0; at < table.children.size(); ++at) {
        const data_type& child = table.children[at];
        if (child.name == name) paths.push_back({at});
        const bool is_struct = child.id == type_id::structure && !child.is_coded();
        if (!is_struct || !name.starts_with(child.name + '.')) continue;
        for (column_path& rest : find_columns(child, name.substr(child.name.size() + 1))) {
            rest.insert(rest.begin(), at);
            paths.push_back(std::move(rest));
        }
    }
    return paths;
}

/// The rows of a table, or of a column in it at any depth. It views type and array.
struct column_rows {
    const data_type* type;
    const ArrowArray* array;
    row_span rows;     ///< counted from the array's first
    row_bits present;  ///< bits of the rows that lie in no null row or struct

    /// Returns the same rows of a child of the table or struct. Error: fault::malformed.
    [[nodiscard]] import_result<column_rows> child(std::size_t at) const {
        const auto opened = array_view::open(array, 1);
        if (!opened) return tl::unexpected(opened.error());
        if (array->n_children != static_cast<std::int64_t>(type->children.size()) ||
            (array->n_children > 0 && array->children == nullptr)) {
            return refuse(fault::malformed, "a chunk without the table's columns");
        }
        if (array->children[at] == nullptr) {
            return refuse(fault::malformed, "a column that was released");
        }
        const auto child_rows = opened->rows(rows);
        if (!child_rows) return tl::unexpected(child_rows.error());
        column_rows inner{&type->children[at], array->children[at], *child_rows, present};
        inner.present.intersect(present_rows(opened->valid(), *child_rows));
        return inner;
    }
};

}  // namespace detail

/// The conditions on a table, each with the path of its column: `click.country` is a column of the
/// table, or field `country` of its struct `click`.
class table_filter {
public:
    /// Prepares conditions for chunks of one table. Errors: fault::unsupported, if `table` is no
    /// struct type, or if a condition doesn't support its column's type; fault::missing, if a
    /// column doesn't exist or exists twice.
    [[nodiscard]] static import_result<table_filter> make(data_type table, condition_tree tree) {
        if (table.id != type_id::structure) {
            return refuse(fault::unsupported,
                          "expected a table, not a column of " + type_name(table));
        }
        table_filter filter;
        for (const condition& constraint : tree.conditions) {
            auto paths = detail::find_columns(table, constraint.column);
            if (paths.size() != 1) {
                return refuse(fault::missing, constraint.parameter + ": the table has " +
                                                  (paths.empty() ? "no" : "more than one") +
                                                  " column '" + constraint.column + "'");
            }
            const data_type* type = &table;
            for (const std::size_t at : paths[0]) type = &type->children[at];
            if (auto checked = check_type(constraint, *type); !checked) {
                return tl::unexpected(std::move(checked.error()));
            }
            filter.places_.push_back(std::move(paths[0]));
        }
        filter.table_ = std::move(table);
        filter.tree_ = std::move(tree);
        return filter;
    }
    [[nodiscard]] static import_result<table_filter> make(data_type table,
                                                          std::vector<condition> all) {
        return make(std::move(table), condition_tree(std::move(all)));
    }

    /// Returns the rows of a chunk of the table that meet the conditions. If a row or a struct is
    /// null, so are all columns in it, whatever their buffers hold there. Errors: fault::malformed;
    /// fault::unsupported, if the values of a chunk's dictionary can't be compared.
    [[nodiscard]] import_result<row_bits> mask(const ArrowArray& chunk) const {
        const auto opened = array_view::open(&chunk, 1);
        if (!opened) return tl::unexpected(opened.error());
        return mask(chunk, {0, opened->rows().count});
    }
    /// Like mask() of a chunk, for some of its rows.
    [[nodiscard]] import_result<row_bits> mask(const ArrowArray& chunk, row_span of_chunk) const {
        const row_bits all(of_chunk.count, true);
        const detail::column_rows rows{&table_, &chunk, of_chunk, all};
        const auto mask_of = [&](std::size_t leaf, const row_bits& left) {
            return column_mask_of(leaf, rows, left);
        };
        return tree_mask(tree_.nodes, mask_of).rows(all);
    }

private:
    /// Returns the mask of a leaf's column, found from the table's rows `column` by its path.
    [[nodiscard]] import_result<row_bits> column_mask_of(std::size_t leaf,
                                                         detail::column_rows column,
                                                         row_bits left) const {
        for (const std::size_t at : places_[leaf]) {
            auto inner = column.child(at);
            if (!inner) return tl::unexpected(std::move(inner.error()));
            column = *std::move(inner);
        }
        left.intersect(column.present);
        const condition& constraint = tree_.conditions[leaf];
        auto mask =
            column_mask(constraint, *column.type, *column.array, column.rows, column.present, left);
        if (mask) detail::judge_absent(*mask, column.present, holds_absent(constraint));
        return mask;
    }

    data_type table_;
    condition_tree tree_;
    std::vector<detail::column_path> places_;  // of each condition's column
};

/// Returns a stream's last error in its own words, or else with the errno `number`.
[[nodiscard]] inline tl::unexpected<failure> stream_failure(ArrowArrayStream& stream, int number) {
    const char* const said =
        stream.get_last_error != nullptr ? stream.get_last_error(&stream) : nullptr;
    return refuse(fault::stream, said != nullptr ? said : "error " + std::to_string(number));
}

/// Returns the type of a stream's chunks. Errors: fault::stream, fault::malformed.
[[nodiscard]] inline import_result<data_type> stream_type(owned<ArrowArrayStream>& stream) {
    owned<ArrowSchema> schema;
    if (!stream) return refuse(fault::malformed, "a stream that was released");
    if (const int number = stream->get_schema(&*stream, schema.out()); number != 0) {
        return stream_failure(*stream, number);
    }
    return read_type(*schema);
}

/// Joins the masks of a stream's chunks; `mask(chunk)` returns the mask of one. Every chunk is
/// released before the next is fetched. Rows of failures count from the first chunk's first row.
/// Errors: fault::stream, and those of `mask`.
[[nodiscard]] inline import_result<row_bits> stream_mask(
    owned<ArrowArrayStream>& stream,
    const std::function<import_result<row_bits>(const ArrowArray&)>& mask) {
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
