// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_AGGREGATION_HPP
#define SLUICE_QUERY_AGGREGATION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/decimal.hpp>
#include <sluice/base/exact_sum.hpp>
#include <sluice/base/visit.hpp>
#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/query/cell.hpp>
#include <sluice/query/where.hpp>

namespace sluice {

namespace detail {

/// Orders values of a column, for sets of them.
struct value_less {
    column of{};

    bool operator()(const aggregate_value& a, const aggregate_value& b) const {
        return compare_values(of, a, b) < 0;
    }
};

/// Returns the value of a cell without a list, as a group; null for one that isn't of the column.
[[nodiscard]] inline aggregate_value group_value(const column& of, const cell& value) {
    if (!is_value_of(of, value)) return std::monostate();
    const auto* const text = std::get_if<std::string_view>(&value);
    const auto* const whole = std::get_if<std::int64_t>(&value);
    switch (of.type) {
        case column_type::text:
        case column_type::choice: return std::string(*text);
        case column_type::uuid: return to_lower(*text);
        case column_type::integer: return *whole;
        case column_type::decimal: {
            if (whole != nullptr) return decimal_number(*whole);
            const auto* const scaled = std::get_if<scaled_number>(&value);
            const decimal_number number(scaled ? *scaled : scaled_number());
            const auto exact = parse_decimal(scaled ? std::string_view(number.text()) : *text);
            if (!exact) return std::monostate();
            return parse_decimal_number(canonical_decimal(*exact)).value_or(decimal_number());
        }
        case column_type::real:
            if (whole != nullptr) return static_cast<double>(*whole);
            return std::get<double>(value) + 0.0;  // zero has no sign
        case column_type::time: return std::get<instant>(value);
        case column_type::date: return std::get<calendar_day>(value);
        case column_type::boolean: return std::get<bool>(value);
        case column_type::json:
        case column_type::records: break;
    }
    return std::monostate();
}

/// Returns the values of a row as groups: of a list the distinct items, null without any; of JSON
/// the text at a path; of a time with a bucket the bucket's start.
[[nodiscard]] inline std::vector<aggregate_value> values_of(const group_key& group,
                                                            const cell& value) {
    const column& by = group.by;
    if (by.is_list) {
        std::set<aggregate_value, value_less> items(value_less{by});
        column item = by;
        item.is_list = false;
        const auto* const texts = std::get_if<std::span<const std::string_view>>(&value);
        const auto* const numbers = std::get_if<std::span<const std::int64_t>>(&value);
        if (is_value_of(by, value) && texts != nullptr) {
            for (const std::string_view text : *texts) items.insert(group_value(item, text));
        }
        if (is_value_of(by, value) && numbers != nullptr) {
            for (const std::int64_t number : *numbers) items.insert(number);
        }
        if (items.empty()) items.insert(std::monostate());
        return {items.begin(), items.end()};
    }
    if (by.type == column_type::json) {
        const auto* const lookup = std::get_if<scalar_lookup>(&value);
        const auto at_path = lookup ? (*lookup)(group.path) : std::nullopt;
        return {at_path ? aggregate_value(std::string(at_path->text)) : std::monostate()};
    }
    const aggregate_value whole = group_value(by, value);
    if (group.bucket) {
        if (const auto* const at = std::get_if<instant>(&whole))
            return {bucket_start(*group.bucket, *at, group.zone)};
        if (const auto* const day = std::get_if<calendar_day>(&whole))
            return {bucket_start(*group.bucket, *day)};
    }
    return {whole};
}

/// Returns the error of a sum of decimals with too many digits.
[[nodiscard]] inline tl::unexpected<error> sum_too_long(const measure& of) noexcept {
    error why = make_error(rule::number_too_large);
    why.param = of.of.name;
    why.accepts = "expected sums of at most 10000 digits";
    return tl::unexpected<error>(why);
}

/// The state of a measure of one group.
class measure_state {
public:
    explicit measure_state(const measure& of) : of_(of), distinct_(value_less{of.of}) {}

    /// Adds the values of a row: of a list its items. Returns false for a decimal with too many
    /// digits; see decimal_sum.
    [[nodiscard]] bool add(const std::vector<aggregate_value>& values) {
        switch (of_.kind) {
            case measure_kind::count: ++count_; break;
            case measure_kind::count_distinct:
            case measure_kind::approx_count_distinct:  // exact, as all values are here
                for (const aggregate_value& item : values) {
                    if (!std::holds_alternative<std::monostate>(item)) distinct_.insert(item);
                }
                break;
            case measure_kind::sum:
            case measure_kind::average: return add_number(values.front());
            case measure_kind::min:
            case measure_kind::max: keep(values.front()); break;
        }
        return true;
    }
    /// Returns the measure.
    [[nodiscard]] aggregate_value value() const {
        switch (of_.kind) {
            case measure_kind::count: return count_;
            case measure_kind::count_distinct:
            case measure_kind::approx_count_distinct:
                return static_cast<std::int64_t>(distinct_.size());
            case measure_kind::sum: return sum();
            case measure_kind::average: return average_of(sum(), count_);
            case measure_kind::min:
            case measure_kind::max: break;
        }
        return kept_;
    }

    /// Returns an average: the sum as a double, divided by the number of values.
    static aggregate_value average_of(const aggregate_value& sum, std::int64_t count) {
        if (count == 0) return std::monostate();
        const auto divisor = static_cast<double>(count);
        if (const auto* const whole = std::get_if<std::int64_t>(&sum))
            return static_cast<double>(*whole) / divisor;
        if (const auto* const exact = std::get_if<decimal_number>(&sum)) {
            const double infinity = std::numeric_limits<double>::infinity();
            const bool is_negative = exact->text().starts_with('-');
            return parse_real(exact->text()).value_or(is_negative ? -infinity : infinity) / divisor;
        }
        if (const auto* const real = std::get_if<double>(&sum)) return *real / divisor;
        return std::monostate();
    }
    /// Returns the sum of reals; null without one: of infinities of both signs.
    static aggregate_value sum_of(const real_sum& reals) {
        const double sum = reals.value();
        if (sum != sum) return std::monostate();
        return sum;
    }
    /// Returns the sum of integers.
    static aggregate_value sum_of(const wide_integer& integers) {
        if (const auto whole = integers.as_int64()) return *whole;
        return parse_decimal_number(integers.text()).value_or(decimal_number());
    }

private:
    bool add_number(const aggregate_value& value) {
        if (std::holds_alternative<std::monostate>(value)) return true;
        ++count_;
        if (const auto* const whole = std::get_if<std::int64_t>(&value)) integers_ += *whole;
        if (const auto* const real = std::get_if<double>(&value)) reals_.add(*real);
        const auto* const exact = std::get_if<decimal_number>(&value);
        return !exact || decimals_.add(parse_decimal(exact->text()).value_or(decimal{}));
    }
    void keep(const aggregate_value& value) {
        if (std::holds_alternative<std::monostate>(value)) return;
        const auto order = compare_values(of_.of, value, kept_);
        const bool is_first = std::holds_alternative<std::monostate>(kept_);
        if (is_first || (of_.kind == measure_kind::min ? order < 0 : order > 0)) kept_ = value;
    }
    [[nodiscard]] aggregate_value sum() const {
        if (of_.of.type == column_type::integer) return sum_of(integers_);
        if (of_.of.type == column_type::real) return sum_of(reals_);
        return parse_decimal_number(decimals_.text()).value_or(decimal_number());
    }

    const measure& of_;
    std::int64_t count_ = 0;  // rows, or values
    wide_integer integers_ = 0;
    decimal_sum decimals_{};
    real_sum reals_{};
    aggregate_value kept_{};
    std::set<aggregate_value, value_less> distinct_;
};

}  // namespace detail

/// Groups and measures rows one after the other: what an aggregate query means, and its answer for
/// a caller's own rows.
///
/// ```
/// sluice::aggregation totals(query);
/// for (const order& of : orders) {
///     totals.add([&](const sluice::column& by) { return of.cell_of(by); });
/// }
/// const auto groups = totals.finish();
/// ```
class aggregation {
public:
    /// Views the query.
    explicit aggregation(const aggregate_query& query) : query_(query), groups_(key_less{query}) {
        if (auto checked = check(query); !checked) broken_ = checked.error();
    }
    aggregation(aggregate_query&&) = delete;

    /// Adds a row, if it meets the query's conditions; `cell_of(const column&)` returns its values,
    /// each of which may view what the next call changes.
    template <cell_source CellOf>
    void add(CellOf&& cell_of) {
        if (!broken_ && query_.rows.matches(cell_of)) add_matching(std::forward<CellOf>(cell_of));
    }
    /// Like add(), for a row that is known to meet the conditions: only columns of groups and
    /// measures are read.
    template <cell_source CellOf>
    void add_matching(CellOf&& cell_of) {
        if (broken_) return;
        std::vector<std::vector<aggregate_value>> values;
        for (const group_key& group : query_.group_by) {
            values.push_back(detail::values_of(group, cell_of(group.by)));
        }
        std::vector<std::vector<aggregate_value>> measured;
        for (const measure& of : query_.measures) {
            if (of.kind == measure_kind::count) {
                measured.emplace_back();
            } else {
                measured.push_back(detail::values_of({.by = of.of}, cell_of(of.of)));
            }
        }
        group_values key(values.size());
        add(values, key, 0, measured);
    }
    /// Returns the groups in the query's order. Errors: those of check(); list_too_long for too
    /// many groups; number_too_large for a sum of decimals beyond 10,000 digits, with its column as
    /// param.
    [[nodiscard]] result<aggregate_result> finish() const {
        if (broken_) return tl::unexpected(*broken_);
        aggregate_result rows;
        for (const auto& [key, states] : groups_) {
            aggregate_row row{key, {}};
            for (const detail::measure_state& state : states) row.measures.push_back(state.value());
            rows.push_back(std::move(row));
        }
        return detail::finish_aggregate(query_, std::move(rows));
    }

private:
    using group_values = std::vector<aggregate_value>;
    struct key_less {
        const aggregate_query& query;

        bool operator()(const group_values& a, const group_values& b) const {
            for (std::size_t at = 0; at < a.size(); ++at) {
                const auto order = detail::compare_values(query.group_by[at].by, a[at], b[at]);
                if (order != 0) return order < 0;
            }
            return false;
        }
    };

    /// Adds a row to the groups of each combination of its values, from the group `at` on.
    void add(const std::vector<std::vector<aggregate_value>>& values, group_values& key,
             std::size_t at, const std::vector<std::vector<aggregate_value>>& measured) {
        if (at < values.size()) {
            for (const aggregate_value& value : values[at]) {
                if (broken_) return;
                key[at] = value;
                add(values, key, at + 1, measured);
            }
            return;
        }
        auto [group, is_new] = groups_.try_emplace(key);
        if (is_new) {
            if (groups_.size() > aggregate_groups_max) broken_ = detail::too_many_groups().value();
            for (const measure& of : query_.measures) group->second.emplace_back(of);
        }
        for (std::size_t i = 0; i < measured.size(); ++i) {
            if (!group->second[i].add(measured[i])) {
                broken_ = detail::sum_too_long(query_.measures[i]).value();
            }
        }
    }

    const aggregate_query& query_;
    std::optional<error> broken_{};
    std::map<group_values, std::vector<detail::measure_state>, key_less> groups_;
};

}  // namespace sluice

#endif
