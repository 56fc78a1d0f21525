// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_KEY_READER_HPP
#define SLUICE_SQL_DETAIL_KEY_READER_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sluice/base/real.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/uuid.hpp>
#include <sluice/sql/detail/native_values.hpp>
#include <sluice/sql/mapping.hpp>
#include <sluice/sql/prepare.hpp>

/// A key reader: it converts the sort keys that a database returned for a row to keys of a cursor.
namespace sluice::sql::detail {

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

    key operator()(std::monostate) const {
        const bool may_be_nan = by_.type == column_type::real;  // which ClickHouse orders as NULL
        return by_.is_nullable || may_be_nan ? key(std::nullopt) : refuse();
    }
    key operator()(std::int64_t number) const {
        // SQLite's flags are numbers.
        if (by_.type == column_type::boolean && (number == 0 || number == 1)) {
            return (*this)(number == 1);
        }
        if (by_.type == column_type::real) return (*this)(static_cast<double>(number));
        if (!is_integer() && by_.type != column_type::decimal) return refuse();
        return std::to_string(number);
    }
    key operator()(double number) const {
        if (by_.type != column_type::real) return refuse();
        if (number != number) return by_.is_nullable ? key(std::nullopt) : std::string(nan_key);
        return sluice::detail::real_text(number);
    }
    key operator()(bool flag) const {
        if (by_.type != column_type::boolean) return refuse();
        return flag ? "true" : "false";
    }
    key operator()(const std::string& text) const {
        switch (by_.type) {
            case column_type::text: return text;
            case column_type::decimal: return decimal(text);
            case column_type::real: {
                if (text == "NaN" || text == nan_key) return std::string(nan_key);
                const auto number = sluice::detail::parse_any_real(text);
                return number ? (*this)(*number) : refuse();
            }
            case column_type::uuid: {
                const auto id = parse_uuid(text);
                return id ? key(id->text()) : refuse();
            }
            case column_type::date:
            case column_type::choice: return is_key_of(by_, text) ? key(text) : refuse();
            case column_type::time: return time_key(text);
            case column_type::integer:
            case column_type::boolean:
            case column_type::json:
            case column_type::records: break;
        }
        return refuse();
    }
    template <class Item>
    key operator()(const std::vector<Item>&) const {
        return refuse();
    }

private:
    /// Converts a text of a native type to a key: milliseconds, or RFC 3339 if it has more digits.
    [[nodiscard]] key time_key(const std::string& text) const {
        const auto time = parse_precise_time(text);
        if (!time || parse_int64(text)) return refuse();
        if (time->digits.empty()) return to_time_key(time->at.time_since_epoch().count());
        return to_zoned_text(*time);
    }
    [[nodiscard]] bool is_integer() const noexcept {
        return by_.type == column_type::integer || by_.type == column_type::time;
    }
    [[nodiscard]] key decimal(const std::string& text) const {
        const std::string_view shown(text.data(), text.size() - (text.ends_with("e0") ? 2 : 0));
        const std::string_view special = key_of_special(shown);
        if (!special.empty()) return std::string(special);
        // The keys of native types have an exponent, which no order key has.
        const bool is_order_key = is_prepared_ && text.find('e') == text.npos;
        const auto number = is_order_key ? number_of(text) : std::optional(text);
        return number && sluice::detail::parse_decimal(*number) ? key(number) : refuse();
    }
    /// Returns advice about the column's values.
    [[nodiscard]] std::string_view expected() const noexcept {
        switch (by_.type) {
            case column_type::text: return "expected a text";
            case column_type::integer: return "expected a whole number";
            case column_type::time:
                return "expected milliseconds since 1970, a whole number, or RFC 3339";
            case column_type::boolean: return "expected true or false";
            case column_type::decimal: break;
            case column_type::real: return "expected a number";
            case column_type::date: return "expected a day such as 2026-08-21";
            case column_type::uuid: return "expected a UUID";
            case column_type::choice: return "expected one of the column's choices";
            case column_type::json:
            case column_type::records: return "choose another order";
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

}  // namespace sluice::sql::detail

#endif
