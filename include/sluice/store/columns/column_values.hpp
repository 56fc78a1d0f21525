// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMNS_COLUMN_VALUES_HPP
#define SLUICE_STORE_COLUMNS_COLUMN_VALUES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <simdjson.h>

#include <sluice/base/ascii.hpp>
#include <sluice/base/json_writer.hpp>
#include <sluice/base/real.hpp>
#include <sluice/base/visit.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/page.hpp>
#include <sluice/query/uuid.hpp>
#include <sluice/query/where.hpp>
#include <sluice/store/columns/list_values.hpp>
#include <sluice/store/columns/value_reader.hpp>
#include <sluice/store/numbers/number_list.hpp>
#include <sluice/store/texts/chunked_list.hpp>
#include <sluice/store/texts/code_cache.hpp>
#include <sluice/time/day.hpp>
#include <sluice/time/instant.hpp>

namespace sluice::store {

/// The dictionary of a column's distinct values: rows hold their codes, and a condition is a set of
/// codes. Each value has a distinct text:
///
/// ```
/// text, json      as it is               time      2026-08-21T02:30:15.000Z
/// choice          as it is               date      2026-08-21
/// uuid            in lower case          boolean   true / false
/// integer, real   the shortest number    list      ["a","b"], [1,2]
/// decimal         as it was written
/// ```
///
/// One thread adds values; any number of threads look up values that they have seen.
class column_values {
public:
    explicit column_values(const column& of, hash_seed seed)
        : column_(of),
          texts_(seed),
          numbers_(of),
          lists_(of.is_list ? std::make_unique<list_values>(seed) : nullptr) {}

    [[nodiscard]] const column& of() const noexcept { return column_; }
    [[nodiscard]] const dictionary& texts() const noexcept { return texts_; }
    /// Returns the numbers by code; null if the column has none.
    [[nodiscard]] const number_list* numbers() const noexcept {
        return number_list::holds(column_) ? &numbers_ : nullptr;
    }

    /// Checks that the column can hold a value. NaN counts as missing. Errors, with the column's
    /// name as param: field_missing, field_type, number_malformed for a decimal and for infinity,
    /// time_out_of_range; of a UUID value_malformed and of a choice choice_unknown, in lists too.
    [[nodiscard]] result<void> check(const cell& value) const {
        if (is_missing(value)) {
            if (!column_.is_nullable) return fail_in(rule::field_missing, column_.name);
            return {};
        }
        if (!is_of_type(value)) return fail_in(rule::field_type, column_.name);
        return sluice::detail::visit_as<result<void>>(fit{column_}, value);
    }

    /// Returns the code of a value, adding it if needed. Expects a value that passes check().
    code encode(const cell& value) {
        if (is_missing(value)) return absent;
        const auto* const text = std::get_if<std::string_view>(&value);
        if (text && column_.type != column_type::uuid) return encode(*text, value);
        return encode(sluice::detail::visit_as<std::string>(text_of{column_}, value), value);
    }

    /// Returns true if the texts become strings in JSON.
    [[nodiscard]] bool is_quoted() const noexcept {
        constexpr column_types quoted =
            set_of(column_type::text, column_type::time, column_type::date, column_type::uuid,
                   column_type::choice);
        return (quoted & set_of(column_.type)) != 0 && !column_.is_list;
    }
    /// Returns the JSON of a code's value.
    [[nodiscard]] std::string json(code of) const {
        if (of == absent) return "null";
        if (!is_quoted()) return std::string(texts_.text(of));
        std::string json;
        sluice::detail::append_json_string(json, texts_.text(of));
        return json;
    }

    /// Returns a reader of the values, which views this.
    [[nodiscard]] value_reader reader() const noexcept {
        return {column_, texts_, numbers(), lists_.get()};
    }

    /// Writes the values of the codes below `size`; others may be added meanwhile. Any thread.
    void save(archive_writer& archive, std::size_t size) const {
        if (!numbers()) return texts_.save(archive, size);
        size = std::min(size, numbers_.size());  // a text may have been added without its number
        texts_.save(archive, size);
        numbers_.save(archive, size);
    }
    /// Reads the values of an archive. Expects no values yet.
    void open(archive_reader& archive) {
        if (!numbers() && !column_.is_list) return texts_.open(archive);
        texts_.open_all(archive);
        if (numbers()) return numbers_.open(archive, texts_);
        simdjson::dom::parser parser;
        for (code c = 1; c < texts_.size() && !archive.has_failed(); ++c) {
            if (!open_list(parser.parse(texts_.text(c)))) archive.fail();
        }
    }
    /// Returns the memory use of values and their index, in bytes.
    [[nodiscard]] std::size_t bytes() const {
        return texts_.bytes() + numbers_.bytes() + (lists_ ? lists_->bytes() : 0);
    }

private:
    /// Checks that a column has a value of its type. Errors are those of check().
    struct fit {
        const column& of;

        template <class Value>
        result<void> operator()(const Value&) const {
            return {};
        }
        result<void> operator()(double number) const {
            constexpr double most = std::numeric_limits<double>::max();
            return number < -most || number > most ? broken(rule::number_malformed)
                                                   : result<void>();
        }
        result<void> operator()(instant at) const {
            const bool is_beyond = at < earliest_instant || at > latest_instant;
            return is_beyond ? broken(rule::time_out_of_range) : result<void>();
        }
        result<void> operator()(calendar_day day) const {
            const bool is_beyond = day < earliest_day || day > latest_day;
            return is_beyond ? broken(rule::time_out_of_range) : result<void>();
        }
        result<void> operator()(std::string_view text) const {
            if (of.type == column_type::decimal && !sluice::detail::parse_decimal(text)) {
                return broken(rule::number_malformed);
            }
            if (of.type == column_type::choice && place_of_choice(of, text) == of.choices.size()) {
                return broken(rule::choice_unknown);
            }
            if (of.type != column_type::uuid) return {};
            auto id = parse_uuid(text);
            if (id) return {};
            id.error().param = of.name;
            return tl::unexpected(id.error());
        }
        result<void> operator()(std::span<const std::string_view> items) const {
            for (const std::string_view item : items) {
                if (auto fits = (*this)(item); !fits) return fits;
            }
            return {};
        }

    private:
        [[nodiscard]] result<void> broken(rule by) const { return fail_in(by, of.name); }
    };
    /// Returns the text of a cell. Absent cells have none, columns of JSON and records
    /// hold texts, not lookups.
    struct text_of {
        const column& of;

        std::string operator()(std::monostate) const { return {}; }
        std::string operator()(const scalar_lookup&) const { return {}; }
        std::string operator()(const record_lookup&) const { return {}; }
        std::string operator()(std::string_view text) const {
            return of.type == column_type::uuid ? sluice::detail::to_lower(text)
                                                : std::string(text);
        }
        std::string operator()(std::int64_t number) const {
            return of.type == column_type::real ? (*this)(static_cast<double>(number))
                                                : std::to_string(number);
        }
        std::string operator()(double number) const { return sluice::detail::real_text(number); }
        std::string operator()(const scaled_number& number) const {
            return to_string(decimal_number(number));
        }
        std::string operator()(instant at) const { return std::string(format_timestamp(at)); }
        std::string operator()(calendar_day day) const { return format_day(day); }
        std::string operator()(bool flag) const { return flag ? "true" : "false"; }
        template <class Item>
        std::string operator()(std::span<const Item> items) const {
            std::string text;
            sluice::detail::json_writer json(text);
            json.begin_array();
            for (const Item& item : items) {
                if constexpr (std::is_same_v<Item, std::int64_t>) {
                    json.value(item);
                } else {
                    json.value((*this)(item));
                }
            }
            json.end_array();
            return text;
        }
    };

    /// Returns true if a cell has no value; NaN counts as missing.
    [[nodiscard]] static bool is_missing(const cell& value) noexcept {
        const auto* const number = std::get_if<double>(&value);
        return std::holds_alternative<std::monostate>(value) || (number && *number != *number);
    }
    /// Returns true if a value that isn't absent has the column's type; JSON and records are text.
    [[nodiscard]] bool is_of_type(const cell& value) const noexcept {
        if (column_.type == column_type::records)
            return std::holds_alternative<std::string_view>(value);
        return is_value_of(column_, value) && !std::holds_alternative<scalar_lookup>(value);
    }

    /// Returns the code of a value with a known text, adding it if needed. Reserves memory for its
    /// number or items first, so that out of memory adds nothing.
    code encode(std::string_view text, const cell& value) {
        if (column_.is_list) {
            const code known = texts_.find(text);
            return known != absent ? known : add_list(text, value);
        }
        if (!numbers()) return recent_.encode(texts_, text);
        numbers_.reserve_next();
        const code added = recent_.encode(texts_, text);
        if (added == numbers_.size()) numbers_.push_back(value, text);
        return added;
    }
    code add_list(std::string_view text, const cell& value) {
        auto items = sluice::detail::visit_as<list_values::stored_list>(item_store{*this}, value);
        const code added = texts_.encode(text);
        lists_->push_back(std::move(items));
        return added;
    }
    /// Stores the items of a list.
    struct item_store {
        column_values& in;

        template <class Value>
        list_values::stored_list operator()(const Value&) const {
            return {};  // no list
        }
        template <class Item>
        list_values::stored_list operator()(std::span<const Item> items) const {
            std::vector<std::string> texts;
            for (const Item& item : items) texts.push_back(text_of{in.column_}(item));
            const std::vector<std::string_view> views(texts.begin(), texts.end());
            if constexpr (std::is_same_v<Item, std::int64_t>) {
                return in.lists_->store(views, {items.begin(), items.end()});
            } else {
                return in.lists_->store(views);
            }
        }
    };
    /// Adds the next list from its JSON. Returns false if it isn't a list of texts or integers.
    [[nodiscard]] bool open_list(const simdjson::simdjson_result<simdjson::dom::element>& json) {
        simdjson::dom::array items;
        if (json.get_array().get(items) != simdjson::SUCCESS) return false;
        std::vector<std::string_view> texts;
        std::vector<std::int64_t> numbers;
        const bool is_integer = column_.type == column_type::integer;
        for (const simdjson::dom::element item : items) {
            const auto read = is_integer ? item.get_int64().get(numbers.emplace_back())
                                         : item.get_string().get(texts.emplace_back());
            if (read != simdjson::SUCCESS) return false;
        }
        const item_store store{*this};
        lists_->push_back(is_integer ? store(std::span<const std::int64_t>(numbers))
                                     : store(std::span<const std::string_view>(texts)));
        return true;
    }

    column column_;
    dictionary texts_;
    code_cache recent_;                   // codes of recent texts; not of lists
    number_list numbers_;                 // by code, see numbers()
    std::unique_ptr<list_values> lists_;  // by code; null unless in a list column
};

}  // namespace sluice::store

#endif
