// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMNS_CODE_POSTINGS_HPP
#define SLUICE_STORE_COLUMNS_CODE_POSTINGS_HPP

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include <sluice/store/texts/dictionary.hpp>

namespace sluice::store {

/// The codes that go with each code of another column, its postings: the rows of each value, or the
/// lists that contain each item. One thread adds; any number read.
///
/// ```
/// "tag_1"  1: 2 3        "tag_2"  2: 2 7
/// ```
class code_postings {
public:
    /// Allocates memory for the next posting of a code, if needed.
    void reserve_next(code of) {
        if (of == absent) return;
        const std::unique_lock lock(mutex_);
        if (of > lists_.size()) lists_.resize(of);
        std::vector<code>& list = lists_[of - 1];
        if (list.size() == list.capacity()) list.reserve(std::max<std::size_t>(1, 2 * list.size()));
    }
    /// Adds a posting, which must be at least the last one of its code; nothing if it equals that.
    /// Absent codes have none. Expects a reserve_next().
    void add(code of, code posting) {
        if (of == absent) return;
        const std::unique_lock lock(mutex_);
        std::vector<code>& list = lists_[of - 1];
        if (list.empty() || list.back() != posting) list.push_back(posting);
    }
    /// Removes the last posting of a code.
    void remove_last(code of) noexcept {
        if (of == absent) return;
        const std::unique_lock lock(mutex_);
        lists_[of - 1].pop_back();
    }

    /// Returns the postings of some codes, in any order, some possibly twice.
    [[nodiscard]] std::vector<code> of(std::span<const code> codes) const {
        std::vector<code> all;
        const std::shared_lock lock(mutex_);
        for (const code c : codes) {
            if (c == absent || c > lists_.size()) continue;
            const std::vector<code>& list = lists_[c - 1];
            all.insert(all.end(), list.begin(), list.end());
        }
        return all;
    }
    /// Returns the number of codes that may have postings, `absent` included.
    [[nodiscard]] std::size_t size() const {
        const std::shared_lock lock(mutex_);
        return lists_.size() + 1;
    }
    /// Estimated memory use, in bytes.
    [[nodiscard]] std::size_t bytes() const {
        const std::shared_lock lock(mutex_);
        std::size_t total = lists_.capacity() * sizeof(lists_[0]);
        for (const std::vector<code>& list : lists_) total += list.capacity() * sizeof(code);
        return total;
    }

private:
    std::vector<std::vector<code>> lists_;  // by code, from 1; ascending
    mutable std::shared_mutex mutex_;
};

}  // namespace sluice::store

#endif
