// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_GROUPS_ROW_GROUPS_HPP
#define SLUICE_STORE_GROUPS_ROW_GROUPS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/store/groups/bucket_counter.hpp>
#include <sluice/store/groups/cell_reader.hpp>
#include <sluice/store/groups/code_reader.hpp>
#include <sluice/store/groups/group_ids.hpp>
#include <sluice/store/groups/group_source.hpp>
#include <sluice/store/groups/measure_states.hpp>
#include <sluice/store/plan/block_reader.hpp>

namespace sluice::store {

/// Groups and measures of rows that are added block by block, in their order. Groups are numbered,
/// and only those of the answer are given their values:
///
/// ```
/// counts of one column        the histogram of its codes, by the index of whole blocks
/// counts of buckets of time   the bits of matching rows between the bounds of buckets
/// others                      the codes of matching rows, column by column
/// columns of a count cube     its cells, each once with its number of rows
/// ```
///
/// Views the rows, their columns, the limits and the query. Expects a query that passes check(),
/// except that its limit may be up to aggregate_groups_max.
class row_groups {
public:
    row_groups(const snapshot& rows, const searched_columns& columns, const aggregate_query& query,
               const scan_limits& limits)
        : rows_(rows), columns_(columns), query_(query), budget_(limits), bucket_counter_(rows) {}
    row_groups(const row_groups&) = delete;
    row_groups& operator=(const row_groups&) = delete;

    /// Finds the columns. Call it first. Errors: those of group_source::find().
    [[nodiscard]] result<void> begin() { return find_sources(); }
    /// Returns true if the number of all rows is the answer.
    [[nodiscard]] bool is_count() const noexcept { return counts_rows_only_ && sources_.empty(); }
    /// Adds rows of is_count().
    void add_count(std::uint64_t rows) { rows_in_[0] += rows; }
    /// Adds rows of the block after those added before. Returns false if no more are needed: an
    /// error ends it.
    [[nodiscard]] bool add(const selected_rows& rows) {
        const std::size_t work = 1 + sources_.size() + states_.size();
        if (!budget_.charge(work * scan_budget::chunk)) return false;
        if (!counts_rows_only_ || sources_.size() != 1) return add_rows(rows);
        return sources_[0].times() ? add_times(*sources_[0].times(), rows) : add_codes(rows);
    }
    /// Returns the code columns of groups, then of measures, whose cells add_cells() takes; nullopt
    /// if the rows are needed.
    [[nodiscard]] std::optional<std::vector<cell_reader::chosen_column>> cell_columns() const {
        std::vector<cell_reader::chosen_column> columns;
        for (const group_source& source : sources_) {
            if (!source.column() || source.is_list()) return std::nullopt;
            columns.push_back({*source.column(), source.code_count()});
        }
        for (const measure_states& states : states_) {
            if (!states.can_add_cells()) return std::nullopt;
            if (const group_source* const source = states.source())
                columns.push_back({*source->column(), source->code_count()});
        }
        return columns;
    }
    /// Adds cells of cell_columns(). Returns false if no more are needed: an error ends it.
    [[nodiscard]] bool add_cells(const cube_cells& cells) {
        if (!budget_.charge(scan_budget::block)) return false;
        if (!codes_.empty()) {
            for (std::size_t i = 0; i < cells.rows.size(); ++i)
                codes_[cells.codes[0][i]] += cells.rows[i];
            return true;
        }
        ids_.assign(cells.rows.size(), 0);
        std::size_t column = 0;
        for (std::size_t level = 0; level < sources_.size(); ++level) {
            ordinals_ = cells.codes[column++];
            sources_[level].number(ordinals_);
            if (!number_groups(level, ids_)) return false;
        }
        make_room(ids_);
        for (std::size_t i = 0; i < ids_.size(); ++i) rows_in_[ids_[i]] += cells.rows[i];
        for (measure_states& states : states_) {
            if (states.source() == nullptr) continue;
            states.add_cells(cells.codes[column++], cells.rows, ids_, rows_in_.size());
        }
        return true;
    }
    /// Returns the groups of the rows. Errors: list_too_long for too many groups;
    /// number_too_large; those of the limits.
    [[nodiscard]] result<aggregate_result> finish() {
        count_whole();
        if (budget_.is_spent()) return tl::unexpected(spent_error(budget_, {}));
        if (is_beyond_) return sluice::detail::too_many_groups();
        if (!codes_.empty()) rows_in_ = sources_[0].fold(std::move(codes_));
        return answer();
    }

private:
    using id = group_ids::id;
    using wide_integer = sluice::detail::wide_integer;

    [[nodiscard]] result<void> find_sources() {
        for (const group_key& group : query_.group_by) {
            auto source = group_source::find(rows_, columns_, group);
            if (!source) return tl::unexpected(source.error());
            sources_.push_back(*std::move(source));
        }
        measured_.reserve(query_.measures.size());  // states view their keys
        for (const measure& of : query_.measures) {
            if (of.kind == measure_kind::count) {
                states_.emplace_back(of, std::nullopt);
                continue;
            }
            counts_rows_only_ = false;
            const searched_column stored = columns_.find(of.of);
            if (const auto* const numbers = std::get_if<number_column>(&stored)) {
                if (!measure_states::can_add_up(of.kind))
                    return fail_in(rule::test_unanswered, of.of.name);
                states_.emplace_back(of, rows_, numbers->at);
                continue;
            }
            measured_.push_back({.by = of.of});
            const bool keeps_codes = !measure_states::is_distinct(of.kind);
            auto source = group_source::find(rows_, columns_, measured_.back(), keeps_codes);
            if (!source) return tl::unexpected(source.error());
            states_.emplace_back(of, *std::move(source));
        }
        levels_.resize(sources_.size());
        find_radixes();
        if (sources_.empty()) rows_in_.assign(1, 0);
        if (counts_rows_only_ && sources_.size() == 1 && !sources_[0].times())
            codes_.resize(sources_[0].code_count());
        return {};
    }

    // --- Counts of rows --------------------------------------------------------------------

    /// Counts the rows of each code of the only group. Blocks of which all rows match are counted
    /// together.
    [[nodiscard]] bool add_codes(const selected_rows& rows) {
        const std::size_t block = rows.part.block;
        if (rows.is_whole() && block < rows_.sealed_blocks()) {
            if (whole_.end != block) count_whole();
            if (whole_.begin == whole_.end) whole_.begin = block;
            whole_.end = block + 1;
            return true;
        }
        sources_[0].codes().count(rows, codes_);
        return true;
    }
    /// Counts the rows of whole_, by running counts if the column has them.
    void count_whole() {
        const block_span whole = std::exchange(whole_, {});
        if (whole.begin == whole.end) return;
        code_reader& codes = sources_[0].codes();
        if (codes.count_whole(whole.begin, whole.end, codes_)) return;
        for (std::size_t at = whole.begin; at < whole.end; ++at) {
            codes.count({{at, 0, block_rows}}, codes_);
            if (!budget_.charge(scan_budget::chunk)) return;
        }
    }
    /// Counts the rows of each bucket of the time that rows are sorted by.
    [[nodiscard]] bool add_times(time_groups& times, const selected_rows& rows) {
        bucket_counter_.add(times, rows, rows_in_);
        is_beyond_ = times.size() > aggregate_groups_max;
        return !is_beyond_;
    }

    // --- Rows ------------------------------------------------------------------------------

    /// Adds rows of a block to their groups.
    [[nodiscard]] bool add_rows(const selected_rows& rows) {
        rows.list(numbers_);
        ids_.assign(numbers_.size(), 0);
        return add(0, rows.part.block, numbers_, ids_);
    }
    /// Adds rows of a block to their groups, which group keys before a level have numbered.
    [[nodiscard]] bool add(std::size_t level, std::size_t block,
                           std::vector<std::uint16_t>& numbers, std::vector<id>& ids) {
        for (; level < sources_.size(); ++level) {
            group_source& source = sources_[level];
            source.read(block, numbers, ordinals_);
            if (source.is_list()) return add_items(level, block, numbers, ids);
            if (!number_groups(level, ids)) return false;
        }
        make_room(ids);
        for (const id group : ids) ++rows_in_[group];
        for (measure_states& states : states_) {
            states.add(block, numbers, ids, rows_in_.size());
            if (!budget_.charge(scan_budget::chunk)) return false;
        }
        return true;
    }
    /// Numbers groups by one more group key, whose values have the numbers ordinals_. Returns false
    /// if an error ends the search.
    [[nodiscard]] bool number_groups(std::size_t level, std::vector<id>& ids) {
        const auto radix = static_cast<id>(radixes_[level]);
        if (radix == 0) {
            for (std::size_t i = 0; i < ids.size(); ++i)
                ids[i] = levels_[level].number(group_ids::pair(ids[i], ordinals_[i]));
            return may_go_on(level);
        }
        if (level == 0) {
            std::swap(ids, ordinals_);  // in place of zeros
        } else {
            for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = ids[i] * radix + ordinals_[i];
        }
        return true;
    }
    /// Makes room in rows_in_ for groups.
    void make_room(const std::vector<id>& groups) {
        const auto last = std::ranges::max_element(groups);
        if (last != groups.end() && *last >= rows_in_.size())
            rows_in_.resize(*last + std::size_t{1});
    }
    /// Adds rows with a list of values, of which ordinals_ has the numbers: a row once for each
    /// item. At most block_rows are added at once, as several lists multiply the rows.
    [[nodiscard]] bool add_items(std::size_t level, std::size_t block,
                                 const std::vector<std::uint16_t>& numbers,
                                 const std::vector<id>& ids) {
        const std::vector<group_ordinal> lists = std::move(ordinals_);
        std::vector<std::uint16_t> repeated;
        std::vector<id> groups;
        const auto add_repeated = [&] {
            const bool goes_on = budget_.charge(scan_budget::block) && may_go_on(level) &&
                                 add(level + 1, block, repeated, groups);
            repeated.clear();
            groups.clear();
            return goes_on;
        };
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            for (const group_ordinal item : sources_[level].items_of(lists[i])) {
                repeated.push_back(numbers[i]);
                groups.push_back(levels_[level].number(group_ids::pair(ids[i], item)));
                if (repeated.size() == block_rows && !add_repeated()) return false;
            }
        }
        return add_repeated();
    }
    /// Numbers the combinations of the first groups without a table, if there is room for all.
    void find_radixes() {
        radixes_.assign(sources_.size(), 0);
        std::size_t all = 1;
        for (std::size_t level = 0; level < sources_.size(); ++level) {
            const std::size_t size = sources_[level].size();
            if (size == 0 || size > (level == 0 ? one_max : combined_max) / all) return;
            radixes_[level] = size;
            all *= size;
        }
    }
    /// Returns true if there aren't too many groups and the budget isn't spent.
    [[nodiscard]] bool may_go_on(std::size_t level) {
        is_beyond_ = levels_[level].size() > aggregate_groups_max;
        return !is_beyond_ && budget_.charge(scan_budget::chunk);
    }

    // --- The answer ------------------------------------------------------------------------

    /// A group with what decides its place in the order: the prefix; if groups share it, their
    /// keys, the first of which is at `keys` in keys_.
    struct candidate {
        std::uint64_t prefix = 0;
        id group = 0;
        std::uint32_t keys = 0;
    };

    [[nodiscard]] result<aggregate_result> answer() {
        for (const measure_states& states : states_) {
            if (states.is_beyond()) {
                const auto at = static_cast<std::size_t>(&states - states_.data());
                return sluice::detail::sum_too_long(query_.measures[at]);
            }
        }
        std::vector<candidate> groups;
        for (std::size_t group = 0; group < rows_in_.size(); ++group) {
            if (rows_in_[group] == 0 && !sources_.empty()) continue;
            if (groups.size() == aggregate_groups_max) return sluice::detail::too_many_groups();
            groups.push_back({.group = static_cast<id>(group)});
        }
        // All buckets are needed to add the empty ones.
        if (!sluice::detail::has_every_bucket(query_)) keep_first(groups);
        aggregate_result rows;
        rows.reserve(groups.size());
        for (const candidate& of : groups) {
            aggregate_row& row = rows.emplace_back();
            for (std::size_t at = 0; at < sources_.size(); ++at)
                row.groups.push_back(sources_[at].value(ordinal_of(at, of.group)));
            for (const measure_states& states : states_)
                row.measures.push_back(states.value(of.group, rows_in_[of.group]));
        }
        return sluice::detail::finish_aggregate(query_, std::move(rows));
    }
    /// Keeps the groups that come first in the query's order.
    void keep_first(std::vector<candidate>& groups) {
        const auto limit = static_cast<std::size_t>(query_.limit);
        if (groups.size() <= limit) return;
        for (candidate& of : groups) {
            of.prefix = prefix_of(of.group);
            of.keys = static_cast<std::uint32_t>(keys_.size());
            for (const aggregate_key& key : query_.order) {
                if (is_computed(key))
                    keys_.push_back(states_[key.index].value(of.group, rows_in_[of.group]));
            }
        }
        std::ranges::partial_sort(groups, groups.begin() + static_cast<std::ptrdiff_t>(limit),
                                  [this](const candidate& a, const candidate& b) {
                                      return a.prefix != b.prefix ? a.prefix < b.prefix
                                                                  : comes_before(a, b);
                                  });
        groups.resize(limit);
    }
    /// Returns true if a key of the order is a measure that isn't compared by whole_of().
    [[nodiscard]] bool is_computed(const aggregate_key& key) const {
        return key.is_measure && !states_[key.index].is_whole();
    }
    [[nodiscard]] wide_integer whole_of(const aggregate_key& key, id group) const {
        return states_[key.index].whole(group, rows_in_[group]);
    }
    /// Returns a number that is less for groups that come first by the first key of the order; 0 if
    /// that isn't compared by whole_of().
    [[nodiscard]] std::uint64_t prefix_of(id group) const {
        if (query_.order.empty()) return 0;
        const aggregate_key& first = query_.order.front();
        if (!first.is_measure || is_computed(first)) return 0;
        const std::uint64_t prefix = whole_of(first, group).prefix();
        return first.direction == sort_order::ascending ? prefix : ~prefix;
    }
    [[nodiscard]] bool comes_before(const candidate& a, const candidate& b) const {
        std::size_t a_key = a.keys, b_key = b.keys;
        for (const aggregate_key& key : query_.order) {
            const std::weak_ordering order =
                !key.is_measure ? compare_groups(key.index, a, b)
                : is_computed(key)
                    ? sluice::detail::compare_values({}, keys_[a_key++], keys_[b_key++])
                    : whole_of(key, a.group) <=> whole_of(key, b.group);
            if (order != 0) return key.direction == sort_order::ascending ? order < 0 : order > 0;
        }
        for (std::size_t at = 0; at < sources_.size(); ++at) {
            if (const auto order = compare_groups(at, a, b); order != 0) return order < 0;
        }
        return false;
    }
    [[nodiscard]] std::weak_ordering compare_groups(std::size_t level, const candidate& a,
                                                    const candidate& b) const {
        return sources_[level].compare(ordinal_of(level, a.group), ordinal_of(level, b.group));
    }
    /// Returns the ordinal of a group's value.
    [[nodiscard]] group_ordinal ordinal_of(std::size_t level, id group) const {
        for (std::size_t at = sources_.size(); at-- > level;) {
            const auto radix = static_cast<id>(radixes_[at]);
            if (radix == 0 && levels_[at].size() == 0) return group;  // of counts of one column
            const std::uint64_t key =
                radix != 0 ? group_ids::pair(group / radix, group % radix) : levels_[at].key(group);
            if (at == level) return static_cast<group_ordinal>(key);
            group = static_cast<id>(key >> 32);
        }
        return group;
    }

    // Groups of one column, or of several, that are numbered whether they have rows or not.
    static constexpr std::size_t one_max = std::size_t{1} << 20, combined_max = one_max / 4;

    const snapshot& rows_;
    const searched_columns& columns_;
    const aggregate_query& query_;
    scan_budget budget_;
    std::vector<group_source> sources_;  // by group key
    std::vector<group_key> measured_;    // the columns of measures
    std::vector<measure_states> states_;
    bool counts_rows_only_ = true;
    bool is_beyond_ = false;
    std::vector<std::size_t> radixes_;    // by group key: its ordinals, where they number groups
    std::vector<group_ids> levels_;       // else pairs of a group before it and an ordinal
    std::vector<std::uint64_t> rows_in_;  // by group
    std::vector<aggregate_value> keys_;   // of candidates: is_computed() measures
    bucket_counter bucket_counter_;
    // Of counts of one column:
    std::vector<std::uint64_t> codes_;  // rows by code
    block_span whole_{};                // of which all rows match, not counted yet
    // Of the rows of a block:
    std::vector<std::uint16_t> numbers_;
    std::vector<id> ids_;
    std::vector<group_ordinal> ordinals_;
};

}  // namespace sluice::store

#endif
