// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_STORE_MAKE_ROWS_HPP
#define SLUICE_TESTS_STORE_MAKE_ROWS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/plan/scan.hpp>

/// Columns of every distribution that a sealed column treats apart.
enum sample_column : std::size_t {
    sample_id,         // one text: rows of a time stay in order of arrival
    sample_constant,   // 7 in all rows
    sample_flag,       // 0 or, in a tenth of the rows, 1
    sample_uniform,    // 6 codes
    sample_hundred,    // 100 codes, none of which is frequent
    sample_skewed,     // 200 codes by Zipf's law
    sample_thousands,  // 3,000 codes by Zipf's law
    sample_many,       // 12,000 codes, spread over a wide range
    sample_sequence,   // distinct, ascending
    sample_scattered,  // nearly distinct, in a wide range
    sample_optional,   // absent in half of the rows, else distinct
    sample_clustered,  // runs of a thousand rows
    sample_drifting,   // other codes in each block
    sample_columns
};

/// Draws numbers below a size, the first ones most often.
class zipf_source {
public:
    explicit zipf_source(std::size_t size) {
        double sum = 0;
        for (std::size_t i = 1; i <= size; ++i) sums_.push_back(sum += 1 / static_cast<double>(i));
    }
    template <class Random>
    std::uint32_t operator()(Random& random) const {
        std::uniform_real_distribution<double> below(0, sums_.back());
        const auto place = std::ranges::upper_bound(sums_, below(random));
        return static_cast<std::uint32_t>(
            std::min<std::ptrdiff_t>(place - sums_.begin(), std::ssize(sums_) - 1));
    }

private:
    std::vector<double> sums_;
};

/// A table of `sample_columns`; each three rows share a time.
class sample_table {
public:
    explicit sample_table(unsigned seed) : random_(seed) {
        static_cast<void>(ids_.encode(std::string_view("row")));
    }

    void append(std::size_t rows) {
        sluice::store::row_buffer added(rows_.columns());
        for (std::size_t i = 0; i < rows; ++i) {
            const std::size_t row = size_++;
            const std::size_t at = added.add(static_cast<std::int64_t>(row / 3));
            fill(row, added.codes(at));
        }
        rows_.append(std::move(added), [](std::size_t, std::span<sluice::store::code>) {});
    }
    [[nodiscard]] sluice::store::snapshot current() const { return rows_.current(); }

private:
    void fill(std::size_t row, std::span<sluice::store::code> codes) {
        using sluice::store::code;
        const auto number = static_cast<code>(row);
        const auto below = [this](unsigned size) { return static_cast<code>(random_() % size); };
        codes[sample_id] = 1;
        codes[sample_constant] = 7;
        codes[sample_flag] = below(10) == 0 ? 1 : 0;
        codes[sample_uniform] = below(6);
        codes[sample_hundred] = below(100);
        codes[sample_skewed] = skewed_(random_);
        codes[sample_thousands] = 1 + thousands_(random_);
        codes[sample_many] = 5 + 1'000 * below(12'000);
        codes[sample_sequence] = number + 1;
        codes[sample_scattered] = below(~0U);
        codes[sample_optional] = below(2) == 0 ? 0 : number + 1;
        codes[sample_clustered] = number / 1'000 * 7 % 97;
        codes[sample_drifting] = number / 50'000 * 300 + below(300);
    }

    std::mt19937 random_;
    zipf_source skewed_{200};
    zipf_source thousands_{3'000};
    sluice::store::dictionary ids_;
    sluice::store::table rows_{sluice::store::schema{sample_columns, 0, sample_id, &ids_}};
    std::size_t size_ = 0;
};

#endif
