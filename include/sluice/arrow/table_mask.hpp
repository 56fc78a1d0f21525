// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_TABLE_MASK_HPP
#define SLUICE_ARROW_TABLE_MASK_HPP

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/arrow/filter_mask.hpp>
#include <sluice/arrow/integer_mask.hpp>
#include <sluice/arrow/time_mask.hpp>

namespace sluice::arrow {

/// A condition on text that no filter can state; rows without a text ask about
/// `absent`.
struct text_test {
    std::function<bool(std::string_view)> holds;
    bool absent = false;
};

/// What a query asks of one column.
struct condition {
    std::string parameter;  ///< for messages
    std::string column;
    std::variant<row_filter, time_range, integer_test, text_test> wanted;
};

namespace detail {

inline import_result<void> check_tested(const data_type& values, const data_type& type) {
    if (values.is_text() && !values.is_coded()) return {};
    return refuse(fault::unsupported,
                  "expected text or a dictionary of text, not " + type_name(type));
}

/// Of a dictionary only its values tell.
inline import_result<void> check_test_type(const data_type& type) {
    if (type.id == type_id::null || type.has_plain_codes()) return {};
    return check_tested(type, type);
}

/// Follows every text, and asks about those of the rows that are `left`: tests are slow.
inline import_result<void> append_tested(const data_type& type, const ArrowArray& array,
                                         row_span of_parent, const text_test& test,
                                         const row_bits& left, row_bits& passes) {
    const auto ask = [&](const auto& column, row_span rows, validity valid) -> import_result<void> {
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
    return visit_text(type, array, of_parent, ask);
}

/// Gives rows that are not there what a condition says of a row without a value.
inline void judge_absent(row_bits& mask, const row_bits& present, bool absent) noexcept {
    mask.intersect(present);
    if (!absent) return;
    row_bits missing = present;
    flip(missing);
    mask.unite(missing);
}

/// Asks about each text of the dictionary once, and about rows by their codes.
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

/// Names the column in a failure.
template <class T>
[[nodiscard]] import_result<T> in_column(import_result<T> given, const condition& asked) {
    if (!given) given.error().column = asked.parameter + ": column '" + asked.column + "'";
    return given;
}

}  // namespace detail

/// Whether a condition can be asked of a column of a type: fault::unsupported where it can't.
[[nodiscard]] inline import_result<void> check_type(const condition& asked, const data_type& type) {
    import_result<void> checked;
    if (std::holds_alternative<row_filter>(asked.wanted)) checked = check_filter_type(type);
    if (std::holds_alternative<time_range>(asked.wanted)) checked = check_time_type(type);
    if (std::holds_alternative<integer_test>(asked.wanted)) checked = check_integer_type(type);
    if (std::holds_alternative<text_test>(asked.wanted)) checked = detail::check_test_type(type);
    return detail::in_column(std::move(checked), asked);
}

/// What a condition says of a row without a value.
[[nodiscard]] inline bool holds_absent(const condition& asked) {
    if (const auto* const wanted = std::get_if<row_filter>(&asked.wanted)) {
        return wanted->passes(std::nullopt);
    }
    if (const auto* const numbers = std::get_if<integer_test>(&asked.wanted)) {
        return numbers->excludes;
    }
    const auto* const test = std::get_if<text_test>(&asked.wanted);
    return test != nullptr && test->absent;
}

/// Which rows of one column meet a condition; its type is one that check_type has let pass. All
/// rows that are `present` are checked, so that what is wrong with one is told whatever other
/// conditions say; tests of text are made of those that are `left` among them, and what is told of
/// the others is left open.
[[nodiscard]] inline import_result<row_bits> column_mask(const condition& asked,
                                                         const data_type& type,
                                                         const ArrowArray& array, row_span rows,
                                                         const row_bits& present,
                                                         const row_bits& left) {
    import_result<row_bits> mask;
    if (const auto* const wanted = std::get_if<row_filter>(&asked.wanted)) {
        mask = filter_mask(type, array, rows, *wanted);
    } else if (const auto* const window = std::get_if<time_range>(&asked.wanted)) {
        mask = time_mask(type, array, rows, *window, present);
    } else if (const auto* const numbers = std::get_if<integer_test>(&asked.wanted)) {
        mask = integer_mask(type, array, rows, *numbers);
    } else {
        mask = detail::test_mask(type, array, rows, std::get<text_test>(asked.wanted), left);
    }
    return detail::in_column(std::move(mask), asked);
}

/// The same for all rows of an array of any type.
[[nodiscard]] inline import_result<row_bits> column_mask(const condition& asked,
                                                         const data_type& type,
                                                         const ArrowArray& array) {
    if (auto checked = check_type(asked, type); !checked) {
        return tl::unexpected(std::move(checked.error()));
    }
    const auto opened = array_view::open(&array, 0, true);
    if (!opened)
        return detail::in_column(import_result<row_bits>(tl::unexpected(opened.error())), asked);
    const row_bits all(opened->rows().count, true);
    return column_mask(asked, type, array, {0, opened->rows().count}, all, all);
}

/// The conditions that a table is asked for, each with the place of its column.
class table_filter {
public:
    /// fault::unsupported where the type is no table's or a column's can't be compared,
    /// fault::missing where a column is not there or there twice.
    [[nodiscard]] static import_result<table_filter> make(data_type table,
                                                          std::vector<condition> conditions) {
        if (table.id != type_id::structure) {
            return refuse(fault::unsupported,
                          "expected a table, not a column of " + type_name(table));
        }
        table_filter made;
        for (const condition& each : conditions) {
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
        made.conditions_ = std::move(conditions);
        return made;
    }

    /// Which rows of a chunk of the table meet all conditions. Where a row is null, all its columns
    /// are, whatever they hold there.
    [[nodiscard]] import_result<row_bits> mask(const ArrowArray& chunk) const {
        const auto opened = array_view::open(&chunk, 1);
        if (!opened) return tl::unexpected(opened.error());
        if (chunk.n_children != static_cast<std::int64_t>(table_.children.size()) ||
            (chunk.n_children > 0 && chunk.children == nullptr)) {
            return refuse(fault::malformed, "a chunk without the table's columns");
        }
        const row_bits present = detail::present_rows(opened->valid(), opened->rows());
        row_bits passes(opened->rows().count, true);
        for (std::size_t i = 0; i < conditions_.size(); ++i) {
            const ArrowArray* const column = chunk.children[places_[i]];
            if (column == nullptr) return refuse(fault::malformed, "a column that was released");
            row_bits left = passes;
            left.intersect(present);
            auto one = column_mask(conditions_[i], table_.children[places_[i]], *column,
                                   opened->rows(), present, left);
            if (!one) return tl::unexpected(std::move(one.error()));
            detail::judge_absent(*one, present, holds_absent(conditions_[i]));
            passes.intersect(*one);
        }
        return passes;
    }

private:
    data_type table_;
    std::vector<condition> conditions_;
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
