// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_HEAP_SORT_HPP
#define SLUICE_DETAIL_HEAP_SORT_HPP

#include <algorithm>

namespace sluice::detail {

/// Sorts a list that is short, or sorted once: std::sort is quicker at that, but takes the compiler
/// three times as long. Not inlined: of a list that holds one value for certain g++ 12 warns of
/// what is read behind it.
template <class List, class Less>
[[gnu::noinline]] void heap_sort(List& list, Less less) {
    std::make_heap(list.begin(), list.end(), less);
    std::sort_heap(list.begin(), list.end(), less);
}

}  // namespace sluice::detail

#endif
