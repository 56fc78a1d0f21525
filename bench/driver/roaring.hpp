// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_ROARING_HPP
#define SLUICE_BENCH_DRIVER_ROARING_HPP

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <roaring.h>  // all of CRoaring in two files

#include "operation.hpp"
#include "rows.hpp"

namespace sluice_bench {

using roaring_rows = std::unique_ptr<roaring_bitmap_t, decltype(&roaring_bitmap_free)>;

[[nodiscard]] inline roaring_rows managed(roaring_bitmap_t* bitmap) {
    return {bitmap, roaring_bitmap_free};
}

/// A query of equalities with the bitmaps of their values.
struct roaring_query {
    std::vector<const roaring_bitmap_t*> values{};
    std::uint64_t first = 0, last = 0;  ///< row numbers of the window
};

/// The generated data in CRoaring: for each value of each column, its row numbers in a bitmap
/// optimized for runs.
class roaring_index {
public:
    explicit roaring_index(const std::filesystem::path& folder) {
        std::ifstream file(folder / "times", std::ios::binary);
        for (std::int64_t time = 0; read_number(file, time);) times_.push_back(time);
        for (const std::string& name : read_lines(folder / "columns")) add(folder, name);
        add(folder, "plan");
    }

    /// Parses a query string and looks up its values.
    [[nodiscard]] roaring_query prepare(std::string_view text) const {
        roaring_query query{.last = times_.size()};
        const query_string pairs = parse_query_string(text);
        for (const auto& [name, value] : pairs.pairs()) {
            const std::string wanted(value);
            if (name == "start") {
                query.first = row_at(std::ranges::lower_bound(times_, std::stoll(wanted)));
            } else if (name == "end") {
                query.last = row_at(std::ranges::upper_bound(times_, std::stoll(wanted)));
            } else if (name == "metadata") {  // metadata['plan']:'pro'
                const std::string plan = wanted.substr(18, wanted.size() - 19);
                query.values.push_back(rows_.at("plan=" + plan).get());
            } else {
                query.values.push_back(rows_.at(std::string(name) + "=" + wanted).get());
            }
        }
        return query;
    }

    /// Counts rows: for one value by its bitmap's cardinality, else by a chain of AND from the
    /// smallest bitmap on, whose last step only counts. A window is one more bitmap.
    [[nodiscard]] std::uint64_t count(const roaring_query& query) const {
        const bool is_unbounded = query.first == 0 && query.last == times_.size();
        if (query.values.size() == 1) {
            const roaring_bitmap_t* const rows = query.values[0];
            return is_unbounded ? roaring_bitmap_get_cardinality(rows)
                                : roaring_bitmap_range_cardinality(rows, query.first, query.last);
        }
        std::vector<const roaring_bitmap_t*> chain = query.values;
        const roaring_rows window =
            managed(is_unbounded ? nullptr : roaring_bitmap_from_range(query.first, query.last, 1));
        if (window) chain.push_back(window.get());
        std::ranges::sort(chain, {}, roaring_bitmap_get_cardinality);
        roaring_rows joined = managed(nullptr);
        const roaring_bitmap_t* left = chain.front();
        for (std::size_t i = 1; i + 1 < chain.size(); ++i) {
            if (joined) {
                roaring_bitmap_and_inplace(joined.get(), chain[i]);
            } else {
                joined = managed(roaring_bitmap_and(left, chain[i]));
            }
            left = joined.get();
        }
        return roaring_bitmap_and_cardinality(left, chain.back());
    }

    /// Returns the rows of a first page of one value, last row first, by rank.
    [[nodiscard]] static std::vector<std::size_t> page(const roaring_query& query) {
        constexpr std::uint64_t page_size = 100;
        const roaring_bitmap_t* const rows = query.values.at(0);
        const std::uint64_t before = roaring_bitmap_range_cardinality(rows, 0, query.first);
        const std::uint64_t end = roaring_bitmap_range_cardinality(rows, 0, query.last);
        const std::uint64_t begin = std::max(before, end - std::min(end, page_size));
        std::vector<std::uint32_t> numbers(end - begin);
        roaring_bitmap_range_uint32_array(rows, begin, end - begin, numbers.data());
        return {numbers.rbegin(), numbers.rend()};
    }

private:
    template <class Place>
    [[nodiscard]] std::uint64_t row_at(Place place) const {
        return static_cast<std::uint64_t>(place - times_.begin());
    }

    void add(const std::filesystem::path& folder, const std::string& name) {
        const std::vector<std::string> texts = read_lines(folder / (name + ".texts"));
        std::ifstream codes(folder / (name + ".codes"), std::ios::binary);
        std::vector<std::vector<std::uint32_t>> rows(texts.size() + 1);  // by code
        std::uint32_t code = 0;
        for (std::uint32_t row = 0; read_number(codes, code); ++row) rows[code].push_back(row);
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const std::vector<std::uint32_t>& numbers = rows[i + 1];
            roaring_bitmap_t* const bitmap = roaring_bitmap_of_ptr(numbers.size(), numbers.data());
            roaring_bitmap_run_optimize(bitmap);
            roaring_bitmap_shrink_to_fit(bitmap);
            rows_.emplace(name + "=" + texts[i], managed(bitmap));
        }
    }

    std::vector<std::int64_t> times_;
    std::unordered_map<std::string, roaring_rows> rows_;  // by "column=value"
};

/// Adds three operations: `roaring_load FOLDER` builds CRoaring's bitmaps of the generated data and
/// answers its version; `roaring_count QUERY` counts, with the values looked up in advance;
/// `roaring_page QUERY` finds a page, starting from the query string, and writes JSON like the
/// store's.
inline void add_roaring(operation_table& operations, const shared_rows& data) {
    const auto index = std::make_shared<std::shared_ptr<const roaring_index>>();
    operations["roaring_load"] = [index](const std::string& folder) {
        *index = std::make_shared<const roaring_index>(folder);
        return operation{[] { return std::string(ROARING_VERSION); }};
    };
    operations["roaring_count"] = [index](const std::string& text) {
        return measured(
            [bitmaps = *index, query = (*index)->prepare(text)] { return bitmaps->count(query); });
    };
    operations["roaring_page"] = [index, data](const std::string& text) {
        return measured([bitmaps = *index, data, text] {
            return (*data)->render(bitmaps->page(bitmaps->prepare(text)));
        });
    };
}

}  // namespace sluice_bench

#endif
