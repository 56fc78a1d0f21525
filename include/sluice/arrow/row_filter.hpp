// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_ROW_FILTER_HPP
#define SLUICE_ARROW_ROW_FILTER_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/arrow/detail/key_set.hpp>
#include <sluice/filters/matcher.hpp>

namespace sluice::arrow {

/// A filter with its collation, prepared for many rows. Same results as filter::matches(). Owns its
/// data.
///
/// ```
/// const row_filter wanted(*sluice::parse_filter("-US,CA"), sluice::collation::ignore_case);
/// wanted.passes("us");          // false
/// wanted.passes(std::nullopt);  // true: an exclusion keeps what is absent
/// ```
class row_filter {
public:
    /// If untrusted clients choose the values, pass a `seed` that they can't know; see hash_seed.
    row_filter(const filter& f, collation how, hash_seed seed = hash_seed::of_process())
        : matcher_(f.values(), how, seed), empty_(f.empty()), excludes_(f.excludes()) {
        if (record_of(how).part) return;
        std::vector<std::string> texts;
        for (const std::string_view value : f.values()) texts.emplace_back(value);
        whole_.emplace(std::move(texts), record_of(how).ignores_case, seed);
    }

    /// Returns true if the filter is empty: every row passes.
    [[nodiscard]] bool empty() const noexcept { return empty_; }
    [[nodiscard]] bool excludes() const noexcept { return excludes_; }

    /// Returns true if a row's text equals any value.
    [[nodiscard]] bool matches_any_value(std::string_view row) const noexcept {
        return matcher_.contains(row);
    }
    [[nodiscard]] bool passes(std::optional<std::string_view> row) const {
        return empty_ || (row && matches_any_value(*row)) != excludes_;
    }

    /// Returns the values, if the collation compares whole texts; otherwise null.
    [[nodiscard]] const detail::key_set* whole_texts() const noexcept {
        return whole_ ? &*whole_ : nullptr;
    }

private:
    filter_matcher matcher_;
    bool empty_;
    bool excludes_;
    std::optional<detail::key_set> whole_;
};

}  // namespace sluice::arrow

#endif
