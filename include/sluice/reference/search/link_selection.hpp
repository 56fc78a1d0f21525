// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SEARCH_LINK_SELECTION_HPP
#define SLUICE_REFERENCE_SEARCH_LINK_SELECTION_HPP

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <sluice/store/conditions/code_set.hpp>

namespace sluice::reference {

/// The links that meet several conditions, as a list or as the complement of one. The cost depends
/// on the lengths of the lists, not on the number of links.
class link_selection {
public:
    /// Keeps the links that are in a sorted list, or those that aren't if `excludes`.
    void narrow(std::vector<store::code> links, bool excludes) {
        std::vector<store::code> kept;
        const auto out = std::back_inserter(kept);
        if (is_complement_ && excludes) {
            std::ranges::set_union(links_, links, out);
        } else if (is_complement_) {
            std::ranges::set_difference(links, links_, out);
        } else if (excludes) {
            std::ranges::set_difference(links_, links, out);
        } else {
            std::ranges::set_intersection(links_, links, out);
        }
        is_complement_ = is_complement_ && excludes;
        links_ = std::move(kept);
    }

    /// The links as a set of codes of column::link.
    [[nodiscard]] store::code_set take() && {
        return store::code_set(std::move(links_), is_complement_);
    }

private:
    std::vector<store::code> links_;  // sorted
    bool is_complement_ = true;       // all links but links_
};

}  // namespace sluice::reference

#endif
