// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_GROUPS_MEASURE_STATES_HPP
#define SLUICE_STORE_GROUPS_MEASURE_STATES_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/base/decimal.hpp>
#include <sluice/base/exact_sum.hpp>
#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/query/aggregation.hpp>
#include <sluice/store/groups/distinct_estimate.hpp>
#include <sluice/store/groups/group_ids.hpp>
#include <sluice/store/groups/group_source.hpp>
#include <sluice/store/numbers/number_list.hpp>

/// States of measures, by group.
namespace sluice::store {

/// The decimals of a column at one scale, by code, so that sums are those of integers.
class scaled_column {
public:
    explicit scaled_column(const value_reader& values) : keys_(values.numbers()->keys()) {
        for (code c = 1; c < keys_.size(); ++c) {
            const auto number = scaled_decimal::unpack(keys_[c]);
            if (!number) {
                scale_ = scaled_decimal::scale_max + 1;
                return;
            }
            scale_ = std::max(scale_, number->scale());
        }
        if (!is_summable()) return;
        std::int64_t power = 1;
        for (unsigned at = scale_ + 1; at-- > 0; power *= 10) powers_[at] = power;
    }

    /// Returns true if the sum of any rows is one of 128 bits: 10^17 times 10^scale times 2^32.
    [[nodiscard]] bool is_summable() const noexcept { return scale_ <= scale_max; }
    [[nodiscard]] unsigned scale() const noexcept { return scale_; }
    /// Returns the number of a code times 10^scale().
    [[nodiscard]] sluice::detail::wide_integer at(code of) const noexcept {
        const auto number = *scaled_decimal::unpack(keys_[of]);
        return at(number.digits(), number.scale());
    }
    /// Returns a number of the column times 10^scale(); `digits` is the number times 10^`scale`.
    [[nodiscard]] sluice::detail::wide_integer at(std::int64_t digits,
                                                  unsigned scale) const noexcept {
        return sluice::detail::wide_integer::product(digits, powers_[scale]);
    }

private:
    static constexpr unsigned scale_max = 11;

    std::span<const std::int64_t> keys_;
    unsigned scale_ = 0;
    std::array<std::int64_t, scale_max + 1> powers_{};  // by the scale of a number
};

/// The states of a measure, by the number of its group.
class measure_states {
public:
    using id = group_ids::id;
    using wide_integer = sluice::detail::wide_integer;

    /// Views the measure. `source` reads its column, without counts of rows.
    measure_states(const measure& of, std::optional<group_source> source)
        : of_(&of), source_(std::move(source)) {
        if (can_add_up(of.kind) && of.of.type == column_type::decimal) {
            const scaled_column scaled(source_->values().reader());
            if (scaled.is_summable()) scaled_ = scaled;
        }
    }

    /// Views the measure and the rows, whose integer column has the numbers. Expects can_add_up().
    measure_states(const measure& of, const snapshot& rows, std::size_t integers)
        : of_(&of), numbers_(stored_numbers{&rows, integers}) {}

    /// Returns true if a measure adds numbers up.
    [[nodiscard]] static constexpr bool can_add_up(measure_kind kind) noexcept {
        return kind == measure_kind::sum || kind == measure_kind::average;
    }

    /// Returns true if a measure is the number of distinct values.
    [[nodiscard]] static constexpr bool is_distinct(measure_kind kind) noexcept {
        return kind == measure_kind::count_distinct || kind == measure_kind::approx_count_distinct;
    }

    /// Adds rows of a block, each to a group.
    void add(std::size_t block, std::span<const std::uint16_t> rows, std::span<const id> groups,
             std::size_t group_count) {
        if (numbers_) return add_stored(block, rows, groups, group_count);
        if (!source_) return;
        if (const block_numbers* const stored = summed_numbers(block))
            return add_numbers(*stored, rows, groups, group_count);
        source_->read(block, rows, ordinals_);
        add_ordinals(groups, group_count);
    }
    /// Returns true if add_cells() can add the measure.
    [[nodiscard]] bool can_add_cells() const noexcept {
        if (of_->kind == measure_kind::count) return true;
        if (!source_ || !source_->column() || source_->is_list()) return false;
        return !can_add_up(of_->kind) || of_->of.type == column_type::integer;
    }
    /// Returns the source of the measured values; null for counts of rows and stored integers.
    [[nodiscard]] const group_source* source() const noexcept {
        return source_ ? &*source_ : nullptr;
    }
    /// Adds cells of a cube, each a number of rows with one code, to a group each. Expects
    /// can_add_cells().
    void add_cells(std::span<const code> codes, std::span<const std::uint32_t> rows,
                   std::span<const id> groups, std::size_t group_count) {
        if (!source_) return;
        ordinals_.assign(codes.begin(), codes.end());
        source_->number(ordinals_);
        if (!can_add_up(of_->kind)) return add_ordinals(groups, group_count);
        counts_.resize(group_count);
        integers_.resize(group_count);
        const std::span<const std::int64_t> keys = source_->values().reader().numbers()->keys();
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (ordinals_[i] == absent) continue;
            counts_[groups[i]] += rows[i];
            integers_[groups[i]] += wide_integer::product(keys[ordinals_[i]], rows[i]);
        }
    }
    /// Returns true if a sum of decimals has too many digits; see sluice::detail::decimal_sum.
    [[nodiscard]] bool is_beyond() const noexcept { return is_beyond_; }

    /// Returns true if whole() orders groups as value() does.
    [[nodiscard]] bool is_whole() const noexcept {
        switch (of_->kind) {
            case measure_kind::count:
            case measure_kind::count_distinct: return true;
            case measure_kind::sum: return of_->of.type == column_type::integer || scaled_;
            case measure_kind::approx_count_distinct:
            case measure_kind::average:
            case measure_kind::min:
            case measure_kind::max: break;
        }
        return false;
    }
    /// Returns the measure of a group with a number of rows: of decimals, times a power of ten that
    /// all groups share. Expects is_whole().
    [[nodiscard]] wide_integer whole(id of, std::uint64_t rows) const noexcept {
        switch (of_->kind) {
            case measure_kind::count: return static_cast<std::int64_t>(rows);
            case measure_kind::count_distinct: return count_at(of);
            case measure_kind::sum: return of < integers_.size() ? integers_[of] : 0;
            case measure_kind::approx_count_distinct:
            case measure_kind::average:
            case measure_kind::min:
            case measure_kind::max: break;
        }
        return 0;
    }

    /// Returns the measure of a group with a number of rows.
    [[nodiscard]] aggregate_value value(id of, std::uint64_t rows) const {
        switch (of_->kind) {
            case measure_kind::count: return static_cast<std::int64_t>(rows);
            case measure_kind::count_distinct: return count_at(of);
            case measure_kind::approx_count_distinct:
                return of < estimates_.size() ? estimates_[of].count() : std::int64_t{0};
            case measure_kind::sum: return sum(of);
            case measure_kind::average:
                return sluice::detail::measure_state::average_of(sum(of), count_at(of));
            case measure_kind::min:
            case measure_kind::max: break;
        }
        if (of >= kept_.size() || !kept_[of]) return std::monostate();
        return source_->value(*kept_[of]);
    }

private:
    /// Adds the values of ordinals_ to groups.
    void add_ordinals(std::span<const id> groups, std::size_t group_count) {
        switch (of_->kind) {
            case measure_kind::count: break;
            case measure_kind::count_distinct:
                counts_.resize(group_count);
                prepare_bits(group_count);
                add_distinct(groups, [&](id group, group_ordinal value) {
                    if (is_new(group, value)) ++counts_[group];
                });
                break;
            case measure_kind::approx_count_distinct:
                estimates_.resize(group_count);
                add_distinct(groups,
                             [&](id group, group_ordinal value) { estimates_[group].add(value); });
                break;
            case measure_kind::sum:
            case measure_kind::average: add_numbers(groups, group_count); break;
            case measure_kind::min:
            case measure_kind::max: keep(groups, group_count); break;
        }
    }
    /// An integer column of the rows.
    struct stored_numbers {
        const snapshot* rows;
        std::size_t at;
    };

    void add_stored(std::size_t block, std::span<const std::uint16_t> rows,
                    std::span<const id> groups, std::size_t group_count) {
        counts_.resize(group_count);
        integers_.resize(group_count);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            ++counts_[groups[i]];
            integers_[groups[i]] +=
                numbers_->rows->integer_at(block * block_rows + rows[i], numbers_->at);
        }
    }
    /// Returns the numbers of a block that sums of integers can read; else null.
    [[nodiscard]] const block_numbers* summed_numbers(std::size_t block) const noexcept {
        const bool is_whole = of_->of.type == column_type::integer || scaled_;
        return is_whole && can_add_up(of_->kind) ? source_->numbers(block) : nullptr;
    }
    void add_numbers(const block_numbers& stored, std::span<const std::uint16_t> rows,
                     std::span<const id> groups, std::size_t group_count) {
        counts_.resize(group_count);
        integers_.resize(group_count);
        const auto add_all = [&](const auto& whole_of) {
            stored.for_each(rows, [&](std::size_t i, std::int64_t number) {
                ++counts_[groups[i]];
                integers_[groups[i]] += whole_of(number);
            });
        };
        if (scaled_) {
            add_all([&](std::int64_t digits) { return scaled_->at(digits, stored.scale()); });
        } else {
            add_all([](std::int64_t number) { return wide_integer(number); });
        }
    }
    [[nodiscard]] std::int64_t count_at(id of) const noexcept {
        return of < counts_.size() ? counts_[of] : 0;
    }
    /// Calls `add_value(group, value)` with the values of rows.
    template <class AddValue>
    void add_distinct(std::span<const id> groups, const AddValue& add_value) {
        const auto add_one = [&](id group, group_ordinal value) {
            if (!source_->is_null(value)) add_value(group, value);
        };
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (!source_->is_list()) {
                add_one(groups[i], ordinals_[i]);
                continue;
            }
            for (const group_ordinal item : source_->items_of(ordinals_[i]))
                add_one(groups[i], item);
        }
    }
    /// Makes room for a bit for each value in each group; moves all pairs to distinct_ if there are
    /// too many, or if the number of values isn't known.
    void prepare_bits(std::size_t group_count) {
        if (values_ == 0 && !has_pairs_) values_ = source_->size();
        if (values_ == 0) return;
        if (group_count <= most_bits / values_) {
            bits_.resize((group_count * values_ + 63) / 64);
            return;
        }
        for (std::size_t at = 0; at < bits_.size(); ++at) {
            for (std::uint64_t left = bits_[at]; left != 0; left &= left - 1) {
                const std::size_t bit = at * 64 + static_cast<std::size_t>(std::countr_zero(left));
                static_cast<void>(distinct_.number(group_ids::pair(
                    static_cast<id>(bit / values_), static_cast<id>(bit % values_))));
            }
        }
        bits_.clear();
        values_ = 0;
        has_pairs_ = true;
    }
    /// Returns true if a value is the first of its kind in a group.
    [[nodiscard]] bool is_new(id group, group_ordinal value) {
        if (values_ == 0) {
            const std::size_t before = distinct_.size();
            static_cast<void>(distinct_.number(group_ids::pair(group, value)));
            return distinct_.size() != before;
        }
        const std::size_t at = group * values_ + value;
        const std::uint64_t bit = std::uint64_t{1} << (at % 64);
        const bool was_set = (bits_[at / 64] & bit) != 0;
        bits_[at / 64] |= bit;
        return !was_set;
    }
    void add_numbers(std::span<const id> groups, std::size_t group_count) {
        counts_.resize(group_count);
        const value_reader& values = source_->values().reader();
        const std::span<const std::int64_t> keys = values.numbers()->keys();
        const auto add_all = [&](auto& sums, const auto& add_one) {
            sums.resize(group_count);
            for (std::size_t i = 0; i < groups.size(); ++i) {
                if (ordinals_[i] == absent) continue;
                ++counts_[groups[i]];
                add_one(sums[groups[i]], ordinals_[i]);
            }
        };
        if (of_->of.type == column_type::integer) {
            add_all(integers_, [&](wide_integer& sum, code of) { sum += keys[of]; });
        } else if (of_->of.type == column_type::real) {
            add_all(reals_, [&](sluice::detail::real_sum& sum, code of) {
                sum.add(real_of_key(keys[of]));
            });
        } else if (scaled_) {
            add_all(integers_, [&](wide_integer& sum, code of) { sum += scaled_->at(of); });
        } else {
            add_all(decimals_, [&](sluice::detail::decimal_sum& sum, code of) {
                const auto exact = sluice::detail::parse_decimal(values.texts().text(of));
                is_beyond_ = !sum.add(exact.value_or(decimal{})) || is_beyond_;
            });
        }
    }
    void keep(std::span<const id> groups, std::size_t group_count) {
        kept_.resize(group_count);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            const group_ordinal value = ordinals_[i];
            std::optional<group_ordinal>& known = kept_[groups[i]];
            if (source_->is_null(value) || known == value) continue;
            const bool is_better =
                !known || (of_->kind == measure_kind::min ? source_->compare(value, *known) < 0
                                                          : source_->compare(value, *known) > 0);
            if (is_better) known = value;
        }
    }
    [[nodiscard]] aggregate_value sum(id of) const {
        if (of_->of.type == column_type::integer) {
            return sluice::detail::measure_state::sum_of(of < integers_.size() ? integers_[of] : 0);
        }
        if (of_->of.type == column_type::real) {
            return of < reals_.size() ? sluice::detail::measure_state::sum_of(reals_[of])
                                      : aggregate_value(0.0);
        }
        sluice::detail::decimal_sum all;
        if (of < integers_.size()) all.add(integers_[of], scaled_->scale());
        if (of < decimals_.size()) all.add(decimals_[of]);
        return parse_decimal_number(all.text()).value_or(decimal_number());
    }

    static constexpr std::size_t most_bits = std::size_t{1} << 27;

    const measure* of_;
    std::optional<group_source> source_;
    std::optional<stored_numbers> numbers_;
    std::optional<scaled_column> scaled_;
    std::vector<group_ordinal> ordinals_;  // of the rows of a block
    // By group:
    std::vector<std::int64_t> counts_;    // values, or distinct values
    std::vector<wide_integer> integers_;  // sums of integers and of scaled decimals
    std::vector<sluice::detail::real_sum> reals_;
    std::vector<sluice::detail::decimal_sum> decimals_;
    std::vector<std::optional<group_ordinal>> kept_;  // least or largest values
    std::vector<std::uint64_t> bits_;                 // by group, then by value: the group has it
    std::size_t values_ = 0;                          // of which bits_ has a bit; 0 without bits
    group_ids distinct_;                              // without bits: pairs of a group and a value
    bool has_pairs_ = false;
    std::vector<distinct_estimate> estimates_;  // by group
    bool is_beyond_ = false;
};

}  // namespace sluice::store

#endif
