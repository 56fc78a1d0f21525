// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_ROARING_INDEX_HPP
#define SLUICE_BENCH_DRIVER_ROARING_INDEX_HPP

#if SLUICE_BENCH_HAS_ROARING
#if SLUICE_BENCH_HAS_ROARING == 1
#include <roaring/roaring.h>
#else
#include <roaring.h>  // all of CRoaring in two files
#endif

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sluice/base/query_string.hpp>
#include <sluice/filters/filter.hpp>

#include "column_files.hpp"

namespace sluice_bench {

struct free_roaring {
    void operator()(roaring_bitmap_t* bitmap) const noexcept { roaring_bitmap_free(bitmap); }
};
using roaring_rows = std::unique_ptr<roaring_bitmap_t, free_roaring>;

/// A query with the bitmaps of its values.
struct roaring_query {
    struct clause {
        std::vector<const roaring_bitmap_t*> values;
        bool excludes = false;
    };
    std::vector<clause> clauses{};
    std::uint64_t first = 0, last = 0;  ///< row numbers of the window
    std::uint64_t page = 1, limit = 100;

    [[nodiscard]] std::uint64_t offset() const noexcept { return (page - 1) * limit; }
};

/// The generated data in CRoaring: for each value of each column, its row numbers in a bitmap
/// optimized for runs.
class roaring_index {
public:
    explicit roaring_index(const std::filesystem::path& folder)
        : times_(read_times(folder / "times.i64")) {
        for (const std::string& name : read_lines(folder / "columns")) add(folder, name);
        add(folder, "plan");
    }

    [[nodiscard]] static std::string version() {
        return std::to_string(ROARING_VERSION_MAJOR) + "." + std::to_string(ROARING_VERSION_MINOR) +
               "." + std::to_string(ROARING_VERSION_REVISION);
    }

    /// Parses a query string and looks up its values.
    [[nodiscard]] roaring_query prepare(std::string_view text) const {
        roaring_query made{.last = times_.size()};
        const sluice::query_string pairs = sluice::parse_query_string(text);
        for (const auto& [name, value] : pairs.pairs()) {
            const auto number = [text = std::string(value)] { return std::stoll(text); };
            if (name == "start") {
                made.first = row_at(std::ranges::lower_bound(times_, number()));
            } else if (name == "end") {
                made.last = row_at(std::ranges::upper_bound(times_, number()));
            } else if (name == "page" || name == "limit") {
                (name == "page" ? made.page : made.limit) = static_cast<std::uint64_t>(number());
            } else {
                made.clauses.push_back(clause_of(name, value));
            }
        }
        return made;
    }

    /// Counts rows: for one column by its bitmaps' cardinalities, else by a chain of AND and ANDNOT
    /// whose last step only counts.
    [[nodiscard]] std::uint64_t count(const roaring_query& query) const {
        if (query.clauses.size() == 1) return count_values(query);
        const chain all(query, is_unbounded(query), query.first, query.last);
        return all.count();
    }
    /// Returns the rows of a page, last row first.
    [[nodiscard]] std::vector<std::size_t> page(const roaring_query& query) const {
        const bool is_bitmap = query.clauses.size() == 1 && !query.clauses[0].excludes &&
                               query.clauses[0].values.size() == 1;
        return is_bitmap ? slice(query) : search(query);
    }

private:
    static constexpr std::uint64_t first_window = std::uint64_t{1} << 16;

    struct column {
        std::unordered_map<std::string, std::size_t> codes;
        std::vector<roaring_rows> rows;  // by code, 0 for absent values
    };

    /// A chain of bitmaps: those that rows must be in, the smallest first, then those that they
    /// must not be in.
    class chain {
    public:
        chain(const roaring_query& query, bool is_unbounded, std::uint64_t first,
              std::uint64_t last) {
            for (const roaring_query::clause& each : query.clauses) {
                if (!each.excludes) required_.push_back(united(each));
            }
            if (!is_unbounded || required_.empty()) {
                required_.push_back(made_.emplace_back(roaring_bitmap_create()).get());
                roaring_bitmap_add_range(made_.back().get(), first, last);
            }
            std::ranges::sort(required_, {}, roaring_bitmap_get_cardinality);
            for (const roaring_query::clause& each : query.clauses) {
                if (!each.excludes) continue;
                excluded_.insert(excluded_.end(), each.values.begin(), each.values.end());
            }
        }

        [[nodiscard]] std::uint64_t count() const {
            const std::size_t steps = required_.size() + excluded_.size();
            if (steps == 1) return roaring_bitmap_get_cardinality(required_[0]);
            roaring_rows found;
            const roaring_bitmap_t* const most = run(found, steps - 1);
            return excluded_.empty() ? roaring_bitmap_and_cardinality(most, required_.back())
                                     : roaring_bitmap_andnot_cardinality(most, excluded_.back());
        }
        /// Returns the rows, ascending.
        [[nodiscard]] std::vector<std::uint32_t> rows() const {
            roaring_rows found;
            const roaring_bitmap_t* const all = run(found, required_.size() + excluded_.size());
            std::vector<std::uint32_t> numbers(roaring_bitmap_get_cardinality(all));
            roaring_bitmap_to_uint32_array(all, numbers.data());
            return numbers;
        }

    private:
        [[nodiscard]] const roaring_bitmap_t* united(const roaring_query::clause& of) {
            if (of.values.size() == 1) return of.values.front();
            std::vector<const roaring_bitmap_t*> values = of.values;
            return made_.emplace_back(roaring_bitmap_or_many(values.size(), values.data())).get();
        }
        /// Returns the result of the first `steps` bitmaps; stored in `found` unless it is one of
        /// them.
        const roaring_bitmap_t* run(roaring_rows& found, std::size_t steps) const {
            const roaring_bitmap_t* left = required_.front();
            for (std::size_t i = 1; i < steps; ++i) {
                const bool excludes = i >= required_.size();
                const auto* const next = excludes ? excluded_[i - required_.size()] : required_[i];
                if (found) {
                    (excludes ? roaring_bitmap_andnot_inplace : roaring_bitmap_and_inplace)(
                        found.get(), next);
                } else {
                    found.reset(
                        (excludes ? roaring_bitmap_andnot : roaring_bitmap_and)(left, next));
                }
                left = found.get();
            }
            return left;
        }

        std::vector<roaring_rows> made_;
        std::vector<const roaring_bitmap_t*> required_, excluded_;
    };

    [[nodiscard]] static std::vector<std::int64_t> read_times(const std::filesystem::path& path) {
        std::vector<std::int64_t> times(std::filesystem::file_size(path) / sizeof(std::int64_t));
        number_file file(path, times.size());
        for (std::int64_t& each : times) each = static_cast<std::int64_t>(file.next());
        return times;
    }

    template <class Place>
    [[nodiscard]] std::uint64_t row_at(Place place) const {
        return static_cast<std::uint64_t>(place - times_.begin());
    }
    [[nodiscard]] bool is_unbounded(const roaring_query& query) const noexcept {
        return query.first == 0 && query.last == times_.size();
    }

    void add(const std::filesystem::path& folder, const std::string& name) {
        column& added = columns_[name];
        const std::vector<std::string> texts = read_lines(folder / (name + ".texts"));
        for (std::size_t i = 0; i < texts.size(); ++i) added.codes.emplace(texts[i], i + 1);
        number_file codes(folder / (name + ".codes"), times_.size());
        std::vector<std::vector<std::uint32_t>> rows(texts.size() + 1);
        for (std::uint32_t row = 0; row < times_.size(); ++row) rows[codes.next()].push_back(row);
        for (const std::vector<std::uint32_t>& each : rows) {
            roaring_bitmap_t* const made = roaring_bitmap_of_ptr(each.size(), each.data());
            added.rows.emplace_back(made);
            roaring_bitmap_run_optimize(made);
            roaring_bitmap_shrink_to_fit(made);
        }
    }
    [[nodiscard]] roaring_query::clause clause_of(std::string_view name,
                                                  std::string_view value) const {
        const bool is_plan = name == "metadata";  // metadata['plan']:'pro'
        const std::string_view plan = is_plan ? value.substr(value.find(':') + 2) : value;
        const auto wanted =
            sluice::parse_filter(is_plan ? plan.substr(0, plan.size() - 1) : plan).value();
        const column& own = columns_.at(is_plan ? "plan" : std::string(name));
        roaring_query::clause made{{}, wanted.excludes()};
        for (const std::string_view each : wanted.values()) {
            made.values.push_back(own.rows[own.codes.at(std::string(each))].get());
        }
        return made;
    }

    /// A row has at most one value in a column.
    [[nodiscard]] std::uint64_t count_values(const roaring_query& query) const {
        std::uint64_t rows = 0;
        for (const roaring_bitmap_t* each : query.clauses[0].values) {
            rows += is_unbounded(query)
                        ? roaring_bitmap_get_cardinality(each)
                        : roaring_bitmap_range_cardinality(each, query.first, query.last);
        }
        return query.clauses[0].excludes ? query.last - query.first - rows : rows;
    }

    /// Reads a page from a single bitmap, by rank.
    [[nodiscard]] static std::vector<std::size_t> slice(const roaring_query& query) {
        const roaring_bitmap_t* const rows = query.clauses[0].values[0];
        const std::uint64_t before = roaring_bitmap_range_cardinality(rows, 0, query.first);
        const std::uint64_t all = roaring_bitmap_range_cardinality(rows, 0, query.last);
        const std::uint64_t end = std::max(before, all - std::min(all, query.offset()));
        const std::uint64_t begin = std::max(before, end - std::min(end, query.limit));
        std::vector<std::uint32_t> numbers(end - begin);
        roaring_bitmap_range_uint32_array(rows, begin, end - begin, numbers.data());
        return {numbers.rbegin(), numbers.rend()};
    }
    /// Searches backwards from the end, in windows of doubling size.
    [[nodiscard]] static std::vector<std::size_t> search(const roaring_query& query) {
        std::vector<std::size_t> found;
        std::uint64_t to_skip = query.offset(), last = query.last;
        for (std::uint64_t window = first_window; last > query.first; window *= 2) {
            const std::uint64_t first = std::max(query.first, last - std::min(last, window));
            const std::vector<std::uint32_t> rows = chain(query, false, first, last).rows();
            const std::uint64_t skipped = std::min<std::uint64_t>(to_skip, rows.size());
            to_skip -= skipped;
            for (std::size_t i = rows.size() - skipped; i > 0; --i) {
                found.push_back(rows[i - 1]);
                if (found.size() == query.limit) return found;
            }
            last = first;
        }
        return found;
    }

    std::vector<std::int64_t> times_;
    std::map<std::string, column> columns_;
};

}  // namespace sluice_bench

#endif
#endif
