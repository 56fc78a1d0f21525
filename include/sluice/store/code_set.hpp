// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_CODE_SET_HPP
#define SLUICE_STORE_CODE_SET_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <sluice/filter_matcher.hpp>
#include <sluice/store/dictionary.hpp>

namespace sluice::store {

/// A set of the codes below a size: one bit each.
class code_set {
public:
    explicit code_set(std::size_t codes) : size_(codes), words_((codes + 63) / 64) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool contains(code c) const noexcept { return (words_[c / 64] >> (c % 64)) & 1; }

    void insert(code c) noexcept { words_[c / 64] |= std::uint64_t{1} << (c % 64); }
    void flip() noexcept {
        for (std::uint64_t& word : words_) word = ~word;
    }

private:
    std::size_t size_;
    std::vector<std::uint64_t> words_;
};

/// The codes whose text any of `values` names. Exact comparison looks each value up; the others
/// look at each text of the dictionary once.
[[nodiscard]] inline code_set codes_named(const dictionary& texts,
                                          std::span<const std::string> values, collation how) {
    code_set named(texts.size());
    if (how == collation::exact) {
        for (const std::string& value : values) {
            const code found = texts.find(value);
            if (found != absent && found < named.size()) named.insert(found);
        }
        return named;
    }
    const filter_matcher names(values, how);
    for (code c = 1; c < named.size(); ++c) {
        if (names.contains(texts.text(c))) named.insert(c);
    }
    return named;
}

}  // namespace sluice::store

#endif
