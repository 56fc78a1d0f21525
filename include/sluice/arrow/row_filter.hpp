// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_ROW_FILTER_HPP
#define SLUICE_ARROW_ROW_FILTER_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/arrow/detail/key_set.hpp>
#include <sluice/filter_matcher.hpp>

namespace sluice::arrow {

/// A filter with its collation, made ready for many rows. It answers as
/// `filter::matches` does, and views nothing.
///
/// ```
/// const row_filter wanted(*sluice::parse_filter("-US,CA"), sluice::collation::ignore_case);
/// wanted.passes("us");          // false
/// wanted.passes(std::nullopt);  // true: an exclusion keeps what is absent
/// ```
class row_filter {
public:
    /// Where strangers choose the values, give a `seed` that they can't know; see hash_seed.
    row_filter(const filter& f, collation how, hash_seed seed = hash_seed::of_process())
        : matcher_(f.values(), how, seed), empty_(f.empty()), excludes_(f.excludes()) {
        if (how != collation::exact && how != collation::ignore_case) return;
        std::vector<std::string> texts;
        for (const std::string_view value : f.values()) texts.emplace_back(value);
        whole_.emplace(std::move(texts), how == collation::ignore_case, seed);
    }

    /// Whether there is no filter: every row passes.
    [[nodiscard]] bool empty() const noexcept { return empty_; }
    [[nodiscard]] bool excludes() const noexcept { return excludes_; }

    /// Whether any value names a row with this text.
    [[nodiscard]] bool names(std::string_view row) const noexcept { return matcher_.contains(row); }
    [[nodiscard]] bool passes(std::optional<std::string_view> row) const {
        return empty_ || (row && names(*row)) != excludes_;
    }

    /// The values, where a row is named by its whole text and by nothing else;
    /// else null.
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
