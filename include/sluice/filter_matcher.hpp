// SPDX-License-Identifier: MIT
#ifndef SLUICE_FILTER_MATCHER_HPP
#define SLUICE_FILTER_MATCHER_HPP

#include <sluice/detail/text_set.hpp>
#include <sluice/filter.hpp>

namespace sluice {

/// The values of a filter, arranged once for one collation, so that each of many rows costs a
/// lookup however long the list is. It answers the same as `equal` on every value in turn, owns
/// what it needs, and asking it allocates nothing.
///
/// ```
/// const sluice::filter_matcher names(f.values(), sluice::collation::ignore_case);
/// const bool passes = names.contains("us") != f.excludes();
/// ```
class filter_matcher {
public:
    /// Where strangers choose the values, give a `seed` that they can't know; see hash_seed.
    filter_matcher(filter_values values, collation how, hash_seed seed = hash_seed::of_process())
        : how_(how), whole_(case_of(how), seed), part_(case_of(how), seed) {
        for (const std::string_view value : values) {
            const bool is_part = how == collation::url && value.find('?') == value.npos;
            (is_part ? part_ : whole_).insert(value);
        }
    }

    /// Whether any value of the list names this row. Absent rows are named by none.
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
        const bool ignored = how == collation::ignore_case || how == collation::subdivision;
        return ignored ? detail::letter_case::ignored : detail::letter_case::kept;
    }
    [[nodiscard]] bool contains_region(std::string_view row) const noexcept {
        const std::string_view part = detail::bare_subdivision(row);
        return whole_.contains(row) || (!part.empty() && whole_.contains(part));
    }

    // whole_ holds what names a row by all of its text, part_ what names it by a part.
    collation how_;
    detail::text_set whole_;
    detail::text_set part_;
};

}  // namespace sluice

#endif
