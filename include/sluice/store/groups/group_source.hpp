// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_GROUPS_GROUP_SOURCE_HPP
#define SLUICE_STORE_GROUPS_GROUP_SOURCE_HPP

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/metadata/lookup.hpp>
#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/query/aggregation.hpp>
#include <sluice/store/blocks/snapshot.hpp>
#include <sluice/store/columns/searched_columns.hpp>
#include <sluice/store/groups/code_reader.hpp>

namespace sluice::store {

/// A number that stands for a value of a group key.
using group_ordinal = std::uint32_t;

/// The values of a group key, as ordinals: the codes of a column, or numbers of values that several
/// codes share, such as buckets, texts at a path, items of lists and decimals.
class group_values {
public:
    /// Views the group. `keeps_codes` numbers decimals by their codes.
    group_values(const group_key& group, const value_reader& values, bool keeps_codes)
        : group_(group), values_(values), known_(sluice::detail::value_less{group.by}) {
        const column_type type = group.by.type;
        is_coded_ = keeps_codes || (!group.by.is_list && !group.bucket &&
                                    type != column_type::json && type != column_type::decimal);
        if (type != column_type::json) return;
        const json_path path = group.path;
        document_ = std::make_unique<document_lookup>(std::span(&path, 1));
    }

    [[nodiscard]] const value_reader& reader() const noexcept { return values_; }
    [[nodiscard]] bool is_list() const noexcept { return group_.by.is_list; }
    /// Returns the ordinal of a code. Expects a column without lists.
    [[nodiscard]] group_ordinal ordinal_of(code of) {
        return is_coded_ ? of : ordinals_of(of).front();
    }
    /// Returns the ordinals of a code: one for each distinct item of a list, or the one of null if
    /// the list is empty.
    [[nodiscard]] std::span<const group_ordinal> ordinals_of(code of) {
        if (of >= places_.size()) places_.resize(values_.texts().size());
        place& at = places_[of];
        if (at.size == 0) {
            at.begin = ordinals_.size();
            for (const aggregate_value& value : values_of(of)) ordinals_.push_back(ordinal(value));
            at.size = ordinals_.size() - at.begin;
        }
        return {ordinals_.data() + at.begin, at.size};
    }

    [[nodiscard]] aggregate_value value(group_ordinal of) const {
        return is_coded_ ? sluice::detail::group_value(group_.by, values_.at(of)) : *shown_[of];
    }
    [[nodiscard]] bool is_null(group_ordinal of) const {
        if (is_coded_) return of == absent;
        return std::holds_alternative<std::monostate>(*shown_[of]);
    }
    [[nodiscard]] std::weak_ordering compare(group_ordinal a, group_ordinal b) const {
        if (is_coded_) return values_.compare(a, b);
        return sluice::detail::compare_values(group_.by, *shown_[a], *shown_[b]);
    }
    /// Returns the number of ordinals, if it is known before any is read; else 0.
    [[nodiscard]] std::size_t size() const noexcept {
        return is_coded_ ? values_.texts().size() : 0;
    }

private:
    struct place {
        std::size_t begin = 0, size = 0;  // in ordinals_
    };

    [[nodiscard]] std::vector<aggregate_value> values_of(code of) {
        if (!document_) return sluice::detail::values_of(group_, values_.at(of));
        if (of == absent) return {std::monostate()};
        document_->read(values_.texts().text(of));
        const auto& at_path = document_->at(0).value;
        return {at_path ? aggregate_value(std::string(at_path->text)) : std::monostate()};
    }
    [[nodiscard]] group_ordinal ordinal(const aggregate_value& value) {
        const auto [known, is_new] =
            known_.try_emplace(value, static_cast<group_ordinal>(shown_.size()));
        if (is_new) shown_.push_back(&known->first);
        return known->second;
    }

    const group_key& group_;
    value_reader values_;
    bool is_coded_;
    std::unique_ptr<document_lookup> document_;
    std::map<aggregate_value, group_ordinal, sluice::detail::value_less> known_;
    std::vector<const aggregate_value*> shown_;  // by ordinal
    std::vector<place> places_;                  // by code
    std::vector<group_ordinal> ordinals_;
};

/// The times that rows are sorted by, or their buckets, as ordinals in the order of the rows.
class time_groups {
public:
    /// Views the group.
    explicit time_groups(const group_key& group) : group_(group) {}

    /// Returns the ordinal of a time. Expects times in ascending order.
    [[nodiscard]] group_ordinal ordinal_of(std::int64_t time) {
        if (starts_.empty() || time >= end_) add(time);
        return static_cast<group_ordinal>(starts_.size() - 1);
    }
    /// Returns the first time after the last ordinal.
    [[nodiscard]] std::int64_t end() const noexcept { return end_; }
    [[nodiscard]] instant value(group_ordinal of) const noexcept { return starts_[of]; }
    [[nodiscard]] std::size_t size() const noexcept { return starts_.size(); }

private:
    void add(std::int64_t time) {
        const instant at{std::chrono::milliseconds(time)};
        if (!group_.bucket) {
            starts_.push_back(at);
            end_ = std::min(time, std::numeric_limits<std::int64_t>::max() - 1) + 1;
            return;
        }
        // next_ is at the bucket after the last one, in which the time is likely to be.
        const auto ends_after = [&] {
            starts_.push_back(next_->start());
            next_->advance();
            end_ = next_->start().time_since_epoch().count();
            return time < end_;
        };
        if (next_ && ends_after()) return;
        if (next_) starts_.pop_back();
        next_.emplace(*group_.bucket, at, group_.zone);
        static_cast<void>(ends_after());
    }

    const group_key& group_;
    std::vector<instant> starts_;
    std::optional<sluice::detail::bucket_steps> next_;
    std::int64_t end_ = 0;
};

/// Reads the ordinals of a group key's values, block by block in the order of the rows.
class group_source {
public:
    /// Finds the column of a group key, which it views. `keeps_codes` numbers decimals by their
    /// codes. Errors, with the column's name as param: field_unknown for a column that the rows
    /// lack; test_unanswered for one of referenced rows whose values aren't kept.
    [[nodiscard]] static result<group_source> find(const snapshot& rows,
                                                   const searched_columns& columns,
                                                   const group_key& group,
                                                   bool keeps_codes = false) {
        const searched_column stored = columns.find(group.by);
        if (std::holds_alternative<time_column>(stored)) return group_source(rows, group);
        if (const auto* const values = std::get_if<value_column>(&stored))
            return group_source(rows, group, *values, nullptr, keeps_codes);
        if (const auto* const json = std::get_if<json_column>(&stored))
            return group_source(rows, group, json->texts, nullptr, keeps_codes);
        const auto* const referenced = std::get_if<referenced_column>(&stored);
        if (referenced == nullptr) return fail_in(rule::field_unknown, group.by.name);
        if (referenced->rows == nullptr || !referenced->values) {
            return fail_in(rule::test_unanswered, group.by.name);
        }
        return group_source(rows, group, {referenced->at, *referenced->values}, referenced->rows,
                            keeps_codes);
    }

    /// Returns the times of a group key by which rows are sorted; else null.
    [[nodiscard]] time_groups* times() noexcept { return times_ ? &*times_ : nullptr; }
    /// Returns the table's code column that is read; nullopt for times().
    [[nodiscard]] std::optional<std::size_t> column() const noexcept {
        return codes_ ? std::optional(codes_->column()) : std::nullopt;
    }
    /// Returns the reader of a column of codes. Expects no times().
    [[nodiscard]] code_reader& codes() noexcept { return *codes_; }
    /// Returns the values of a column of codes. Expects no times().
    [[nodiscard]] const group_values& values() const noexcept { return *values_; }
    /// Returns the number of codes in the table's column.
    [[nodiscard]] std::size_t code_count() const noexcept {
        return references_ ? references_->size() + 1 : values_->reader().texts().size();
    }
    /// Returns the numbers of a block's rows; null if they aren't stored.
    [[nodiscard]] const block_numbers* numbers(std::size_t block) const noexcept {
        return codes_ && !references_ ? codes_->numbers(block) : nullptr;
    }
    /// Returns the number of ordinals, if it is known before any is read; else 0.
    [[nodiscard]] std::size_t size() const noexcept { return values_ ? values_->size() : 0; }
    /// Returns true if a row has several values; read() then returns lists for items_of().
    [[nodiscard]] bool is_list() const noexcept { return values_ && values_->is_list(); }

    /// Writes the ordinals of rows of a block; of a list column, lists for items_of().
    void read(std::size_t block, std::span<const std::uint16_t> rows,
              std::vector<group_ordinal>& ordinals) {
        if (times_) {
            ordinals.resize(rows.size());
            for (std::size_t i = 0; i < rows.size(); ++i)
                ordinals[i] = times_->ordinal_of(rows_->time(block * block_rows + rows[i]));
            return;
        }
        codes_->read(block, rows, ordinals);
        number(ordinals);
    }
    /// Replaces codes of the table's column by ordinals, or by lists for items_of(). Expects no
    /// times().
    void number(std::vector<group_ordinal>& codes) {
        if (references_) {
            for (group_ordinal& of : codes) of = (*references_)[of];
        }
        if (is_list() || values_->size() != 0) return;
        for (group_ordinal& of : codes) of = values_->ordinal_of(of);
    }
    /// Returns the ordinals of a list of read().
    [[nodiscard]] std::span<const group_ordinal> items_of(group_ordinal list) {
        return values_->ordinals_of(list);
    }
    /// Returns the numbers of rows by ordinal; `codes[c]` is the number of rows with the code c.
    [[nodiscard]] std::vector<std::uint64_t> fold(std::vector<std::uint64_t>&& codes) {
        if (!references_ && size() != 0) return std::move(codes);
        std::vector<std::uint64_t> counts;
        for (code c = 0; c < codes.size(); ++c) {
            if (codes[c] == 0) continue;
            const code value = references_ ? (*references_)[c] : c;
            const group_ordinal only = is_list() ? 0 : values_->ordinal_of(value);
            const auto items = is_list() ? items_of(value) : std::span(&only, 1);
            for (const group_ordinal item : items) {
                if (item >= counts.size()) counts.resize(item + std::size_t{1});
                counts[item] += codes[c];
            }
        }
        return counts;
    }

    [[nodiscard]] aggregate_value value(group_ordinal of) const {
        return times_ ? aggregate_value(times_->value(of)) : values_->value(of);
    }
    [[nodiscard]] bool is_null(group_ordinal of) const { return values_ && values_->is_null(of); }
    [[nodiscard]] std::weak_ordering compare(group_ordinal a, group_ordinal b) const {
        return times_ ? a <=> b : values_->compare(a, b);
    }

private:
    group_source(const snapshot& rows, const group_key& group) : rows_(&rows), times_(group) {}
    group_source(const snapshot& rows, const group_key& group, const value_column& stored,
                 const referenced_values* references, bool keeps_codes)
        : rows_(&rows),
          codes_(std::in_place, rows, stored.at),
          references_(references),
          values_(std::make_unique<group_values>(group, stored.values, keeps_codes)) {}

    const snapshot* rows_;
    std::optional<time_groups> times_;
    std::optional<code_reader> codes_;
    const referenced_values* references_ = nullptr;
    std::unique_ptr<group_values> values_;
};

}  // namespace sluice::store

#endif
