// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_PACKED_TEXTS_HPP
#define SLUICE_BASE_PACKED_TEXTS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include <sluice/base/ascii.hpp>

// g++ 12 does not see that only the written part of room_ is read, and -Weffc++ asks for its
// initial values.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Weffc++"
#endif

namespace sluice::detail {

/// A list of texts, packed: a short one in place, a longer one in a block on the heap.
///
/// ```
/// in place   0                                              46
///            | bytes of the texts ->  ...  <- end 1 | end 0 | count |
///
/// in a block 0         8                                    46
///            | pointer |                unused              |  255  |
///
/// the block  | count | room | end 0 | end 1 | ... end[room-1] | bytes of the texts -> |
/// ```
///
/// An end is the offset among the bytes of the texts at which a text ends: one byte wide in place,
/// 4 in a block. The last of the object's 47 bytes is the count, or 255 for a block. The
/// constructor fixes the room of a list. Creating, moving and destroying an empty or a short list
/// touches no memory but its own.
class packed_texts {
public:
    /// Creates an empty list with room for texts in place; see room_size.
    packed_texts() noexcept {}
    /// Creates an empty list with room for `texts` texts of `bytes` bytes in total.
    packed_texts(std::size_t texts, std::size_t bytes) {
        if (bytes + texts > room_size) set_block(make_block(texts, bytes));
    }
    packed_texts(packed_texts&& other) noexcept : room_(other.room_) {
        count_ = std::exchange(other.count_, std::uint8_t{0});
    }
    packed_texts(const packed_texts& other) {
        if (other.in_block()) {
            copy_block(other);
        } else {
            room_ = other.room_;
            count_ = other.count_;
        }
    }
    packed_texts& operator=(packed_texts&& other) noexcept {
        if (this == &other) return *this;
        release();
        count_ = std::exchange(other.count_, std::uint8_t{0});
        if (count_ != 0) room_ = other.room_;
        return *this;
    }
    packed_texts& operator=(const packed_texts& other) {
        packed_texts copy(other);
        return *this = std::move(copy);
    }
    ~packed_texts() { release(); }

    [[nodiscard]] std::size_t size() const noexcept { return in_block() ? head().count : count_; }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }

    [[nodiscard]] std::string_view operator[](std::size_t at) const noexcept {
        const std::size_t begin = at == 0 ? 0 : end_of(at - 1);
        return {bytes() + begin, end_of(at) - begin};
    }
    /// Returns the size of all texts, in bytes.
    [[nodiscard]] std::size_t bytes_used() const noexcept {
        return empty() ? 0 : end_of(size() - 1);
    }

    /// Appends a text. Expects room for it, as the constructor fixed it.
    void push_back(std::string_view text) noexcept {
        if (in_block()) return push_into_block(text);
        const std::size_t begin = count_ == 0 ? 0 : end_in_place(count_ - 1U);
        copy_words(room_.data() + begin, text.data(), text.size());
        room_[room_size - ++count_] = static_cast<char>(begin + text.size());
    }

    /// Returns true if any of the texts has these bytes.
    [[nodiscard]] bool contains(std::string_view text) const noexcept {
        const std::size_t count = size();
        const char* const all = bytes();
        std::size_t begin = 0;
        for (std::size_t at = 0; at < count; ++at) {
            const std::size_t end = end_of(at);
            if (equal_bytes({all + begin, end - begin}, text)) return true;
            begin = end;
        }
        return false;
    }

    friend bool operator==(const packed_texts& a, const packed_texts& b) noexcept {
        if (a.size() != b.size()) return false;
        for (std::size_t at = 0; at < a.size(); ++at) {
            if (a[at] != b[at]) return false;
        }
        return true;
    }

    /// Maximum sum of the bytes and the number of texts in place.
    static constexpr std::size_t room_size = 46;

private:
    static constexpr std::uint8_t in_block_mark = 255;  // as count_; more texts than fit in place

    struct block_head {
        std::uint32_t count;  // texts
        std::uint32_t room;   // ends, used or not
    };

    [[nodiscard]] bool in_block() const noexcept { return count_ == in_block_mark; }

    void release() noexcept {
        if (in_block()) ::operator delete(block());
    }
    /// Returns the block, whose address is at the start of room_. Expects in_block().
    [[nodiscard]] char* block() const noexcept {
        char* at;
        std::memcpy(&at, room_.data(), sizeof at);
        return at;
    }
    /// Takes over a block. Expects a list without one.
    void set_block(char* at) noexcept {
        std::memcpy(room_.data(), &at, sizeof at);
        count_ = in_block_mark;
    }
    /// Returns a copy of the block's head.
    [[nodiscard]] block_head head() const noexcept {
        block_head copy;
        std::memcpy(&copy, block(), sizeof copy);
        return copy;
    }
    /// Returns the first byte of the texts in a block.
    [[nodiscard]] char* block_bytes() const noexcept {
        return block() + sizeof(block_head) + 4 * std::size_t{head().room};
    }
    [[nodiscard]] const char* bytes() const noexcept {
        return in_block() ? block_bytes() : room_.data();
    }

    /// Returns the end of a text by its index.
    [[nodiscard]] std::size_t end_of(std::size_t at) const noexcept {
        if (!in_block()) return end_in_place(at);
        return load_word<std::uint32_t>(block() + sizeof(block_head) + 4 * at);
    }
    [[nodiscard]] std::size_t end_in_place(std::size_t at) const noexcept {
        return static_cast<unsigned char>(room_[room_size - 1 - at]);
    }
    [[gnu::noinline]] void push_into_block(std::string_view text) noexcept {
        const std::size_t begin = bytes_used();
        copy_words(block_bytes() + begin, text.data(), text.size());
        block_head now = head();
        const auto end = static_cast<std::uint32_t>(begin + text.size());
        std::memcpy(block() + sizeof(block_head) + 4 * std::size_t{now.count}, &end, sizeof end);
        ++now.count;
        std::memcpy(block(), &now, sizeof now);
    }

    /// Allocates an empty block with room for `texts` texts of `bytes` bytes in total.
    static char* make_block(std::size_t texts, std::size_t bytes) {
        const block_head empty{0, static_cast<std::uint32_t>(texts)};
        char* const memory =
            static_cast<char*>(::operator new(sizeof(block_head) + 4 * texts + bytes));
        std::memcpy(memory, &empty, sizeof empty);
        return memory;
    }
    /// Takes over a copy of another list's block, with the same room for ends but none for more
    /// bytes.
    void copy_block(const packed_texts& other) {
        const std::size_t size =
            sizeof(block_head) + 4 * std::size_t{other.head().room} + other.bytes_used();
        char* const copy = static_cast<char*>(::operator new(size));
        std::memcpy(copy, other.block(), size);
        set_block(copy);
    }
    std::array<char, room_size> room_;  // uninitialised until texts are pushed
    std::uint8_t count_ = 0;
};

}  // namespace sluice::detail

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
