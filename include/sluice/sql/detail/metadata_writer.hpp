// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_METADATA_WRITER_HPP
#define SLUICE_SQL_DETAIL_METADATA_WRITER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/errors/error.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/sql/detail/jsonb_filter.hpp>
#include <sluice/sql/detail/text_writer.hpp>
#include <sluice/sql/mapping.hpp>
#include <sluice/sql/prepare.hpp>

namespace sluice::sql::detail {

/// A condition on metadata or columns, as SQL that is true or false for each row, never NULL: a
/// test, or AND or OR of some.
///
/// Nesting is kept to a minimum, since parsers limit it: a group inside one of its own kind becomes
/// part of it, NOT moves into groups by De Morgan's laws, and the most deeply nested part comes
/// first.
///
/// ```
/// a AND (b AND NOT (c OR NOT d))    is    (a AND b AND NOT (c) AND d)
/// a AND (b OR (c AND d))            is    (((c AND d) OR b) AND a)
/// ```
class condition {
public:
    condition(std::string test) : test_(std::move(test)) {}  // NOLINT: a test is a condition
    /// Makes a test with a separate text for its NOT, which may be empty.
    condition(std::string test, std::string negation)
        : test_(std::move(test)), negation_(std::move(negation)) {}
    /// Makes a test that contains others. `depth` is the depth that a parser nests them at.
    condition(std::string test, std::size_t depth) : test_(std::move(test)), depth_(depth) {}

    /// Returns AND of some conditions, true if there are none, or OR, false if there are none.
    [[nodiscard]] static condition group(std::vector<condition> parts, bool is_all) {
        condition combined(is_all ? kind::all : kind::any);
        if (std::ranges::find(parts, combined.kind_, &condition::kind_) == parts.end()) {
            combined.parts_ = std::move(parts);
        } else {
            for (condition& part : parts) combined.take(std::move(part));
        }
        if (combined.parts_.size() != 1) return combined;
        condition only = std::move(combined.parts_.front());
        return only;
    }
    [[nodiscard]] condition negation() && {
        if (kind_ == kind::test) {
            is_negated_ = !is_negated_;
            return std::move(*this);
        }
        kind_ = kind_ == kind::all ? kind::any : kind::all;
        for (condition& part : parts_) part = std::move(part).negation();
        return std::move(*this);
    }

    [[nodiscard]] std::string text() const {
        std::string written;
        written.reserve(512);  // enough for some tests
        append_text(written);
        return written;
    }
    /// Returns how deeply a parser nests the condition, in addition to the depth of its tests: `(`
    /// for a group's first part, and `( first AND` for the others.
    [[nodiscard]] std::size_t nesting() const {
        std::size_t first = 0, others = 0;
        for (const condition& part : parts_) {
            const std::size_t depth = part.nesting();
            others = std::max(others, std::min(depth, first));
            first = std::max(depth, first);
        }
        return parts_.empty() ? depth_ : std::max(first + 1, others + 3);
    }

private:
    enum class kind : unsigned char { test, all, any };

    explicit condition(kind of) : kind_(of) {}

    void append_text(std::string& output) const {
        if (kind_ == kind::test && !is_negated_) {
            output.append(test_);
        } else if (kind_ == kind::test && negation_.empty()) {
            output.append("NOT (").append(test_).append(")");
        } else if (kind_ == kind::test) {
            output.append(negation_);
        } else {
            const auto deepest = std::ranges::max_element(parts_, {}, &condition::nesting);
            const auto first = static_cast<std::size_t>(deepest - parts_.begin());
            append_joined(output, 0, parts_.size(), first);
        }
    }
    /// Appends `count` parts from index `at` on, counted from the part `first`, like joined().
    void append_joined(std::string& output, std::size_t at, std::size_t count,
                       std::size_t first) const {
        if (count == 0) {
            output.append(kind_ == kind::all ? "TRUE" : "FALSE");
            return;
        }
        if (count == 1) {
            // The deepest part comes first, and the others follow in their order.
            const std::size_t place = at == 0 ? first : at <= first ? at - 1 : at;
            return parts_[place].append_text(output);
        }
        output.push_back('(');
        const std::size_t group = count > most_in_a_row ? (count - 1) / most_in_a_row + 1 : 1;
        for (std::size_t done = 0; done < count; done += group) {
            if (done > 0) output.append(kind_ == kind::all ? " AND " : " OR ");
            append_joined(output, at + done, std::min(group, count - done), first);
        }
        output.push_back(')');
    }

    void take(condition part) {
        if (part.kind_ != kind_) return parts_.push_back(std::move(part));
        std::ranges::move(part.parts_, std::back_inserter(parts_));
    }

    kind kind_ = kind::test;
    bool is_negated_ = false;  // of a test
    std::string test_{};
    std::string negation_{};  // empty for NOT of the test
    std::size_t depth_ = 0;   // of a test
    std::vector<condition> parts_{};
};

/// Returns the error of a condition that a database can't answer exactly.
[[nodiscard]] constexpr tl::unexpected<error> inexact(std::string_view param,
                                                      std::string_view advice) noexcept {
    error refused = make_error(rule::sql_inexact);
    refused.param = param;
    refused.accepts = advice;
    return tl::unexpected<error>(refused);
}
/// Returns the error of a request that exceeds a database's limits.
[[nodiscard]] constexpr tl::unexpected<error> too_large(std::string_view advice) noexcept {
    error refused = make_error(rule::sql_too_large);
    refused.accepts = advice;
    return tl::unexpected<error>(refused);
}

/// Advice about a column that the mapping lacks.
inline constexpr std::string_view unmapped = "give the column a place in the mapping";

/// Writes a metadata expression over a column, according to its storage. Error: sql_inexact, with
/// advice.
class metadata_writer {
public:
    metadata_writer(const mapped_column& column, dialect of, parameters& bound)
        : column_(column), fragments_(fragments_of(of)), bound_(bound) {}

    [[nodiscard]] result<condition> write(const metadata_query& query) {
        const bool is_native = column_.how == storage::native;
        if (column_.how == storage::function) return call(query);
        if (is_native && !fragments_.has_native) return refuse_storage();
        if (query.empty()) return condition::group({}, true);
        if (is_native && !can_order(query)) return refuse();
        return write(query, 0);
    }

    /// Returns the text of the value at a path, as prepared_text(): NULL for null, an object, an
    /// array or a missing value.
    [[nodiscard]] result<std::string> text_at(std::span<const std::string> path) {
        switch (column_.how) {
            case storage::function: {
                if (!fragments_.has_function) return refuse_storage();
                const std::string pointer = bound_.add_text(json_pointer(path));
                return "sluice_text(" + column_.expression + ", " + pointer + ")";
            }
            case storage::native:
                if (!fragments_.has_native) return refuse_storage();
                return text_of_jsonb(path);
            case storage::prepared: break;
        }
        const std::string texts = opened(fragments_, column_.expression);
        const std::string pointer = json_pointer(path);
        const auto entry = [&](const std::string& key) {
            return fill(fragments_.entry, {texts, bound_.add_text(key)});
        };
        const std::string text = entry(pointer);
        return "coalesce(" + text + ", " + entry(number_entry(pointer)) + ")";
    }

private:
    static tl::unexpected<error> refuse() { return inexact("", "use prepared metadata"); }
    /// Refuses a storage that only other dialects have.
    [[nodiscard]] tl::unexpected<error> refuse_storage() const {
        return inexact("", fragments_.storages);
    }

    [[nodiscard]] result<condition> call(const metadata_query& query) {
        if (!fragments_.has_function) return refuse_storage();
        const std::string expression = to_string(query);
        if (!sluice::detail::is_valid_utf8(expression)) return refuse();
        return "sluice_matches(" + column_.expression + ", " + bound_.add(expression) + ")";
    }

    /// Recurses as deep as the expression.
    [[nodiscard]] condition write(const metadata_query& query, std::size_t at) {
        const metadata_node node = query.nodes()[at];
        if (node.kind == metadata_node_kind::condition) {
            return write(query.conditions()[node.condition]);
        }
        if (node.kind == metadata_node_kind::negation) return write(query, at + 1).negation();
        std::vector<condition> operands;
        for (std::size_t child = at + 1; child < at + node.size;) {
            operands.push_back(write(query, child));
            child += query.nodes()[child].size;
        }
        return condition::group(std::move(operands), node.kind == metadata_node_kind::conjunction);
    }
    [[nodiscard]] condition write(const metadata_condition& comparison) {
        const bool is_native = column_.how == storage::native;
        if (is_ordering(comparison.op))
            return is_native ? orders_jsonb(comparison) : orders_entry(comparison);
        condition test = is_native ? equals_jsonb(comparison) : equals_entry(comparison);
        if (comparison.op == metadata_operator::not_equal) return std::move(test).negation();
        return test;
    }

    // --- Prepared maps ---------------------------------------------------------------------

    /// Returns the order key of the right side; an empty text, which is no number's key, if it
    /// isn't a number.
    static std::string key_of(const metadata_condition& comparison) {
        return comparison.number ? order_key_of(*comparison.number) : std::string();
    }
    /// Compares numbers by value, unless they are in strings, which the map of texts has too.
    [[nodiscard]] std::string equals_entry(const metadata_condition& comparison) {
        const std::string texts = opened(fragments_, column_.expression);
        const std::string numbers = opened(fragments_, column_.numbers);
        const std::string path = bound_.add_text(json_pointer(comparison.path));
        const std::string text = bound_.add_text(prepared_text(comparison.value));
        const std::string key = bound_.add(key_of(comparison));
        // Databases evaluate the first test once, and leave out the others if it's false.
        const std::string number_test =
            joined({key + " <> ''", negated(fill(fragments_.has_entry, {texts, path})),
                    fill(fragments_.entry_is, {numbers, path, key})},
                   true);
        return joined({fill(fragments_.entry_is, {texts, path, text}), number_test}, false);
    }
    [[nodiscard]] std::string orders_entry(const metadata_condition& comparison) {
        const std::string path = bound_.add_text(json_pointer(comparison.path));
        const std::string key = bound_.add(key_of(comparison));
        const std::string numbers = opened(fragments_, column_.numbers);
        return fill(fragments_.entry_compares, {numbers, path, to_string(comparison.op), key});
    }

    // --- PostgreSQL's jsonb ----------------------------------------------------------------

    static bool can_order(const metadata_query& query) {
        return std::ranges::all_of(query.conditions(), [](const metadata_condition& comparison) {
            return !is_ordering(comparison.op) || numeric_text(comparison.value);
        });
    }
    /// Returns the depths of keys that aren't an index of an array but could be read as one, such
    /// as `-1` and `00`.
    static std::vector<std::int64_t> depths_of_false_indexes(std::span<const std::string> path) {
        std::vector<std::int64_t> depths;
        for (std::size_t at = 0; at < path.size(); ++at) {
            const bool has_digit = path[at].find_first_of("0123456789") != std::string::npos;
            if (!has_digit || parse_array_index(path[at])) continue;
            depths.push_back(static_cast<std::int64_t>(at));
        }
        return depths;
    }
    /// Returns an expression of the value at a path, which `expression` calls `sluice_at.json`.
    [[nodiscard]] std::string at_jsonb(std::span<const std::string> keys,
                                       const std::string& expression) {
        const std::string path = bound_.add_path(keys);
        const std::string depths = bound_.add(depths_of_false_indexes(keys));
        return fill(
            "(SELECT %4 FROM (SELECT CASE WHEN EXISTS (SELECT 1 FROM unnest(%3) "
            "AS sluice_depth(keys) WHERE jsonb_typeof(%1 #> (%2)[:keys::int]) = 'array') THEN NULL "
            "ELSE %1 #> %2 END AS json OFFSET 0) AS sluice_at)",
            {column_.expression, path, depths, expression});
    }
    [[nodiscard]] std::string tests_jsonb(const metadata_condition& comparison,
                                          const std::string& test) {
        return at_jsonb(comparison.path, "coalesce(" + test + ", FALSE)");
    }
    [[nodiscard]] std::string text_of_jsonb(std::span<const std::string> path) {
        return at_jsonb(path,
                        "CASE WHEN jsonb_typeof(sluice_at.json) IN ('string', 'number', 'boolean') "
                        "THEN replace(sluice_at.json #>> '{}', chr(1), chr(1) || '1') END");
    }
    [[nodiscard]] std::string equals_jsonb(const metadata_condition& comparison) {
        if (!has_index(comparison.path)) return contains_equal(comparison);
        const std::string text = bound_.add_text(std::string(comparison.value));
        const std::string number = bound_.add_optional(numeric_text(comparison.value));
        return tests_jsonb(comparison,
                           fill("CASE jsonb_typeof(sluice_at.json) WHEN 'number' THEN "
                                "(sluice_at.json #>> '{}')::numeric = CAST(%2 AS numeric) "
                                "WHEN 'string' THEN sluice_at.json #>> '{}' = %1 "
                                "WHEN 'boolean' THEN sluice_at.json #>> '{}' = %1 END",
                                {text, number}));
    }
    /// Tests an equality by containment, which an index serves. A value has one or two texts, which
    /// cost less than a list; two tests that are the same are one to the planner.
    [[nodiscard]] std::string contains_equal(const metadata_condition& comparison) {
        const contained_texts texts = texts_of(comparison, bound_);
        const auto bind = [&](std::size_t at) {
            return bound_.add_as("$%3::jsonb", "", texts.empty() ? value() : value(texts[at]));
        };
        const std::string first = bind(0), last = bind(texts.size() - 1);
        return fill("(%1 IS NOT NULL AND %2 IS NOT NULL AND (%1 @> %2 OR %1 @> %3))",
                    {column_.expression, first, last});
    }
    [[nodiscard]] std::string orders_jsonb(const metadata_condition& comparison) {
        const std::string number = bound_.add_optional(numeric_text(comparison.value));
        return tests_jsonb(
            comparison,
            fill("CASE WHEN jsonb_typeof(sluice_at.json) = 'number' OR "
                 "jsonb_typeof(sluice_at.json) = 'string' AND sluice_at.json #>> '{}' ~ "
                 "'^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?$' "
                 "THEN (sluice_at.json #>> '{}')::numeric %1 CAST(%2 AS numeric) END",
                 {to_string(comparison.op), number}));
    }

    const mapped_column& column_;
    const fragments& fragments_;
    parameters& bound_;
};

}  // namespace sluice::sql::detail

#endif
