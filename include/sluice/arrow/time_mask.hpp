// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_TIME_MASK_HPP
#define SLUICE_ARROW_TIME_MASK_HPP

#include <algorithm>
#include <limits>
#include <optional>

#include <sluice/arrow/filter_mask.hpp>
#include <sluice/time_range.hpp>

namespace sluice::arrow {

namespace detail {

/// The first and last count of ticks inside a window.
struct tick_range {
    std::int64_t first, last;
};

/// A product that stays within 64 bits.
[[nodiscard]] constexpr std::int64_t saturated(std::int64_t value, std::int64_t factor) noexcept {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    return std::clamp(value, -(most / factor), most / factor) * factor;
}

/// Windows end with their last millisecond, all of it. Seconds count as their
/// first millisecond.
[[nodiscard]] constexpr tick_range ticks_of(const time_range& window,
                                            std::int64_t ticks_a_second) noexcept {
    using std::chrono::floor, std::chrono::ceil, std::chrono::seconds;
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    if (ticks_a_second == 1) {
        const auto first =
            window.start ? ceil<seconds>(*window.start).time_since_epoch().count() : least;
        return {first, floor<seconds>(window.end).time_since_epoch().count()};
    }
    const std::int64_t factor = ticks_a_second / 1'000;
    const auto end = window.end + std::chrono::milliseconds{1};
    return {window.start ? saturated(window.start->time_since_epoch().count(), factor) : least,
            saturated(end.time_since_epoch().count(), factor) - 1};
}

inline import_result<void> append_ticks(const ArrowArray& array, row_span of_parent,
                                        tick_range wanted, row_bits& within) {
    const auto opened = array_view::open(&array, 2);
    if (!opened) return tl::unexpected(opened.error());
    const auto rows = opened->rows(of_parent);
    if (!rows) return tl::unexpected(rows.error());
    const auto ticks = opened->buffer<std::int64_t>(1, rows->count);
    if (!ticks) return tl::unexpected(ticks.error());
    return for_each_block(*rows, [&](row_span block) -> import_result<void> {
        block_words hits{};
        for (std::size_t i = 0; i < block.count; ++i) {
            const std::int64_t at = (*ticks)[block.first + i];
            const bool inside = (at >= wanted.first) & (at <= wanted.last);
            hits[i / 64] |= std::uint64_t{inside ? 1U : 0U} << (i % 64);
        }
        keep_valid(hits, block, opened->valid());
        within.append(words_in(hits, block.count), block.count);
        return {};
    });
}

/// RFC 3339; the first text that is not is at fault.
inline import_result<void> append_timestamps(const data_type& type, const ArrowArray& array,
                                             row_span of_parent, const time_range& window,
                                             row_bits& within) {
    bool readable = true;
    const auto inside = [&](std::string_view text) {
        const auto at = parse_timestamp(text);
        readable = readable && at.has_value();
        return at && *at <= window.end && (!window.start || *at >= *window.start);
    };
    return visit_text(
        type, array, of_parent,
        [&](const auto& column, row_span rows, validity valid) -> import_result<void> {
            return for_each_block(rows, [&](row_span block) -> import_result<void> {
                block_words hits{};
                if (!column.is_sound(block)) return refuse(fault::malformed, "offsets that fall");
                auto done = match_each(column, block, valid, inside, hits);
                if (!done) return done;
                if (!readable) return refuse(fault::malformed, "a text that is no RFC 3339 time");
                within.append(words_in(hits, block.count), block.count);
                return done;
            });
        });
}

}  // namespace detail

/// Which rows of an array lie in a window. The array is of Arrow timestamps of
/// any unit, with or without a zone (both count from 1970 in UTC), of 64-bit
/// integers that count milliseconds, of RFC 3339 texts or null. A row without a
/// time lies in no window.
[[nodiscard]] inline import_result<row_bits> time_mask(const data_type& type,
                                                       const ArrowArray& array, row_span rows,
                                                       const time_range& window) {
    auto done = detail::check_rows(array, rows);
    if (!done) return tl::unexpected(std::move(done.error()));
    row_bits within;
    within.reserve(rows.count);
    const bool milliseconds = type.id == type_id::integer && type.width == 8 && type.is_signed;
    if (type.id == type_id::null) return row_bits(rows.count, false);
    if (type.is_coded() || !(milliseconds || type.is_text() || type.id == type_id::timestamp)) {
        return refuse(fault::unsupported,
                      "expected timestamps, int64 milliseconds "
                      "or RFC 3339 text, not Arrow's '" +
                          type.format + "'");
    }
    if (type.is_text()) {
        done = detail::append_timestamps(type, array, rows, window, within);
    } else {
        const std::int64_t unit = milliseconds ? 1'000 : type.ticks_a_second;
        done = detail::append_ticks(array, rows, detail::ticks_of(window, unit), within);
    }
    if (!done) return tl::unexpected(std::move(done.error()));
    return within;
}

}  // namespace sluice::arrow

#endif
