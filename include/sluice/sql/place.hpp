// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_PLACE_HPP
#define SLUICE_SQL_PLACE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/query/list_query.hpp>
#include <sluice/sql/detail/order_writer.hpp>

namespace sluice::sql {

namespace detail {

/// Returns an error of a place, for which the program is to blame and not a request.
[[nodiscard]] constexpr tl::unexpected<error> fail_in_place(rule broken,
                                                            std::string_view param) noexcept {
    error refused = make_error(broken);
    refused.code = error_code::internal_server_error;
    refused.param = param;
    return tl::unexpected<error>(refused);
}

/// Converts a row's sort key, as the database returned it, to a cursor's key. Error:
/// value_malformed, for a value that no row has in the column.
class key_reader {
public:
    using key = result<std::optional<std::string>>;

    key_reader(const column& by, storage decimals)
        : by_(by), is_prepared_(decimals != storage::native) {}

    key operator()(std::monostate) const { return by_.is_nullable ? key(std::nullopt) : refuse(); }
    key operator()(std::int64_t number) const {
        // SQLite's flags are numbers.
        if (by_.type == column_type::boolean && (number == 0 || number == 1)) {
            return (*this)(number == 1);
        }
        if (!is_integer() && by_.type != column_type::decimal) return refuse();
        return std::to_string(number);
    }
    key operator()(bool flag) const {
        if (by_.type != column_type::boolean) return refuse();
        return flag ? "true" : "false";
    }
    key operator()(const std::string& text) const {
        if (by_.type == column_type::text) return text;
        if (by_.type != column_type::decimal) return refuse();
        const bool is_number = sluice::detail::parse_decimal(text).has_value();
        const auto number = is_prepared_ ? number_of(text) : std::optional(text);
        return number && (is_prepared_ || is_number) ? key(number) : refuse();
    }
    template <class Item>
    key operator()(const std::vector<Item>&) const {
        return refuse();
    }

private:
    [[nodiscard]] bool is_integer() const noexcept {
        return by_.type == column_type::integer || by_.type == column_type::time;
    }
    /// Returns advice about the column's values.
    [[nodiscard]] std::string_view expected() const noexcept {
        switch (by_.type) {
            case column_type::text: return "expected a text";
            case column_type::integer: return "expected a whole number";
            case column_type::time: return "expected milliseconds since 1970, a whole number";
            case column_type::boolean: return "expected true or false";
            case column_type::decimal: break;
            case column_type::json: return "choose another order";
        }
        return is_prepared_ ? "expected an order key, as the table has it" : "expected a number";
    }
    [[nodiscard]] tl::unexpected<error> refuse() const {
        auto malformed = fail_in_place(rule::value_malformed, by_.name);
        malformed.value().accepts = expected();
        return malformed;
    }

    const column& by_;
    bool is_prepared_;
};

/// Returns the error of a wrong number of sort keys.
[[nodiscard]] constexpr tl::unexpected<error> fail_count(std::size_t actual,
                                                         std::size_t wanted) noexcept {
    auto failed =
        fail_in_place(actual < wanted ? rule::list_too_short : rule::list_too_long, "keys");
    failed.value().bound = static_cast<std::int64_t>(wanted);
    return failed;
}

}  // namespace detail

/// Returns the place after a row of a page, or before it, at which the neighbouring page begins. It
/// is made of the row's sort keys, as the database returned them. compile() takes it as the cursor
/// of the same query.
///
/// ```
/// place_beside(query, {std::int64_t{1'787'279'415'123}, "order_17"})
/// ```
///
/// `decimals` is their storage in the table. Errors: list_too_short or list_too_long, for a wrong
/// number of keys; value_malformed, for a key that its column, which the error names, doesn't hold.
/// Their code is internal_server_error.
[[nodiscard]] inline result<cursor> place_beside(const list_query& query,
                                                 const std::vector<value>& keys,
                                                 bool is_before = false,
                                                 storage decimals = storage::prepared) {
    const std::vector<sort_key> order = whole_order(query);
    if (order.size() != keys.size()) return detail::fail_count(keys.size(), order.size());
    cursor place{is_before, query_mark(query), 0, {}};
    for (std::size_t at = 0; at < keys.size(); ++at) {
        column by = order[at].by;
        // Only the table knows the type of an id that the query doesn't name.
        const bool is_number = std::holds_alternative<std::int64_t>(keys[at]);
        if (at == query.order.size() && is_number) by.type = column_type::integer;
        auto key = std::visit(detail::key_reader(by, decimals), keys[at]);
        if (!key) return tl::unexpected(key.error());
        place.keys.push_back(*std::move(key));
    }
    cut_long_keys(place, order);
    return place;
}

}  // namespace sluice::sql

#endif
