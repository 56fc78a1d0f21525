// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMNS_VALUE_READER_HPP
#define SLUICE_STORE_COLUMNS_VALUE_READER_HPP

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/real.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/page.hpp>
#include <sluice/query/where.hpp>
#include <sluice/store/columns/list_values.hpp>
#include <sluice/store/conditions/code_set.hpp>
#include <sluice/store/numbers/number_ranges.hpp>
#include <sluice/store/texts/chunked_list.hpp>
#include <sluice/store/texts/dictionary.hpp>
#include <sluice/time/day.hpp>
#include <sluice/time/instant.hpp>

namespace sluice::store {

/// The values that the codes of a column stand for, read from the dictionary of their texts; see
/// column_values for the texts. Views the dictionary. Any number of threads may use it for codes
/// that they have seen.
class value_reader {
public:
    /// `numbers` are the numbers of a numeric column by code, as approximate() returns them, or
    /// null; `lists` the items of a list column, which needs them.
    value_reader(const column& of, const dictionary& texts,
                 const flat_list<double>* numbers = nullptr, const list_values* lists = nullptr)
        : column_(of), texts_(&texts), numbers_(numbers), lists_(lists) {}

    [[nodiscard]] const column& of() const noexcept { return column_; }
    [[nodiscard]] const dictionary& texts() const noexcept { return *texts_; }

    /// Returns the value of a code; for a JSON column its text.
    [[nodiscard]] cell at(code of) const {
        if (of == absent) return std::monostate();
        if (!column_.is_list) return value_of(texts_->text(of));
        if (column_.type == column_type::integer) return lists_->numbers(of);
        return (*lists_)[of];
    }

    /// Returns the codes of the values that meet a test, and `absent` if an absent value does.
    /// Views the test.
    [[nodiscard]] code_set meeting(const leaf& condition) const {
        constexpr column_types with_names = sluice::detail::named_types;
        const bool has_names = (with_names & set_of(column_.type)) != 0;
        const auto* const texts = std::get_if<text_test>(&condition.test);
        if (texts && !texts->wanted.empty() && has_names) {
            return code_set(named(texts->wanted.values()), texts->wanted.excludes());
        }
        const auto* const all = std::get_if<all_of_test>(&condition.test);
        if (all && column_.is_list) return having_all(all->wanted);
        const auto* const part = std::get_if<part_test>(&condition.test);
        if (part && column_.type == column_type::text) return code_set(having(*part));
        const auto* const null = std::get_if<null_test>(&condition.test);
        if (null) return code_set({absent}, !null->wanted);
        if (numbers_ != nullptr) {
            if (const auto numbers = exact_bounds(condition.test)) return within(*numbers);
        }
        std::vector<code> codes = texts_meeting(condition);
        if (holds(condition, std::monostate())) codes.insert(codes.begin(), absent);
        return code_set(std::move(codes));
    }

    /// Compares two values: absent ones first, numbers by their value, choices by their places,
    /// texts by their bytes, false before true.
    [[nodiscard]] std::weak_ordering compare(code a, code b) const {
        if (a == b || a == absent || b == absent) return a <=> b;
        if (numbers_ && are_apart((*numbers_)[a], (*numbers_)[b])) {
            return (*numbers_)[a] < (*numbers_)[b] ? std::weak_ordering::less
                                                   : std::weak_ordering::greater;
        }
        return compare_texts(texts_->text(a), texts_->text(b));
    }
    /// Compares a value with a cursor's key. Expects a key that passes is_key_of() of this column.
    [[nodiscard]] std::weak_ordering compare(code a, std::optional<std::string_view> b) const {
        if (a == absent || !b) return (a != absent) <=> b.has_value();
        if (column_.type == column_type::time)
            return *parse_time_key(texts_->text(a)) <=> *parse_time_key(*b);
        if (column_.type == column_type::uuid)
            return texts_->text(a) <=> std::string_view(sluice::detail::to_lower(*b));
        return compare_texts(texts_->text(a), *b);
    }
    /// Returns the sort prefix of a value, see numbers/number_ranges.hpp.
    [[nodiscard]] std::uint64_t prefix_of(code of) const {
        if (of == absent) return 0;
        if (numbers_) return detail::prefix_of_number((*numbers_)[of]);
        return detail::prefix_of_key(column_, texts_->text(of));
    }
    /// Returns the value as a cursor's key; nullopt for absent values.
    [[nodiscard]] std::optional<std::string> key_of(code of) const {
        if (of == absent) return std::nullopt;
        if (column_.type == column_type::time)
            return to_time_key(*parse_time_key(texts_->text(of)));
        return std::string(texts_->text(of));
    }

private:
    /// Parses the text of a value that is no list.
    [[nodiscard]] cell value_of(std::string_view text) const {
        switch (column_.type) {
            case column_type::integer: return parse_int64(text).value_or(0);
            case column_type::time: return parse_timestamp(text).value_or(instant());
            case column_type::boolean: return text == "true";
            case column_type::real: return sluice::detail::parse_real(text).value_or(0);
            case column_type::date: return parse_day(text).value_or(calendar_day());
            case column_type::text:
            case column_type::decimal:
            case column_type::uuid:
            case column_type::choice:
            case column_type::json: return text;
            case column_type::records: break;  // not storable
        }
        return std::monostate();
    }
    /// Returns the codes of texts that match one of `values`, or of lists with such an item.
    [[nodiscard]] std::vector<code> named(filter_values values) const {
        if (column_.type == column_type::uuid) return named_ids(values);
        const bool is_text = column_.type != column_type::date;
        return named(values, is_text ? column_.how : collation::exact);
    }
    [[nodiscard]] std::vector<code> named(filter_values values, collation how) const {
        return column_.is_list ? lists_->with_any(values, how) : texts_->codes_named(values, how);
    }
    /// Like named(), for UUIDs, which are stored in lower case.
    [[nodiscard]] std::vector<code> named_ids(filter_values values) const {
        std::vector<std::string> ids;
        for (const std::string_view value : values) ids.push_back(sluice::detail::to_lower(value));
        return named(ids, collation::exact);
    }
    /// Returns the lists with an item for every one of `values`.
    [[nodiscard]] code_set having_all(const std::vector<std::string>& values) const {
        code_set all({absent}, true);
        for (const std::string& value : values) all.intersect(code_set(named({&value, 1})));
        return all;
    }
    /// Returns the codes of texts with a part, or of lists with such an item.
    [[nodiscard]] std::vector<code> having(const part_test& wanted) const {
        const auto passes = [&](std::string_view text) {
            return wanted.is_met_by(text, column_.how);
        };
        return column_.is_list ? lists_->with_any_where(passes) : texts_->codes_where(passes);
    }
    /// Returns the codes of the values that meet a condition, testing each of them.
    [[nodiscard]] std::vector<code> texts_meeting(const leaf& condition) const {
        return texts_->codes_where(
            [&](std::string_view text) { return holds(condition, value_of(text)); });
    }
    /// Returns the bounds of a numeric column's type as exact ones; empty for other tests, and for
    /// infinite bounds.
    [[nodiscard]] std::optional<bounds<decimal_number>> exact_bounds(
        const column_test& test) const {
        const auto* const whole = std::get_if<bounds<std::int64_t>>(&test);
        if (whole && column_.type == column_type::integer) {
            return exact(*whole, [](std::int64_t number) { return std::to_string(number); });
        }
        const auto* const real = std::get_if<bounds<double>>(&test);
        if (real && column_.type == column_type::real) {
            return exact(*real, sluice::detail::real_text);
        }
        const auto* const decimal = std::get_if<bounds<decimal_number>>(&test);
        const bool is_decimal = decimal && column_.type == column_type::decimal;
        return is_decimal ? std::optional(*decimal) : std::nullopt;
    }
    template <class T, class Write>
    [[nodiscard]] static std::optional<bounds<decimal_number>> exact(const bounds<T>& of,
                                                                     const Write& write) {
        bounds<decimal_number> all{.excludes_least = of.excludes_least,
                                   .excludes_most = of.excludes_most};
        const auto copy = [&](const std::optional<T>& bound, std::optional<decimal_number>& to) {
            if (!bound) return true;
            const auto number = parse_decimal_number(write(*bound));
            if (number) to = *number;
            return number.has_value();
        };
        if (!copy(of.least, all.least) || !copy(of.most, all.most)) return std::nullopt;
        return all;
    }
    /// Returns the codes of the numbers within bounds, of a numeric column; all but `absent`
    /// without bounds. Few integers and reals are listed: lists find their rows by an index.
    [[nodiscard]] code_set within(const bounds<decimal_number>& wanted) const {
        using sluice::detail::parse_decimal;
        const std::size_t size = numbers_->size();  // before data(), as others may add
        std::optional<code_set> ranges;
        const auto keep = [&](const decimal_number& bound, bool is_after, bool takes_above) {
            const code_numbers numbers{
                {numbers_->data(), size}, [texts = texts_](code of) {
                    return parse_decimal(texts->text(of)).value_or(decimal{});
                }};
            code_set side(number_ranges(numbers, bound, is_after, takes_above));
            if (!ranges || !ranges->merge(side, true)) ranges = std::move(side);
        };
        if (wanted.least) keep(*wanted.least, wanted.excludes_least, true);
        if (wanted.most) keep(*wanted.most, !wanted.excludes_most, false);
        if (!ranges) return code_set({absent}, true);
        if (column_.type == column_type::decimal || size > most_listed) return *std::move(ranges);
        std::vector<code> codes;
        for (code c = 1; c < size; ++c) {
            if (ranges->contains(c)) codes.push_back(c);
        }
        return code_set(std::move(codes));
    }
    /// Compares the texts of two values: numbers exactly, choices by their places, others by their
    /// bytes.
    [[nodiscard]] std::weak_ordering compare_texts(std::string_view a, std::string_view b) const {
        if (column_.type == column_type::choice && !column_.is_list)
            return place_of_choice(column_, a) <=> place_of_choice(column_, b);
        if (!detail::is_numeric(column_)) return a <=> b;
        const auto left = sluice::detail::parse_decimal(a),
                   right = sluice::detail::parse_decimal(b);
        return sluice::detail::compare(left.value_or(decimal{}), right.value_or(decimal{}));
    }

    static constexpr std::size_t most_listed = 65'536;  // distinct integers or reals

    column column_;
    const dictionary* texts_;
    const flat_list<double>* numbers_;
    const list_values* lists_;
};

}  // namespace sluice::store

#endif
