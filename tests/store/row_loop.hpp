// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_STORE_ROW_LOOP_HPP
#define SLUICE_TESTS_STORE_ROW_LOOP_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <sluice/store/plan/scan.hpp>
#include <sluice/store/table.hpp>

/// An oracle of the store: rows as structs in a vector, queries as plain trees of lists of codes,
/// and a loop that looks at one row after the other.
namespace row_loop {

using sluice::store::code;
using source = std::mt19937_64;
using row_list = std::vector<std::size_t>;

// Rows.

/// The code columns and how their values are spread.
enum column : std::size_t {
    id,         ///< the row's own text
    skewed,     ///< 40 values by Zipf's law
    many,       ///< 5,000 values by Zipf's law
    huge,       ///< 200,000 values by Zipf's law
    unique,     ///< another value in each row
    clustered,  ///< runs of one value in time
    pair,       ///< two values
    constant,   ///< one value
    sparse,     ///< absent but for one row in 500
    blockwise,  ///< one value in most blocks, another in the next
    edge,       ///< values where a code needs another byte
    columns
};

struct row {
    std::int64_t time = 0;
    std::uint32_t name = 0;  ///< the id's text as a number
    std::array<code, columns> codes{};
    std::int64_t number = 0;
    std::size_t arrival = 0;  ///< its place among rows of the same time and id
};
using rows = std::vector<row>;

inline std::uint64_t below(source& random, std::uint64_t end) { return random() % end; }
inline bool chance(source& random, double likelihood) {
    return static_cast<double>(random() >> 11) * 0x1p-53 < likelihood;
}
/// A number from 1 to `most`, each about as likely as its reciprocal.
inline code zipf(source& random, double most) {
    const double share = static_cast<double>(random() >> 11) * 0x1p-53;
    return static_cast<code>(std::pow(most, share));
}

/// The shape of a test's table.
struct shape {
    std::size_t size = 0;
    std::int64_t rows_a_moment = 1;    ///< rows that share a time
    std::array<code, 3> edge_codes{};  ///< the values of column::edge
    unsigned seed = 0;
};

/// Makes rows with values that lie as the columns say; numbered as they come.
class row_source {
public:
    explicit row_source(const shape& wanted) : shape_(wanted), random_(wanted.seed) {}

    /// The next row, whose place in time is that of the n-th one.
    row next(std::size_t place) {
        const auto moment = static_cast<std::int64_t>(place) / shape_.rows_a_moment;
        row added{.time = moment * 3,
                  .name = static_cast<std::uint32_t>(below(random_, 1'000'000'000)),
                  .number = static_cast<std::int64_t>(random_())};
        added.codes = {0,
                       zipf(random_, 40),
                       zipf(random_, 5'000),
                       zipf(random_, 200'000),
                       ++last_unique_,
                       static_cast<code>(place / 700 % 290 + 1),
                       static_cast<code>(1 + below(random_, 2)),
                       7,
                       below(random_, 500) == 0 ? static_cast<code>(1 + below(random_, 3)) : 0,
                       static_cast<code>(1 + place / 65'536),
                       shape_.edge_codes[below(random_, shape_.edge_codes.size())]};
        return added;
    }

private:
    shape shape_;
    source random_;
    code last_unique_ = 0;
};

/// A table's rows at one moment, in the store and in the vector.
struct moment {
    std::shared_ptr<const sluice::store::dictionary> ids;  // which the snapshot views
    sluice::store::snapshot rows;
    std::shared_ptr<const row_loop::rows> expected;
};

/// A table of the store, and the same rows in a vector that is sorted anew for each batch.
class twin_table {
public:
    void append(const rows& added) {
        sluice::store::row_buffer buffer(table_.columns());
        auto next = std::make_shared<rows>(*rows_);
        for (const row& row : added) {
            next->push_back(row);
            next->back().codes[id] = ids_->encode(std::string_view(text_of(row.name)));
            const std::size_t at = buffer.add(row.time);
            std::ranges::copy(next->back().codes, buffer.codes(at).begin());
            buffer.integers(at)[0] = row.number;
        }
        for (std::size_t i = 0; i < next->size(); ++i) (*next)[i].arrival = i;
        std::ranges::sort(*next, {},
                          [](const row& r) { return std::tuple(r.time, r.name, r.arrival); });
        rows_ = std::move(next);
        table_.append(std::move(buffer), [](std::size_t, std::span<code>) {});
    }
    [[nodiscard]] moment current() const { return {ids_, table_.current(), rows_}; }
    [[nodiscard]] sluice::store::table& table() noexcept { return table_; }

private:
    /// Ten digits, so that texts are in the order of their numbers.
    static std::string text_of(std::uint32_t name) {
        const std::string digits = std::to_string(name);
        return std::string(10 - digits.size(), '0') + digits;
    }

    std::shared_ptr<sluice::store::dictionary> ids_ = std::make_shared<sluice::store::dictionary>();
    sluice::store::table table_{sluice::store::schema{columns, 1, id, ids_.get()}};
    std::shared_ptr<const rows> rows_ = std::make_shared<rows>();
};

// Queries.

/// Numbers of codes for conditions of ranges: a number has many codes, some codes have none.
class numbered_codes {
public:
    static constexpr int numbers = 500;

    static std::optional<int> number_of(code c) noexcept {
        if (c % 7 == 3 || c >= codes) return std::nullopt;
        return static_cast<int>((c * 2'654'435'761U >> 16) % numbers);
    }
    static sluice::detail::decimal decimal_of(int number) {
        static const std::vector<std::string> texts = [] {
            std::vector<std::string> all;
            for (int i = 0; i < numbers; ++i) all.push_back(std::to_string(i));
            return all;
        }();
        return *sluice::detail::parse_decimal(texts[static_cast<std::size_t>(number)]);
    }
    static sluice::store::code_numbers all() {
        static const std::vector<double> approximations = [] {
            std::vector<double> known(codes, std::numeric_limits<double>::quiet_NaN());
            for (code c = 0; c < codes; ++c) {
                if (const auto number = number_of(c)) known[c] = *number;
            }
            return known;
        }();
        return {approximations, [](code c) { return decimal_of(*number_of(c)); }};
    }

private:
    static constexpr code codes = 68'000;  // some of those in use have none
};

/// Numbers from one to another, both included.
struct number_range {
    int first, last;
};

/// A condition on a row: codes of a column, a test of its number or code, or a combination of
/// others.
struct tree {
    enum class kind : std::uint8_t { leaf, test, all, any, negation, constant };

    kind what = kind::constant;
    std::size_t of = 0;                  ///< a leaf's column, or a test's; 0: of the row's number
    std::vector<code> listed{};          ///< a leaf's codes, in order
    std::vector<number_range> ranges{};  ///< a leaf's, instead of codes
    bool yes = true;          ///< a leaf takes the codes listed, or all others; a constant's value
    std::size_t residue = 0;  ///< a test's
    std::vector<tree> parts{};
};

/// Returns true if a number passes a test: two in three do.
constexpr bool passes(std::size_t number, std::size_t residue) noexcept {
    return (number * 2'654'435'761U >> 7) % 3 != residue;
}

inline bool is_listed(code value, const tree& leaf) {
    if (leaf.ranges.empty()) return std::ranges::binary_search(leaf.listed, value);
    const auto number = numbered_codes::number_of(value);
    return std::ranges::any_of(leaf.ranges, [&](const number_range& range) {
        return number && *number >= range.first && *number <= range.last;
    });
}

inline bool meets(const row& candidate, std::size_t number, const tree& wanted) {
    const auto meets_part = [&](const tree& part) { return meets(candidate, number, part); };
    switch (wanted.what) {
        case tree::kind::leaf: return is_listed(candidate.codes[wanted.of], wanted) == wanted.yes;
        case tree::kind::test:
            return passes(wanted.of == 0 ? number : candidate.codes[wanted.of], wanted.residue);
        case tree::kind::all: return std::ranges::all_of(wanted.parts, meets_part);
        case tree::kind::any: return std::ranges::any_of(wanted.parts, meets_part);
        case tree::kind::negation: return !meets_part(wanted.parts.front());
        case tree::kind::constant: return wanted.yes;
    }
    return false;
}

struct query {
    std::int64_t first = std::numeric_limits<std::int64_t>::min();
    std::int64_t last = std::numeric_limits<std::int64_t>::max();
    std::vector<tree> conditions{};  ///< leaves
    std::optional<tree> where{};
    std::optional<std::size_t> residue{};  ///< of the test that is called last
};

/// Returns the numbers of the rows that a query selects, by a loop over all rows.
inline row_list matching(const rows& all, const query& wanted) {
    row_list numbers;
    if (wanted.first > wanted.last) return numbers;
    const auto begin = std::ranges::lower_bound(all, wanted.first, {}, &row::time);
    for (auto at = begin; at != all.end() && at->time <= wanted.last; ++at) {
        const auto number = static_cast<std::size_t>(at - all.begin());
        const bool meets_all = std::ranges::all_of(wanted.conditions, [&](const tree& condition) {
            return meets(*at, number, condition);
        });
        if (meets_all && (!wanted.where || meets(*at, number, *wanted.where)) &&
            (!wanted.residue || passes(number, *wanted.residue))) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

/// Random queries, drawn from the rows so that most of them match something.
class query_source {
public:
    query_source(const rows& all, std::uint64_t seed) : rows_(all), random_(seed) {}

    query next() {
        const bool is_wide = rows_.empty() || chance(random_, 0.02);
        has_tests_ = !is_wide || chance(random_, 0.05);
        query drawn;
        std::tie(drawn.first, drawn.last) = is_wide ? wide_window() : narrow_window();
        constexpr std::array sizes{0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5};
        for (int i = sizes[below(random_, sizes.size())]; i > 0; --i) {
            drawn.conditions.push_back(leaf());
        }
        if (chance(random_, 0.25)) drawn.where = branch(0);
        if (has_tests_ && chance(random_, 0.1)) drawn.residue = below(random_, 3);
        return drawn;
    }
    source& random() noexcept { return random_; }

private:
    using window_bounds = std::pair<std::int64_t, std::int64_t>;
    static constexpr auto least = std::numeric_limits<std::int64_t>::min();
    static constexpr auto most = std::numeric_limits<std::int64_t>::max();

    /// All rows, or those before or behind one.
    window_bounds wide_window() {
        const std::uint64_t kind = rows_.empty() ? 2 : below(random_, 4);
        if (kind == 0) return {rows_[any_row()].time, most};
        if (kind == 1) return {least, rows_[any_row()].time};
        return {least, most};
    }
    /// Returns a window so short that a loop over it is cheap, or an empty one.
    window_bounds narrow_window() {
        const std::uint64_t kind = below(random_, 100);
        if (kind < 1) return {rows_.back().time + 1, most};
        if (kind < 2) return {rows_[any_row()].time, rows_[any_row()].time - 1};
        first_ = any_row();
        const std::uint64_t length = below(random_, std::uint64_t{2} << below(random_, 11));
        last_ = std::min(rows_.size() - 1, first_ + static_cast<std::size_t>(length));
        const auto nudge = [&] { return kind < 16 ? std::int64_t(below(random_, 3)) - 1 : 0; };
        return {rows_[first_].time + nudge(), rows_[last_].time + nudge()};
    }
    /// The number of a row, often one next to the edge of a word, a block or the table.
    std::size_t any_row() {
        constexpr std::array<std::size_t, 12> edges{
            0, 1, 63, 64, 65, 4'096, 65'472, 65'535, 65'536, 65'537, 131'071, 131'072};
        if (chance(random_, 0.5)) return below(random_, rows_.size());
        if (chance(random_, 0.2)) return rows_.size() - 1;
        return std::min(rows_.size() - 1, edges[below(random_, edges.size())]);
    }

    tree leaf() {
        constexpr std::array<std::uint64_t, 12> sizes{1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 16, 17};
        tree drawn{.what = tree::kind::leaf, .of = below(random_, columns)};
        if (chance(random_, 0.15)) return leaf_of_ranges(drawn);
        std::uint64_t size = sizes[below(random_, sizes.size())];
        if (chance(random_, 0.04)) size = chance(random_, 0.5) ? 0 : 250;
        while (drawn.listed.size() < size) drawn.listed.push_back(any_code(drawn.of));
        std::ranges::sort(drawn.listed);
        drawn.yes = chance(random_, 0.75);
        return drawn;
    }
    /// Returns a test of the row's number, or of its code in another column.
    tree test() {
        const std::size_t of = chance(random_, 0.5) ? below(random_, columns) : 0;
        return {.what = tree::kind::test, .of = of, .residue = below(random_, 3)};
    }
    tree leaf_of_ranges(tree drawn) {
        for (std::uint64_t i = 1 + below(random_, 3); i > 0; --i) {
            const auto first = static_cast<int>(below(random_, numbered_codes::numbers));
            const int length = static_cast<int>(below(random_, chance(random_, 0.5) ? 3 : 300));
            drawn.ranges.push_back({first, std::min(numbered_codes::numbers - 1, first + length)});
        }
        drawn.yes = chance(random_, 0.75);
        return drawn;
    }
    /// A code of a row in the window, of any row, or of none.
    code any_code(std::size_t of) {
        const std::uint64_t kind = below(random_, 20);
        if (rows_.empty() || kind == 0) return static_cast<code>(below(random_, 70'000));
        if (kind == 1) {
            constexpr std::array<code, 8> edges{0,      255,       256,      65'535,
                                                65'536, 1'000'000, ~code{0}, 1};
            return edges[below(random_, edges.size())];
        }
        if (kind < 8 || last_ < first_) return rows_[below(random_, rows_.size())].codes[of];
        first_ = std::min(first_, rows_.size() - 1);
        return rows_[first_ + below(random_, std::min(last_, rows_.size() - 1) - first_ + 1)]
            .codes[of];
    }

    tree branch(int depth) {
        const std::uint64_t kind = depth == 4 ? 0 : below(random_, 12);
        if (kind < 4) return leaf();
        if (kind == 4 && has_tests_) return test();
        if (kind < 6) return {.what = tree::kind::constant, .yes = chance(random_, 0.5)};
        tree drawn{.what = kind < 8    ? tree::kind::all
                           : kind < 10 ? tree::kind::any
                                       : tree::kind::negation};
        const std::uint64_t size = drawn.what == tree::kind::negation ? 1 : below(random_, 4);
        for (std::uint64_t i = 0; i < size; ++i) drawn.parts.push_back(branch(depth + 1));
        return drawn;
    }

    const rows& rows_;
    source random_;
    std::size_t first_ = 0, last_ = 0;  // of the narrow window last drawn
    bool has_tests_ = false;            // whether the query being made may have any
};

// Queries as the store takes them, and as people read them.

inline sluice::store::code_set ranges_of(const tree& leaf) {
    std::optional<sluice::store::number_ranges> all;
    for (const auto& [first, last] : leaf.ranges) {
        const auto numbers = numbered_codes::all();
        sluice::store::number_ranges range(numbers, numbered_codes::decimal_of(first), false, true);
        range.intersect({numbers, numbered_codes::decimal_of(last), true, false});
        all ? all->merge(range) : static_cast<void>(all = range);
    }
    if (!leaf.yes) all->flip();
    return sluice::store::code_set(*all);
}

/// Short lists are flipped, long ones passed with their complement.
inline sluice::store::condition condition_of(const tree& leaf) {
    if (!leaf.ranges.empty()) return {leaf.of, ranges_of(leaf)};
    if (leaf.listed.size() > 4) return {leaf.of, sluice::store::code_set(leaf.listed, !leaf.yes)};
    sluice::store::code_set accepted(leaf.listed);
    if (!leaf.yes) accepted.flip();
    return {leaf.of, std::move(accepted)};
}

/// A test of rows, or of the codes of a column.
inline sluice::store::expression test_of(const tree& wanted) {
    using sluice::store::expression;
    const std::size_t residue = wanted.residue;
    if (wanted.of == 0) {
        return expression::test([residue](std::size_t row) { return passes(row, residue); });
    }
    const auto keep = [residue](std::span<const code> codes, std::uint64_t* bits,
                                sluice::store::scan_budget&) {
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if (!passes(codes[i], residue)) bits[i / 64] &= ~(std::uint64_t{1} << (i % 64));
        }
        return codes.size();
    };
    return expression::test(sluice::store::code_test{wanted.of, keep});
}

inline sluice::store::expression expression_of(const tree& wanted) {
    using sluice::store::expression;
    std::vector<expression> parts;
    for (const tree& part : wanted.parts) parts.push_back(expression_of(part));
    switch (wanted.what) {
        case tree::kind::leaf: return expression::leaf(condition_of(wanted));
        case tree::kind::test: return test_of(wanted);
        case tree::kind::all: return expression::all(std::move(parts));
        case tree::kind::any: return expression::any(std::move(parts));
        case tree::kind::negation: return expression::negation(std::move(parts.front()));
        case tree::kind::constant: return expression::constant(wanted.yes);
    }
    return expression::constant(false);
}

inline sluice::store::selection selection_of(const query& wanted) {
    sluice::store::selection selected{.first_time = wanted.first, .last_time = wanted.last};
    for (const tree& condition : wanted.conditions)
        selected.conditions.push_back(condition_of(condition));
    if (wanted.where) selected.where = expression_of(*wanted.where);
    if (wanted.residue) {
        selected.test = [residue = *wanted.residue](std::size_t row) {
            return passes(row, residue);
        };
    }
    return selected;
}

inline std::string to_string(const tree& wanted) {
    const auto joined = [&](std::string_view between) {
        std::string text;
        for (const tree& part : wanted.parts) {
            text += (text.empty() ? "" : std::string(between)) + to_string(part);
        }
        return "(" + text + ")";
    };
    switch (wanted.what) {
        case tree::kind::leaf: {
            std::string text = "c" + std::to_string(wanted.of) + (wanted.yes ? " in" : " not in");
            for (const code value : wanted.listed) text += " " + std::to_string(value);
            for (const auto& [first, last] : wanted.ranges) {
                text += " " + std::to_string(first) + ".." + std::to_string(last);
            }
            return text;
        }
        case tree::kind::test:
            return "test " + std::to_string(wanted.residue) + " of " + std::to_string(wanted.of);
        case tree::kind::all: return "all" + joined(", ");
        case tree::kind::any: return "any" + joined(", ");
        case tree::kind::negation: return "not" + joined("");
        case tree::kind::constant: return wanted.yes ? "true" : "false";
    }
    return {};
}

inline std::string to_string(const query& wanted) {
    std::string text =
        "[" + std::to_string(wanted.first) + ", " + std::to_string(wanted.last) + "]";
    for (const tree& condition : wanted.conditions) text += " and " + to_string(condition);
    if (wanted.where) text += " where " + to_string(*wanted.where);
    if (wanted.residue) text += " test " + std::to_string(*wanted.residue);
    return text;
}

}  // namespace row_loop

#endif
