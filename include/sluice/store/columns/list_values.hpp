// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMNS_LIST_VALUES_HPP
#define SLUICE_STORE_COLUMNS_LIST_VALUES_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/store/columns/code_postings.hpp>
#include <sluice/store/texts/chunked_list.hpp>
#include <sluice/store/texts/dictionary.hpp>

namespace sluice::store {

/// The distinct lists of a list column by code, with an index of the lists that have an item. One
/// thread adds; any number read lists that they have seen.
///
/// ```
/// lists.push_back(lists.store(items));  // may run out of memory in store() only
/// ```
class list_values {
public:
    explicit list_values(hash_seed seed) : items_(seed) {
        lists_.push_back({});
        numbers_.push_back({});
    }

    /// A list to add, whose items are stored.
    struct stored_list {
        std::vector<std::string_view> items{};
        std::vector<std::int64_t> numbers{};  ///< the items of a list of integers
        std::vector<code> codes{};
    };
    /// Stores the items of the next list, and allocates all memory for it. `numbers` are the items
    /// of a list of integers.
    [[nodiscard]] stored_list store(std::span<const std::string_view> items,
                                    std::vector<std::int64_t> numbers = {}) {
        stored_list list{.numbers = std::move(numbers)};
        list.items.reserve(items.size());
        list.codes.reserve(items.size());
        for (const std::string_view item : items) {
            const code stored = items_.encode(item);
            with_item_.reserve_next(stored);
            list.codes.push_back(stored);
            list.items.push_back(items_.text(stored));
        }
        lists_.reserve_next();
        numbers_.reserve_next();
        return list;
    }
    /// Adds the next list. Expects the last result of store(), or an empty list.
    void push_back(stored_list&& list) {
        const auto next = static_cast<code>(lists_.size());
        lists_.push_back(std::move(list.items));
        numbers_.push_back(std::move(list.numbers));
        for (const code item : list.codes) with_item_.add(item, next);
    }

    /// Returns the number of lists, `absent` included.
    [[nodiscard]] std::size_t size() const noexcept { return lists_.size(); }
    [[nodiscard]] std::span<const std::string_view> operator[](code of) const noexcept {
        return lists_[of];
    }
    /// Returns the items of a list of integers.
    [[nodiscard]] std::span<const std::int64_t> numbers(code of) const noexcept {
        return numbers_[of];
    }
    /// Returns the lists with an item that matches one of some values, in any order, some possibly
    /// twice; see dictionary::codes_named().
    [[nodiscard]] std::vector<code> with_any(filter_values values, collation how) const {
        return with_item_.of(items_.codes_named(values, how));
    }
    /// Like with_any(), for items that pass a test, which is called for each distinct one.
    template <std::predicate<std::string_view> Passes>
    [[nodiscard]] std::vector<code> with_any_where(Passes passes) const {
        return with_item_.of(items_.codes_where(passes));
    }
    /// Estimated memory use, in bytes.
    [[nodiscard]] std::size_t bytes() const { return items_.bytes() + with_item_.bytes(); }

private:
    dictionary items_;
    chunked_list<std::vector<std::string_view>> lists_;
    chunked_list<std::vector<std::int64_t>> numbers_;  // empty unless of integers
    code_postings with_item_;
};

}  // namespace sluice::store

#endif
