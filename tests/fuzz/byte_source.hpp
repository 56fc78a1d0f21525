// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_BYTE_SOURCE_HPP
#define SLUICE_TESTS_FUZZ_BYTE_SOURCE_HPP

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace sluice_fuzz {

/// Ends the program where a property fails: the fuzzer keeps the input, the test shows its name.
inline void require(bool holds) {
    if (!holds) std::abort();
}

/// Takes values off the front of an input; what is missing at its end reads as zero bytes.
class byte_source {
public:
    explicit byte_source(std::string_view bytes) noexcept : left_(bytes) {}

    [[nodiscard]] bool empty() const noexcept { return left_.empty(); }
    [[nodiscard]] std::string_view rest() const noexcept { return left_; }

    template <class Number>
    Number number() noexcept {
        Number value = 0;
        const std::string_view bytes = text(sizeof value);
        std::memcpy(&value, bytes.data(), bytes.size());
        return value;
    }
    /// A number from 0 up to `limit`, which is left out.
    std::size_t below(std::size_t limit) noexcept { return number<std::uint16_t>() % limit; }

    /// A signed number of any size, small ones as often as large ones.
    std::int64_t magnitude() noexcept {
        const auto bits = number<std::uint8_t>() % 64;
        return number<std::int64_t>() >> bits;
    }
    std::string_view text(std::size_t size) noexcept {
        const std::string_view taken = left_.substr(0, size);
        left_.remove_prefix(taken.size());
        return taken;
    }
    /// Up to the next line feed, which is dropped.
    std::string_view line() noexcept {
        const std::string_view taken = text(std::min(left_.find('\n'), left_.size()));
        left_.remove_prefix(left_.empty() ? 0 : 1);
        return taken;
    }

private:
    std::string_view left_;
};

}  // namespace sluice_fuzz

#endif
