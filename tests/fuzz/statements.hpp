// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_STATEMENTS_HPP
#define SLUICE_TESTS_FUZZ_STATEMENTS_HPP

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/sql/compile.hpp>

#include "byte_source.hpp"

// Statements of queries with any values. The shape of a query comes from the first line of an
// input, its values from the lines after it.

namespace sluice_fuzz {

inline constexpr sluice::schema statement_columns{
    sluice::column{.name = "id"},
    sluice::column{.name = "folded", .is_nullable = true, .how = sluice::collation::ignore_case},
    sluice::column{.name = "region", .how = sluice::collation::subdivision},
    sluice::column{.name = "url", .how = sluice::collation::url},
    sluice::column{.name = "list", .is_list = true},
    sluice::column{.name = "lists", .is_list = true, .how = sluice::collation::ignore_case},
    sluice::column{.name = "json", .type = sluice::column_type::json},
};

/// Makes a where of a shape, and takes note of the values that it puts in.
class where_source {
public:
    /// Values come from lines, or are all the same where there are none; a list has one then, or
    /// two.
    where_source(std::string_view shape, std::optional<std::string_view> lines)
        : shape_(shape), lines_(lines.value_or("")), has_lines_(lines) {}

    sluice::where make(unsigned depth = 3) {
        const std::size_t form = depth == 0 ? 0 : shape_.below(5);
        if (form < 2) return sluice::where(leaf());
        if (form == 2) return sluice::where::negation(make(depth - 1));
        std::vector<sluice::where> operands;
        for (std::size_t left = shape_.below(4); left > 0; --left) {
            operands.push_back(make(depth - 1));
        }
        return form == 3 ? sluice::where::all(std::move(operands))
                         : sluice::where::any(std::move(operands));
    }
    /// The texts that were put in, as parameters have them, in their order.
    [[nodiscard]] const std::vector<std::string>& taken() const noexcept { return taken_; }

private:
    sluice::leaf leaf() {
        const std::size_t at = shape_.below(statement_columns.size());
        const sluice::column& subject = *(statement_columns.begin() + at);
        if (subject.type == sluice::column_type::json) return {subject, expression(), ""};
        const std::size_t count = 1 + shape_.below(4);
        std::vector<std::string> texts;
        while (texts.size() < (has_lines_ ? count : std::min<std::size_t>(count, 2))) {
            texts.push_back(value());
        }
        note(texts, subject.how);
        const std::vector<std::string_view> views(texts.begin(), texts.end());
        const bool excludes = shape_.below(2) == 1;
        const sluice::filter wanted(sluice::filter_values(views.data(), views.size()), excludes);
        return {subject, sluice::text_test{wanted}, ""};
    }
    sluice::metadata_query expression() {
        constexpr std::array<std::string_view, 2> operators{"=", "!="};
        std::string text = "metadata";
        std::vector<std::string> path;
        for (std::size_t left = 1 + shape_.below(2); left > 0; --left) {
            path.push_back(value());
            text.append("[").append(quoted(path.back())).append("]");
        }
        const std::string compared = value();
        text.append(operators[shape_.below(2)]).append(quoted(compared));
        auto read = sluice::parse_metadata_query(text);
        require(read.has_value());
        taken_.push_back(sluice::sql::json_pointer(path));
        taken_.push_back(sluice::sql::prepared_text(compared));
        taken_.push_back(sluice::sql::order_key(compared).value_or(""));
        return *read;
    }
    static std::string quoted(std::string_view text) {
        std::string literal = "'";
        for (const char byte : text) {
            if (byte == '\'' || byte == '\\') literal.push_back('\\');
            literal.push_back(byte);
        }
        return literal + "'";
    }
    std::string value() {
        const std::string_view line = has_lines_ ? lines_.line().substr(0, 100) : "";
        return line.empty() ? "x" : std::string(line);
    }
    void note(const std::vector<std::string>& texts, sluice::collation how) {
        const sluice::collation_record& record = sluice::record_of(how);
        const auto take = [&](bool is_whole) {  // values of the whole text come first
            for (const std::string& text : texts) {
                if (record.compares_whole(text) != is_whole) continue;
                taken_.push_back(record.ignores_case ? sluice::detail::to_lower(text) : text);
            }
        };
        take(true);
        take(false);
    }

    byte_source shape_, lines_;
    bool has_lines_;
    std::vector<std::string> taken_;
};

inline std::vector<std::string> texts_of(const sluice::sql::statement& statement) {
    std::vector<std::string> texts;
    for (const sluice::sql::value& parameter : statement.parameters) {
        if (const auto* const text = std::get_if<std::string>(&parameter)) texts.push_back(*text);
        if (const auto* const list = std::get_if<std::vector<std::string>>(&parameter)) {
            texts.insert(texts.end(), list->begin(), list->end());
        }
    }
    return texts;
}

/// Whatever the values, and however many: the text is that of any others, of one or of several, and
/// every byte of a value comes back as a parameter.
inline void fuzz_statements(std::string_view input) {
    using sluice::sql::dialect;
    byte_source bytes(input);
    const std::string_view shape = bytes.line();
    where_source values(shape, bytes.rest()), none(shape, std::nullopt);
    sluice::list_query query, plain;
    query.rows = values.make();
    plain.rows = none.make();
    const sluice::columns_view columns(statement_columns.begin(), statement_columns.size());
    for (const dialect of : sluice::sql::all_dialects) {
        const auto places = sluice::sql::table_mapping(columns, "t", of);
        for (const auto form : {sluice::sql::form::page, sluice::sql::form::count}) {
            const auto compiled = sluice::sql::compile(query, places, of, form);
            const auto other = sluice::sql::compile(plain, places, of, form);
            // MariaDB's text depends on the number of values that it can hold.
            require(compiled && other && (compiled->text == other->text || of == dialect::mariadb));
            // ClickHouse alone holds any bytes; a value that others can't hold is left out.
            if (of == dialect::clickhouse) require(texts_of(*compiled) == values.taken());
        }
    }
}

}  // namespace sluice_fuzz

#endif
