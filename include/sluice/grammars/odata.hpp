// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_ODATA_HPP
#define SLUICE_GRAMMARS_ODATA_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/expression_writer.hpp>
#include <sluice/grammars/detail/odata_reader.hpp>

/// The expressions of OData 4.01: `$filter` and `$orderby`.
namespace sluice {

namespace detail {

/// Writes a `$filter`; see to_odata_filter().
class odata_writer final : public expression_writer {
public:
    explicit odata_writer(const expression_columns& columns)
        : expression_writer(columns, {odata_comparisons, " and ", " or ", "not", true, true}) {}

private:
    [[nodiscard]] std::string part_text(std::string_view name, part_place place,
                                        std::string_view part) const override {
        return joined(
            {odata_parts[static_cast<std::size_t>(place)], "(", name, ",", quoted(part), ")"});
    }
    [[nodiscard]] std::string null_text(std::string_view name, bool wanted) const override {
        return joined({name, wanted ? " eq null" : " ne null"});
    }
    [[nodiscard]] std::string quoted(std::string_view text) const override {
        return with_doubled_quotes(text);
    }
    [[nodiscard]] std::optional<std::string> values_text(
        std::string_view name, const column&, test_kind kind,
        const std::vector<std::string>& values) const override {
        if (values.size() < 2 || kind != test_kind::any_of) return std::nullopt;
        return listed(joined({name, " in ("}), values, ")");
    }
    [[nodiscard]] std::optional<std::string> constant_text(bool is_true) const override {
        return is_true ? "true" : "false";
    }
    [[nodiscard]] std::string item_name(const std::string&) const override { return "item"; }
    [[nodiscard]] written of_list(const std::string& list, written of_item,
                                  bool is_for_all) const override {
        return {list + (is_for_all ? "/all(item:" : "/any(item:") + of_item.text + ")"};
    }
    [[nodiscard]] std::string spelled(const path& name) const override {
        if (!std::ranges::all_of(name.column, is_odata_name_byte)) return {};
        if (!name.records.empty()) return with_steps({"record", name.column, name.keys}, '/');
        std::string text(name.column);
        std::ranges::replace(text, '.', '/');
        const bool has_blank =
            text[0] == '/' || text.back() == '/' || text.find("//") < text.size();
        const bool is_word = text_scanner(text).take_word("not") || is_odata_constant(text) ||
                             text.starts_with("$it/");
        return has_blank || is_word ? std::string() : with_steps({{}, text, name.keys}, '/');
    }
    [[nodiscard]] result<written> of_records(const std::string& name,
                                             written of_record) const override {
        const std::string body = of_record.text.empty() ? "" : "record:" + of_record.text;
        return written{name + "/any(" + body + ")"};
    }
    [[nodiscard]] grammar_style literals() const override { return odata_style; }
};

}  // namespace detail

/// Parses an OData 4.01 `$filter` (URL Conventions 5.1.1), without percent-encoding.
///
/// ```
/// filter    = and-expr *( SP "or" SP and-expr )
/// and-expr  = operand *( SP "and" SP operand )
/// operand   = "not" SP operand / "(" filter ")" / condition
/// condition = name SP ( "eq" / "ne" / "gt" / "ge" / "lt" / "le" ) SP value
///           / name SP "in" SP list
///           / ( "contains" / "startswith" / "endswith" ) "(" name "," value ")"
///           / name "/" ( "any" / "all" ) "(" variable ":" filter ")"     ; of a list, or of
///           records / name "/any()"                                              ; any record at
///           all / name SP "has" SP value / "hassubset(" name "," list ")"    ; a list has every
///           one / name                                                       ; a boolean column /
///           ( "true" / "false" ) [ SP ( "eq" / "ne" ) SP ( "true" / "false" ) ]
/// list      = "(" [ value *( "," value ) ] ")" / "[" [ value *( "," value ) ] "]"
///                                                 ; JSON texts in "[", too; an empty list: none
/// name      = word *( "/" word )                  ; also with $it or the variable of a lambda, or
///                                                 ; "tolower(" name ")" of a column without case
/// value     = "'" text "'" / number / time / day / uuid / "true" / "false" / "null"
/// ```
///
/// Words are read in any case; a quote within a text is doubled. `eq null` selects missing values;
/// `ne` also holds for them. Errors point at the byte: those of the conditions' grammar (query_*),
/// column_unknown, operator_refused, expression_malformed, expression_unsupported of arithmetic,
/// other functions and columns against columns, and value_malformed of a value of another type.
///
/// ```
/// const auto rows = sluice::parse_odata_filter("total gt 5 and contains(city,'x')", columns);
/// ```
[[nodiscard]] inline result<where> parse_odata_filter(std::string_view text,
                                                      const expression_columns& columns) {
    return detail::odata_reader(text, columns).read();
}

/// Writes conditions as an OData `$filter`, which parse_odata_filter() reads as equal ones. Error:
/// expression_inexpressible, with the column or the test.
[[nodiscard]] inline result<std::string> to_odata_filter(const where& rows,
                                                         const expression_columns& columns) {
    return detail::odata_writer(columns).write(rows);
}

}  // namespace sluice

#endif
