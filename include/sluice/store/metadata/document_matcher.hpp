// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_METADATA_DOCUMENT_MATCHER_HPP
#define SLUICE_STORE_METADATA_DOCUMENT_MATCHER_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/store/code_table.hpp>
#include <sluice/store/metadata/matcher.hpp>

namespace sluice::store {

/// The JSON documents of a table's rows. Rows of the same document have the same code; a text lasts
/// as long as its table.
struct row_documents {
    std::function<code(std::size_t row)> code_of{};
    std::function<std::string_view(code document)> text_of{};
    std::size_t codes = 0;  ///< about how many there are
};

/// Tells which rows' documents match a metadata expression. Answers are kept by code, so that a
/// document that many rows share is read once, or now and then where there are more documents than
/// places:
///
/// ```
/// place c % 4:   | 0: code 8, holds | 1: - | 2: code 2, fails | 3: code 11, holds |
/// ```
///
/// For one thread.
class document_matcher {
public:
    document_matcher(row_documents documents, const metadata_query& query)
        : documents_(std::move(documents)), matcher_(query) {}

    [[nodiscard]] bool matches(std::size_t row) {
        if (answers_.empty()) answers_.resize(places_for(documents_.codes));
        const code document = documents_.code_of(row);
        answer& known = answers_[document % answers_.size()];
        if (!known.is_there || known.document != document) {
            known = {document, true, matcher_.matches(documents_.text_of(document))};
        }
        return known.holds;
    }

    /// With how many documents that were read each condition was compared so far, by its number.
    [[nodiscard]] std::span<const std::size_t> asked() const noexcept { return matcher_.asked(); }

private:
    struct answer {
        code document = absent;
        bool is_there = false;
        bool holds = false;
    };
    static constexpr std::size_t most_places = std::size_t{1} << 14;  // 128 KiB

    static constexpr std::size_t places_for(std::size_t codes) noexcept {
        return std::bit_ceil(std::clamp<std::size_t>(codes, 1, most_places));
    }

    row_documents documents_;
    metadata_matcher matcher_;
    std::vector<answer> answers_;  // made for the first row
};

}  // namespace sluice::store

#endif
