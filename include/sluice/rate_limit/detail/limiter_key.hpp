// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_DETAIL_LIMITER_KEY_HPP
#define SLUICE_RATE_LIMIT_DETAIL_LIMITER_KEY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include <sluice/base/text_hasher.hpp>
#include <sluice/base/word.hpp>

namespace sluice::detail {

/// Compares texts of keys, of the same size, in steps of eight bytes, the last of which may
/// overlap.
inline bool equal_bytes(const char* a, const char* b, std::size_t size) noexcept {
    if (size < 8) return std::memcmp(a, b, size) == 0;
    for (std::size_t at = 0; at + 8 < size; at += 8) {
        if (load_word<std::uint64_t>(a + at) != load_word<std::uint64_t>(b + at)) return false;
    }
    return load_word<std::uint64_t>(a + size - 8) == load_word<std::uint64_t>(b + size - 8);
}

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
        std::memcpy(short_, key.data(), kept);
        std::memcpy(short_ + kept, rest.data(), sizeof(rest));
        text_ = {short_, sizeof(short_)};
    }

    std::string_view text_;
    std::uint64_t hash_;
    char short_[max_bytes + 1];
};

/// The text of a key in a table: 24 bytes, with room for up to 23 bytes of text.
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
static_assert(sizeof(held_key) == 24);  // no padding

}  // namespace sluice::detail

#endif
