// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_CQL2_JSON_HPP
#define SLUICE_GRAMMARS_CQL2_JSON_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/cql2.hpp>
#include <sluice/grammars/detail/cql2_json_reader.hpp>
#include <sluice/grammars/detail/expression_writer.hpp>

/// The JSON form of OGC's Common Query Language, CQL2.
namespace sluice {

namespace detail {

/// Writes a filter; see to_cql2_json().
class cql2_json_writer final : public expression_writer {
public:
    explicit cql2_json_writer(const expression_columns& columns)
        : expression_writer(columns, {cql2_comparisons, ",", ",", {}, false}) {}

private:
    [[nodiscard]] static std::string operation(std::string_view name, std::string_view arguments) {
        return joined({R"({"op":")", name, R"(","args":[)", arguments, "]}"});
    }
    [[nodiscard]] static std::string operation(std::string_view name, std::string_view property,
                                               std::string_view value) {
        return operation(name, joined({property_text(property), ",", value}));
    }
    [[nodiscard]] static std::string quoted_text(std::string_view text) {
        std::string json;
        json_writer(json).value(text);
        return json;
    }
    [[nodiscard]] static std::string property_text(std::string_view name) {
        return joined({R"({"property":)", quoted_text(name), "}"});
    }
    [[nodiscard]] static std::string negation(std::string_view text) {
        return operation("not", text);
    }
    [[nodiscard]] grammar_style literals() const override { return cql2_json_style; }
    [[nodiscard]] std::string wrapped(const written& rows) const override {
        return rows.binding == where_kind::leaf ? rows.text : grouped(rows);
    }
    [[nodiscard]] std::string grouped(const written& part) const override {
        return operation(part.binding == where_kind::disjunction ? "or" : "and", part.text);
    }
    /// Writes a negation, with an AND of one argument around a test that has an opposite.
    [[nodiscard]] result<written> negated(const written& operand) const override {
        const bool is_plain = operand.binding == where_kind::leaf && !operand.has_opposite;
        return written{negation(is_plain ? operand.text : grouped(operand))};
    }
    [[nodiscard]] std::string quoted(std::string_view text) const override {
        return quoted_text(text);
    }
    [[nodiscard]] std::string value_of(const column& subject,
                                       std::string_view text) const override {
        if (subject.type == column_type::time)
            return joined({R"({"timestamp":)", quoted(text), "}"});
        if (subject.type == column_type::date) return joined({R"({"date":)", quoted(text), "}"});
        return expression_writer::value_of(subject, text);
    }
    [[nodiscard]] std::string comparison_text(std::string_view name, expression_comparison how,
                                              std::string_view value) const override {
        return operation(spelling_of(how), name, value);
    }
    [[nodiscard]] std::string part_text(std::string_view name, part_place place,
                                        std::string_view part) const override {
        return operation("like", name, quoted(with_wildcards(place, part, '%', "%_\\")));
    }
    [[nodiscard]] std::optional<std::string> no_part_text(std::string_view name, part_place place,
                                                          std::string_view part) const override {
        return negation(part_text(name, place, part));
    }
    [[nodiscard]] std::string null_text(std::string_view name, bool wanted) const override {
        const std::string text = operation("isNull", property_text(name));
        return wanted ? text : negation(text);
    }
    [[nodiscard]] std::optional<std::string> range_text(const std::string& name,
                                                        const std::string& least,
                                                        const std::string& most) const override {
        return operation("between", name, joined({least, ",", most}));
    }
    [[nodiscard]] std::optional<std::string> values_text(
        std::string_view name, const column&, test_kind kind,
        const std::vector<std::string>& values) const override {
        if (values.size() < 2) return std::nullopt;
        const bool is_all = kind == test_kind::all_of;
        const std::string text =
            operation(is_all ? "a_contains" : "in", name, listed("[", values, "]"));
        return kind == test_kind::none_of ? negation(text) : text;
    }
    [[nodiscard]] std::optional<std::string> constant_text(bool is_true) const override {
        return is_true ? "true" : "false";
    }
    [[nodiscard]] std::string spelled(const path& name) const override { return with_steps(name); }
    [[nodiscard]] bool is_negated(std::string_view text) const override {
        return text.starts_with(R"({"op":"not")");
    }
};

}  // namespace detail

/// Parses CQL2 in JSON. It gives the same tree as the text form.
///
/// ```
/// filter    = { "op": "and" / "or", "args": [ filter *( , filter ) ] }
///           / { "op": "not", "args": [ filter ] } / condition
/// condition = { "op": "=" / "<>" / "<" / "<=" / ">" / ">=", "args": [ name, value ] }
///           / { "op": "in" / "a_contains" / "a_overlaps", "args": [ name, [ value *( , value ) ] ]
///           } / { "op": "like", "args": [ name, value ] }   ; "%" at the ends stands for any text
///           / { "op": "between", "args": [ name, value, value ] }
///           / { "op": "isNull", "args": [ name ] }
///           / name / true / false                         ; a boolean; every row, none
/// name      = { "property": text } / { "op": "casei", "args": [ name ] }
/// value     = text / number / true / false / { "date": text } / { "timestamp": text }
///           / { "op": "casei", "args": [ value ] }
/// ```
///
/// Errors are those of parse_cql2(), at a byte of the JSON.
///
/// ```
/// const auto rows = sluice::parse_cql2_json(
///     R"({"op": ">", "args": [{"property": "total"}, 5]})", columns);
/// ```
[[nodiscard]] inline result<where> parse_cql2_json(std::string_view text,
                                                   const expression_columns& columns) {
    return detail::cql2_json_reader(text, columns).read();
}

/// Writes conditions as CQL2 in JSON, which parse_cql2_json() reads as equal ones. Error:
/// expression_inexpressible, with the column or the test.
[[nodiscard]] inline result<std::string> to_cql2_json(const where& rows,
                                                      const expression_columns& columns) {
    return detail::cql2_json_writer(columns).write(rows);
}

}  // namespace sluice

#endif
