// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_RECORD_FILTER_HPP
#define SLUICE_SQL_DETAIL_RECORD_FILTER_HPP

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/query/where.hpp>
#include <sluice/sql/detail/jsonb_filter.hpp>
#include <sluice/sql/detail/list_writer.hpp>
#include <sluice/sql/detail/test_fragments.hpp>

/// Values of records, and prefilters: tests that every row meets that meets the exact test beside
/// them.
namespace sluice::sql::detail {

/// Returns the fragment of a record's value; empty for types that no statement reads exactly.
[[nodiscard]] constexpr std::string_view value_of_record(const column& of,
                                                         const test_fragments& how) noexcept {
    switch (of.type) {
        case column_type::text:
        case column_type::uuid:
        case column_type::choice: return of.is_list ? how.list_of : how.text_of;
        case column_type::integer: return of.is_list ? how.integers_of : how.integer_of;
        case column_type::time: return how.integer_of;
        case column_type::boolean: return how.boolean_of;
        case column_type::real: return how.real_of;
        case column_type::date: return how.date_of;
        case column_type::decimal:
        case column_type::json:
        case column_type::records: break;
    }
    return {};
}
/// Returns true for a key that needs no escape in SQL or in a path.
[[nodiscard]] inline bool is_plain_key(std::string_view key) noexcept {
    return std::ranges::none_of(
        key, [](char byte) { return byte == '\'' || byte == '"' || byte == '\\' || byte == '\0'; });
}

/// A prefilter: a record's text `key` is any of `values`.
struct record_equality {
    std::string key;
    std::vector<std::string> values;
};

/// Finds an equality of a text that every record has to meet if it meets a condition; nullopt if
/// there is none.
struct record_equalities {
    const parameters& bound;

    [[nodiscard]] std::optional<record_equality> leaf(const sluice::leaf& source) const {
        const auto* const test = std::get_if<text_test>(&source.test);
        const column& subject = source.subject;
        const bool is_text =
            subject.type == column_type::text || subject.type == column_type::choice;
        const bool is_equality = test != nullptr && !test->wanted.empty() &&
                                 !test->wanted.excludes() && is_text && !subject.is_list;
        if (!is_equality || !record_of(subject.how).is_exact()) return std::nullopt;
        record_equality equality{std::string(subject.name), {}};
        for (const std::string_view value : test->wanted.values()) {
            if (bound.can_hold(value)) equality.values.emplace_back(value);
        }
        return equality;
    }
    [[nodiscard]] static std::optional<record_equality> negation(
        const std::optional<record_equality>&) {
        return std::nullopt;
    }
    [[nodiscard]] static std::optional<record_equality> group(
        where_kind kind, std::vector<std::optional<record_equality>> operands) {
        if (kind != where_kind::conjunction) return std::nullopt;
        for (std::optional<record_equality>& operand : operands) {
            if (operand) return std::move(operand);
        }
        return std::nullopt;
    }
};

/// Returns the texts of an equality of records.
[[nodiscard]] inline contained_texts texts_of(const record_equality& equality) {
    contained_texts texts;
    for (const std::string& value : equality.values) {
        add_texts(texts, std::span(&equality.key, 1), value);
    }
    for (std::string& text : texts) text = "[" + text + "]";
    return texts;
}

/// Returns a prefilter of JSON: a test that every row passes whose records meet the condition, and
/// that an index serves or that costs less than the exact test; nullopt if there is none.
[[nodiscard]] inline std::optional<std::string> record_filter(dialect of, parameters& bound,
                                                              const std::string& json,
                                                              const where& wanted) {
    const auto equality = wanted.visit(record_equalities{bound});
    if (!equality) return std::nullopt;
    if (of == dialect::postgresql) return contains_any(json, texts_of(*equality), bound);
    const json_text_writer text(of, bound, json, false);
    if (!text.can_test(equality->values)) return std::nullopt;
    std::vector<std::string> literals;
    for (const std::string& value : equality->values) {
        literals.push_back(json_text_writer::literal_of(value));
        // MariaDB reads true and false as 1 and 0.
        if (value == "1") literals.emplace_back("true");
        if (value == "0") literals.emplace_back("false");
    }
    return text.may_have(literals, false);
}

}  // namespace sluice::sql::detail

#endif
