// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_LIST_MASK_HPP
#define SLUICE_STORE_LIST_MASK_HPP

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/arrow/table_mask.hpp>
#include <sluice/list_query.hpp>
#include <sluice/store/metadata/matcher.hpp>
#include <sluice/store/where_selection.hpp>

namespace sluice::store {

namespace detail {

/// A leaf in the form that masks take; see mask_conditions().
struct mask_test {
    using wanted = arrow::import_result<decltype(arrow::condition::wanted)>;

    const leaf& asked;

    wanted operator()(const text_test& test) const {
        if (asked.subject.type != column_type::integer) {
            return arrow::row_filter(test.wanted, asked.subject.how);
        }
        std::vector<std::int64_t> numbers;
        for (const std::string_view value : test.wanted.values()) {
            const auto number = parse_int64(value);
            if (number && std::to_string(*number) == value) numbers.push_back(*number);
        }
        // An empty filter takes every row, as none of nothing does.
        const bool none_of = test.wanted.excludes() || test.wanted.empty();
        return arrow::integer_test(std::move(numbers), none_of);
    }
    wanted operator()(const bounds<std::int64_t>& test) const { return arrow::integer_test(test); }
    wanted operator()(const bounds<instant>& test) const {
        constexpr std::chrono::milliseconds next{1};
        const auto least = test.least && test.excludes_least ? *test.least + next : test.least;
        const instant most = test.most.value_or(latest_instant);
        return time_range{least, test.excludes_most ? most - next : most};
    }
    wanted operator()(const metadata_query& test) const {
        auto matcher = std::make_shared<metadata_matcher>(test);
        return arrow::text_test{[matcher](std::string_view json) { return matcher->matches(json); },
                                matcher->matches_nothing()};
    }
    wanted operator()(const bounds<decimal_number>&) const { return refuse(); }
    wanted operator()(const boolean_test&) const { return refuse(); }

private:
    [[nodiscard]] wanted refuse() const {
        return arrow::refuse(arrow::fault::unsupported,
                             std::string(asked.subject.name) +
                                 ": no mask compares columns of type " +
                                 std::string(to_string(asked.subject.type)));
    }
};

/// Windows are the cheapest to ask, expressions the dearest.
[[nodiscard]] inline int mask_cost(const leaf& asked) noexcept {
    if (std::holds_alternative<bounds<instant>>(asked.test)) return 0;
    return std::holds_alternative<metadata_query>(asked.test) ? 2 : 1;
}

}  // namespace detail

/// Where a leaf is asked: what messages call it, and a table's column.
struct mask_place {
    std::string parameter, column;
};

/// A leaf's parameter, and the column that it has in the schema.
[[nodiscard]] inline std::optional<mask_place> place_by_schema(const leaf& asked) {
    const std::string column(asked.subject.name);
    return mask_place{asked.param.empty() ? column : std::string(asked.param), column};
}

/// What a list query asks of the rows of a table, the cheapest conditions first; page and order are
/// no conditions on rows. `place_of(leaf)` gives a mask_place, or nothing for a leaf that is known
/// to hold for every row. A metadata expression asks about JSON texts.
///
/// ```
/// auto conditions = sluice::store::mask_conditions(sluice::to_list_query(params, *query));
/// const auto filter = sluice::arrow::table_filter::make(type, *std::move(conditions));
/// const auto mask = filter->mask(array);  // a bit a row
/// ```
///
/// fault::unsupported of decimals and booleans, and of a tree of conditions: each has to hold.
template <std::invocable<const leaf&> PlaceOf>
[[nodiscard]] arrow::import_result<std::vector<arrow::condition>> mask_conditions(
    const list_query& query, const PlaceOf& place_of) {
    if (!is_list_of_leaves(query.rows)) {
        return arrow::refuse(arrow::fault::unsupported, "expected conditions joined by AND alone");
    }
    std::vector<arrow::condition> all;
    for (const int cost : {0, 1, 2}) {
        for (const leaf& each : query.rows.leaves()) {
            std::optional<mask_place> place = place_of(each);
            if (!place || detail::mask_cost(each) != cost) continue;
            auto wanted = std::visit(detail::mask_test{each}, each.test);
            if (!wanted) return tl::unexpected(std::move(wanted.error()));
            all.push_back(
                {std::move(place->parameter), std::move(place->column), *std::move(wanted)});
        }
    }
    return all;
}
[[nodiscard]] inline arrow::import_result<std::vector<arrow::condition>> mask_conditions(
    const list_query& query) {
    return mask_conditions(query, place_by_schema);
}

}  // namespace sluice::store

#endif
