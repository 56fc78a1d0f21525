// SPDX-License-Identifier: MIT
#ifndef SLUICE_FILTERS_MATCHER_HPP
#define SLUICE_FILTERS_MATCHER_HPP

#include <optional>
#include <string_view>

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
        : part_(record_of(how).part), whole_(case_of(how), seed), parts_(case_of(how), seed) {
        const collation_record& record = record_of(how);
        for (const std::string_view value : values) {
            (record.compares_whole(value) ? whole_ : parts_).insert(value);
        }
    }

    /// Returns true if the row equals any value of the list. A row without a value equals none.
    [[nodiscard]] bool contains(std::string_view row) const noexcept {
        return whole_.contains(row) || (part_ && contains_part(*part_, row));
    }

private:
    static constexpr detail::letter_case case_of(collation how) noexcept {
        return record_of(how).ignores_case ? detail::letter_case::ignored
                                           : detail::letter_case::kept;
    }
    [[nodiscard]] bool contains_part(const text_part& part, std::string_view row) const noexcept {
        const std::optional<std::string_view> key = part.find(row);
        return key && (part.splits_values() ? parts_ : whole_).contains(*key);
    }

    // whole_: values compared with the whole row, and with its part unless these are in parts_.
    std::optional<text_part> part_;
    detail::text_set whole_;
    detail::text_set parts_;
};

}  // namespace sluice

#endif
