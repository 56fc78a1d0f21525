// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_ROARING_INDEX_HPP
#define SLUICE_BENCH_DRIVER_ROARING_INDEX_HPP

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "listing.hpp"
#include "operation.hpp"

#ifdef SLUICE_BENCH_HAS_ROARING
#include <roaring.h>  // all of CRoaring in two files
#endif

namespace sluice_bench {

#ifdef SLUICE_BENCH_HAS_ROARING

using roaring_rows = std::unique_ptr<roaring_bitmap_t, void (*)(const roaring_bitmap_t*)>;

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
        number_file<std::int64_t> file(folder / "times");
        for (std::int64_t time = 0; file.read(time);) times_.push_back(time);
        for (const std::string& name : read_lines(folder / "columns")) add(folder, name);
        add(folder, "plan");
    }

    [[nodiscard]] static std::string version() {
        return std::to_string(ROARING_VERSION_MAJOR) + "." + std::to_string(ROARING_VERSION_MINOR) +
               "." + std::to_string(ROARING_VERSION_REVISION);
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
                query.values.push_back(rows_of("plan", wanted.substr(18, wanted.size() - 19)));
            } else {
                query.values.push_back(rows_of(std::string(name), wanted));
            }
        }
        return query;
    }

    /// Counts rows: for one value by its bitmap's cardinality, else by a chain of AND from the
    /// smallest bitmap on, whose last step only counts.
    [[nodiscard]] std::uint64_t count(const roaring_query& query) const {
        const bool is_unbounded = query.first == 0 && query.last == times_.size();
        if (query.values.size() == 1) {
            const roaring_bitmap_t* const rows = query.values[0];
            return is_unbounded ? roaring_bitmap_get_cardinality(rows)
                                : roaring_bitmap_range_cardinality(rows, query.first, query.last);
        }
        std::vector<const roaring_bitmap_t*> chain = query.values;
        roaring_rows window = managed(nullptr), joined = managed(nullptr);
        if (!is_unbounded) {
            window = managed(roaring_bitmap_create());
            roaring_bitmap_add_range(window.get(), query.first, query.last);
            chain.push_back(window.get());
        }
        std::ranges::sort(chain, {}, roaring_bitmap_get_cardinality);
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
        const roaring_bitmap_t* const rows = query.values.at(0);
        const std::uint64_t before = roaring_bitmap_range_cardinality(rows, 0, query.first);
        const std::uint64_t end = roaring_bitmap_range_cardinality(rows, 0, query.last);
        const std::uint64_t begin = std::max(before, end - std::min(end, page_size));
        std::vector<std::uint32_t> numbers(end - begin);
        roaring_bitmap_range_uint32_array(rows, begin, end - begin, numbers.data());
        return {numbers.rbegin(), numbers.rend()};
    }

private:
    struct column {
        std::unordered_map<std::string, std::size_t> codes;
        std::vector<roaring_rows> rows;  // by code, 0 for absent values
    };

    template <class Place>
    [[nodiscard]] std::uint64_t row_at(Place place) const {
        return static_cast<std::uint64_t>(place - times_.begin());
    }

    void add(const std::filesystem::path& folder, const std::string& name) {
        column& added = columns_[name];
        const std::vector<std::string> texts = read_lines(folder / (name + ".texts"));
        for (std::size_t i = 0; i < texts.size(); ++i) added.codes.emplace(texts[i], i + 1);
        number_file<std::uint32_t> codes(folder / (name + ".codes"));
        std::vector<std::vector<std::uint32_t>> rows(texts.size() + 1);
        std::uint32_t code = 0;
        for (std::uint32_t row = 0; codes.read(code); ++row) rows[code].push_back(row);
        for (const std::vector<std::uint32_t>& numbers : rows) {
            roaring_bitmap_t* const bitmap = roaring_bitmap_of_ptr(numbers.size(), numbers.data());
            added.rows.push_back(managed(bitmap));
            roaring_bitmap_run_optimize(bitmap);
            roaring_bitmap_shrink_to_fit(bitmap);
        }
    }
    [[nodiscard]] const roaring_bitmap_t* rows_of(const std::string& name,
                                                  const std::string& text) const {
        const column& added = columns_.at(name);
        return added.rows[added.codes.at(text)].get();
    }

    static constexpr std::uint64_t page_size = 100;

    std::vector<std::int64_t> times_;
    std::map<std::string, column> columns_;
};
#endif

/// Adds three operations: `roaring_load FOLDER` builds CRoaring's bitmaps of the generated data and
/// answers its version; `roaring_count QUERY` counts, with the values looked up in advance;
/// `roaring_page QUERY` finds a page, starting from the query string, and writes JSON like the
/// store's.
inline void add_roaring([[maybe_unused]] operation_table& operations,
                        [[maybe_unused]] const std::unique_ptr<listing>& data) {
#ifdef SLUICE_BENCH_HAS_ROARING
    const auto index = std::make_shared<std::shared_ptr<const roaring_index>>();
    operations["roaring_load"] = [index](std::string_view folder) {
        *index = std::make_shared<const roaring_index>(folder);
        return operation{[] { return roaring_index::version(); }};
    };
    operations["roaring_count"] = [index](std::string_view text) {
        return measured(
            [bitmaps = *index, query = (*index)->prepare(text)] { return bitmaps->count(query); });
    };
    operations["roaring_page"] = on_text([index, &data](std::string_view text) {
        return data->render((*index)->page((*index)->prepare(text)));
    });
#endif
}

}  // namespace sluice_bench

#endif
