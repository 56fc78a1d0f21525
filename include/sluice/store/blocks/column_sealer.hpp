// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_COLUMN_SEALER_HPP
#define SLUICE_STORE_BLOCKS_COLUMN_SEALER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/blocks/bitmap_arena.hpp>
#include <sluice/store/blocks/block_sorter.hpp>
#include <sluice/store/blocks/sealed_column.hpp>

namespace sluice::store {

/// Builds sealed columns; reuses its buffers from one to the next.
class column_sealer {
public:
    /// Seals the codes of a full block. `previous` is the same column of the previous block; null
    /// for the first block.
    [[nodiscard]] sealed_column seal(const code* codes, const sealed_column* previous) {
        sealed_column made;
        const auto [least, most] = range_of(codes);
        made.least_ = least;
        made.most_ = most;
        count_before(made, previous);
        if (least == most) {
            made.heavies_.push_back({least, block_rows, 0, sealed_column::no_bitmap});
            return made;
        }
        if (most - least == block_rows - 1 && is_sequence(codes)) {
            made.form_ = code_form::sequence;
            return made;
        }
        sorter_.sort(codes, least, most);
        made.form_ = form_of(sorter_.runs().size());
        if (!omit_runs(made)) {
            made.before_ = {};
            made.has_counts_ = false;
            static_cast<void>(omit_runs(made));
        }
        write_index(made);
        write_codes(made, codes);
        return made;
    }

private:
    using run = block_sorter::run;
    static constexpr std::size_t max_bytes = 2 * block_rows;  // most bytes of a column's index
    static constexpr std::size_t max_omitted = 8;
    static constexpr std::size_t dictionary_entry = sizeof(code) + sizeof(std::uint16_t);

    static bool is_sequence(const code* codes) noexcept {
        for (std::size_t row = 1; row < block_rows; ++row) {
            if (codes[row] != codes[0] + row) return false;
        }
        return true;
    }

    /// A dictionary pays if it is smaller than the two bytes that it saves for each row.
    static code_form form_of(std::size_t distinct) noexcept {
        if (distinct <= 256) return code_form::bytes;
        return distinct * dictionary_entry <= 2 * block_rows ? code_form::shorts : code_form::words;
    }

    static void count_before(sealed_column& made, const sealed_column* previous) {
        constexpr auto limit = static_cast<code>(sealed_column::counted_codes);
        made.has_counts_ = made.most_ < limit && (previous == nullptr || previous->has_counts());
        if (!made.has_counts_) return;
        std::size_t size = std::size_t{made.most_} + 1;
        if (previous != nullptr) {
            size = std::max({size, std::size_t{previous->most()} + 1, previous->before_.size()});
        }
        const std::span<std::uint64_t> before = made.before_.resize(size);
        if (previous == nullptr) return;
        std::ranges::copy(previous->before_, before.begin());
        previous->for_each([](code) { return true; },
                           [&](code c, const code_rows& rows) { before[c] += rows.count; });
    }

    /// Returns true if the rows of a code aren't listed: they are a bitmap, or only counted.
    [[nodiscard]] bool is_heavy(const run& each) const noexcept {
        return each.count > max_run || std::ranges::find(omitted_, each.value) != omitted_.end();
    }

    /// Drops the longest row lists until the index takes at most 2 bytes a row. Returns false if it
    /// has running counts and more than `max_omitted` lists would have to go.
    bool omit_runs(const sealed_column& made) {
        omitted_.clear();
        std::size_t bytes = index_bytes(made);
        while (bytes > max_bytes) {
            if (omitted_.size() == max_omitted && made.has_counts_) return false;
            const run* longest = longest_listed();
            if (longest == nullptr) return true;
            omitted_.push_back(longest->value);
            bytes += sizeof(sealed_column::heavy);
            bytes -= longest->count * sizeof(std::uint16_t);
        }
        return true;
    }
    [[nodiscard]] std::size_t index_bytes(const sealed_column& made) const noexcept {
        std::size_t bytes = made.before_.size() * sizeof(std::uint64_t);
        for (const run& each : sorter_.runs()) {
            bytes += each.count <= max_run
                         ? each.count * sizeof(std::uint16_t)
                         : bitmap_words * sizeof(std::uint64_t) + sizeof(sealed_column::heavy);
        }
        const bool has_directory = made.form_ == code_form::bytes;
        return bytes + (has_directory ? sorter_.runs().size() * sizeof(std::uint16_t) : 0);
    }
    [[nodiscard]] const run* longest_listed() const noexcept {
        const run* longest = nullptr;
        for (const run& each : sorter_.runs()) {
            if (is_heavy(each)) continue;
            if (longest == nullptr || each.count > longest->count) longest = &each;
        }
        return longest;
    }

    void write_index(sealed_column& made) {
        std::size_t light_rows = 0, lights = 0, bitmaps = 0;
        for (const run& each : sorter_.runs()) {
            light_rows += is_heavy(each) ? 0 : each.count;
            lights += is_heavy(each) ? 0 : 1;
            bitmaps += each.count > max_run ? 1 : 0;
        }
        if (bitmaps > 0) made.own_bitmaps_ = arena_.take(bitmaps * bitmap_words);
        made.postings_.reserve(light_rows);
        const bool has_lights = made.form_ != code_form::words;
        if (has_lights) made.lights_.reserve(lights), made.firsts_.reserve(lights);
        for (const run& each : sorter_.runs()) {
            if (is_heavy(each)) {
                write_heavy(made, each);
            } else {
                write_light(made, each, has_lights);
            }
        }
        number_heavies(made);
    }
    void write_light(sealed_column& made, const run& each, bool has_lights) const {
        const std::span<const std::uint16_t> rows = sorter_.rows(each);
        if (has_lights) {
            if (made.lights_.size() % sealed_column::light_step == 0) {
                made.fences_.push_back(each.value);
            }
            made.lights_.push_back(each.value);
            made.firsts_.push_back(static_cast<std::uint16_t>(made.postings_.size()));
        } else {
            constexpr std::size_t step = sealed_column::posting_step;
            const std::size_t end = made.postings_.size() + rows.size();
            while (made.fences_.size() * step < end) made.fences_.push_back(each.value);
        }
        made.postings_.append(rows);
    }
    void write_heavy(sealed_column& made, const run& each) const {
        std::uint32_t number = sealed_column::no_bitmap;
        if (each.count > max_run) {
            const std::size_t first = made.bitmaps_.size();
            number = static_cast<std::uint32_t>(first / bitmap_words);
            std::uint64_t* const words = made.own_bitmaps_.get() + first;
            for (const std::uint16_t row : sorter_.rows(each)) {
                words[row / 64] |= std::uint64_t{1} << (row % 64);
            }
            made.view_bitmaps(first + bitmap_words);
        }
        made.heavies_.push_back({each.value, each.count, 0, number});
    }
    /// Gives heavy codes local codes above those of the light ones.
    static void number_heavies(sealed_column& made) noexcept {
        auto rank = static_cast<std::uint32_t>(made.lights_.size());
        auto place = static_cast<std::uint32_t>(made.postings_.size());
        for (sealed_column::heavy& each : made.heavies_.resize(made.heavies_.size())) {
            switch (made.form_) {
                case code_form::constant: break;
                case code_form::bytes: each.local = rank++; break;
                case code_form::shorts:
                    each.local = std::exchange(place, place + each.count);
                    break;
                case code_form::sequence:
                case code_form::words: each.local = each.value; break;
            }
        }
    }

    void write_codes(sealed_column& made, const code* codes) const {
        switch (made.form_) {
            case code_form::constant:
            case code_form::sequence: return;
            case code_form::bytes: return write_locals(made, made.bytes_);
            case code_form::shorts: return write_locals(made, made.shorts_);
            case code_form::words: return made.words_.append({codes, block_rows});
        }
    }
    template <class Local>
    void write_locals(const sealed_column& made, stored_array<Local>& to) const {
        const std::span<Local> locals = to.resize(block_rows);
        std::size_t light = 0, heavy = 0;
        for (const run& each : sorter_.runs()) {
            const std::uint32_t local =
                is_heavy(each) ? made.heavies_[heavy++].local : made.light_rows(light++).local;
            for (const std::uint16_t row : sorter_.rows(each)) {
                locals[row] = static_cast<Local>(local);
            }
        }
    }

    block_sorter sorter_;
    bitmap_arena arena_;
    std::vector<code> omitted_;
};

}  // namespace sluice::store

#endif
