// SPDX-License-Identifier: MIT
#ifndef SLUICE_FILTERS_MATCHER_HPP
#define SLUICE_FILTERS_MATCHER_HPP

#include <sluice/filters/detail/text_set.hpp>
#include <sluice/filters/filter.hpp>

namespace sluice {

/// An index of a filter's values for one collation: a row costs one lookup, however long the list
/// is. Same results as equal() on every value in turn. Owns its data; lookups don't allocate.
///
/// ```
/// const sluice::filter_matcher names(f.values(), sluice::collation::ignore_case);
/// const bool passes = names.contains("us") != f.excludes();
/// ```
class filter_matcher {
public:
    /// If untrusted clients choose the values, pass a `seed` that they can't know; see hash_seed.
    filter_matcher(filter_values values, collation how, hash_seed seed = hash_seed::of_process())
        : how_(how), whole_(case_of(how), seed), part_(case_of(how), seed) {
        for (const std::string_view value : values) {
            const bool is_part = how == collation::url && value.find('?') == value.npos;
            (is_part ? part_ : whole_).insert(value);
        }
    }

    /// Returns true if the row equals any value of the list. A row without a value equals none.
    [[nodiscard]] bool contains(std::string_view row) const noexcept {
        switch (how_) {
            case collation::exact:
            case collation::ignore_case: return whole_.contains(row);
            case collation::subdivision: return contains_region(row);
            case collation::url:
                return whole_.contains(row) || part_.contains(detail::before_query(row));
        }
        return false;
    }

private:
    static constexpr detail::letter_case case_of(collation how) noexcept {
        const bool ignores_case = how == collation::ignore_case || how == collation::subdivision;
        return ignores_case ? detail::letter_case::ignored : detail::letter_case::kept;
    }
    [[nodiscard]] bool contains_region(std::string_view row) const noexcept {
        const std::string_view part = detail::bare_subdivision(row);
        return whole_.contains(row) || (!part.empty() && whole_.contains(part));
    }

    // whole_: values compared with the whole row; part_: values compared with a URL before its `?`.
    collation how_;
    detail::text_set whole_;
    detail::text_set part_;
};

}  // namespace sluice

#endif
