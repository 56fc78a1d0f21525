// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_AGGREGATE_HPP
#define SLUICE_SQL_AGGREGATE_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/errors/error.hpp>
#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/query/where.hpp>
#include <sluice/sql/detail/aggregate_fragments.hpp>
#include <sluice/sql/detail/condition_writer.hpp>
#include <sluice/sql/place.hpp>

/// Compiling aggregate queries to SQL statements.
namespace sluice::sql {

namespace detail {

/// Writes the statement of an aggregate query; see compile_aggregate().
///
/// ```
/// SELECT … FROM (                                        groups and measures, to be ordered
///     SELECT group, measure FROM (
///         SELECT column AS sluice_group_1, …             the rows that meet the conditions
///         FROM table WHERE …) AS sluice_rows
///     GROUP BY group) AS sluice_groups
/// ORDER BY … LIMIT …
/// ```
class aggregate_writer {
public:
    aggregate_writer(const aggregate_query& query, const mapping& columns, dialect of)
        : query_(query),
          columns_(columns),
          dialect_(of),
          fragments_(fragments_of(of)),
          words_(aggregate_fragments_of(of)),
          bound_(of) {}

    [[nodiscard]] result<statement> write() {
        if (auto checked = check(query_); !checked) return tl::unexpected(checked.error());
        if (auto known = check_answered(query_.rows, answered_tests_of(columns_, dialect_));
            !known) {
            return tl::unexpected(known.error());
        }
        return add_groups().and_then([this] { return add_measures(); }).and_then([this] {
            return statement_of_rows();
        });
    }

private:
    static std::string name(std::string_view kind, std::size_t at) {
        return "sluice_" + std::string(kind) + "_" + std::to_string(at + 1);
    }
    /// Appends to a list with commas.
    static void append(std::string& list, const std::string& item) {
        list.append(list.empty() ? "" : ", ").append(item);
    }
    /// Returns the term of a column, whose key is its value in groups. Error: sql_inexact.
    [[nodiscard]] result<order_term> term(const column& of) {
        if (of.is_list) return inexact(of.name, "leave it out, no statement counts items");
        return term_of({.by = of}, columns_, dialect_, bound_);
    }
    /// Returns the term of an expression instead of a column, of the type `native`.
    [[nodiscard]] result<order_term> term(const column& of, std::string expression,
                                          std::string native = {}) {
        const mapping changed{
            .columns = {
                {.name = of.name, .expression = std::move(expression), .type = std::move(native)}}};
        return term_of({.by = of}, changed, dialect_, bound_);
    }
    /// Returns an expression for a selected key that is compared by its bytes.
    [[nodiscard]] std::string in_bytes(const order_term& key, const std::string& selected) const {
        using enum column_type;
        constexpr column_types texts = set_of(text, decimal, uuid, choice);
        const bool is_text = !key.native && (texts & set_of(key.by.type)) != 0;
        return is_text ? fill(fragments_.in_bytes, {selected}) : selected;
    }

    // --- Groups ----------------------------------------------------------------------------

    [[nodiscard]] result<void> add_groups() {
        for (std::size_t at = 0; at < query_.group_by.size(); ++at) {
            const group_key& group = query_.group_by[at];
            if (group.bucket && group.by.type == column_type::time) {
                if (auto added = add_bucket(group); !added) return added;
                continue;
            }
            auto key = !group.path.empty() ? path_term(group)
                       : group.by.is_list  ? item_term(group.by, at)
                       : group.bucket      ? day_term(group.by, *group.bucket)
                                           : term(group.by);
            if (!key) return tl::unexpected(key.error());
            const bool is_joined = group.by.is_list && !words_.each_item.empty();
            if (!is_joined) append(inner_, value_of(*key) + " AS " + name("group", at));
            const std::string by =
                is_joined ? key->selected : in_bytes(*key, "sluice_rows." + name("group", at));
            append(outer_, by + " AS " + name("group", at));
            append(grouped_, by);
            show(name("group", at), &*key);
            const std::string ordered_by = in_bytes(*key, name("group", at));
            orders_.push_back(ordered(ordered_by, key->choices, dialect_));
        }
        return {};
    }
    /// Returns the term of the texts at a path. Error: sql_inexact.
    [[nodiscard]] result<order_term> path_term(const group_key& group) {
        const auto place = operand_of(columns_, group.by.name);
        if (!place) return inexact(group.by.name, unmapped);
        const auto native = native_column_of(*place, group.by, dialect_);
        if (!native) return tl::unexpected(native.error());
        const mapped_column json = opened_as(*place, *native);
        auto text = metadata_writer(json, dialect_, bound_).text_at(group.path);
        if (!text) return inexact(group.by.name, text.error().accepts);
        const column by{.name = group.by.name, .is_nullable = true};
        return term(by, *std::move(text));
    }
    /// Returns the term of a list's items, which the rows are joined with. Error: sql_inexact.
    [[nodiscard]] result<order_term> item_term(const column& by, std::size_t at) {
        const auto same = [&by](const group_key& group) { return group.by.name == by.name; };
        if (std::ranges::count_if(query_.group_by, same) > 1)
            return inexact(by.name, "leave all groups of its items but one out");
        const auto place = operand_of(columns_, by.name);
        if (!place) return inexact(by.name, unmapped);
        if (!place->type.empty() && !place->type.ends_with("[]"))
            return inexact(by.name, "give it a place of an array, or of a list of ddl()");
        column item = by;
        item.is_list = false;
        item.is_nullable = true;
        const bool is_integer = by.type == column_type::integer;
        const auto fitting = [&](std::string_view of_integers, std::string_view of_texts) {
            return is_integer && !of_integers.empty() ? of_integers : of_texts;
        };
        // UUIDs are equal in any case.
        const std::string items = by.type == column_type::uuid
                                      ? fill(words_.list_in_lower_case, {place->expression})
                                      : place->expression;
        const std::string list =
            fill(fitting(words_.integer_list, words_.list), {opened(fragments_, items)});
        if (words_.each_item.empty()) return term(item, list);
        append(inner_, list + " AS " + name("list", at));
        items_.append(fill(words_.each_item, {name("list", at), name("items", at)}));
        return term(item, fill(fitting(words_.integer_item, words_.item), {name("items", at)}));
    }
    /// Returns the term of the first days of a date's buckets. Error: sql_inexact.
    [[nodiscard]] result<order_term> day_term(const column& by, time_bucket bucket) {
        if (bucket == time_bucket::day) return term(by);
        const auto place = operand_of(columns_, by.name);
        if (!place) return inexact(by.name, unmapped);
        const auto at =
            static_cast<std::size_t>(bucket) - static_cast<std::size_t>(time_bucket::week);
        if (words_.day_as_text.empty())
            return term(by, fill(words_.first_days[at], {place->expression}), place->type);
        const std::string day = fill(words_.day_as_text, {place->expression});
        return term(by, fill(words_.first_days[at], {day}));
    }
    /// Adds a bucket of time, whose bounds are parameters.
    [[nodiscard]] result<void> add_bucket(const group_key& group) {
        const column& by = group.by;
        if (!buckets_.empty()) return inexact(by.name, "leave all buckets but one out");
        const auto place = operand_of(columns_, by.name);
        if (!place) return inexact(by.name, unmapped);
        const auto native = native_column_of(*place, by, dialect_);
        if (!native) return tl::unexpected(native.error());
        const bounds<instant> window = window_of(query_.rows, by.name);
        if (!window.least || !window.most) {
            return inexact(by.name, "give the query conditions on its first and last time");
        }
        const auto starts = sluice::detail::buckets_between(group, *window.least, *window.most);
        if (!starts) return tl::unexpected(starts.error());
        const limits& most = limits_of(dialect_);
        if (starts->size() > most.buckets) return too_large(most.at_most_buckets);
        std::vector<std::int64_t> begins;
        for (const instant start : *starts) begins.push_back(start.time_since_epoch().count());
        std::vector<std::int64_t> ends(begins);
        if (!begins.empty()) {
            const instant end = next_bucket(*group.bucket, starts->back(), group.zone);
            ends.push_back(end.time_since_epoch().count());
            ends.erase(ends.begin());
        }
        std::string time = place->expression;
        if (*native) {
            if (words_.milliseconds.empty() || (*native).type->key.empty()) {
                return inexact(by.name, "give it a place of milliseconds");
            }
            time = fill(native_milliseconds(*(*native).type), {time});
        }
        const auto at = static_cast<std::size_t>(&group - query_.group_by.data());
        if (fragments_.lists == list_form::array) {
            const std::string first = bound_.add(begins);
            buckets_ = fill(words_.buckets, {first, bound_.add(ends)});
            if (!words_.rounded.empty() && !starts->empty())
                time = fill(words_.rounded, {time, first});
        } else {
            buckets_ = fill(words_.buckets, {bound_.add(pairs_of(begins, ends))});
        }
        append(inner_, time + " AS sluice_time");
        append(outer_, "sluice_buckets.sluice_begin AS " + name("group", at));
        show(name("group", at), nullptr);
        append(grouped_, "sluice_buckets.sluice_begin");
        orders_.push_back(name("group", at));
        return {};
    }
    [[nodiscard]] std::string_view native_milliseconds(const native_type& type) const noexcept {
        const bool is_zoned = type.names.find("tz") != std::string_view::npos;
        return is_zoned ? words_.zoned_milliseconds : words_.milliseconds;
    }
    /// Returns the bounds of buckets as a JSON text of pairs.
    [[nodiscard]] static std::string pairs_of(const std::vector<std::int64_t>& begins,
                                              const std::vector<std::int64_t>& ends) {
        std::string pairs = "[";
        for (std::size_t at = 0; at < begins.size(); ++at) {
            pairs.append(at == 0 ? "[" : ",[").append(std::to_string(begins[at])).append(",");
            pairs.append(std::to_string(ends[at])).append("]");
        }
        return pairs.append("]");
    }

    // --- Measures --------------------------------------------------------------------------

    [[nodiscard]] result<void> add_measures() {
        for (std::size_t at = 0; at < query_.measures.size(); ++at) {
            auto written = write(query_.measures[at], at);
            if (!written) return tl::unexpected(written.error());
            append(outer_, *written + " AS " + name("measure", at));
        }
        return {};
    }
    /// Returns the expression of a row's value: numbers as such, as their order needs it.
    [[nodiscard]] static const std::string& value_of(const order_term& key) noexcept {
        return key.native && is_number(key.by) ? key.expression : key.selected;
    }
    /// Selects a group or a measure: integers that are decimals with their scale.
    void show(const std::string& selected, const order_term* key) {
        const bool has_scale =
            key != nullptr && key->native && key->native.type->argument == type_argument::scale;
        append(shown_, has_scale ? key->native.fill(key->native.type->key, selected) : selected);
        has_scales_ = has_scales_ || has_scale;
    }
    [[nodiscard]] static bool is_number(const column& of) noexcept {
        return (set_of(of.type) &
                set_of(column_type::integer, column_type::decimal, column_type::real)) != 0;
    }
    /// Writes a measure of a column, which the rows select by a name. Error: sql_inexact.
    [[nodiscard]] result<std::string> write(const measure& of, std::size_t at) {
        const std::string selected = name("value", at);
        // A bucket without rows is joined with a row of NULLs.
        const std::string shown = name("measure", at);
        if (of.kind == measure_kind::count) {
            show(shown, nullptr);
            return std::string(buckets_.empty() ? "count(*)" : "count(sluice_rows.sluice_time)");
        }
        auto key = term(of.of);
        if (!key) return tl::unexpected(key.error());
        const std::string operand = in_bytes(*key, "sluice_rows." + selected);
        const bool is_value = of.kind == measure_kind::min || of.kind == measure_kind::max;
        show(shown, is_value ? &*key : nullptr);
        switch (of.kind) {
            case measure_kind::count: break;
            case measure_kind::count_distinct:
            case measure_kind::approx_count_distinct:
                append(inner_, value_of(*key) + " AS " + selected);
                return fill(of.kind == measure_kind::count_distinct ? words_.count_distinct
                                                                    : words_.approx_count_distinct,
                            {operand});
            case measure_kind::min:
            case measure_kind::max:
                append(inner_, value_of(*key) + " AS " + selected);
                return std::string(to_string(of.kind)) + "(" + operand + ")";
            case measure_kind::sum:
            case measure_kind::average: break;
        }
        const bool is_exact = key->native && key->native.type->argument != type_argument::scale;
        if (of.of.type == column_type::decimal && !is_exact) {
            return inexact(of.of.name, "give it a place of a type of exact numbers");
        }
        append(inner_, key->expression + " AS " + selected);
        const bool is_integer = of.of.type == column_type::integer;
        const std::string sum =
            fill(is_integer ? words_.sum_integers : words_.sum, {"sluice_rows." + selected});
        if (of.kind == measure_kind::sum) return "coalesce(" + sum + ", 0)";
        return fill(words_.average, {sum, "sluice_rows." + selected});
    }

    // --- The statement ---------------------------------------------------------------------

    [[nodiscard]] result<statement> statement_of_rows() {
        const auto rows = query_.rows.visit(condition_writer(columns_, dialect_, bound_));
        if (!rows) return tl::unexpected(rows.error());
        const limits& most = limits_of(dialect_);
        if (rows->nesting() > most.nesting) return too_large(most.at_most_levels);
        std::string text = "SELECT " + outer_ + " FROM " + joined_rows(rows->text());
        if (!grouped_.empty()) text.append(" GROUP BY ").append(grouped_);
        text = "SELECT " + (has_scales_ ? shown_ : "*") + " FROM (" + text + ") AS sluice_groups" +
               order() + " LIMIT " + bound_.add(query_.limit);
        if (!buckets_.empty()) text.append(words_.settings);
        if (sorts_texts()) text.insert(0, fragments_.sorts_texts);
        statement written = std::move(bound_).in(std::move(text), columns_.placeholders);
        if (written.parameters.size() <= most.parameters) return written;
        return too_large(most.at_most_parameters);
    }
    /// Writes the rows that meet the conditions, each beside its bucket.
    [[nodiscard]] std::string joined_rows(const std::string& condition_text) const {
        std::string rows = "(SELECT " + (inner_.empty() ? "1 AS sluice_row" : inner_) + " FROM " +
                           columns_.table + " WHERE " + condition_text + ") AS sluice_rows";
        if (buckets_.empty()) return rows + items_;
        // Only an answer with one group has every bucket.
        const bool has_all = query_.group_by.size() == 1;
        return fill(has_all ? words_.every_bucket : words_.some_buckets, {buckets_, rows}) + items_;
    }
    [[nodiscard]] bool sorts_texts() const {
        return std::ranges::any_of(query_.group_by, [](const group_key& group) {
            return group.by.type == column_type::text || group.by.type == column_type::json;
        });
    }
    [[nodiscard]] std::string order() const {
        std::string text;
        for (const aggregate_key& key : query_.order) {
            append(text,
                   key.is_measure ? ordered_measure(key) : ordered_group(key.index, key.direction));
        }
        for (std::size_t at = 0; at < orders_.size(); ++at) {
            append(text, ordered_group(at, sort_order::ascending));
        }
        return text.empty() ? text : " ORDER BY " + text;
    }
    [[nodiscard]] std::string ordered_group(std::size_t at, sort_order direction) const {
        const column& by = query_.group_by[at].by;
        const bool is_path = by.type == column_type::json;
        return with_nulls(orders_[at], direction, by.is_nullable || by.is_list || is_path);
    }
    [[nodiscard]] std::string ordered_measure(const aggregate_key& key) const {
        const measure_kind kind = query_.measures[key.index].kind;
        const bool is_nullable =
            kind == measure_kind::min || kind == measure_kind::max || kind == measure_kind::average;
        return with_nulls(name("measure", key.index), key.direction, is_nullable);
    }
    [[nodiscard]] std::string with_nulls(std::string expression, sort_order direction,
                                         bool is_nullable) const {
        const bool ascends = direction == sort_order::ascending;
        expression.append(ascends ? " ASC" : " DESC");
        if (is_nullable)
            expression.append(ascends ? fragments_.nulls_first : fragments_.nulls_last);
        return expression;
    }

    const aggregate_query& query_;
    const mapping& columns_;
    dialect dialect_;
    const fragments& fragments_;
    const aggregate_fragments& words_;
    parameters bound_;
    std::string inner_, outer_, grouped_, shown_;  // lists of expressions
    bool has_scales_ = false;                      // shown_ isn't `*`
    std::string buckets_;                          // the rows of buckets; empty without a bucket
    std::string items_;                            // joins with the items of lists
    std::vector<std::string> orders_;              // by group: the expression that it is ordered by
};

}  // namespace detail

/// Compiles an aggregate query to one SQL statement: its groups and measures in the query's order,
/// as sluice_group_1 and so on, then sluice_measure_1.
///
/// ```
/// const auto columns = sluice::sql::table_mapping(schema, "orders", sluice::sql::dialect::sqlite);
/// const auto groups =
///     sluice::sql::compile_aggregate(query, columns, sluice::sql::dialect::sqlite);
/// ```
///
/// The values of groups are sort keys, as in the rows of compile(): times in milliseconds, prepared
/// decimals as their order keys, scaled ones with an exponent (and without a name), texts at a path
/// of JSON as prepared_text(). The starts of time buckets, empty ones too, are parameters, so that
/// they are those of the query's zone in every database. Sums and averages of doubles are the
/// database's; SQLite ends a statement whose sum of integers is beyond 64 bits with an error.
///
/// Errors: those of check(); test_unanswered; sql_inexact, with advice, for storages of JSON that
/// the database lacks, counts of distinct items of lists, lists that aren't arrays and not as ddl()
/// writes them, more than one bucket of time and such buckets without a first and a last time, for
/// sums of decimals that the database has as texts; sql_too_large, for more buckets, conditions or
/// values than a statement takes.
[[nodiscard]] inline result<statement> compile_aggregate(const aggregate_query& query,
                                                         const mapping& columns, dialect of) {
    return detail::aggregate_writer(query, columns, of).write();
}

}  // namespace sluice::sql

#endif
