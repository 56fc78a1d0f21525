// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_CQL2_JSON_HPP
#define SLUICE_GRAMMARS_CQL2_JSON_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/cql2.hpp>
#include <sluice/grammars/detail/cql2_operation.hpp>
#include <sluice/grammars/detail/expression_reader.hpp>
#include <sluice/grammars/detail/expression_writer.hpp>

/// The JSON form of OGC's Common Query Language, CQL2.
namespace sluice {

namespace detail {

inline constexpr grammar_style cql2_json_style{
    .quoted = cql2_style.quoted,
    .bare = cql2_style.bare,
    .end_advice = "expected the end",
    .is_prefix = true,
    .time_advice = R"(expected {"timestamp": "2026-08-21T02:30:15Z"})",
    .date_advice = R"(expected {"date": "2026-08-21"})"};

/// Reads a filter; see parse_cql2_json().
class cql2_json_reader final : public expression_reader {
public:
    cql2_json_reader(std::string_view text, const expression_columns& columns)
        : expression_reader(text, columns, cql2_json_style), text_(text) {
        ends_.reserve(8);
    }

private:
    // --- Operations ------------------------------------------------------------------------

    /// Returns the operation that is next. It is looked for as a NOT, a group and a condition in
    /// turn, and read once.
    [[nodiscard]] const cql2_operation& next_operation() {
        if (next_offset_ != scan_.offset()) {
            next_offset_ = scan_.offset();
            next_ = read_cql2_operation(text_, next_offset_);
        }
        return next_;
    }
    /// Moves to the arguments of the operation that is next.
    void enter() {
        ends_.push_back(next_.end);
        scan_.return_to(next_.arguments);
        scan_.skip_space();
    }
    /// Moves from behind the last argument of an operation to its end.
    result<void> take_closing() override {
        if (!take_byte(']')) {
            return fail_at(scan_.next(), rule::query_bracket, "expected ']' after the arguments");
        }
        const std::size_t end = ends_.back();
        ends_.pop_back();
        if (end != 0) scan_.return_to(end);
        if (end != 0 || take_byte('}')) return {};
        if (!scan_.take(',')) {
            return fail_at(scan_.next(), rule::query_bracket, "expected '}' after the arguments");
        }
        scan_.skip_space();
        const auto member = read_json_text();
        if (!member) return tl::unexpected<error>(member.error());
        return fail_at(member->place, rule::expression_malformed, members_advice);
    }
    bool take_not() override {
        if (!equal_bytes(next_operation().name, "not")) return false;
        enter();
        return true;
    }
    result<void> take_not_end() override { return take_closing(); }
    std::optional<where_kind> take_group() override {
        const bool is_and = equal_bytes(next_operation().name, "and");
        if (!is_and && !equal_bytes(next_.name, "or")) return std::nullopt;
        enter();
        return is_and ? where_kind::conjunction : where_kind::disjunction;
    }
    /// Takes the comma between arguments. There is none around the whole expression.
    bool take_connective(where_kind) override { return !ends_.empty() && take_comma(); }

    // --- Conditions ------------------------------------------------------------------------

    result<void> read_condition() override {
        for (const bool is_true : {true, false}) {
            if (scan_.take(is_true ? "true" : "false")) return maker_.constant(is_true);
        }
        const cql2_operation next = next_operation();
        if (next.name.empty()) {
            const auto named = read_property();
            if (!named) return tl::unexpected<error>(named.error());
            return maker_.is_true(*named);
        }
        enter();
        return closed(read_test(next.name, next.place));
    }
    result<void> read_test(std::string_view name, text_place op) {
        const auto how = comparison_of(name, cql2_comparisons);
        const bool is_list_test = name == "a_contains" || name == "a_overlaps";
        const bool is_known = how || is_list_test || name == "in" || name == "like" ||
                              name == "between" || name == "isNull";
        if (!is_known) return fail_at(op, rule::expression_unsupported);
        const auto named = read_subject();
        if (!named) return tl::unexpected<error>(named.error());
        if (name == "isNull") return maker_.is_null(*named, true, op);
        if (name == "in" || is_list_test) {
            const auto values = read_next_list("expected ',' and a list", "[");
            if (!values) return tl::unexpected<error>(values.error());
            if (is_list_test) return maker_.in_list(*named, *values, name == "a_contains", op);
            return maker_.any_of(*named, *values, false, op);
        }
        const auto value = read_next_value("expected ',' and a value");
        if (!value) return tl::unexpected<error>(value.error());
        if (name == "like") return match(*named, op, *value, "%");
        if (how) return maker_.compare(*named, *how, op, *value);
        const auto most = read_next_value("expected ',' and a second value");
        if (!most) return tl::unexpected<error>(most.error());
        return maker_.between(*named, op, *value, *most);
    }

    // --- Names and values ------------------------------------------------------------------

    /// Reads a property, or casei of one whose column ignores the case.
    result<named_column> read_subject() {
        const text_place op = next_operation().place;
        if (next_.name.empty()) return read_property();
        if (next_.name != "casei") return fail_at(op, rule::expression_unsupported);
        enter();
        return in_any_case(closed(read_property()), op);
    }
    result<named_column> read_property() {
        const auto tagged = read_tagged();
        if (!tagged) return tl::unexpected<error>(tagged.error());
        if (equal_bytes(tagged->tag, "property"))
            return find(tagged->value.text, tagged->value.place);
        return fail_at(tagged->value.place, rule::expression_unsupported, "expected a property");
    }
    /// An object with a text, such as `{"property": "name"}`.
    struct tagged_text {
        std::string_view tag{};
        literal value{};
    };
    result<tagged_text> read_tagged() {
        const std::size_t first = scan_.offset();
        const text_place fault = next_operation().fault;
        if (!scan_.take('{')) {
            return fail_at(scan_.next(), rule::query_condition,
                           R"(expected an object such as {"op": "=", "args": [...]})");
        }
        scan_.skip_space();
        const auto tag = read_json_text();
        if (!tag) return tl::unexpected<error>(tag.error());
        if (auto colon = expect(":", "expected ':'"); !colon) {
            return tl::unexpected<error>(colon.error());
        }
        const std::string_view name = scan_.spelled({tag->place.offset + 1, tag->place.length - 2});
        if (name == "op" || name == "args") {
            return fail_at(fault, rule::expression_malformed, members_advice);
        }
        if (scan_.peek() != '"') return fail_at(tag->place, rule::expression_unsupported);
        auto value = read_json_text();
        if (!value) return tl::unexpected<error>(value.error());
        if (!take_byte('}')) return fail_at(scan_.next(), rule::query_bracket, "expected '}'");
        value->place = scan_.since(first);
        return tagged_text{name, *std::move(value)};
    }
    result<literal> read_value() override {
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        if (scan_.peek() == '"') return read_json_text();
        if (scan_.peek() != '{') return read_word();
        if (next_operation().name == "casei") {
            enter();
            auto value = closed(read_value());
            if (!value) return value;
            for (char& byte : value->text) byte = to_lower(byte);
            value->place = scan_.since(first);
            return value;
        }
        if (!next_.name.empty()) return fail_at(next_.place, rule::expression_unsupported);
        auto tagged = read_tagged();
        if (!tagged) return tl::unexpected<error>(tagged.error());
        const bool is_time = tagged->tag == "timestamp";
        if (!is_time && tagged->tag != "date") {
            return fail_at(tagged->value.place, rule::expression_unsupported);
        }
        tagged->value.type = is_time ? column_type::time : column_type::date;
        return std::move(tagged->value);
    }
    /// Reads a number, true or false.
    result<literal> read_word() {
        const std::size_t first = scan_.offset();
        const std::string_view word = take_bare_word();
        const bool is_number = !word.empty() && (is_digit(word[0]) || word[0] == '-');
        if (is_number || word == "true" || word == "false") {
            return literal{std::string(word), false, scan_.since(first), {}};
        }
        const text_place place = word.empty() ? scan_.next() : scan_.since(first);
        return fail_at(place, rule::query_value,
                       R"(expected a value such as "text", 5, true or {"date": "2026-08-21"})");
    }

    static constexpr std::string_view members_advice =
        "expected op, a text, and args, a list, once each, and a closing bracket for each";

    std::string_view text_;
    std::vector<std::size_t> ends_{};  // of the operations around the next token
    cql2_operation next_{};
    std::size_t next_offset_ = std::string_view::npos;  // where next_ was read
};

/// Writes a filter; see to_cql2_json().
class cql2_json_writer final : public expression_writer {
public:
    explicit cql2_json_writer(const expression_columns& columns)
        : expression_writer(columns, cql2_json_style,
                            {.comparisons = cql2_comparisons,
                             .conjunction = ",",
                             .disjunction = ",",
                             .every_row = "true",
                             .no_row = "false",
                             .quoted = with_json_quotes,
                             .ranks_groups = false}) {}

private:
    [[nodiscard]] static std::string operation(std::string_view name, std::string_view arguments) {
        return joined({R"({"op":")", name, R"(","args":[)", arguments, "]}"});
    }
    [[nodiscard]] static std::string operation(std::string_view name, std::string_view property,
                                               std::string_view value) {
        return operation(name, joined({property_text(property), ",", value}));
    }
    [[nodiscard]] static std::string property_text(std::string_view name) {
        return joined({R"({"property":)", with_json_quotes(name), "}"});
    }
    [[nodiscard]] static std::string negation(std::string_view text) {
        return operation("not", text);
    }
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
///           / { "op": "in" / "a_contains" / "a_overlaps", "args": [ name, list ] }
///           / { "op": "like", "args": [ name, value ] }   ; "%" at the ends stands for any text
///           / { "op": "between", "args": [ name, value, value ] }
///           / { "op": "isNull", "args": [ name ] }
///           / name / true / false                         ; a boolean; every row, none
/// list      = [ value *( , value ) ]
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
