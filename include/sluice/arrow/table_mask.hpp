// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_TABLE_MASK_HPP
#define SLUICE_ARROW_TABLE_MASK_HPP

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/arrow/filter_mask.hpp>
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
    std::variant<row_filter, time_range, text_test> wanted;
};

namespace detail {

/// Asks about the rows that passed so far and no others: tests are slow.
inline import_result<row_bits> test_mask(const data_type& type, const ArrowArray& array,
                                         row_span of_parent, const text_test& test,
                                         const row_bits& so_far) {
    if (auto checked = check_rows(array, of_parent); !checked) {
        return tl::unexpected(std::move(checked.error()));
    }
    if (type.id == type_id::null) return row_bits(of_parent.count, test.absent);
    if (type.is_coded() || !type.is_text()) {
        return refuse(fault::unsupported, "expected text, not Arrow's '" + type.format + "'");
    }
    row_bits passes(of_parent.count, false);
    const auto ask = [&](const auto& column, row_span rows, validity valid) -> import_result<void> {
        for (std::size_t i = 0; i < rows.count; ++i) {
            const row_span row{rows.first + i, 1};
            if (!so_far[i]) continue;
            bool holds = test.absent;
            if (valid[row.first]) {
                const auto text = column.is_sound(row) ? column.text(row.first) : std::nullopt;
                if (!text) return refuse(fault::malformed, "text outside of its buffers");
                holds = test.holds(*text);
            }
            passes.words()[i / 64] |= std::uint64_t{holds ? 1U : 0U} << (i % 64);
        }
        return {};
    };
    auto done = visit_text(type, array, of_parent, ask);
    if (!done) return tl::unexpected(std::move(done.error()));
    return passes;
}

}  // namespace detail

/// Which rows of one column meet a condition. `so_far` has the rows that are
/// asked about at all; what is told of others is left open.
[[nodiscard]] inline import_result<row_bits> column_mask(const condition& asked,
                                                         const data_type& type,
                                                         const ArrowArray& array, row_span rows,
                                                         const row_bits& so_far) {
    import_result<row_bits> mask;
    if (const auto* const wanted = std::get_if<row_filter>(&asked.wanted)) {
        mask = filter_mask(type, array, rows, *wanted);
    } else if (const auto* const window = std::get_if<time_range>(&asked.wanted)) {
        mask = time_mask(type, array, rows, *window);
    } else {
        mask = detail::test_mask(type, array, rows, std::get<text_test>(asked.wanted), so_far);
    }
    if (mask) return mask;
    std::string what = asked.parameter + ": column '" + asked.column + "': " + mask.error().what;
    return refuse(mask.error().kind, std::move(what));
}

/// The conditions that a table is asked for, each with the place of its column.
class table_filter {
public:
    /// fault::unsupported where the type is no table's, fault::missing where a
    /// column is not there or there twice.
    [[nodiscard]] static import_result<table_filter> make(data_type table,
                                                          std::vector<condition> conditions) {
        if (table.id != type_id::structure) {
            return refuse(fault::unsupported,
                          "expected a table, not a column of Arrow's '" + table.format + "'");
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
            made.places_.push_back(static_cast<std::size_t>(found - table.children.begin()));
        }
        made.table_ = std::move(table);
        made.conditions_ = std::move(conditions);
        return made;
    }

    /// Which rows of a chunk of the table meet all conditions.
    [[nodiscard]] import_result<row_bits> mask(const ArrowArray& chunk) const {
        const auto opened = array_view::open(&chunk, 1);
        if (!opened) return tl::unexpected(opened.error());
        if (chunk.n_children != static_cast<std::int64_t>(table_.children.size()) ||
            (chunk.n_children > 0 && chunk.children == nullptr)) {
            return refuse(fault::malformed, "a chunk without the table's columns");
        }
        row_bits passes(opened->rows().count, true);
        for (std::size_t i = 0; i < conditions_.size() && passes.any(); ++i) {
            const ArrowArray* const column = chunk.children[places_[i]];
            if (column == nullptr) return refuse(fault::malformed, "a column that was released");
            const auto one = column_mask(conditions_[i], table_.children[places_[i]], *column,
                                         opened->rows(), passes);
            if (!one) return tl::unexpected(one.error());
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
/// Every chunk is released before the next is fetched.
template <class Mask>
[[nodiscard]] import_result<row_bits> stream_mask(owned<ArrowArrayStream>& stream, Mask mask) {
    row_bits passes;
    owned<ArrowArray> chunk;
    while (true) {
        if (const int number = stream->get_next(&*stream, chunk.out()); number != 0) {
            return stream_failure(*stream, number);
        }
        if (!chunk) return passes;
        const import_result<row_bits> one = mask(*chunk);
        if (!one) return tl::unexpected(one.error());
        passes.append(one->words(), one->size());
    }
}

}  // namespace sluice::arrow

#endif
