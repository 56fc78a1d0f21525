// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_TIME_MASK_HPP
#define SLUICE_ARROW_TIME_MASK_HPP

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include <sluice/arrow/number_mask.hpp>
#include <sluice/time/window.hpp>

/// Masks of columns of times: the rows that lie in a time window. A tick is the unit of such a
/// column: a second, milli-, micro- or nanosecond. Ticks count from 1970-01-01T00:00Z.
namespace sluice::arrow {

namespace detail {

/// The first and last tick inside a time window, for masks; empty if the first is the larger.
struct tick_range {
    std::int64_t first, last;
};

inline constexpr tick_range no_ticks{1, 0};

/// Returns the ticks from the first of unit `start` to the last of unit `end`; a unit (a second or
/// a millisecond) has `factor` ticks, and nullopt sets no limit. Limits that exceed 64 bits are
/// cut off, since no column has such ticks.
///
/// ```
/// units              | start |  ...  |  end  |
/// ticks              ^ first                ^ last
/// ```
[[nodiscard]] constexpr tick_range ticks_between(std::optional<std::int64_t> start,
                                                 std::optional<std::int64_t> end,
                                                 std::int64_t factor) noexcept {
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    if (start && *start > most / factor) return no_ticks;
    if (end && *end + 1 < least / factor) return no_ticks;
    const bool has_first = start && *start >= least / factor;
    const bool has_last = end && *end < most / factor;
    return {has_first ? *start * factor : least, has_last ? (*end + 1) * factor - 1 : most};
}

/// Returns the ticks of a window, including all of its last millisecond. A column of seconds has
/// whole seconds only, so that the window is narrowed to these.
[[nodiscard]] constexpr tick_range ticks_of(const time_range& window,
                                            std::int64_t ticks_a_second) noexcept {
    using std::chrono::floor, std::chrono::ceil, std::chrono::seconds;
    std::optional<std::int64_t> start, end;
    if (ticks_a_second == 1) {
        if (window.start) start = ceil<seconds>(*window.start).time_since_epoch().count();
        if (window.end) end = floor<seconds>(*window.end).time_since_epoch().count();
        return ticks_between(start, end, 1);
    }
    if (window.start) start = window.start->time_since_epoch().count();
    if (window.end) end = window.end->time_since_epoch().count();
    return ticks_between(start, end, ticks_a_second / 1'000);
}

/// Returns a range of ticks as one of numbers.
[[nodiscard]] inline number_range to_range(tick_range wanted) {
    return number_range({.least = wanted.first, .most = wanted.last});
}

/// Appends a bit for each row of text by `test(text)`, which returns nullopt for a text that it
/// can't read. Error: fault::malformed with `expected`, at the first row of `present` with such a
/// text.
template <class Test>
import_result<void> append_parsed(const data_type& type, const ArrowArray& array,
                                  row_span of_parent, const Test& test, const char* expected,
                                  const row_bits& present, row_bits& matches) {
    const auto read = [&](const auto& column, row_span rows, validity valid) {
        return for_each_block(rows, [&](row_span block) -> import_result<void> {
            block_words hits{};
            if (!column.is_sound(block)) return refuse(fault::malformed, "offsets that fall");
            for (std::size_t i = 0; i < block.count; ++i) {
                if (!valid[block.first + i] || !present[matches.size() + i]) continue;
                const auto text = column.text(block.first + i);
                if (!text) return refuse(fault::malformed, outside_of_buffers, i);
                const std::optional<bool> is_hit = test(*text);
                if (!is_hit) return refuse(fault::malformed, expected, i);
                hits[i / 64] |= std::uint64_t{*is_hit ? 1U : 0U} << (i % 64);
            }
            matches.append(words_in(hits, block.count), block.count);
            return {};
        });
    };
    return visit_text(type, array, of_parent, read);
}

/// Appends a bit for each row of RFC 3339 text, set if it lies in the window.
inline import_result<void> append_timestamps(const data_type& type, const ArrowArray& array,
                                             row_span of_parent, const time_range& window,
                                             const row_bits& present, row_bits& within) {
    const auto test = [&](std::string_view text) -> std::optional<bool> {
        const auto at = parse_timestamp(text);
        if (!at) return std::nullopt;
        return window.contains(*at);
    };
    return append_parsed(type, array, of_parent, test, "expected RFC 3339 text", present, within);
}

/// Appends a bit for each row of a column without codes, set if its time lies in the window.
inline import_result<void> append_times(const data_type& type, const ArrowArray& array,
                                        row_span of_parent, const time_range& window,
                                        const row_bits& present, row_bits& within) {
    if (type.is_text()) return append_timestamps(type, array, of_parent, window, present, within);
    const std::int64_t unit = type.id == type_id::timestamp ? type.ticks_a_second : 1'000;
    return append_range<std::int64_t>(array, of_parent, to_range(ticks_of(window, unit)), within);
}

/// Returns true if a type without codes is supported: timestamps, text, int64 milliseconds.
[[nodiscard]] inline bool is_time(const data_type& type) noexcept {
    const bool is_milliseconds = type.id == type_id::integer && type.width == 8 && type.is_signed;
    return is_milliseconds || type.is_text() || type.id == type_id::timestamp;
}

/// Checks that `values` are times: the type of a column, or of its dictionary's values. `type` is
/// the column's, named in the error. Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_times(const data_type& values,
                                                     const data_type& type) {
    if (is_time(values)) return {};
    return refuse(
        fault::unsupported,
        "expected timestamps, int64 milliseconds or RFC 3339 text, not " + type_name(type));
}

/// Like append_times(), for a dictionary: tests each of its times once, and rows by their codes.
inline import_result<void> append_coded_times(const data_type& type, const ArrowArray& array,
                                              row_span of_parent, const time_range& window,
                                              row_bits& within) {
    const data_type& values = type.dictionary.front();
    const auto all = dictionary_rows(array, check_times(values, type));
    if (!all) return tl::unexpected(all.error());
    row_bits times;
    import_result<void> done;
    const row_bits present(all->count, true);
    if (all->count > 0)
        done = append_times(values, *array.dictionary, *all, window, present, times);
    return done ? append_by_codes(type, array, of_parent, times, within) : unplaced(done);
}

}  // namespace detail

/// Checks that time_mask() supports a type; a dictionary's values are checked when it is read.
/// Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_time_type(const data_type& type) {
    if (type.id == type_id::null || type.has_plain_codes()) return {};
    return detail::check_times(type.is_coded() ? type.dictionary.front() : type, type);
}

/// Returns the rows of an array that lie in a window. The array is of Arrow timestamps of any unit,
/// with or without a zone (both count from 1970 in UTC), of 64-bit integers that count
/// milliseconds, of RFC 3339 texts, a dictionary of any of these, or null. A row without a time
/// lies in no window. In rows that are not `present` (they lie in a null struct) no text is read;
/// their bits are unspecified. Errors: fault::unsupported, fault::malformed.
[[nodiscard]] inline import_result<row_bits> time_mask(const data_type& type,
                                                       const ArrowArray& array, row_span rows,
                                                       const time_range& window,
                                                       const row_bits& present) {
    auto done = check_time_type(type);
    if (done) done = detail::check_rows(array, rows);
    if (!done) return tl::unexpected(std::move(done.error()));
    if (type.id == type_id::null) return row_bits(rows.count, false);
    row_bits within;
    within.reserve(rows.count);
    done = type.is_coded() ? detail::append_coded_times(type, array, rows, window, within)
                           : detail::append_times(type, array, rows, window, present, within);
    if (!done) return tl::unexpected(std::move(done.error()));
    return within;
}

/// Like time_mask(), for the ticks of NumPy's datetime64. It has no validity bitmap; the lowest
/// 64-bit number is its NaT, not a time.
[[nodiscard]] inline row_bits ticks_mask(std::span<const std::int64_t> ticks,
                                         std::int64_t ticks_a_second, const time_range& window) {
    detail::tick_range wanted = detail::ticks_of(window, ticks_a_second);
    wanted.first = std::max(wanted.first, std::numeric_limits<std::int64_t>::min() + 1);
    row_bits within;
    within.reserve(ticks.size());
    const detail::range_matcher<std::int64_t> match(detail::to_range(wanted));
    for (std::size_t at = 0; at < ticks.size(); at += detail::block_rows) {
        const std::size_t rows = std::min(detail::block_rows, ticks.size() - at);
        detail::block_words hits;
        match(ticks.data() + at, rows, hits.data());
        within.append(detail::words_in(hits, rows), rows);
    }
    return within;
}

/// Like time_mask() with `present`, for rows that are all present.
[[nodiscard]] inline import_result<row_bits> time_mask(const data_type& type,
                                                       const ArrowArray& array, row_span rows,
                                                       const time_range& window) {
    if (auto checked = detail::check_rows(array, rows); !checked) {
        return tl::unexpected(std::move(checked.error()));
    }
    return time_mask(type, array, rows, window, row_bits(rows.count, true));
}

}  // namespace sluice::arrow

#endif
