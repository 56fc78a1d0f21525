// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_RECORD_FILTER_HPP
#define SLUICE_SQL_DETAIL_RECORD_FILTER_HPP

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

/// Prefilters of records: tests that every row meets that meets the exact test beside them.
namespace sluice::sql::detail {

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
