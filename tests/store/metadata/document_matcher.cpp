// SPDX-License-Identifier: MIT
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/metadata/document_matcher.hpp>

using namespace sluice::store;

namespace {

/// Documents by code, the first the absent one, and how often each was read.
class counted_documents {
public:
    explicit counted_documents(std::size_t count) : reads_(count) {
        for (std::size_t i = 1; i < count; ++i) {
            texts_.push_back(R"({"seats":)" + std::to_string(i % 5) + "}");
        }
    }

    /// Rows that take them by number; `told` is how many there are said to be.
    [[nodiscard]] row_documents of_rows(const std::vector<code>& rows, std::size_t told) {
        return {[&rows](std::size_t row) { return rows[row]; },
                [this](code document) -> std::string_view {
                    ++reads_[document];
                    return texts_[document];
                },
                told};
    }
    [[nodiscard]] const std::vector<std::size_t>& reads() const { return reads_; }
    [[nodiscard]] std::size_t all_reads() const {
        std::size_t sum = 0;
        for (const std::size_t each : reads_) sum += each;
        return sum;
    }

private:
    std::vector<std::string> texts_{""};
    std::vector<std::size_t> reads_;
};

sluice::metadata_query parse(std::string_view text) {
    return sluice::parse_metadata_query(text).value();
}

/// How many rows are answered in another way than by their documents' numbers.
std::size_t wrong_rows(document_matcher& matcher, const std::vector<code>& rows) {
    std::size_t wrong = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        wrong += matcher.matches(row) != (rows[row] == absent || rows[row] % 5 != 3) ? 1 : 0;
    }
    return wrong;
}

}  // namespace

TEST_CASE("a document that rows share is read once") {
    counted_documents documents(7);
    std::vector<code> rows;
    for (std::size_t row = 0; row < 1'000; ++row) rows.push_back(static_cast<code>(row * 3 % 7));
    document_matcher matcher(documents.of_rows(rows, 7), parse("NOT metadata['seats']=3"));
    CHECK(documents.all_reads() == 0);
    CHECK(wrong_rows(matcher, rows) == 0);
    CHECK(documents.reads() == std::vector<std::size_t>(7, 1));
    CHECK(matcher.asked()[0] == 6);  // the absent one has nothing to compare
}

TEST_CASE("answers are right where there are more documents than were told, or than places") {
    std::mt19937 random(1);
    for (const std::size_t told : {0U, 1U, 3U, 64U, 40'000U}) {
        CAPTURE(told);
        counted_documents documents(40'000);
        std::vector<code> rows;
        for (std::size_t row = 0; row < 5'000; ++row) {
            rows.push_back(static_cast<code>(random() % (row % 2 == 0 ? 40'000 : 3)));
        }
        document_matcher matcher(documents.of_rows(rows, told), parse("NOT metadata['seats']=3"));
        CHECK(wrong_rows(matcher, rows) == 0);
        CHECK(documents.all_reads() <= rows.size());
        if (told == 40'000) CHECK(documents.all_reads() < rows.size() * 2 / 3);
    }
}
