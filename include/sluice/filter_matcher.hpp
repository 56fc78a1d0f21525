// SPDX-License-Identifier: MIT
#ifndef SLUICE_FILTER_MATCHER_HPP
#define SLUICE_FILTER_MATCHER_HPP

#include <sluice/filter.hpp>

namespace sluice {

/// The values of a filter, sorted once for one collation, so that each of many rows costs a binary
/// search however long the list is. It answers the same as `equal` on every value in turn.
///
/// ```
/// const sluice::filter_matcher names(f.values(), sluice::collation::ignore_case);
/// const bool passes = names.contains("us") != f.excludes();
/// ```
class filter_matcher {
public:
    filter_matcher(std::span<const std::string> values, collation how) : how_(how) {
        for (const std::string& value : values) add(value);
        sort_unique(whole_);
        sort_unique(part_);
    }

    /// Whether any value of the list names this row. Absent rows are named by none.
    [[nodiscard]] bool contains(std::string_view row) const {
        switch (how_) {
            case collation::exact: return has(whole_, row);
            case collation::ignore_case: return has(whole_, detail::to_lower(row));
            case collation::subdivision: return contains_region(detail::to_lower(row));
            case collation::url: return has(whole_, row) || has(part_, detail::before_query(row));
        }
        return false;
    }

private:
    using value_list = std::vector<std::string>;

    // whole_ holds what names a row by all of its text, part_ what names it by a part.
    void add(const std::string& value) {
        switch (how_) {
            case collation::exact: whole_.push_back(value); return;
            case collation::ignore_case:
            case collation::subdivision: whole_.push_back(detail::to_lower(value)); return;
            case collation::url:
                (value.find('?') == std::string::npos ? part_ : whole_).push_back(value);
                return;
        }
    }
    [[nodiscard]] bool contains_region(std::string_view row) const {
        const std::string_view part = detail::bare_subdivision(row);
        return has(whole_, row) || (!part.empty() && has(whole_, part));
    }
    static void sort_unique(value_list& values) {
        std::ranges::sort(values);
        values.erase(std::ranges::unique(values).begin(), values.end());
    }
    static bool has(const value_list& values, std::string_view row) {
        return std::ranges::binary_search(values, row, std::less<>{});
    }

    collation how_;
    value_list whole_;
    value_list part_;
};

}  // namespace sluice

#endif
