// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_JSON_MEMBER_WALK_HPP
#define SLUICE_DETAIL_JSON_MEMBER_WALK_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <sluice/detail/json_blocks.hpp>

namespace sluice::detail {

/// Walks the members of one object from mark to mark:
///
/// ```
/// {"plan":"pro: {1}","ref":{"id":7},"seats":9}
/// ^      :                :^    : ^        : ^   brackets and colons outside of strings
/// 1      1                12    2 1        1 0   the depth from each on
///  ^^^^^^             ^^^^^         ^^^^^^^      names: at depth 1, from the last quote that opens
///                                                a string to the quote before the colon
/// ```
///
/// Of text that is no JSON it stays within the bounds; and of names that were looked at, each has
/// to stand where a name may: behind the object's bracket, or a comma behind what can end a value.
class json_member_walk {
public:
    /// `json[begin]` is the object's bracket.
    json_member_walk(std::string_view json, std::size_t begin) noexcept
        : json_(json), begin_(begin), opening_(begin) {}

    /// Where the value of the last member starts whose name `is_wanted(spelled, may_have_escapes)`;
    /// nullopt without one, or where the object has no end. Names without escapes that are not of
    /// the size given need not be asked about.
    template <class IsWanted>
    [[nodiscard]] std::optional<std::size_t> find_last(std::size_t size,
                                                       const IsWanted& is_wanted) {
        std::optional<std::size_t> found;
        std::size_t depth = 0;
        for (block_ = begin_; block_ < json_.size(); block_ += json_block_size) {
            bits_ = strings_.split(json_block(json_, block_));
            std::uint64_t left = bits_.brackets | colons_behind(size);
            for (; left != 0; left &= left - 1) {
                const std::size_t mark = block_ + static_cast<unsigned>(std::countr_zero(left));
                const char byte = json_[mark];
                if (byte == ':') {
                    if (depth != 1) continue;
                    const auto name = name_before(mark, left);
                    if (!name) return std::nullopt;
                    if (is_wanted(*name, strings_.has_escapes())) found = mark + 1;
                } else if (byte == '{' || byte == '[') {
                    ++depth;
                } else if ((byte == '}' || byte == ']') && --depth == 0) {
                    return byte == '}' ? found : std::nullopt;
                }
            }
            if (bits_.opening != 0) opening_ = block_ + highest(bits_.opening);
        }
        return std::nullopt;
    }

private:
    static std::size_t highest(std::uint64_t bits) noexcept {
        return static_cast<std::size_t>(63 - std::countl_zero(bits));
    }
    static constexpr bool is_space(char byte) noexcept {
        return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
    }

    /// Colons that may stand behind a name of some size; with white space before them, or a name
    /// that may have begun in the block before, all.
    ///
    /// ```
    /// size 4    {"plan":1,"ref":{"id":7}}
    /// opening    ^        ^      ^
    /// << 6             ^        ^      ^     behind a quote, the name, a quote
    /// ```
    [[nodiscard]] std::uint64_t colons_behind(std::size_t size) const noexcept {
        const std::size_t distance = size + 2;
        if (distance >= json_block_size || strings_.has_escapes()) return bits_.colons;
        const std::uint64_t first = (std::uint64_t{1} << distance) - 1;
        return bits_.colons & (bits_.opening << distance | first | ~(bits_.quotes << 1));
    }
    /// The name before a colon, the lowest bit of `left`, as it is spelled; nullopt if there is
    /// none where one may be.
    [[nodiscard]] std::optional<std::string_view> name_before(std::size_t colon,
                                                              std::uint64_t left) const noexcept {
        const std::uint64_t opening = bits_.opening & (left ^ (left - 1));
        const std::size_t open = opening != 0 ? block_ + highest(opening) : opening_;
        const std::size_t close = last_byte_before(colon);
        if (json_[close] != '"' || close <= open || !may_open(open)) return std::nullopt;
        return json_.substr(open + 1, close - open - 1);
    }
    /// Whether a name may start at `open`.
    [[nodiscard]] bool may_open(std::size_t open) const noexcept {
        if (open == begin_) return false;  // it is no quote then
        const std::size_t before = last_byte_before(open);
        if (json_[before] != ',') return before == begin_;
        const char last = json_[last_byte_before(before)];
        return last != ',' && last != ':' && last != '{' && last != '[';
    }
    /// The last byte before one behind the bracket that is no white space; at least the bracket.
    [[nodiscard]] std::size_t last_byte_before(std::size_t at) const noexcept {
        --at;
        while (is_space(json_[at]) && at > begin_) --at;
        return at;
    }

    std::string_view json_;
    std::size_t begin_;
    std::size_t block_ = 0;  // where the block starts that is walked
    std::size_t opening_;    // the last quote in the blocks before that opens a string
    json_string_bits strings_;
    json_string_bits::structure bits_;  // of the block
};

}  // namespace sluice::detail

#endif
