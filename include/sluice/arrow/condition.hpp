// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_CONDITION_HPP
#define SLUICE_ARROW_CONDITION_HPP

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/arrow/filter_mask.hpp>
#include <sluice/arrow/number_mask.hpp>
#include <sluice/arrow/time_mask.hpp>
#include <sluice/arrow/value_mask.hpp>
#include <sluice/query/test_set.hpp>
#include <sluice/query/where.hpp>

/// Conditions of a query on one column, and their masks.
namespace sluice::arrow {

namespace detail {

/// Appends a bit for each row, set if it has the boolean `wanted`.
inline import_result<void> append_booleans(const ArrowArray& array, row_span of_parent, bool wanted,
                                           row_bits& matches) {
    const auto opened = array_view::open(&array, 2);
    if (!opened) return tl::unexpected(opened.error());
    const auto rows = opened->rows(of_parent);
    if (!rows) return tl::unexpected(rows.error());
    const auto bits = opened->buffer<std::uint8_t>(1, rows->count);
    if (!bits) return tl::unexpected(bits.error());
    for (std::size_t at = 0; at < rows->count; at += 64) {
        const std::size_t first = rows->first + at,
                          count = std::min<std::size_t>(64, rows->count - at);
        const std::uint64_t word = load_bits(*bits, first, count);
        const std::uint64_t hits = (wanted ? word : ~word) & opened->valid().word(first, count);
        matches.append({&hits, 1}, count);
    }
    return {};
}

/// Checks that `values` are booleans: the type of a column, or of its dictionary's values. `type`
/// is the column's, named in the error. Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_booleans(const data_type& values,
                                                        const data_type& type) {
    if (values.id == type_id::boolean && !values.is_coded()) return {};
    return refuse(fault::unsupported,
                  "expected booleans or a dictionary of booleans, not " + type_name(type));
}

}  // namespace detail

/// Checks that boolean_mask() supports a type; a dictionary's values are checked when it is read.
/// Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_boolean_type(const data_type& type) {
    return detail::check_column(type, detail::check_booleans);
}

/// Returns the rows of an array of booleans, of a dictionary of these, or of nulls, that equal
/// `wanted`; a row without a value does not. Errors: fault::unsupported, fault::malformed.
[[nodiscard]] inline import_result<row_bits> boolean_mask(const data_type& type,
                                                          const ArrowArray& array, row_span rows,
                                                          bool wanted) {
    const auto append = [&](const data_type&, const ArrowArray& values, row_span value_rows,
                            row_bits& matches) {
        return detail::append_booleans(values, value_rows, wanted, matches);
    };
    return detail::values_mask(type, array, rows, detail::check_booleans, append);
}

/// A condition on text that no filter can express, such as one on JSON documents.
struct text_test {
    std::function<bool(std::string_view)> holds;
    bool absent = false;  ///< its result for rows without a text
};

/// A condition on text of a column that isn't JSON; rows without a text don't meet it.
struct value_test {
    std::function<bool(std::string_view)> holds;
};

/// A test of the items of lists.
struct item_test {
    std::function<import_result<void>(const data_type& items)> check;
    std::function<import_result<row_bits>(const data_type& items, const ArrowArray& array,
                                          row_span rows)>
        mask;
};

/// A test of lists: each of some tests is met by at least one item, or else, with `excludes`, the
/// row has no such list.
struct list_test {
    std::vector<item_test> tests{};
    bool excludes = false;
};

/// The tests that masks answer: all of them.
inline constexpr test_set answered_tests = [] {
    test_set all;
    for (const test_record& record : test_records) {
        all = all.with(record.kind, record.on).with_lists(record.kind, record.on_lists);
    }
    return all;
}();

/// The condition of a query on one column.
struct condition {
    std::string parameter;  ///< its name in the query, for messages
    std::string column;     ///< its name in the table, with dots for fields of structs
    std::variant<row_filter, time_range, integer_test, bounds<decimal_number>, boolean_test,
                 text_test, value_test, null_test, bounds<double>, day_test, name_test, list_test>
        wanted;
    std::optional<leaf> source{};  ///< the condition in the query, for values that aren't Arrow's
};

namespace detail {

/// Checks that a text_test supports `values`: the type of a column, or of its dictionary's values.
/// `type` is the column's, named in the error. Error: fault::unsupported.
inline import_result<void> check_tested(const data_type& values, const data_type& type) {
    if (values.is_text() && !values.is_coded()) return {};
    return refuse(fault::unsupported,
                  "expected text or a dictionary of text, not " + type_name(type));
}

/// Checks the type of a column for a text_test; a dictionary's values are checked when it is read.
inline import_result<void> check_test_type(const data_type& type) {
    if (type.id == type_id::null || type.has_plain_codes()) return {};
    return check_tested(type, type);
}

/// Appends a bit for each row, set if `test` holds for its text. Every text is read, to report a
/// malformed one, but only those of the rows in `left` are tested, since tests are slow.
inline import_result<void> append_tested(const data_type& type, const ArrowArray& array,
                                         row_span of_parent, const text_test& test,
                                         const row_bits& left, row_bits& passes) {
    const auto append_rows = [&](const auto& column, row_span rows,
                                 validity valid) -> import_result<void> {
        for (std::size_t i = 0; i < rows.count; ++i) {
            const row_span row{rows.first + i, 1};
            std::uint64_t bit = test.absent ? 1 : 0;
            if (valid[row.first]) {
                const auto text = column.is_sound(row) ? column.text(row.first) : std::nullopt;
                if (!text) return refuse(fault::malformed, "text outside of its buffers", i);
                bit = left[i] && test.holds(*text) ? 1 : 0;
            }
            passes.append({&bit, 1}, 1);
        }
        return {};
    };
    return visit_text(type, array, of_parent, append_rows);
}

/// Sets rows that are not present to a condition's result for rows without a value.
inline void judge_absent(row_bits& mask, const row_bits& present, bool absent) noexcept {
    mask.intersect(present);
    if (!absent) return;
    row_bits missing = present;
    flip(missing);
    mask.merge(missing);
}

/// Like append_tested(), for a dictionary: tests each of its texts once, and rows by their codes.
inline import_result<void> append_coded_tests(const data_type& type, const ArrowArray& array,
                                              row_span of_parent, const text_test& test,
                                              row_bits& passes) {
    const data_type& texts = type.dictionary.front();
    const auto all = dictionary_rows(array, check_tested(texts, type));
    if (!all) return tl::unexpected(all.error());
    row_bits values;
    import_result<void> done;
    const row_bits present_texts(all->count, true);
    if (all->count > 0) {
        done = append_tested(texts, *array.dictionary, *all, test, present_texts, values);
    }
    if (!done) return unplaced(done);
    done = append_by_codes(type, array, of_parent, values, passes);
    if (!done) return done;
    const auto opened = array_view::open(&array, 2);
    const row_bits present = present_rows(opened->valid(), *opened->rows(of_parent));
    judge_absent(passes, present, test.absent);
    return {};
}

/// Returns the rows that meet a text_test; the bits of rows that are not in `left` are unspecified.
inline import_result<row_bits> test_mask(const data_type& type, const ArrowArray& array,
                                         row_span of_parent, const text_test& test,
                                         const row_bits& left) {
    auto done = check_rows(array, of_parent);
    if (!done) return tl::unexpected(std::move(done.error()));
    if (type.id == type_id::null) return row_bits(of_parent.count, test.absent);
    row_bits passes;
    done = type.is_coded() ? append_coded_tests(type, array, of_parent, test, passes)
                           : append_tested(type, array, of_parent, test, left, passes);
    if (!done) return tl::unexpected(std::move(done.error()));
    return passes;
}

/// Adds the column's name to a failure.
template <class T>
[[nodiscard]] import_result<T> in_column(import_result<T> outcome, const condition& constraint) {
    if (!outcome) {
        outcome.error().column = constraint.parameter + ": column '" + constraint.column + "'";
    }
    return outcome;
}

/// Moves the column of a failure inside records to its text.
template <class T>
[[nodiscard]] import_result<T> in_items(import_result<T> outcome) {
    if (!outcome && !outcome.error().column.empty()) {
        outcome.error().what = outcome.error().column + ": " + outcome.error().what;
    }
    return outcome;
}

/// Checks that a test of lists supports a type. Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_list(const data_type& type, const list_test& test) {
    if (type.id == type_id::null) return {};
    if (!type.is_list() || type.is_coded()) {
        return refuse(fault::unsupported, "expected lists, not " + type_name(type));
    }
    for (const item_test& one : test.tests) {
        auto checked = in_items(one.check(type.children.front()));
        if (!checked) return checked;
    }
    return {};
}

/// Returns the rows of an array of lists, or of nulls, that meet a test.
[[nodiscard]] inline import_result<row_bits> list_mask(const data_type& type,
                                                       const ArrowArray& array, row_span rows,
                                                       const list_test& test) {
    auto passes = null_mask(type, array, rows, null_test{false});
    if (!passes) return passes;
    if (type.id == type_id::null) return row_bits(rows.count, test.excludes);
    for (const item_test& one : test.tests) {
        const auto append = [&](const data_type& item_type, const ArrowArray& items,
                                row_span item_rows, row_bits& matches) -> import_result<void> {
            const auto mask = in_items(one.mask(item_type, items, item_rows));
            if (!mask) return tl::unexpected(mask.error());
            matches.append(mask->words(), mask->size());
            return {};
        };
        row_bits lists;
        const auto done = append_any_lists(type, array, rows, append, lists);
        if (!done) return tl::unexpected(done.error());
        passes->intersect(lists);
    }
    if (test.excludes) flip(*passes);
    return passes;
}

/// Checks that a condition supports a type.
struct type_check {
    const data_type& type;

    import_result<void> operator()(const row_filter&) const { return check_filter_type(type); }
    import_result<void> operator()(const time_range&) const { return check_time_type(type); }
    import_result<void> operator()(const integer_test&) const { return check_integer_type(type); }
    import_result<void> operator()(const bounds<decimal_number>&) const {
        return check_decimal_type(type);
    }
    import_result<void> operator()(const boolean_test&) const { return check_boolean_type(type); }
    import_result<void> operator()(const text_test&) const { return check_test_type(type); }
    import_result<void> operator()(const value_test&) const { return check_test_type(type); }
    import_result<void> operator()(const null_test&) const { return check_null_type(type); }
    import_result<void> operator()(const bounds<double>&) const { return check_real_type(type); }
    import_result<void> operator()(const day_test&) const { return check_day_type(type); }
    import_result<void> operator()(const name_test&) const { return check_name_type(type); }
    import_result<void> operator()(const list_test& test) const { return check_list(type, test); }
};

/// Computes the mask of a condition; see column_mask().
struct column_test {
    const data_type& type;
    const ArrowArray& array;
    row_span rows;
    const row_bits& present;
    const row_bits& left;

    import_result<row_bits> operator()(const row_filter& wanted) const {
        return filter_mask(type, array, rows, wanted);
    }
    import_result<row_bits> operator()(const time_range& window) const {
        return time_mask(type, array, rows, window, present);
    }
    import_result<row_bits> operator()(const integer_test& numbers) const {
        return integer_mask(type, array, rows, numbers);
    }
    import_result<row_bits> operator()(const bounds<decimal_number>& numbers) const {
        return decimal_mask(type, array, rows, numbers);
    }
    import_result<row_bits> operator()(const boolean_test& test) const {
        return boolean_mask(type, array, rows, test.wanted);
    }
    import_result<row_bits> operator()(const text_test& test) const {
        return test_mask(type, array, rows, test, left);
    }
    import_result<row_bits> operator()(const value_test& test) const {
        return test_mask(type, array, rows, text_test{test.holds}, left);
    }
    import_result<row_bits> operator()(const null_test& test) const {
        return null_mask(type, array, rows, test);
    }
    import_result<row_bits> operator()(const bounds<double>& within) const {
        return real_mask(type, array, rows, within);
    }
    import_result<row_bits> operator()(const day_test& test) const {
        return day_mask(type, array, rows, test, present);
    }
    import_result<row_bits> operator()(const name_test& test) const {
        return name_mask(type, array, rows, test);
    }
    import_result<row_bits> operator()(const list_test& test) const {
        return list_mask(type, array, rows, test);
    }
};

}  // namespace detail

/// Checks that a condition supports a column's type. Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_type(const condition& constraint,
                                                    const data_type& type) {
    return detail::in_column(std::visit(detail::type_check{type}, constraint.wanted), constraint);
}

namespace detail {

/// Returns the result of a condition for a row without a value.
struct absent_test {
    bool operator()(const row_filter& wanted) const { return wanted.passes(std::nullopt); }
    bool operator()(const time_range&) const { return false; }
    bool operator()(const integer_test& test) const { return test.excludes; }
    bool operator()(const bounds<decimal_number>&) const { return false; }
    bool operator()(const boolean_test&) const { return false; }
    bool operator()(const text_test& test) const { return test.absent; }
    bool operator()(const value_test&) const { return false; }
    bool operator()(const null_test& test) const { return test.wanted; }
    bool operator()(const bounds<double>&) const { return false; }
    bool operator()(const day_test& test) const { return test.days.excludes; }
    bool operator()(const name_test& test) const { return test.excludes(); }
    bool operator()(const list_test& test) const { return test.excludes; }
};

}  // namespace detail

/// Returns a condition's result for a row without a value: true for exclusions, empty filters and
/// tests for the missing.
[[nodiscard]] inline bool holds_absent(const condition& constraint) {
    return std::visit(detail::absent_test(), constraint.wanted);
}

/// Returns the rows of one column that meet a condition. Expects a type that check_type() accepts.
/// `rows` counts from the array's first. `present` has the rows that lie in no null struct, `left`
/// those that other conditions have not decided. All present rows are checked, so that malformed
/// ones are reported whatever other conditions say; texts are tested only in those that are also
/// left. The bits of other rows are unspecified. Errors: fault::unsupported, if the type of a
/// dictionary's values is none that can be compared; fault::malformed.
[[nodiscard]] inline import_result<row_bits> column_mask(const condition& constraint,
                                                         const data_type& type,
                                                         const ArrowArray& array, row_span rows,
                                                         const row_bits& present,
                                                         const row_bits& left) {
    const detail::column_test test{type, array, rows, present, left};
    return detail::in_column(std::visit(test, constraint.wanted), constraint);
}

/// Like column_mask() of some rows, for all rows of an array, whose type is checked.
[[nodiscard]] inline import_result<row_bits> column_mask(const condition& constraint,
                                                         const data_type& type,
                                                         const ArrowArray& array) {
    if (auto checked = check_type(constraint, type); !checked) {
        return tl::unexpected(std::move(checked.error()));
    }
    const auto opened = array_view::open(&array, 0, true);
    if (!opened) {
        return detail::in_column(import_result<row_bits>(tl::unexpected(opened.error())),
                                 constraint);
    }
    const row_bits all(opened->rows().count, true);
    return column_mask(constraint, type, array, {0, opened->rows().count}, all, all);
}

}  // namespace sluice::arrow

#endif
