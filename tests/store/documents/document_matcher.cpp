// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/documents/document_matcher.hpp>

using namespace sluice::store;

namespace {

/// Documents with a number each, by code; the first is the absent one.
class numbered_documents {
public:
    explicit numbered_documents(std::size_t count) {
        for (std::size_t i = 1; i < count; ++i) {
            const std::string text = R"({"seats":)" + std::to_string(i) + "}";
            texts_.encode(std::string_view(text));
        }
    }
    [[nodiscard]] row_documents of_rows() const { return {0, &texts_}; }

private:
    dictionary texts_;
};

sluice::metadata_query parse(std::string_view text) {
    return sluice::parse_metadata_query(text).value();
}

/// Codes of rows, matched chunk by chunk; a row is selected with a chance of one in `one_in`.
class row_codes {
public:
    row_codes(std::vector<code> codes, std::size_t one_in) : codes_(std::move(codes)) {
        for (std::size_t row = 0; row < codes_.size(); ++row)
            is_selected_.push_back(random_() % one_in == 0);
    }

    struct outcome {
        std::size_t wrong = 0, read = 0;
    };
    /// Counts the rows whose result differs from `holds(code)`; rows that aren't selected stay out.
    template <class Holds>
    [[nodiscard]] outcome run(document_matcher& matcher, const Holds& holds,
                              const scan_limits& limits = {}) const {
        outcome all;
        scan_budget budget(limits);
        for (std::size_t begin = 0; begin < codes_.size(); begin += chunk_rows) {
            const auto chunk =
                std::span(codes_).subspan(begin, std::min(chunk_rows, codes_.size() - begin));
            chunk_bits rows{};
            for (std::size_t i = 0; i < chunk.size(); ++i) {
                rows[i / 64] |= std::uint64_t{is_selected_[begin + i]} << (i % 64);
            }
            all.read += matcher.keep(chunk, rows.data(), budget);
            for (std::size_t i = 0; i < chunk_rows; ++i) {
                const bool is_set = (rows[i / 64] >> (i % 64) & 1) != 0;
                const bool expected =
                    i < chunk.size() && is_selected_[begin + i] && holds(chunk[i]);
                all.wrong += is_set != expected ? 1 : 0;
            }
        }
        return all;
    }
    /// Returns how many documents the selected rows have.
    [[nodiscard]] std::size_t distinct() const {
        std::set<code> documents;
        for (std::size_t i = 0; i < codes_.size(); ++i) {
            if (is_selected_[i]) documents.insert(codes_[i]);
        }
        return documents.size();
    }

private:
    std::mt19937 random_{5};
    std::vector<code> codes_;
    std::vector<bool> is_selected_;
};

std::vector<code> draw(std::size_t rows, std::size_t documents) {
    std::mt19937 random(1);
    std::vector<code> codes(rows);
    for (code& c : codes) c = static_cast<code>(random() % documents);
    return codes;
}

constexpr std::string_view outside_ranges =
    "NOT (metadata['seats']>=5 AND metadata['seats']<10 OR metadata['seats']>=15 AND "
    "metadata['seats']<20)";
constexpr auto holds_below_20 = [](code c) { return c == absent || c % 10 < 5 || c >= 20; };

}  // namespace

TEST_CASE("a document that rows share is read once, whichever rows are asked") {
    const numbered_documents documents(3'000);
    for (const std::size_t one_in : {1U, 2U, 20U, 5'000U}) {
        for (const std::size_t rows : {1U, 63U, 64U, 65U, 4'096U, 4'097U, 30'000U}) {
            CAPTURE(one_in);
            CAPTURE(rows);
            document_matcher matcher(documents.of_rows(), parse(outside_ranges));
            const row_codes rows_of_documents(draw(rows, 3'000), one_in);
            const auto first = rows_of_documents.run(matcher, holds_below_20);
            CHECK(first.wrong == 0);
            CHECK(first.read == rows_of_documents.distinct());
            const auto again = rows_of_documents.run(matcher, holds_below_20);
            CHECK(again.wrong == 0);
            CHECK(again.read == 0);
        }
    }
}

TEST_CASE("few rows of many documents have theirs read one by one, until that is dearer") {
    const numbered_documents documents(20'000);
    document_matcher matcher(documents.of_rows(), parse(outside_ranges));
    const row_codes one(std::vector<code>{7}, 1);
    std::size_t read = 0;
    for (int i = 0; i < 20; ++i) {
        const auto outcome = one.run(matcher, holds_below_20);
        CHECK(outcome.wrong == 0);
        read += outcome.read;
    }
    CHECK(read > 1);
    CHECK(read < 10);
    CHECK(row_codes(draw(10'000, 20'000), 1).run(matcher, holds_below_20).wrong == 0);
}

TEST_CASE(
    "a budget that is spent ends it between two documents, and what was not read stays open") {
    const numbered_documents documents(1'000);
    document_matcher matcher(documents.of_rows(), parse(outside_ranges));
    const row_codes rows_of_documents(draw(4'096, 1'000), 1);
    std::chrono::milliseconds looks{0};
    const scan_limits limits{.cpu_time = [&] { return ++looks; },
                             .deadline = std::chrono::milliseconds(3)};
    const auto cut = rows_of_documents.run(matcher, holds_below_20, limits);
    CHECK(cut.read > 0);
    CHECK(cut.read < 64 * 5);
    CHECK(looks.count() == 3);
    const auto rest = rows_of_documents.run(matcher, holds_below_20);
    CHECK(rest.wrong == 0);
    CHECK(rest.read == rows_of_documents.distinct() - cut.read);
}

TEST_CASE("it is known with how many documents conditions were compared") {
    const numbered_documents documents(7);
    document_matcher matcher(documents.of_rows(), parse("metadata['seats']=3"));
    CHECK(row_codes(draw(1'000, 7), 1).run(matcher, [](code c) { return c == 3; }).wrong == 0);
    CHECK(matcher.comparisons()[0] == 6);  // the absent one has nothing to compare
}
