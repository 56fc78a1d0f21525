// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_CQL2_JSON_READER_HPP
#define SLUICE_GRAMMARS_DETAIL_CQL2_JSON_READER_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/json_cursor.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/cql2.hpp>
#include <sluice/grammars/detail/expression_reader.hpp>

namespace sluice::detail {

inline constexpr grammar_style cql2_json_style{
    .quoted = cql2_style.quoted, .bare = cql2_style.bare, .is_prefix = true};

/// Reads a filter; see parse_cql2_json().
class cql2_json_reader final : public expression_reader {
public:
    cql2_json_reader(std::string_view text, const expression_columns& columns)
        : expression_reader(text, columns, cql2_json_style), text_(text) {
        ends_.reserve(8);
    }

private:
    /// An object with an operator and arguments, in any order.
    struct operation {
        std::string_view name{};    ///< empty for an object that is none
        text_place place{};         ///< of the name
        std::size_t arguments = 0;  ///< offset of the first
        std::size_t end = 0;        ///< offset behind the object; 0 if it ends with its arguments
        text_place fault{};         ///< the member at which it is no operation, or the first one
    };

    // --- Operations ------------------------------------------------------------------------

    /// Returns the operation that is next. It is looked for as a NOT, a group and a condition in
    /// turn, and read once.
    [[nodiscard]] const operation& next_operation() {
        if (next_offset_ != scan_.offset()) {
            next_offset_ = scan_.offset();
            next_ = read_operation();
        }
        return next_;
    }
    /// Reads the operation that is next up to its arguments, or all of it if they come first.
    [[nodiscard]] operation read_operation() const {
        json_cursor json(text_);
        json.move_to(scan_.offset());
        operation next;
        if (!json.take('{')) return {};
        do {
            static_cast<void>(json.peek());  // moves over the space
            const std::size_t start = json.offset();
            const auto member = json.take_string();
            const text_place place{start, json.offset() - start};
            if (next.fault.length == 0) next.fault = place;
            if (!member || !json.take(':')) return {.fault = next.fault};
            if (equal_bytes(member->spelled, "args") && json.peek() == '[' && next.arguments == 0) {
                next.arguments = json.offset() + 1;
                if (!next.name.empty()) return next;
                json.skip_value();
            } else if (equal_bytes(member->spelled, "op") && json.peek() == '"' &&
                       next.name.empty()) {
                const std::size_t first = json.offset();
                const auto name = json.take_string();
                if (!name) return {.fault = next.fault};
                next.name = name->spelled;
                next.place = {first, json.offset() - first};
            } else {
                return {.fault = place};
            }
        } while (json.take(','));
        if (!json.take('}') || next.name.empty() || next.arguments == 0) {
            return {.fault = next.fault};
        }
        next.end = json.offset();
        return next;
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
    [[nodiscard]] std::string_view end_advice() const override { return "expected the end"; }

    // --- Conditions ------------------------------------------------------------------------

    result<void> read_condition() override {
        const std::size_t first = scan_.offset();
        for (const bool is_true : {true, false}) {
            if (scan_.take(is_true ? "true" : "false")) return maker_.constant(is_true);
        }
        const operation next = next_operation();
        if (next.name.empty()) {
            const auto named = read_property();
            if (!named) return tl::unexpected<error>(named.error());
            return maker_.compare(*named, expression_comparison::equal, scan_.since(first),
                                  {"true", false, named->place, {}});
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
            if (auto comma = expect(",", "expected ',' and a list"); !comma) return comma;
            const auto values = read_list('[', ']');
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
    /// Takes a byte, and the space before it. Returns false if it isn't next.
    bool take_byte(char byte) {
        scan_.skip_space();
        return scan_.take(byte);
    }

    static constexpr std::string_view members_advice =
        "expected op, a text, and args, a list, once each, and a closing bracket for each";

    std::string_view text_;
    std::vector<std::size_t> ends_{};  // of the operations around the next token
    operation next_{};
    std::size_t next_offset_ = std::string_view::npos;  // where next_ was read
};

}  // namespace sluice::detail

#endif
