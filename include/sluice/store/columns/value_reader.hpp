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

/// Readers of values: the cells that the codes of a column stand for, and the codes that meet a
/// test.
namespace sluice::store {

/// The records of a records column by code; see record_values.
class record_search {
public:
    /// Returns the codes of the lists with a record that meets a condition, ascending.
    [[nodiscard]] virtual std::vector<code> with_any(const where& wanted) const = 0;
    /// Returns true if a list, which isn't absent, has a record that meets a condition.
    [[nodiscard]] virtual bool has_any(code list, const where& wanted) const = 0;

protected:
    record_search() = default;
    ~record_search() = default;
};

/// The values that the codes of a column stand for, read from the dictionary of their texts; see
/// column_values for the texts. Views the dictionary. Any number of threads may use it for codes
/// that they have seen.
class value_reader {
public:
    /// `numbers` are the numbers of a column that number_list holds, or null; `lists` the items of
    /// a list column. Such columns need them.
    value_reader(const column& of, const dictionary& texts, const number_list* numbers = nullptr,
                 const list_values* lists = nullptr)
        : column_(of), texts_(&texts), numbers_(numbers), lists_(lists) {}
    /// Reads a column of records, whose texts are JSON.
    value_reader(const column& of, const dictionary& texts, const record_search& records)
        : column_(of), texts_(&texts), numbers_(nullptr), lists_(nullptr), records_(&records) {}

    [[nodiscard]] const column& of() const noexcept { return column_; }
    [[nodiscard]] const dictionary& texts() const noexcept { return *texts_; }
    /// Returns the numbers by code; null if the column has none.
    [[nodiscard]] const number_list* numbers() const noexcept { return numbers_; }

    /// Returns the value of a code; for a JSON column its text.
    [[nodiscard]] cell at(code of) const {
        if (of == absent) return std::monostate();
        if (records_) {
            return record_lookup([records = records_, of](const where& wanted) {
                return records->has_any(of, wanted);
            });
        }
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
        const auto* const records = std::get_if<record_test>(&condition.test);
        if (records && records_) return code_set(records_->with_any(records->wanted()));
        const auto* const null = std::get_if<null_test>(&condition.test);
        if (null) return code_set({absent}, !null->wanted);
        if (numbers_ != nullptr) {
            const auto* const decimals = std::get_if<bounds<decimal_number>>(&condition.test);
            if (decimals && numbers_->is_decimal()) return within(*decimals);
            if (const auto keys = range_of(condition.test)) return within(*keys);
        }
        std::vector<code> codes = texts_meeting(condition);
        if (holds(condition, std::monostate())) codes.insert(codes.begin(), absent);
        return code_set(std::move(codes));
    }

    /// Compares two values: absent ones first, numbers by their value, choices by their places,
    /// texts by their bytes, false before true.
    [[nodiscard]] std::weak_ordering compare(code a, code b) const {
        if (a == b || a == absent || b == absent) return a <=> b;
        if (numbers_ && !numbers_->is_decimal()) return numbers_->keys()[a] <=> numbers_->keys()[b];
        if (numbers_) {
            const double left = numbers_->approximations()[a];
            const double right = numbers_->approximations()[b];
            if (are_apart(left, right)) {
                return left < right ? std::weak_ordering::less : std::weak_ordering::greater;
            }
        }
        return compare_texts(texts_->text(a), texts_->text(b));
    }
    /// Compares a value with a cursor's key. Expects a key that passes is_key_of() of this column.
    [[nodiscard]] std::weak_ordering compare(code a, std::optional<std::string_view> b) const {
        if (a == absent || !b) return (a != absent) <=> b.has_value();
        if (numbers_ && !numbers_->is_decimal())
            return numbers_->keys()[a] <=> detail::number_of_key(column_, *b);
        if (column_.type == column_type::uuid)
            return texts_->text(a) <=> std::string_view(sluice::detail::to_lower(*b));
        return compare_texts(texts_->text(a), *b);
    }
    /// Returns true if beside() returns codes, whatever the key.
    [[nodiscard]] bool has_beside() const noexcept {
        return numbers_ != nullptr || texts_->size() <= few_codes;
    }
    /// Returns the codes of the values up to a cursor's key in ascending order, or, with
    /// `is_after`, of those from it on; absent values come first. Returns nullopt if there are too
    /// many values to compare all. Expects a key that passes is_key_of() of this column.
    [[nodiscard]] std::optional<code_set> beside(std::optional<std::string_view> key,
                                                 bool is_after) const {
        if (!key) return is_after ? code_set({}, true) : code_set({absent});
        if (numbers_) return numbers_beside(*key, is_after);
        if (!has_beside()) return std::nullopt;
        std::vector<code> codes;
        const auto size = static_cast<code>(texts_->size());
        for (code known = 1; known < size; ++known) {
            const std::weak_ordering order = compare(known, key);
            if (is_after ? order >= 0 : order <= 0) codes.push_back(known);
        }
        if (!is_after) codes.push_back(absent);
        return code_set(std::move(codes));
    }
    /// Returns the sort prefix of a value, see numbers/number_ranges.hpp.
    [[nodiscard]] std::uint64_t prefix_of(code of) const {
        if (of == absent) return 0;
        if (numbers_ && numbers_->is_decimal())
            return detail::prefix_of_number(numbers_->approximations()[of]);
        if (numbers_) return detail::prefix_of_number(numbers_->keys()[of]);
        if (column_.type == column_type::text || column_.type == column_type::uuid)
            return detail::prefix_of_text(texts_->text(of));
        return detail::prefix_of_key(column_, texts_->text(of));
    }
    /// Returns the value as a cursor's key; nullopt for absent values.
    [[nodiscard]] std::optional<std::string> key_of(code of) const {
        if (of == absent) return std::nullopt;
        if (numbers_ && column_.type == column_type::time) return to_time_key(numbers_->keys()[of]);
        return std::string(texts_->text(of));
    }

private:
    /// Parses the text of a value that isn't a list.
    [[nodiscard]] cell value_of(std::string_view text) const {
        switch (column_.type) {
            case column_type::integer: return parse_int64(text).value_or(0);
            case column_type::time: return parse_timestamp(text).value_or(instant());
            case column_type::boolean: return text == "true";
            case column_type::real: return sluice::detail::parse_any_real(text).value_or(0);
            case column_type::date: return parse_day(text).value_or(calendar_day());
            case column_type::text:
            case column_type::decimal:
            case column_type::uuid:
            case column_type::choice:
            case column_type::json: return text;
            case column_type::records: break;  // see records_
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
        const bool is_plain = !column_.is_list && !record_of(column_.how).ignores_case &&
                              wanted.place == part_place::anywhere && wanted.parts.size() == 1;
        if (is_plain) return texts_->codes_containing(wanted.parts.front());
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
    /// Returns bounds of the column's type as a range of keys; nullopt for other tests.
    [[nodiscard]] std::optional<key_range> range_of(const column_test& test) const {
        switch (column_.type) {
            case column_type::integer:
                return range_of<std::int64_t>(test, [](std::int64_t number) { return number; });
            case column_type::real: return range_of<double>(test, key_of_real);
            case column_type::time:
                return range_of<instant>(test,
                                         [](instant at) { return at.time_since_epoch().count(); });
            case column_type::date:
                return range_of<calendar_day>(test, [](calendar_day day) {
                    return std::int64_t{day.time_since_epoch().count()};
                });
            case column_type::decimal:
            case column_type::text:
            case column_type::boolean:
            case column_type::json:
            case column_type::uuid:
            case column_type::choice:
            case column_type::records: break;  // no keys in the order of values
        }
        return std::nullopt;
    }
    template <class T, class KeyOf>
    [[nodiscard]] static std::optional<key_range> range_of(const column_test& test,
                                                           const KeyOf& key_of) {
        const auto* const wanted = std::get_if<bounds<T>>(&test);
        if (!wanted) return std::nullopt;
        key_range keys;
        const key_range all;
        if (wanted->least) {
            if (*wanted->least != *wanted->least) return std::nullopt;  // NaN
            keys.least = key_of(*wanted->least);
            if (wanted->excludes_least && keys.least == all.most) return key_range{1, 0};
            keys.least += wanted->excludes_least ? 1 : 0;
        }
        if (wanted->most) {
            if (*wanted->most != *wanted->most) return std::nullopt;
            keys.most = key_of(*wanted->most);
            if (wanted->excludes_most && keys.most == all.least) return key_range{1, 0};
            keys.most -= wanted->excludes_most ? 1 : 0;
        }
        return keys;
    }
    /// Returns the codes of the keys in a range. A few codes are listed, which the indexes of
    /// blocks can look up; more are a range.
    [[nodiscard]] code_set within(const key_range& wanted) const {
        const std::span<const std::int64_t> keys = numbers_->keys();
        if (keys.size() > most_tested) return code_set(number_ranges(keys, wanted));
        std::vector<code> codes;
        const std::size_t most = keys.size() <= few_codes ? few_codes : most_listed;
        for (code known = 1; known < keys.size(); ++known) {
            if (wanted.least > keys[known] || keys[known] > wanted.most) continue;
            codes.push_back(known);
            if (codes.size() > most) return code_set(number_ranges(keys, wanted));
        }
        return code_set(std::move(codes));
    }
    /// Returns the codes of the decimals on one side of a bound, see number_ranges.
    [[nodiscard]] number_ranges decimals_beside(const decimal_number& bound, bool is_after,
                                                bool takes_above) const {
        const code_numbers numbers{
            .approximations = numbers_->approximations(), .exactly = [texts = texts_](code of) {
                return sluice::detail::parse_decimal(texts->text(of)).value_or(decimal{});
            }};
        return {numbers, bound, is_after, takes_above};
    }
    /// Like beside(), for numbers: those from the key on, or all but those after it.
    [[nodiscard]] code_set numbers_beside(std::string_view key, bool is_after) const {
        constexpr std::int64_t most = key_range().most;
        const auto from = [&] {
            if (numbers_->is_decimal()) {
                const auto bound = parse_decimal_number(key).value_or(decimal_number());
                return decimals_beside(bound, !is_after, true);
            }
            const std::int64_t number = detail::number_of_key(column_, key);
            if (!is_after && number == most) return number_ranges(numbers_->keys(), {1, 0});
            return number_ranges(numbers_->keys(), {number + (is_after ? 0 : 1), most});
        };
        code_set codes(from());
        if (!is_after) codes.flip();
        return codes;
    }
    /// Returns the codes of the decimals within bounds; all but `absent` without bounds.
    [[nodiscard]] code_set within(const bounds<decimal_number>& wanted) const {
        std::optional<code_set> ranges;
        const auto keep = [&](const decimal_number& bound, bool is_after, bool takes_above) {
            code_set side(decimals_beside(bound, is_after, takes_above));
            if (!ranges || !ranges->merge(side, true)) ranges = std::move(side);
        };
        if (wanted.least) keep(*wanted.least, wanted.excludes_least, true);
        if (wanted.most) keep(*wanted.most, !wanted.excludes_most, false);
        return ranges ? *std::move(ranges) : code_set({absent}, true);
    }
    /// Compares the texts of two values: decimals exactly, choices by their places, others by their
    /// bytes.
    [[nodiscard]] std::weak_ordering compare_texts(std::string_view a, std::string_view b) const {
        if (column_.type == column_type::choice && !column_.is_list)
            return place_of_choice(column_, a) <=> place_of_choice(column_, b);
        if (column_.type != column_type::decimal) return a <=> b;
        const auto left = sluice::detail::parse_decimal(a),
                   right = sluice::detail::parse_decimal(b);
        return sluice::detail::compare(left.value_or(decimal{}), right.value_or(decimal{}));
    }

    // The codes of a range are listed if the column has few_codes at most; otherwise if the range
    // has most_listed at most and the column most_tested, whose numbers are tested one by one.
    static constexpr std::size_t few_codes = 1'024, most_listed = 64, most_tested = 65'536;

    column column_;
    const dictionary* texts_;
    const number_list* numbers_;
    const list_values* lists_;
    const record_search* records_ = nullptr;
};

}  // namespace sluice::store

#endif
