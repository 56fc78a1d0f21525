// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DETAIL_TEXT_ARENA_HPP
#define SLUICE_STORE_DETAIL_TEXT_ARENA_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace sluice::store {

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
        chunks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
        next_ = chunks_.back().get();
    }

    std::vector<std::unique_ptr<char[]>> chunks_;
    char* next_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace sluice::store

#endif
