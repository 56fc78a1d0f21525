// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_PARAMETERS_HPP
#define SLUICE_SQL_DETAIL_PARAMETERS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/sql/detail/fragments.hpp>

namespace sluice::sql::detail {

/// Binds the parameters of a statement: each call returns the placeholder of its value.
class parameters {
public:
    explicit parameters(dialect of) noexcept : dialect_(of), fragments_(fragments_of(of)) {}

    std::string add(std::int64_t number) { return put(fragments_.integer, number); }
    std::string add(bool flag) { return put(fragments_.boolean, flag); }
    std::string add(std::string text) { return put(fragments_.text, std::move(text)); }
    /// Binds a text; NULL if no row can hold it.
    std::string add_text(std::string_view text) {
        return add_optional(can_hold(text) ? std::optional(std::string(text)) : std::nullopt);
    }
    std::string add(std::vector<std::int64_t> numbers) {
        return put_list(fragments_.integers, std::move(numbers));
    }
    /// Binds texts, without those that no row can hold.
    std::string add(std::vector<std::string> texts) {
        return put_list(fragments_.texts, held(std::move(texts)));
    }

    /// Binds the first of some numbers; NULL if there is none.
    std::string add_first(const std::vector<std::int64_t>& numbers) {
        return put(fragments_.integer, numbers.empty() ? value() : value(numbers.front()));
    }

    std::string add_optional(std::optional<std::string> text) {
        return text ? add(*std::move(text)) : put(fragments_.text, std::monostate());
    }
    /// Binds a path; NULL if no row's JSON can have it.
    std::string add_path(std::span<const std::string> keys) {
        const auto is_held = [this](const std::string& key) { return can_hold(key); };
        if (!std::ranges::all_of(keys, is_held)) return put(fragments_.texts, std::monostate());
        return add(std::vector<std::string>(keys.begin(), keys.end()));
    }

    /// Returns true if a row can hold a text. SQLite's JSON functions would cut it at a NUL and so
    /// match other rows; PostgreSQL refuses NUL.
    [[nodiscard]] bool can_hold(std::string_view text) const noexcept {
        if (dialect_ == dialect::clickhouse) return true;
        const bool may_hold_nul = dialect_ == dialect::duckdb;
        return sluice::detail::is_valid_utf8(text) &&
               (may_hold_nul || text.find('\0') == std::string_view::npos);
    }

    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    [[nodiscard]] std::vector<value> take() && { return std::move(values_); }

private:
    [[nodiscard]] std::vector<std::string> held(std::vector<std::string> texts) const {
        std::erase_if(texts, [this](const std::string& text) { return !can_hold(text); });
        return texts;
    }
    std::string put(std::string_view fragment, value bound) {
        values_.push_back(std::move(bound));
        return fill(fragment, {std::to_string(values_.size())});
    }
    template <class Item>
    std::string put_list(std::string_view fragment, std::vector<Item> items) {
        if (dialect_ != dialect::sqlite) return put(fragment, std::move(items));
        std::string json;
        sluice::detail::json_writer writer(json);
        writer.begin_array();
        for (const Item& item : items) writer.value(item);
        writer.end_array();
        return put(fragment, std::move(json));
    }

    dialect dialect_;
    const fragments& fragments_;
    std::vector<value> values_;
};

}  // namespace sluice::sql::detail

#endif
