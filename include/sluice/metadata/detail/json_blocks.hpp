// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_DETAIL_JSON_BLOCKS_HPP
#define SLUICE_METADATA_DETAIL_JSON_BLOCKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

/// The structure of JSON text in blocks of 64 bytes, by bit operations; json_path_walk reads
/// it.
namespace sluice::detail {

/// The structural bytes of a JSON text, 64 to a block, as bits: bit i is byte i of the block. After
/// the end of the text no bit is set.
struct json_byte_bits {
    std::uint64_t quotes = 0;
    std::uint64_t backslashes = 0;
    std::uint64_t colons = 0;
    std::uint64_t commas = 0;
    std::uint64_t brackets = 0;  ///< `{` `}` `[` `]`, and a few letters

    friend constexpr bool operator==(const json_byte_bits&, const json_byte_bits&) = default;
};

inline constexpr std::size_t json_block_size = 64;

/// Bits by which the bytes of `{` `}` `[` `]`, 7B 7D 5B 5D, differ from 7F. With them set all are
/// 7F, and so are `y`, `Y`, `_` and some others, which JSON has only in strings.
inline constexpr unsigned char json_bracket_bits = 0x26;

/// Returns the bits of the block that starts at `begin`, byte by byte.
[[nodiscard]] constexpr json_byte_bits json_block_scalar(std::string_view json,
                                                         std::size_t begin) noexcept {
    json_byte_bits block;
    const std::string_view bytes = json.substr(begin, json_block_size);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        block.quotes |= std::uint64_t{byte == '"'} << i;
        block.backslashes |= std::uint64_t{byte == '\\'} << i;
        block.colons |= std::uint64_t{byte == ':'} << i;
        block.commas |= std::uint64_t{byte == ','} << i;
        block.brackets |= std::uint64_t{(byte | json_bracket_bits) == 0x7F} << i;
    }
    return block;
}

#if defined(__x86_64__)

/// Adds the bits of a vector of 16 bytes, from `shift` on, at position `at` of a block.
inline void add_json_vector(json_byte_bits& block, const char* from, std::size_t shift,
                            std::size_t at) noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const auto bits = [=](__m128i matches) {
        const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(matches));
        return std::uint64_t{mask >> shift} << at;
    };
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(json_bracket_bits));
    block.quotes |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
    block.backslashes |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    block.colons |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(':')));
    block.commas |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')));
    block.brackets |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8(0x7F)));
}

/// Like json_block_scalar(), in vectors of 16 bytes. The last vector of a text ends where the text
/// does, and its bits are shifted into place: nothing outside of the text is read, and nothing
/// copied.
[[nodiscard]] inline json_byte_bits json_block_sse2(std::string_view json,
                                                    std::size_t begin) noexcept {
    constexpr std::size_t vector = sizeof(__m128i);
    json_byte_bits block;
    if (json.size() - begin >= json_block_size) {
#pragma GCC unroll 4
        for (std::size_t at = 0; at < json_block_size; at += vector) {
            add_json_vector(block, json.data() + begin + at, 0, at);
        }
        return block;
    }
    if (json.size() < vector) return json_block_scalar(json, begin);
    for (std::size_t at = 0; begin + at < json.size(); at += vector) {
        const std::size_t from = std::min(begin + at, json.size() - vector);
        add_json_vector(block, json.data() + from, begin + at - from, at);
    }
    return block;
}

#endif

/// Like json_block_scalar(), by vectors if the build has them.
[[nodiscard]] inline json_byte_bits json_block(std::string_view json, std::size_t begin) noexcept {
#if defined(__x86_64__)
    return json_block_sse2(json, begin);
#else
    return json_block_scalar(json, begin);
#endif
}

/// Separates strings from what is between them, block by block.
///
/// ```
/// text      { " a \ " : " : [ " b " , 7 ] }
/// quotes    . 1 . . 1 . 1 . . 1 . 1 . . . .    the second is escaped and drops out
/// strings   . 1 1 1 1 1 . . . 1 1 . . . . .    each bit the xor of all quotes up to it
/// opening   . 1 . . . . . . . 1 . . . . . .    quotes in strings
/// colons    . . . . . . . 1 . . . . . . . .    outside of strings, as commas and brackets
/// ```
class json_string_bits {
public:
    /// The structure of a block, as bits like those of json_byte_bits.
    struct structure {
        std::uint64_t quotes = 0;    ///< quotes that open or close a string
        std::uint64_t opening = 0;   ///< quotes that open one
        std::uint64_t colons = 0;    ///< outside of strings
        std::uint64_t commas = 0;    ///< outside of strings
        std::uint64_t brackets = 0;  ///< outside of strings
    };

    /// Returns the structure of the next block of a text.
    [[nodiscard]] constexpr structure split(const json_byte_bits& block) noexcept {
        const std::uint64_t quotes = block.quotes & ~escaped(block.backslashes);
        const std::uint64_t strings = prefix_xor(quotes) ^ in_string_;
        in_string_ = std::uint64_t{0} - (strings >> 63);
        return {quotes, quotes & strings, block.colons & ~strings, block.commas & ~strings,
                block.brackets & ~strings};
    }

    /// Returns true if there was a backslash in any block so far.
    [[nodiscard]] constexpr bool has_escapes() const noexcept { return has_escapes_; }

private:
    /// Returns a word in which bit i is the xor of bits 0 to i.
    static constexpr std::uint64_t prefix_xor(std::uint64_t bits) noexcept {
        bits ^= bits << 1;
        bits ^= bits << 2;
        bits ^= bits << 4;
        bits ^= bits << 8;
        bits ^= bits << 16;
        return bits ^ bits << 32;
    }
    /// Returns the bytes that a backslash escapes: those after a backslash that isn't escaped
    /// itself. Goes over the backslashes one by one, as they are rare.
    constexpr std::uint64_t escaped(std::uint64_t backslashes) noexcept {
        std::uint64_t escapes = escapes_next_;
        if (backslashes == 0) {
            escapes_next_ = 0;
            return escapes;
        }
        has_escapes_ = true;
        std::uint64_t unpaired = backslashes & ~escapes;
        escapes_next_ = 0;
        while (unpaired != 0) {
            const std::uint64_t lowest = unpaired & (0 - unpaired);
            escapes |= lowest << 1;
            escapes_next_ = lowest >> 63;
            unpaired &= ~(lowest | lowest << 1);
        }
        return escapes;
    }

    std::uint64_t in_string_ = 0;     // all bits, if the next block starts in a string
    std::uint64_t escapes_next_ = 0;  // 1, if the next block's first byte is escaped
    bool has_escapes_ = false;
};

}  // namespace sluice::detail

#endif
