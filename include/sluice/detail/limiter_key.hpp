// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_LIMITER_KEY_HPP
#define SLUICE_DETAIL_LIMITER_KEY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace sluice::detail {

/// The next bytes of a text as a number.
template <std::size_t Bytes>
std::uint64_t load_bytes(const char* at) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, Bytes);
    return word;
}

/// Compares texts of the same length, eight bytes a step; of the last eight, some a second time.
inline bool equal_bytes(const char* a, const char* b, std::size_t size) noexcept {
    if (size < 8) return std::memcmp(a, b, size) == 0;
    for (std::size_t at = 0; at + 8 < size; at += 8) {
        if (load_bytes<8>(a + at) != load_bytes<8>(b + at)) return false;
    }
    return load_bytes<8>(a + size - 8) == load_bytes<8>(b + size - 8);
}

/// Hashes texts to 64 bits, 16 bytes a step. Who does not know the seed can't choose texts that
/// meet, as far as a multiplication can see to that: this is no cryptographic hash.
class text_hasher {
public:
    explicit constexpr text_hasher(std::uint64_t seed) noexcept
        : first_(mix(seed ^ 0x9E37'79B9'7F4A'7C15U, 0xD6E8'FEB8'6659'FD93U)),
          second_(mix(seed ^ 0xC2B2'AE3D'27D4'EB4FU, 0xA076'1D64'78BD'642FU)) {}

    [[nodiscard]] std::uint64_t operator()(std::string_view text) const noexcept {
        const char* at = text.data();
        std::size_t left = text.size();
        std::uint64_t hash = second_ ^ left;
        for (; left > 16; left -= 16, at += 16)
            hash = step(hash, load_bytes<8>(at), load_bytes<8>(at + 8));
        if (left >= 8) return finish(hash, load_bytes<8>(at), load_bytes<8>(at + left - 8));
        if (left >= 4) return finish(hash, load_bytes<4>(at), load_bytes<4>(at + left - 4));
        if (left == 0) return finish(hash, 0, 0);
        return finish(hash, load_bytes<1>(at),
                      load_bytes<1>(at + left / 2) << 8 | load_bytes<1>(at + left - 1));
    }

private:
    __extension__ using product = unsigned __int128;

    /// Both halves of a product, which each bit of both factors reaches.
    static constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
        const product both = static_cast<product>(a) * b;
        return static_cast<std::uint64_t>(both) ^ static_cast<std::uint64_t>(both >> 64);
    }

    [[nodiscard]] constexpr std::uint64_t step(std::uint64_t hash, std::uint64_t a,
                                               std::uint64_t b) const noexcept {
        return mix(a ^ first_, b ^ hash);
    }
    [[nodiscard]] constexpr std::uint64_t finish(std::uint64_t hash, std::uint64_t a,
                                                 std::uint64_t b) const noexcept {
        return mix(step(hash, a, b) ^ first_, 0x9E37'79B9'7F4A'7C15U ^ second_);
    }

    std::uint64_t first_;
    std::uint64_t second_;
};

/// A key of bounded size with its hash.
///
/// ```
/// up to 128 bytes: the key            longer: | first 113 bytes | length (8) | hash (8) |
/// ```
/// The longer form has 129 bytes, so it equals no short key.
class limiter_key {
public:
    limiter_key(std::string_view key, const text_hasher& hasher) noexcept
        : text_(key), hash_(hasher(key)) {
        if (key.size() > max_bytes) shorten(key);
    }
    limiter_key(const limiter_key&) = delete;
    limiter_key& operator=(const limiter_key&) = delete;

    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

private:
    static constexpr std::size_t max_bytes = 128;

    // Out of line: g++ 12 warns of short keys here, which do not come here.
    [[gnu::noinline]] void shorten(std::string_view key) noexcept {
        const std::array<std::uint64_t, 2> rest{key.size(), hash_};
        constexpr std::size_t kept = max_bytes + 1 - sizeof(rest);
        std::memcpy(short_.data(), key.data(), kept);
        std::memcpy(short_.data() + kept, rest.data(), sizeof(rest));
        text_ = {short_.data(), short_.size()};
    }

    std::string_view text_;
    std::uint64_t hash_;
    std::array<char, max_bytes + 1> short_;
};

/// The text of a key as a table holds it: 24 bytes, in which up to 23 bytes of text have room.
///
/// ```
/// | text, padded with zeros (23) | size (1) |     | owned text (8) | … | size (1) |
/// ```
class held_key {
public:
    held_key() noexcept = default;
    explicit held_key(std::string_view text) : size_(static_cast<std::uint8_t>(text.size())) {
        char* target = bytes_.data();
        if (is_owned()) {
            target = new char[text.size()];
            std::memcpy(bytes_.data(), &target, sizeof(target));
        }
        if (!text.empty()) std::memcpy(target, text.data(), text.size());
    }
    held_key(held_key&& other) noexcept { swap(other); }
    held_key& operator=(held_key&& other) noexcept {
        held_key taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~held_key() {
        if (is_owned()) delete[] data();
    }

    [[nodiscard]] bool operator==(std::string_view text) const noexcept {
        return text.size() == size_ && equal_bytes(data(), text.data(), size_);
    }

private:
    static constexpr std::size_t room = 23;

    [[nodiscard]] bool is_owned() const noexcept { return size_ > room; }
    [[nodiscard]] const char* data() const noexcept {
        if (!is_owned()) return bytes_.data();
        const char* owned = nullptr;
        std::memcpy(&owned, bytes_.data(), sizeof(owned));
        return owned;
    }
    void swap(held_key& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(size_, other.size_);
    }

    std::array<char, room> bytes_{};
    std::uint8_t size_ = 0;
};

}  // namespace sluice::detail

#endif
