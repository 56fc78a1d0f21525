// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DICTIONARY_HPP
#define SLUICE_STORE_DICTIONARY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include <sluice/store/chunked_list.hpp>

namespace sluice::store {

/// The number that stands for a text in a column.
using code = std::uint32_t;

/// The code of a value that is absent.
inline constexpr code absent = 0;

/// Text bytes that stay where they are until the arena ends.
class text_arena {
public:
    [[nodiscard]] std::string_view keep(std::string_view text) {
        if (text.empty()) return {};
        if (text.size() > left_) grow(text.size());
        char* const copy = next_;
        std::memcpy(copy, text.data(), text.size());
        next_ += text.size();
        left_ -= text.size();
        return {copy, text.size()};
    }

private:
    static constexpr std::size_t chunk_bytes = std::size_t{1} << 16;

    void grow(std::size_t needed) {
        left_ = std::max(needed, chunk_bytes);
        chunks_.push_back(std::make_unique<char[]>(left_));
        next_ = chunks_.back().get();
    }

    std::vector<std::unique_ptr<char[]>> chunks_;
    char* next_ = nullptr;
    std::size_t left_ = 0;
};

/// The distinct texts of a column, numbered from 1 in order of arrival; 0 is an absent value. One
/// thread encodes while any number look texts and codes up.
class dictionary {
public:
    dictionary() { texts_.push_back({}); }

    /// The code of a text, new if it has none. Only one thread at a time.
    code encode(std::string_view text) {
        const std::size_t slot = find_slot(text);
        if (slots_[slot] != absent) return slots_[slot];
        const auto added = static_cast<code>(texts_.size());
        texts_.push_back(bytes_.keep(text));
        const std::unique_lock lock(mutex_);
        slots_[slot] = added;
        if (texts_.size() * 2 > slots_.size()) rehash(slots_.size() * 2);
        return added;
    }
    /// The same for a value that may be absent.
    code encode(std::optional<std::string_view> text) { return text ? encode(*text) : absent; }

    /// The code of a text that is here, or `absent`.
    [[nodiscard]] code find(std::string_view text) const {
        const std::shared_lock lock(mutex_);
        return slots_[find_slot(text)];
    }

    /// The text of a code below `size()`; empty for `absent`.
    [[nodiscard]] std::string_view text(code of) const noexcept { return texts_[of]; }

    /// Codes in use, `absent` included.
    [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }

private:
    /// The slot that holds a text's code, or the free one where it belongs (linear probing).
    [[nodiscard]] std::size_t find_slot(std::string_view text) const noexcept {
        std::size_t slot = std::hash<std::string_view>{}(text) & (slots_.size() - 1);
        while (slots_[slot] != absent && texts_[slots_[slot]] != text) {
            slot = (slot + 1) & (slots_.size() - 1);
        }
        return slot;
    }
    void rehash(std::size_t size) {
        slots_.assign(size, absent);
        for (code c = 1; c < texts_.size(); ++c) slots_[find_slot(texts_[c])] = c;
    }

    text_arena bytes_;
    chunked_list<std::string_view> texts_;
    std::vector<code> slots_ = std::vector<code>(64, absent);  // power of two, at most half full
    mutable std::shared_mutex mutex_;                          // guards slots_
};

}  // namespace sluice::store

#endif
