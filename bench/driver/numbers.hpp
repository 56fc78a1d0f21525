// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_NUMBERS_HPP
#define SLUICE_BENCH_DRIVER_NUMBERS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <sluice/query/list.hpp>
#include <sluice/sluice.hpp>
#include <sluice/store/select.hpp>

#include "operation.hpp"

namespace sluice_bench {

inline constexpr sluice::schema numbers_schema{
    sluice::column{.name = "id"},
    sluice::column{.name = "count", .type = sluice::column_type::integer},
    sluice::column{.name = "total", .type = sluice::column_type::decimal},
    sluice::column{.name = "paid", .type = sluice::column_type::time, .is_nullable = true},
    sluice::column{.name = "name"}};

inline constexpr std::array<std::string_view, 4> number_sorts{"count", "paid", "name", "total"};

/// The parameters of a list of numbered rows: at most one condition, and an order.
struct numbers_query {
    std::optional<std::int64_t> count_from{}, count_to{};
    std::optional<sluice::decimal_number> total_from{}, total_to{};
    std::optional<sluice::instant> paid_from{}, paid_to{};
    std::optional<std::string> part{};
    sluice::sort_choices order{{0, sluice::sort_order::descending}};
    std::int64_t limit = 100;
};

inline constexpr sluice::param_table numbers_params{
    numbers_schema,
    sluice::integer_param<&numbers_query::count_from, 0>(
        {.name = "count[gte]", .column = "count", .op = sluice::comparison::at_least}),
    sluice::integer_param<&numbers_query::count_to, 0>(
        {.name = "count[lte]", .column = "count", .op = sluice::comparison::at_most}),
    sluice::value_param<&numbers_query::total_from>(
        {.name = "total[gte]", .column = "total", .op = sluice::comparison::at_least}),
    sluice::value_param<&numbers_query::total_to>(
        {.name = "total[lte]", .column = "total", .op = sluice::comparison::at_most}),
    sluice::instant_param<&numbers_query::paid_from>(
        {.name = "paid[gte]", .column = "paid", .op = sluice::comparison::at_least}),
    sluice::instant_param<&numbers_query::paid_to>(
        {.name = "paid[lte]", .column = "paid", .op = sluice::comparison::at_most}),
    sluice::contains_param<&numbers_query::part>({.name = "part", .column = "name"}),
    sluice::sort_param<&numbers_query::order, number_sorts>({.name = "sortBy"}),
    sluice::page_size_param<&numbers_query::limit, 1'000>({.name = "limit"}),
};

/// A row as a program's own struct.
struct numbered_row {
    std::string id;
    std::int64_t number;  // the total in hundredths, too
    sluice::instant paid;
    std::string name;
};
inline constexpr auto numbered_accessors = sluice::accessors_of<numbered_row>(
    numbers_schema, sluice::member<&numbered_row::id>("id"),
    sluice::member<&numbered_row::number>("count"),
    sluice::member<&numbered_row::number, 2>("total"), sluice::member<&numbered_row::paid>("paid"),
    sluice::member<&numbered_row::name>("name"));

/// Rows of distinct numbers in random order, in a store and beside it; see numbers.py.
class numbered_rows {
public:
    explicit numbered_rows(std::int64_t size) {
        for (std::int64_t i = 0; i < size; ++i) {
            const std::int64_t number = (i * 7'654'321 + 12'345) % size;
            std::array<char, 64> text{};
            const auto write = [&](const char* format, auto... values) {
                std::snprintf(text.data(), text.size(), format, values...);
                return std::string(text.data());
            };
            const auto wide = [](std::int64_t value) { return static_cast<long long>(value); };
            const std::string total = write("%lld.%02lld", wide(number / 100), wide(number % 100));
            rows_.push_back(
                {write("r%07lld", wide(i)), number,
                 sluice::instant(std::chrono::milliseconds(first_ms + number * 977)),
                 write("%08llx %lld", wide(number * 2'654'435'761 % 4'294'967'296), wide(number))});
            const row& added = rows_.back();
            if (!store_.add({std::string_view(added.id), number, std::string_view(total),
                             added.paid, std::string_view(added.name)})) {
                throw std::runtime_error("a row doesn't fit");
            }
        }
        store_.publish();
    }

    [[nodiscard]] std::int64_t count(const std::string& text) const {
        return sluice::store::count(store_.current(), listed(text)).value();
    }
    [[nodiscard]] std::string page(const std::string& text) const {
        return sluice::store::select(store_.current(), listed(text)).value().json(layout_);
    }
    /// Counts by a loop over arrays of structs.
    [[nodiscard]] std::int64_t loop_count(const std::string& text) const {
        const numbers_query query = parsed(text);
        const cents_range total = in_cents(query);
        return std::ranges::count_if(
            rows_, [&](const row& tested) { return meets(tested, query, total); });
    }
    /// Makes a page by a loop and a partial sort.
    [[nodiscard]] std::string loop_page(const std::string& text) const {
        const numbers_query query = parsed(text);
        const cents_range total = in_cents(query);
        std::vector<const row*> matching;
        for (const row& tested : rows_) {
            if (meets(tested, query, total)) matching.push_back(&tested);
        }
        const auto end =
            matching.begin() + std::min<std::ptrdiff_t>(query.limit, std::ssize(matching));
        const std::size_t by = query.order.front().column;
        std::ranges::partial_sort(matching, end, [&](const row* a, const row* b) {
            return by == 2 ? a->name > b->name : a->number > b->number;  // all differ
        });
        std::string out;
        for (auto at = matching.begin(); at != end; ++at) append(out, **at);
        return "[" + out + "]";
    }
    /// Makes a page of the structs by their accessors.
    [[nodiscard]] std::string list_page(const std::string& text) const {
        const auto page = sluice::list(rows_, listed(text), numbered_accessors).value();
        std::string out;
        for (const row& shown : page) append(out, shown);
        return "[" + out + "]";
    }

private:
    static void append(std::string& out, const numbered_row& shown) {
        out.append(out.empty() ? "" : ",");
        out.append("{\"id\":\"").append(shown.id).append("\"}");
    }

    static constexpr std::int64_t first_ms = 1'700'000'000'000;
    using row = numbered_row;
    struct cents_range {
        std::int64_t from = 0, to = std::numeric_limits<std::int64_t>::max();
    };

    [[nodiscard]] static numbers_query parsed(const std::string& text) {
        const sluice::query_string pairs = sluice::parse_query_string(text);
        auto query = sluice::bind(numbers_params, pairs.pairs(), {.now = sluice::instant()});
        if (!query) throw std::runtime_error(message(query.error()));
        return *std::move(query);
    }
    [[nodiscard]] static sluice::list_query listed(const std::string& text) {
        return sluice::to_list_query(numbers_params, parsed(text));
    }
    [[nodiscard]] static cents_range in_cents(const numbers_query& query) {
        cents_range range;
        const auto cents = [](const sluice::decimal_number& number) {
            return static_cast<std::int64_t>(std::stod(number.text()) * 100 + 0.5);
        };
        if (query.total_from) range.from = cents(*query.total_from);
        if (query.total_to) range.to = cents(*query.total_to);
        return range;
    }
    [[nodiscard]] static bool meets(const row& tested, const numbers_query& query,
                                    const cents_range& total) {
        return (!query.count_from || tested.number >= *query.count_from) &&
               (!query.count_to || tested.number <= *query.count_to) &&
               tested.number >= total.from && tested.number <= total.to &&
               (!query.paid_from || tested.paid >= *query.paid_from) &&
               (!query.paid_to || tested.paid <= *query.paid_to) &&
               (!query.part || tested.name.find(*query.part) != std::string::npos);
    }

    std::vector<row> rows_;
    sluice::store::column_store store_{numbers_schema};
    sluice::store::json_layout layout_ = store_.layout({{"id"}}).value();
};

/// Adds `number_load ROWS`, `number_count TEXT` and `number_page TEXT` over numbered rows, and the
/// same by a plain loop: `loop_number_count`, `loop_number_page`; and `list_page TEXT` with its
/// loop, `loop_list_page`.
inline void add_numbers(operation_table& operations) {
    const auto rows = std::make_shared<std::unique_ptr<numbered_rows>>();
    operations["number_load"] = [rows](const std::string& size) {
        *rows = std::make_unique<numbered_rows>(std::stoll(size));
        return operation{[size] { return size; }};
    };
    const auto add = [&](const std::string& name, auto member) {
        operations[name] = [rows, member](const std::string& text) {
            return measured([rows, member, text] { return ((**rows).*member)(text); });
        };
    };
    add("number_count", &numbered_rows::count);
    add("number_page", &numbered_rows::page);
    add("loop_number_count", &numbered_rows::loop_count);
    add("loop_number_page", &numbered_rows::loop_page);
    add("list_page", &numbered_rows::list_page);
    add("loop_list_page", &numbered_rows::loop_page);
}

}  // namespace sluice_bench

#endif
