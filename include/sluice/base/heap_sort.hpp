// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_HEAP_SORT_HPP
#define SLUICE_BASE_HEAP_SORT_HPP

#include <algorithm>

namespace sluice::detail {

/// Sorts a list that is short, or sorted once: std::sort is faster at that, but takes three times
/// as long to compile. Not inlined, since g++ 12 warns of reads behind a list that certainly holds
/// one value.
template <class List, class Less>
[[gnu::noinline]] void heap_sort(List& list, Less less) {
    std::make_heap(list.begin(), list.end(), less);
    std::sort_heap(list.begin(), list.end(), less);
}

}  // namespace sluice::detail

#endif
