// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DOCUMENTS_DOCUMENT_MATCHER_HPP
#define SLUICE_STORE_DOCUMENTS_DOCUMENT_MATCHER_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <sluice/base/simd/kernels.hpp>
#include <sluice/metadata/matcher.hpp>
#include <sluice/store/blocks/column_bits.hpp>
#include <sluice/store/conditions/expression.hpp>
#include <sluice/store/conditions/scan_budget.hpp>
#include <sluice/store/texts/dictionary.hpp>

namespace sluice::store {

/// The JSON documents of a table's rows: a column, and the texts of its codes, which live as long
/// as the table.
struct row_documents {
    std::size_t column = 0;
    const dictionary* texts = nullptr;
};

/// Matches the documents of rows against a metadata expression. A document that many rows share is
/// read once: results are kept by code, and rows are compared with all results at once:
///
/// ```
/// codes of rows   7 3 7 9 3 ...      known  bits 3 and 7: document 9 is read, among others
/// rows that match x . x . .          holds  bit 7
/// ```
///
/// For few rows the documents are read one by one, without the bits of all codes.
///
/// For one thread.
class document_matcher {
public:
    /// The documents must outlive the matcher.
    document_matcher(row_documents documents, const metadata_query& query)
        : documents_(documents), matcher_(query) {}

    [[nodiscard]] std::size_t column() const noexcept { return documents_.column; }

    /// See code_test. Expects at most chunk_rows rows.
    std::size_t keep(std::span<const code> codes, std::uint64_t* rows, scan_budget& budget) {
        const bits_range bits{0, (codes.size() + 63) / 64, rows};
        rows_ += kernels_->count_bits(rows, bits.words);
        if (known_.empty() && rows_ * codes_a_row < documents_.texts->size()) {
            return read_documents(codes, bits, budget);
        }
        return keep_known(codes, bits, budget);
    }

    /// Returns how many documents each condition was compared with so far.
    [[nodiscard]] std::span<const std::size_t> comparisons() const noexcept {
        return matcher_.comparisons();
    }

private:
    /// A document to read, and the bit for its result.
    struct unread_document {
        code document;
        std::uint32_t bit;
    };
    static constexpr std::size_t codes_a_row = 4096;  // result bits zeroed in the time of a read
    static constexpr std::size_t batch = 32;          // documents that are prefetched together
    static constexpr std::size_t dense = 8;  // from one row in this many, all codes are compared

    /// Reads the document of each set row, without keeping results. Returns how many were read.
    std::size_t read_documents(std::span<const code> codes, const bits_range& rows,
                               scan_budget& budget) {
        unread_.clear();
        for_each_set(rows, [&](std::size_t row) {
            unread_.push_back({codes[row], static_cast<std::uint32_t>(row)});
        });
        chunk_bits holds{};
        const std::size_t read = match_unread(holds.data(), budget);
        kernels_->intersect(rows.bits, holds.data(), rows.words);
        return read;
    }

    /// Reads the documents of set rows that have no result yet, then compares rows with results.
    /// Returns how many were read.
    std::size_t keep_known(std::span<const code> codes, const bits_range& rows,
                           scan_budget& budget) {
        if (known_.empty()) make_results();
        const bool is_dense = kernels_->count_bits(rows.bits, rows.words) * dense >= codes.size();
        const std::size_t read =
            read_unknown(codes, is_dense ? without_known(codes, rows) : rows, budget);
        if (is_dense) {
            chunk_bits matching;
            kernels_->match_u32(codes.data(), codes.size(), as_code_bits(holds_), matching.data());
            kernels_->intersect(rows.bits, matching.data(), rows.words);
        } else {
            for_each_set(rows, [&](std::size_t row) {
                const bool holds = has(holds_, codes[row]);
                rows.bits[row / 64] ^= std::uint64_t{!holds} << (row % 64);
            });
        }
        return read;
    }
    /// Begins to keep results, all unknown.
    void make_results() {
        const std::size_t words = (documents_.texts->size() + 63) / 64;
        known_.resize(words);
        holds_.resize(words);
    }
    [[nodiscard]] static sluice::detail::simd::code_bits as_code_bits(
        const std::vector<std::uint64_t>& bits) noexcept {
        return {bits.data(), bits.size() * 64, false};
    }
    /// Returns the set rows whose documents have no result yet.
    [[nodiscard]] bits_range without_known(std::span<const code> codes, const bits_range& rows) {
        kernels_->match_u32(codes.data(), codes.size(), as_code_bits(known_), unknown_.data());
        for (std::size_t i = 0; i < rows.words; ++i) unknown_[i] = rows.bits[i] & ~unknown_[i];
        return {0, rows.words, unknown_.data()};
    }
    /// Reads the documents of rows whose results aren't known yet.
    std::size_t read_unknown(std::span<const code> codes, const bits_range& rows,
                             scan_budget& budget) {
        unread_.clear();
        for_each_set(rows, [&](std::size_t row) {
            const code document = codes[row];
            if (has(known_, document)) return;
            known_[document / 64] |= std::uint64_t{1} << (document % 64);
            unread_.push_back({document, document});
        });
        const std::size_t read = match_unread(holds_.data(), budget);
        for (const unread_document& skipped : std::span(unread_).subspan(read)) {
            known_[skipped.document / 64] ^= std::uint64_t{1} << (skipped.document % 64);
        }
        return read;
    }

    /// Sets the bits of matching documents. Returns how many documents the budget allowed to read.
    /// Prefetches places and texts batch by batch, which hides most of the latency.
    std::size_t match_unread(std::uint64_t* holds, scan_budget& budget) {
        std::size_t read = 0;
        for (std::size_t at = 0; at < unread_.size(); at += batch) {
            const auto group = std::span(unread_).subspan(at, std::min(batch, unread_.size() - at));
            prefetch(group);
            for (const unread_document& next : group) {
                if (!budget.charge(scan_budget::row)) return read;
                const bool matches = matcher_.matches(documents_.texts->text(next.document));
                holds[next.bit / 64] |= std::uint64_t{matches} << (next.bit % 64);
                ++read;
            }
        }
        return read;
    }
    void prefetch(std::span<const unread_document> group) const noexcept {
        for (const unread_document& next : group) documents_.texts->prefetch_place(next.document);
        for (const unread_document& next : group) documents_.texts->prefetch_text(next.document);
    }

    [[nodiscard]] static bool has(const std::vector<std::uint64_t>& bits, code c) noexcept {
        return ((bits[c / 64] >> (c % 64)) & 1) != 0;
    }

    row_documents documents_;
    metadata_matcher matcher_;
    const sluice::detail::simd::kernels* kernels_ = &sluice::detail::simd::active_kernels();
    std::size_t rows_ = 0;              // rows passed to keep() so far
    std::vector<std::uint64_t> known_;  // by code: the document was read
    std::vector<std::uint64_t> holds_;  // by code: the document matches
    std::vector<unread_document> unread_;
    chunk_bits unknown_;
};

/// Returns the test of rows by their documents, for an expression.
[[nodiscard]] inline code_test test_of(std::shared_ptr<document_matcher> matcher) {
    const std::size_t column = matcher->column();
    return {column, [matcher = std::move(matcher)](std::span<const code> codes, std::uint64_t* rows,
                                                   scan_budget& budget) {
                return matcher->keep(codes, rows, budget);
            }};
}

}  // namespace sluice::store

#endif
