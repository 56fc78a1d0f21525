// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_JSON_JSON_ROWS_HPP
#define SLUICE_STORE_JSON_JSON_ROWS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/memory.hpp>
#include <sluice/store/json/json_fragments.hpp>
#include <sluice/store/table.hpp>
#include <sluice/store/texts/dictionary.hpp>

namespace sluice::store {

/// A layout of a table's rows as JSON: a list of pieces, written in order for each row. A fragment
/// is the JSON of a code, prepared for all rows with it. Once built, any number of threads may use
/// the layout.
///
/// ```
/// json_fragments countries(",\"country\":\"", "\"", ",\"country\":null");
/// json_rows layout;
/// layout.json("{\"id\":").text(0, ids).fragment(1, countries).json(",\"at\":").time().json("}");
/// layout.write(table.current(), rows, out);  // {"id":"a","country":"US","at":"2026-..."},...
/// ```
///
/// Columns are those of the table's schema. Dictionaries and fragments must outlive the layout and
/// contain all codes of the written rows.
class json_rows {
public:
    /// Adds bytes that are the same in all rows.
    json_rows& json(std::string_view text) {
        return add({.what = kind::json, .constant = keep(text)});
    }
    /// Adds the fragment of a column's code.
    json_rows& fragment(std::size_t column, const json_fragments& of) {
        return add({.what = kind::fragment, .column = column, .fragments = &of});
    }
    /// Adds the text of a column as a JSON string, or `for_absent` for an absent value.
    json_rows& text(std::size_t column, const dictionary& texts,
                    std::string_view for_absent = "null") {
        return add({kind::text, column, nullptr, &texts, keep(for_absent)});
    }
    /// Adds the text of a column that is JSON, or `for_absent` for an absent value.
    json_rows& raw(std::size_t column, const dictionary& texts,
                   std::string_view for_absent = "null") {
        return add({kind::raw, column, nullptr, &texts, keep(for_absent)});
    }
    /// Adds the row's time (milliseconds since 1970) as a JSON string; see format_timestamp().
    json_rows& time() { return add({.what = kind::time}); }
    /// Adds the row's time as a number of milliseconds.
    json_rows& milliseconds() { return add({.what = kind::milliseconds}); }
    /// Adds an integer column as a time, like time().
    json_rows& time(std::size_t integer_column) {
        return add({.what = kind::integer_time, .column = integer_column});
    }
    /// Adds an integer column as a number.
    json_rows& integer(std::size_t integer_column) {
        return add({.what = kind::integer, .column = integer_column});
    }

    /// Appends rows of a snapshot in the given order, separated by commas.
    void write(const snapshot& from, std::span<const std::size_t> rows, std::string& out) const {
        if (rows.empty()) return;
        writer(*this, from, rows, out).write();
    }

private:
    /// The kinds of pieces, by the functions that add them; integer_time is the time() of a column.
    enum class kind : std::uint8_t {
        json,
        fragment,
        text,
        raw,
        time,
        milliseconds,
        integer_time,
        integer
    };

    struct piece {
        kind what;
        std::size_t column = 0;
        const json_fragments* fragments = nullptr;
        const dictionary* texts = nullptr;
        std::string_view constant{};  // text of kind::json; otherwise the JSON of an absent value
    };
    /// A piece in the form that a writer reads.
    struct step {
        kind what;
        bool is_far;         // its values may be out of near caches: prefetch them
        std::uint32_t text;  // index among the pieces that are texts
        std::uint32_t column;
        const std::string_view* fragments;
        const dictionary* texts;
        std::string_view constant;
        std::size_t run;  // number of fragments and constants in sequence from here on
    };

    json_rows& add(const piece& next) {
        pieces_.push_back(next);
        return *this;
    }
    /// Copies JSON to where it lives as long as the layout.
    std::string_view keep(std::string_view json) {
        constants_.append_json(json);
        return constants_[static_cast<code>(constants_.size() - 1)];
    }

    /// Writes rows in groups: gathers the codes of the next group and prefetches their values while
    /// writing this one, so that writing doesn't wait for cache misses.
    ///
    /// ```
    /// group 0: gather, prefetch | group 1: gather, prefetch | write group 0 | group 2: gather ...
    /// ```
    class writer {
    public:
        writer(const json_rows& layout, const snapshot& from, std::span<const std::size_t> rows,
               std::string& out)
            : from_(from), rows_(rows), buffer_(out) {
            for (const piece& piece : layout.pieces_) add(piece);
            find_runs();
            codes_.resize(2 * group * columns_);
            values_.resize(2 * group * texts_);
        }

        /// Writes all rows. `ahead` is the end of the rows that gather() has read.
        void write() {
            std::size_t ahead = gather(0);
            for (std::size_t done = 0; done < rows_.size();) {
                const std::size_t end = ahead;
                ahead = gather(end);
                if (done > 0 && done == group) reserve();
                for (; done < end; ++done) write_row(done);
            }
            buffer_.flush();
        }

    private:
        static constexpr std::size_t group = 16;               // rows
        static constexpr std::size_t near_codes = 4096;        // fragments that near caches hold
        static constexpr std::size_t cache_line = 64;          // bytes
        static constexpr std::size_t prefetched_bytes = 1024;  // of a value, at most

        /// Appends the step of a piece, whose run find_runs() sets.
        void add(const piece& from) {
            const bool is_text = from.what == kind::text || from.what == kind::raw;
            const bool is_code = is_text || from.what == kind::fragment;
            if (is_code) columns_ = std::max(columns_, from.column + 1);
            const bool is_far =
                is_text || (from.what == kind::fragment && from.fragments->size() > near_codes);
            const std::uint32_t text = is_text ? texts_++ : 0;
            steps_.push_back({from.what, is_far, text, static_cast<std::uint32_t>(from.column),
                              from.fragments != nullptr ? from.fragments->data() : nullptr,
                              from.texts, from.constant, 0});
        }
        /// Sets the runs of all steps, from the last to the first.
        void find_runs() noexcept {
            std::size_t run = 0;
            for (step& step : steps_ | std::views::reverse) {
                const bool is_part = step.what == kind::json || step.what == kind::fragment;
                run = is_part ? run % json_buffer::longest_run + 1 : 0;
                step.run = run;
            }
        }

        /// Returns the codes of the row at an index of rows_, in the current or the next group.
        [[nodiscard]] std::span<code> codes_of(std::size_t at) noexcept {
            return std::span(codes_).subspan(at % (2 * group) * columns_, columns_);
        }

        /// Reads the codes of the group of rows from `begin` on, and prefetches their values.
        /// Returns the end of the group.
        std::size_t gather(std::size_t begin) {
            const std::size_t end = std::min(begin + group, rows_.size());
            for (std::size_t at = begin; at < end; ++at) from_.read_codes(rows_[at], codes_of(at));
            for (const step& step : steps_) {
                if (!step.is_far) continue;
                for (std::size_t at = begin; at < end; ++at) prefetch(find_value(step, at));
            }
            return end;
        }
        /// Finds a code's fragment or text. Keeps a text until its row is written.
        std::string_view find_value(const step& of, std::size_t at) noexcept {
            const code value_code = codes_of(at)[of.column];
            if (of.what == kind::fragment) return of.fragments[value_code];
            return text_of(of, at) = of.texts->text(value_code);
        }
        /// Returns where the text of a step and row is kept between find_value() and write_text().
        [[nodiscard]] std::string_view& text_of(const step& of, std::size_t at) noexcept {
            return values_[at % (2 * group) * texts_ + of.text];
        }
        static void prefetch(std::string_view bytes) noexcept {
            const std::size_t size = std::min(bytes.size(), prefetched_bytes);
            for (std::size_t at = 0; at < size; at += cache_line) {
                sluice::detail::prefetch(bytes.data() + at);
            }
        }

        /// Reserves memory for all rows, from the length of the first group.
        void reserve() {
            const std::size_t expected = buffer_.size() * (rows_.size() / group + 1);
            buffer_.reserve(expected + expected / 8);
        }

        /// Writes the row at an index of rows_. Expects that its codes were gathered.
        void write_row(std::size_t at) {
            if (at > 0) buffer_.put(",");
            const std::span<const code> codes = codes_of(at);
            for (const step* next = steps_.data(); next != steps_.data() + steps_.size();) {
                if (next->run > 0) {
                    next = write_run(next, codes);
                } else {
                    write_value(*next++, at, codes);
                }
            }
        }
        /// Writes a run of fragments and constants, up to the first long one. Returns the step
        /// after them.
        const step* write_run(const step* next, std::span<const code> codes) {
            char* to = buffer_.begin_run();
            for (const step* const end = next + next->run; next != end; ++next) {
                const std::string_view fragment = fragment_of(*next, codes);
                if (fragment.size() > json_buffer::short_fragment) {
                    buffer_.end_run(to);
                    buffer_.put(fragment);
                    return next + 1;
                }
                to = json_buffer::copy_fragment(to, fragment);
            }
            buffer_.end_run(to);
            return next;
        }
        static std::string_view fragment_of(const step& from,
                                            std::span<const code> codes) noexcept {
            return from.fragments == nullptr ? from.constant : from.fragments[codes[from.column]];
        }
        /// Writes a piece of the row at an index of rows_.
        void write_value(const step& from, std::size_t at, std::span<const code> codes) {
            switch (from.what) {
                case kind::json:
                case kind::fragment: return buffer_.put(fragment_of(from, codes));
                case kind::text:
                case kind::raw: return write_text(from, at, codes[from.column]);
                case kind::time: return buffer_.put_time(from_.time(rows_[at]));
                case kind::milliseconds: return buffer_.put_integer(from_.time(rows_[at]));
                case kind::integer_time:
                    return buffer_.put_time(from_.integer_at(rows_[at], from.column));
                case kind::integer:
                    return buffer_.put_integer(from_.integer_at(rows_[at], from.column));
            }
        }
        void write_text(const step& from, std::size_t at, code of) {
            if (of == absent) return buffer_.put(from.constant);
            const std::string_view text = text_of(from, at);
            from.what == kind::text ? buffer_.put_text(text) : buffer_.put(text);
        }

        const snapshot& from_;
        std::span<const std::size_t> rows_;
        std::vector<step> steps_;
        std::vector<code> codes_;               // of two groups, row by row
        std::vector<std::string_view> values_;  // texts of two groups, row by row
        std::size_t columns_ = 0;               // one more than the last column used
        std::uint32_t texts_ = 0;               // per row
        json_buffer buffer_;
    };

    json_fragments constants_{{}, {}, {}};
    std::vector<piece> pieces_;
};

}  // namespace sluice::store

#endif
