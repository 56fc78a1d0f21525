// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_MUTATE_HPP
#define SLUICE_TESTS_MUTATE_HPP

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

/// A text with one to three bytes removed, replaced by or joined by some of `bytes`.
inline std::string mutated(std::string text, std::string_view bytes, std::mt19937_64& random) {
    const auto below = [&](std::size_t limit) { return random() % limit; };
    for (std::size_t edits = 1 + below(3); edits > 0 && !text.empty(); --edits) {
        const std::size_t at = below(text.size());
        const std::size_t removed = below(2);
        const std::size_t added = below(2);
        text.replace(at, removed, added, bytes[below(bytes.size())]);
    }
    return text;
}

#endif
