// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_PLAN_WHERE_FILTER_HPP
#define SLUICE_STORE_PLAN_WHERE_FILTER_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <sluice/store/blocks/column_bits.hpp>
#include <sluice/store/blocks/sealed_column.hpp>
#include <sluice/store/conditions/scan_budget.hpp>
#include <sluice/store/plan/block_condition.hpp>

/// Filtering rows by an expression, from the codes of its columns.
namespace sluice::store {

/// Reads the codes of a column in one block after the other, whatever form they are stored in (see
/// code_form):
///
/// ```
/// words    | 700 | 3 | 700 | 81 |      are the codes
/// shorts   |   9 | 0 |   9 |  4 |      stand for codes:  table  0: 3 | 4: 81 | 9: 700
/// ```
///
/// The table is built only if enough rows are read for it to pay.
class column_codes {
public:
    /// Moves to a column of the open block. Rows up to `end` may be read.
    void enter(const code* codes, std::size_t end) noexcept {
        column_ = nullptr;
        open_ = {codes, end};
    }
    /// Moves to a column of a sealed block.
    void enter(const sealed_column& column) noexcept {
        column_ = &column;
        has_table_ = false;
    }

    /// Returns the codes of a range of rows, valid until the next call. Values at rows whose bits
    /// aren't set are unspecified.
    [[nodiscard]] std::span<const code> read(const bits_range& rows) {
        const std::size_t first = rows.first_word * 64, count = rows.words * 64;
        if (column_ == nullptr) return open_.subspan(first, std::min(count, open_.size() - first));
        if (column_->form() == code_form::words) return {column_->words() + first, count};
        codes_.resize(std::max(codes_.size(), count));
        if (column_->form() == code_form::constant) {
            std::fill_n(codes_.begin(), count, column_->least());
        } else if (column_->form() == code_form::sequence) {
            std::iota(codes_.begin(), codes_.begin() + static_cast<std::ptrdiff_t>(count),
                      column_->at(first));
        } else if (has_table_ || pays(rows)) {
            look_up(first, count);
        } else {
            read_rows(rows);
        }
        return {codes_.data(), count};
    }

private:
    // Table entries that are written in the time in which one row's code is looked up without it.
    static constexpr std::size_t entries_a_row = 16;

    /// Returns true if building the table is faster than looking up the code of each row to read.
    [[nodiscard]] bool pays(const bits_range& rows) const noexcept {
        std::size_t read = 0;
        for (std::size_t i = 0; i < rows.words; ++i) {
            read += static_cast<std::size_t>(std::popcount(rows.bits[i]));
        }
        return read * entries_a_row >= column_->codes();
    }
    /// Reads `count` codes from row `first` on, by the table.
    void look_up(std::size_t first, std::size_t count) {
        if (!has_table_) make_table();
        const auto code_of = [this](std::size_t local) { return table_[local]; };
        if (column_->form() == code_form::bytes) {
            std::transform(column_->bytes() + first, column_->bytes() + first + count,
                           codes_.begin(), code_of);
        } else {
            std::transform(column_->shorts() + first, column_->shorts() + first + count,
                           codes_.begin(), code_of);
        }
    }
    /// Fills in the code of each local code.
    void make_table() {
        has_table_ = true;
        table_.resize(std::max(
            table_.size(), column_->form() == code_form::bytes ? std::size_t{256} : block_rows));
        column_->for_each([](code) { return true; },
                          [this](code c, const code_rows& rows) { table_[rows.local] = c; });
    }
    /// Reads the codes of the set rows one by one, without the table.
    void read_rows(const bits_range& rows) {
        for_each_set(rows,
                     [&](std::size_t at) { codes_[at] = column_->at(rows.first_word * 64 + at); });
    }

    const sealed_column* column_ = nullptr;  // null in the open block
    std::span<const code> open_;
    bool has_table_ = false;
    std::vector<code> table_;  // by local code
    std::vector<code> codes_;  // result of read(), unless that views the column
};

/// Evaluates an expression on chunks of rows. An operand is evaluated only for the rows that the
/// operands before it leave undecided. The stack is on the heap, so that no tree is too deep.
class where_filter {
public:
    /// Views the expression. Skips the conditions of required_by(), which the caller checks.
    explicit where_filter(const expression& where) : nodes_(where.nodes()) {
        link();
        leaves_.reserve(nodes_.size());
        for (const expression::node& node : nodes_) leaves_.emplace_back(node.rows);
        columns_.resize(nodes_.size());
        tested_.resize(nodes_.size());
        examined_.resize(nodes_.size());
    }

    /// Returns the conditions that every matching row meets: the root, or operands of a root AND.
    [[nodiscard]] static std::vector<const condition*> required_by(const expression& where) {
        std::vector<const condition*> required;
        const std::span<const expression::node> nodes = where.nodes();
        std::size_t at = nodes.size() - 1;
        if (nodes[at].what == expression::kind::condition) return {&nodes[at].rows};
        if (nodes[at].what != expression::kind::all) return {};
        for (std::size_t left = nodes[at--].operands; left > 0; --left) {
            if (nodes[at].what == expression::kind::condition) required.push_back(&nodes[at].rows);
            at -= nodes[at].nodes;
        }
        return required;
    }

    /// Returns true if nothing is left to evaluate once the caller has checked the conditions of
    /// required_by(): the root is one of them, or an AND of nothing else.
    [[nodiscard]] bool takes_all() const noexcept {
        return nodes_[root()].what == expression::kind::condition ||
               (is_group(root()) && first_[root()] == none);
    }

    /// Moves to the next block, by `enter(condition)` and `enter(codes, column)` for the leaves.
    template <class Enter>
    void enter(Enter enter) {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].what == expression::kind::condition) enter(leaves_[i]);
            if (nodes_[i].codes.keep) enter(columns_[i], nodes_[i].codes.column);
        }
    }

    /// Returns true if any condition reads its bits from an index.
    [[nodiscard]] bool reads_index() const noexcept {
        return std::ranges::any_of(leaves_, [](const auto& leaf) { return leaf.reads_index(); });
    }
    /// Returns how many bytes the conditions read at most.
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].what == expression::kind::condition) bytes += leaves_[i].bytes();
        }
        return bytes;
    }

    /// Records that the bits of all rows of the block may be read.
    void record_read() noexcept {
        for (block_condition& leaf : leaves_) leaf.record_read(leaf.bytes());
    }
    /// Returns the leaves that are evaluated here, with what each has read so far.
    [[nodiscard]] std::vector<condition_use> uses() const {
        std::vector<condition_use> all;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const bool is_test = nodes_[i].what == expression::kind::test;
            if (is_test) all.push_back({nodes_[i].from, true, 0, tested_[i]});
            if (nodes_[i].what != expression::kind::condition || is_met_[i]) continue;
            all.push_back({.from = leaves_[i].source(), .bytes = leaves_[i].bytes_read()});
        }
        return all;
    }
    /// Returns the leaf that has read the most so far. A row or code that a test examined counts as
    /// the bytes that scanning codes reads in about that time.
    [[nodiscard]] condition_cost costliest() const noexcept {
        constexpr std::size_t bytes_per_test = 4096;
        condition_cost most;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].what == expression::kind::condition) {
                most = std::max(most, {leaves_[i].bytes_read(), &leaves_[i].source()});
            } else if (nodes_[i].what == expression::kind::test) {
                most = std::max(most, {examined_[i] * bytes_per_test, &nodes_[i].from});
            }
        }
        return most;
    }

    /// Clears the rows of a chunk that don't pass. `first_row` is the number of the block's first
    /// row. Once the budget is spent, no row passes a test.
    void filter_rows(const bits_range& rows, std::size_t first_row, scan_budget& budget) {
        if (takes_all()) return;
        frames_.clear();
        push(root(), rows.bits, rows.words);
        for (std::size_t at = 0;;) {
            while (frames_[at].next != none) step(frames_[at], rows, first_row, at, budget);
            const chunk_bits passed = result_of(frames_[at]);
            frames_.pop_back();
            if (at == 0) {
                std::copy_n(passed.begin(), rows.words, rows.bits);
                return;
            }

            narrow(frames_[--at], passed);
        }
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    /// A node whose operands are being evaluated.
    struct frame {
        expression::kind what;
        std::size_t next;   // the next operand to evaluate, or none
        chunk_bits open;    // rows that are undecided (any) or pass so far (all)
        chunk_bits passed;  // rows that pass an operand (any)
    };

    [[nodiscard]] std::size_t root() const noexcept { return nodes_.size() - 1; }
    [[nodiscard]] bool is_group(std::size_t at) const noexcept { return nodes_[at].operands > 0; }

    /// Links the operands of each node in order, without those that required_by() returns.
    void link() {
        first_.assign(nodes_.size(), none);
        next_.assign(nodes_.size(), none);
        is_met_.assign(nodes_.size(), false);
        for (std::size_t at = 0; at < nodes_.size(); ++at) {
            const bool is_root_all = at == root() && nodes_[at].what == expression::kind::all;
            std::size_t operand = at - 1;
            for (std::size_t left = nodes_[at].operands; left > 0; --left) {
                const bool is_met =
                    is_root_all && nodes_[operand].what == expression::kind::condition;
                is_met_[operand] = is_met;
                if (!is_met) next_[operand] = first_[at], first_[at] = operand;
                operand -= nodes_[operand].nodes;
            }
        }
    }

    /// Begins a group, or a root that is a leaf, for the rows that are set in `rows`.
    void push(std::size_t group, const std::uint64_t* rows, std::size_t words) {
        frame& added = frames_.emplace_back();
        added.open.fill(0);
        added.passed.fill(0);
        std::copy_n(rows, words, added.open.begin());
        // A root that is a leaf becomes the operand of an `all`.
        added.what = is_group(group) ? nodes_[group].what : expression::kind::all;
        added.next = is_group(group) ? first_[group] : group;
    }
    /// Evaluates the next operand of the top frame if it is a leaf; begins it if it is a group,
    /// whose frame then is at `at`.
    void step(frame& top, const bits_range& chunk, std::size_t first_row, std::size_t& at,
              scan_budget& budget) {
        const std::size_t operand = top.next;
        top.next = next_[operand];
        if (is_group(operand)) {
            const chunk_bits open = top.open;
            push(operand, open.data(), chunk.words);
            ++at;
            return;
        }
        chunk_bits passed = top.open;
        keep_leaf(operand, {chunk.first_word, chunk.words, passed.data()}, first_row, budget);
        narrow(top, passed);
    }
    /// Returns the rows that pass a node whose operands have been evaluated.
    static chunk_bits result_of(const frame& done) noexcept {
        return done.what == expression::kind::all ? done.open : done.passed;
    }
    /// Applies the rows that pass an operand. Skips the remaining operands once no row is
    /// undecided.
    void narrow(frame& to, const chunk_bits& passed) const noexcept {
        if (to.what == expression::kind::all) {
            to.open = passed;
        } else {
            kernels_->unite(to.passed.data(), passed.data(), chunk_words);
            kernels_->subtract(to.open.data(), passed.data(), chunk_words);
        }
        std::uint64_t left = 0;
        for (const std::uint64_t word : to.open) left |= word;
        if (left == 0) to.next = none;
    }

    /// Clears the rows that don't pass a leaf; all of them once the budget is spent.
    void keep_leaf(std::size_t leaf, const bits_range& rows, std::size_t first_row,
                   scan_budget& budget) {
        const expression::node& node = nodes_[leaf];
        if (!budget.charge(scan_budget::row)) {
            clear(rows);
        } else if (node.what == expression::kind::condition) {
            chunk_bits scratch;
            leaves_[leaf].narrow(rows, scratch.data());
        } else if (node.codes.keep) {
            keep_by_codes(leaf, rows, budget);
        } else if (node.what == expression::kind::test) {
            keep_tested(rows, first_row, [&](std::size_t row) {
                if (!budget.charge(scan_budget::row)) return false;
                ++tested_[leaf];
                ++examined_[leaf];
                return node.test(row) == node.value;
            });
        } else if (!node.value) {
            clear(rows);
        }
    }
    /// Like keep_leaf(), for a test that depends on a column's codes only.
    void keep_by_codes(std::size_t leaf, const bits_range& rows, scan_budget& budget) {
        const expression::node& node = nodes_[leaf];
        tested_[leaf] += kernels_->count_bits(rows.bits, rows.words);
        chunk_bits passed;
        std::copy_n(rows.bits, rows.words, passed.begin());
        examined_[leaf] += node.codes.keep(columns_[leaf].read(rows), passed.data(), budget);
        const auto change = node.value ? kernels_->intersect : kernels_->subtract;
        change(rows.bits, passed.data(), rows.words);
        if (budget.is_spent()) clear(rows);
    }

    const sluice::detail::simd::kernels* kernels_ = &sluice::detail::simd::active_kernels();
    std::span<const expression::node> nodes_;
    std::vector<std::size_t> first_, next_;  // by node: its first operand, its next sibling
    std::vector<bool> is_met_;               // by node: required of all rows
    std::vector<block_condition> leaves_;    // by node
    std::vector<column_codes> columns_;      // by node, for tests of codes
    std::vector<std::size_t> tested_;        // by node: rows that a test was called for
    std::vector<std::size_t> examined_;      // by node: rows or codes that a test examined
    std::vector<frame> frames_;
};

}  // namespace sluice::store

#endif
