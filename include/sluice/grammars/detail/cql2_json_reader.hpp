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
        : expression_reader(text, columns, cql2_json_style), text_(text) {}

private:
    /// An object with an operator and arguments, in any order.
    struct operation {
        std::string_view name{};
        text_place place{};
        std::size_t arguments = 0;  ///< offset of the first
        std::size_t end = 0;        ///< offset behind the object
    };

    // --- Operations ------------------------------------------------------------------------

    /// Returns the operation that is next; nullopt if none is, or if it isn't JSON.
    [[nodiscard]] std::optional<operation> next_operation() const {
        json_cursor json(text_);
        json.move_to(scan_.offset());
        operation next;
        if (!json.take('{')) return std::nullopt;
        do {
            const auto member = json.take_string();
            if (!member || !json.take(':')) return std::nullopt;
            if (member->spelled == "args" && json.peek() == '[' && next.arguments == 0) {
                next.arguments = json.offset() + 1;
                json.skip_value();
            } else if (member->spelled == "op" && json.peek() == '"' && next.name.empty()) {
                const std::size_t start = json.offset();
                const auto name = json.take_string();
                if (!name) return std::nullopt;
                next.name = name->spelled;
                next.place = {start, json.offset() - start};
            } else {
                return std::nullopt;
            }
        } while (json.take(','));
        if (!json.take('}') || next.name.empty() || next.arguments == 0) return std::nullopt;
        next.end = json.offset();
        return next;
    }
    /// Returns the place of the member at which an object isn't an operation: another than op and
    /// args, a repeated one, or one of another type. The first one, if its end is missing.
    [[nodiscard]] text_place misplaced_member(std::size_t first) const {
        json_cursor json(text_);
        json.move_to(first);
        bool has_name = false, has_arguments = false;
        text_place start;
        if (!json.take('{')) return start;
        do {
            static_cast<void>(json.peek());
            const std::size_t at = json.offset();
            const auto member = json.take_string();
            const text_place place{at, json.offset() - at};
            if (start.length == 0) start = place;
            if (!member || !json.take(':')) return start;
            bool& has_member = member->spelled == "op" ? has_name : has_arguments;
            const char opening = member->spelled == "op" ? '"' : '[';
            const bool is_known = member->spelled == "op" || member->spelled == "args";
            if (!is_known || has_member || json.peek() != opening) return place;
            has_member = true;
            json.skip_value();
        } while (json.take(','));
        return start;
    }
    /// Moves to the arguments of an operation.
    void enter(const operation& next) {
        ends_.push_back(next.end);
        scan_.return_to(next.arguments);
        scan_.skip_space();
    }
    /// Moves from behind the last argument of an operation to its end.
    result<void> take_closing() override {
        scan_.skip_space();
        if (!scan_.take("]")) {
            return fail_at(scan_.next(), rule::query_bracket, "expected ']' after the arguments");
        }
        scan_.return_to(ends_.back());
        ends_.pop_back();
        return {};
    }
    bool take_not() override {
        const auto next = next_operation();
        if (!next || next->name != "not") return false;
        enter(*next);
        return true;
    }
    result<void> take_not_end() override { return take_closing(); }
    std::optional<where_kind> take_group() override {
        const auto next = next_operation();
        if (!next || (next->name != "and" && next->name != "or")) return std::nullopt;
        enter(*next);
        return next->name == "and" ? where_kind::conjunction : where_kind::disjunction;
    }
    /// Takes the comma between arguments. There is none around the whole expression.
    bool take_connective(where_kind) override { return !ends_.empty() && take_comma(); }
    [[nodiscard]] std::string_view end_advice() const override { return "expected the end"; }

    // --- Conditions ------------------------------------------------------------------------

    result<where> read_condition() override {
        const std::size_t first = scan_.offset();
        for (const bool is_true : {true, false}) {
            if (scan_.take(is_true ? "true" : "false")) {
                return is_true ? where::all({}) : where::any({});
            }
        }
        const auto next = next_operation();
        if (!next) {
            const auto named = read_property();
            if (!named) return tl::unexpected<error>(named.error());
            return maker_.compare(*named, expression_comparison::equal, scan_.since(first),
                                  {"true", false, named->place, {}});
        }
        enter(*next);
        auto built = read_test(next->name, next->place);
        if (!built) return built;
        if (auto closed = take_closing(); !closed) return tl::unexpected<error>(closed.error());
        return built;
    }
    result<where> read_test(std::string_view name, text_place op) {
        const auto how = std::ranges::find(cql2_comparisons, name);
        const bool is_list_test = name == "a_contains" || name == "a_overlaps";
        const bool is_known = how != cql2_comparisons.end() || is_list_test || name == "in" ||
                              name == "like" || name == "between" || name == "isNull";
        if (!is_known) return fail_at(op, rule::expression_unsupported);
        const auto named = read_subject();
        if (!named) return tl::unexpected<error>(named.error());
        if (name == "isNull") return maker_.is_null(*named, true, op);
        if (auto comma = expect(",", "expected ',' and a value"); !comma) {
            return tl::unexpected<error>(comma.error());
        }
        if (name == "in" || is_list_test) {
            const auto values = read_array();
            if (!values) return tl::unexpected<error>(values.error());
            if (is_list_test && !named->subject.is_list) {
                return fail_at(op, rule::operator_refused);
            }
            if (name == "a_contains") return maker_.all_of(*named, *values, op);
            return maker_.any_of(*named, *values, false, op);
        }
        const auto value = read_value();
        if (!value) return tl::unexpected<error>(value.error());
        if (name == "like") {
            auto read = read_pattern(*value, "%");
            if (!read) return tl::unexpected<error>(read.error());
            return maker_.compare_starred(*named, expression_comparison::equal, op,
                                          *std::move(read));
        }
        if (name != "between") {
            return maker_.compare(
                *named, static_cast<expression_comparison>(how - cql2_comparisons.begin()), op,
                *value);
        }
        if (auto comma = expect(",", "expected ',' and a second value"); !comma) {
            return tl::unexpected<error>(comma.error());
        }
        const auto most = read_value();
        if (!most) return tl::unexpected<error>(most.error());
        return maker_.between(*named, op, *value, *most);
    }

    // --- Names and values ------------------------------------------------------------------

    /// Reads a property, or casei of one whose column ignores the case.
    result<named_column> read_subject() {
        const auto next = next_operation();
        if (!next) return read_property();
        if (next->name != "casei") return fail_at(next->place, rule::expression_unsupported);
        enter(*next);
        auto named = read_property();
        if (!named) return named;
        if (auto closed = take_closing(); !closed) return tl::unexpected<error>(closed.error());
        if (record_of(named->subject.how).ignores_case) return named;
        return fail_at(next->place, rule::expression_unsupported,
                       "compare the property itself: its case matters");
    }
    result<named_column> read_property() {
        const auto tagged = read_tagged();
        if (!tagged) return tl::unexpected<error>(tagged.error());
        if (tagged->tag == "property") return find(tagged->value.text, tagged->value.place);
        return fail_at(tagged->value.place, rule::expression_unsupported, "expected a property");
    }
    /// An object with a text, such as `{"property": "name"}`.
    struct tagged_text {
        std::string_view tag{};
        literal value{};
    };
    result<tagged_text> read_tagged() {
        const std::size_t first = scan_.offset();
        if (!scan_.take("{")) {
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
            return fail_at(misplaced_member(first), rule::expression_malformed,
                           "expected op, a text, and args, a list, once each, and a closing "
                           "bracket for each");
        }
        if (scan_.peek() != '"') return fail_at(tag->place, rule::expression_unsupported);
        auto value = read_json_text();
        if (!value) return tl::unexpected<error>(value.error());
        scan_.skip_space();
        if (!scan_.take("}")) return fail_at(scan_.next(), rule::query_bracket, "expected '}'");
        value->place = scan_.since(first);
        return tagged_text{name, *std::move(value)};
    }
    result<literal> read_value() override {
        scan_.skip_space();
        const std::size_t first = scan_.offset();
        if (scan_.peek() == '"') return read_json_text();
        if (scan_.peek() != '{') return read_word();
        const auto next = next_operation();
        if (next && next->name == "casei") {
            enter(*next);
            auto value = read_value();
            if (!value) return value;
            if (auto closed = take_closing(); !closed) return tl::unexpected<error>(closed.error());
            for (char& byte : value->text) byte = to_lower(byte);
            value->place = scan_.since(first);
            return value;
        }
        if (next) return fail_at(next->place, rule::expression_unsupported);
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
        const std::string_view word = scan_.take_while([](char byte) {
            return text_scanner::is_word_byte(byte) || byte == '-' || byte == '+' || byte == '.';
        });
        const bool is_number = !word.empty() && (is_digit(word[0]) || word[0] == '-');
        if (is_number || word == "true" || word == "false") {
            return literal{std::string(word), false, scan_.since(first), {}};
        }
        const text_place place = word.empty() ? scan_.next() : scan_.since(first);
        return fail_at(place, rule::query_value,
                       R"(expected a value such as "text", 5, true or {"date": "2026-08-21"})");
    }
    result<std::vector<literal>> read_array() {
        if (!scan_.take("[")) {
            return fail_at(scan_.next(), rule::query_value, "expected a list such as [1, 2]");
        }
        std::vector<literal> values;
        do {
            auto value = read_value();
            if (!value) return tl::unexpected<error>(value.error());
            values.push_back(*std::move(value));
        } while (take_comma());
        if (scan_.take("]")) return values;
        return fail_at(scan_.next(), rule::query_bracket, "expected ',' or ']'");
    }

    std::string_view text_;
    std::vector<std::size_t> ends_{};  // of the operations around the next token
};

}  // namespace sluice::detail

#endif
