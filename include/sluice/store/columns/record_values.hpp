// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMNS_RECORD_VALUES_HPP
#define SLUICE_STORE_COLUMNS_RECORD_VALUES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/json_cursor.hpp>
#include <sluice/base/real.hpp>
#include <sluice/query/where.hpp>
#include <sluice/store/columns/column_values.hpp>
#include <sluice/store/texts/chunked_list.hpp>

namespace sluice::store {

/// The records of a JSON array, as cells of their columns. Views the text, which is valid JSON.
///
/// ```
/// [{"sku":"a","count":2},{"sku":"b"}]      "a" 2 | "b" absent
/// ```
class json_records {
public:
    explicit json_records(const column& of) : columns_(of.records.begin(), of.records.size()) {}

    /// Reads the records of a text. Errors: field_type, if it isn't an array of objects or a value
    /// has another type than its column; field_unknown for a member that isn't a column.
    [[nodiscard]] result<void> read(std::string_view json) {
        cells_.clear();
        sluice::detail::json_cursor at(json);
        if (!at.take('[')) return fail(rule::field_type);
        if (at.take(']')) return {};
        do {
            if (auto record = read_record(at); !record) return record;
        } while (at.take(','));
        return {};
    }
    /// Returns the cells of the records, one after the other.
    [[nodiscard]] std::span<const cell> cells() const noexcept { return cells_; }

private:
    result<void> read_record(sluice::detail::json_cursor& at) {
        if (!at.take('{')) return fail(rule::field_type);
        const std::size_t first = cells_.size();
        cells_.resize(first + columns_.size());
        if (at.take('}')) return {};
        do {
            const std::string_view name = text_of(at);
            const column* const member = find_column(columns_, name);
            at.take(':');
            if (member == nullptr) return fail(rule::field_unknown);
            auto value = read_value(at, *member);
            if (!value) return fail(rule::field_type);
            cells_[first + static_cast<std::size_t>(member - columns_.data())] = *std::move(value);
        } while (at.take(','));
        at.take('}');
        return {};
    }
    /// Reads a member's value; nullopt for one of another type.
    [[nodiscard]] std::optional<cell> read_value(sluice::detail::json_cursor& at,
                                                 const column& of) {
        if (at.peek() == 'n') {
            at.skip_value();
            return cell();
        }
        if (of.is_list) return read_list(at, of);
        if (at.peek() == '"') {
            const std::string_view text = text_of(at);
            if (of.type == column_type::time) return value_of(parse_timestamp(text));
            if (of.type == column_type::date) return value_of(parse_day(text));
            const column_types texts =
                set_of(column_type::text, column_type::uuid, column_type::choice);
            return (texts & set_of(of.type)) != 0 ? std::optional<cell>(text) : std::nullopt;
        }
        const std::string_view word = at.take_word();
        if (of.type == column_type::integer) return value_of(parse_int64(word));
        if (of.type == column_type::real) return value_of(sluice::detail::parse_real(word));
        if (of.type == column_type::boolean && (word == "true" || word == "false"))
            return cell(word == "true");
        const bool is_number = sluice::detail::parse_decimal(word).has_value();
        return of.type == column_type::decimal && is_number ? std::optional<cell>(word)
                                                            : std::nullopt;
    }
    [[nodiscard]] std::optional<cell> read_list(sluice::detail::json_cursor& at, const column& of) {
        if (!at.take('[')) return std::nullopt;
        auto& texts = lists_.emplace_back();
        auto& numbers = number_lists_.emplace_back();
        const bool is_whole = of.type == column_type::integer;
        for (bool more = !at.take(']'); more; more = at.take(',')) {
            if (is_whole) {
                const auto number = parse_int64(at.take_word());
                if (!number) return std::nullopt;
                numbers.push_back(*number);
            } else {
                if (at.peek() != '"') return std::nullopt;
                texts.push_back(text_of(at));
            }
        }
        if (!texts.empty() || !numbers.empty()) at.take(']');
        return is_whole ? cell(std::span<const std::int64_t>(numbers))
                        : cell(std::span<const std::string_view>(texts));
    }
    template <class Parsed>
    [[nodiscard]] static std::optional<cell> value_of(const Parsed& value) {
        return value ? std::optional<cell>(*value) : std::nullopt;
    }
    /// Reads a string, without escapes.
    [[nodiscard]] std::string_view text_of(sluice::detail::json_cursor& at) {
        const auto token = at.take_string().value_or(sluice::detail::json_string_token());
        if (!token.has_escapes) return token.spelled;
        std::string& text = texts_.emplace_back();
        static_cast<void>(sluice::detail::json_unescaper(text).append(token.spelled));
        return text;
    }

    columns_view columns_;
    std::vector<cell> cells_;
    std::deque<std::string> texts_;  // those that had escapes
    std::deque<std::vector<std::string_view>> lists_;
    std::deque<std::vector<std::int64_t>> number_lists_;
};

/// The records of a records column by code: those of each distinct JSON text, as codes of their
/// columns' values. One thread adds; any number search the lists that they have seen.
///
/// ```
/// code 1: [{"sku":"a"},{"sku":"b"}]      records  0 1 | 2      ends: 0 2 3
/// code 2: [{"sku":"a"}]                  sku      1 2 | 1
/// ```
class record_values final : public record_search {
public:
    record_values(const column& of, hash_seed seed) : column_(of) {
        for (const column& member : of.records)
            columns_.push_back(std::make_unique<column_values>(member, seed));
        ends_.push_back(0);  // of `absent`
    }

    /// Checks a valid JSON text. Errors, with the column's name as param, are those of a JSON
    /// array's records and of column_values::check().
    [[nodiscard]] result<void> check(std::string_view json) const {
        json_records records(column_);
        auto fits = records.read(json);
        const std::span<const cell> cells = records.cells();
        for (std::size_t i = 0; fits && i < cells.size(); ++i) {
            fits = columns_[i % columns_.size()]->check(cells[i]);
        }
        if (!fits) fits.error().param = column_.name;
        return fits;
    }
    /// Adds the records of texts that are new since the last call. Expects texts that pass check().
    void follow(const dictionary& texts) {
        while (ends_.size() < texts.size()) {
            codes_.shrink(ends_[ends_.size() - 1] * columns_.size());  // if memory ran out before
            json_records records(column_);
            static_cast<void>(records.read(texts.text(static_cast<code>(ends_.size()))));
            const std::span<const cell> cells = records.cells();
            for (std::size_t i = 0; i < cells.size(); ++i) {
                codes_.push_back(columns_[i % columns_.size()]->encode(cells[i]));
            }
            ends_.push_back(codes_.size() / columns_.size());
        }
    }

    [[nodiscard]] std::vector<code> with_any(const where& wanted) const override {
        const std::size_t lists = ends_.size();
        const bits met = wanted.visit(record_bits{*this, ends_[lists - 1]});
        std::vector<code> codes;
        for (code c = 1; c < lists; ++c) {
            const auto begin = met.begin() + static_cast<std::ptrdiff_t>(ends_[c - 1]);
            const auto end = met.begin() + static_cast<std::ptrdiff_t>(ends_[c]);
            if (std::find(begin, end, true) != end) codes.push_back(c);
        }
        return codes;
    }
    [[nodiscard]] bool has_any(code list, const where& wanted) const override {
        for (std::size_t record = ends_[list - 1]; record < ends_[list]; ++record) {
            const auto cell_of = [&](const column& of) -> cell {
                const auto at = place_of(of);
                return at ? columns_[*at]->reader().at(code_at(record, *at)) : cell();
            };
            if (wanted.matches(cell_of)) return true;
        }
        return false;
    }
    /// Estimated memory use, in bytes.
    [[nodiscard]] std::size_t bytes() const {
        std::size_t all = codes_.size() * sizeof(code) + ends_.size() * sizeof(std::size_t);
        for (const auto& column : columns_) all += column->bytes();
        return all;
    }

private:
    using bits = std::vector<bool>;

    /// Evaluates a condition for all records at once.
    struct record_bits {
        const record_values& in;
        std::size_t records;

        [[nodiscard]] bits leaf(const sluice::leaf& condition) const {
            const auto at = in.place_of(condition.subject);
            if (!at) return bits(records, holds(condition, cell()));
            const code_set accepted = in.columns_[*at]->reader().meeting(condition);
            bits met(records);
            for (std::size_t record = 0; record < records; ++record) {
                met[record] = accepted.contains(in.code_at(record, *at));
            }
            return met;
        }
        [[nodiscard]] static bits negation(bits operand) {
            operand.flip();
            return operand;
        }
        [[nodiscard]] bits group(where_kind kind, const std::vector<bits>& operands) const {
            const bool is_all = kind == where_kind::conjunction;
            bits met(records, is_all);
            for (const bits& operand : operands) {
                for (std::size_t record = 0; record < records; ++record) {
                    if (operand[record] != is_all) met[record] = !is_all;
                }
            }
            return met;
        }
    };

    [[nodiscard]] std::optional<std::size_t> place_of(const column& of) const noexcept {
        const columns_view columns(column_.records.begin(), column_.records.size());
        const column* const known = find_column(columns, of.name);
        if (known == nullptr) return std::nullopt;
        return static_cast<std::size_t>(known - columns.data());
    }
    [[nodiscard]] code code_at(std::size_t record, std::size_t column) const noexcept {
        return codes_[record * columns_.size() + column];
    }

    column column_;
    std::vector<std::unique_ptr<column_values>> columns_;
    chunked_list<code> codes_;        // record by record, a code for each column
    chunked_list<std::size_t> ends_;  // by code: one past the last record of its list
};

}  // namespace sluice::store

#endif
