// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_RUNTIME_ROWS_HPP
#define SLUICE_PARAMS_RUNTIME_ROWS_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sluice/params/named_values.hpp>
#include <sluice/params/runtime/declaration.hpp>
#include <sluice/params/table.hpp>

// The rows of a table declared at run time are made by the same functions as those of a
// param_table. There a row is bound to a member of the endpoint's struct; here it is bound to a
// struct that has only its value, and declared_row adapts it to declared_query, which has the
// values of all rows:
//
//     declared_query.values   [ single<filter> ] [ list_window ] [ none ] ...
//                                    ^                ^ four rows
//     filter_param<&single<filter>::value>      window_params<list_window>

namespace sluice {

/// Returns the text of a custom type's value, as rows write it.
[[nodiscard]] inline std::string param_text(const param_info&, const custom_value& value) {
    return value.text;
}

namespace detail {

template <class T>
inline constexpr auto single_member = &single<T>::value;

/// Stands for the description of a declaration, which isn't known at compile time. With a column,
/// so that rows contribute conditions, and with an operator, without which instant_param() doesn't
/// compile; declared_row::row_of() replaces both.
inline constexpr param_info undeclared{.column = "column", .op = comparison::at_least};

// The rows of the kinds of declarations, see declared_kind.

inline constexpr auto as_filter = [] { return filter_param<single_member<filter>>(undeclared); };
inline constexpr auto as_list = [] {
    return list_param<single_member<std::vector<std::string>>>(undeclared);
};
inline constexpr auto as_text = [] {
    return text_param<single_member<std::optional<std::string>>>(undeclared);
};
inline constexpr auto as_search = [] {
    return search_param<single_member<std::optional<std::string>>>(undeclared);
};
inline constexpr auto as_choice = [] {
    return choice_param<single_member<std::optional<choice_index>>>(undeclared);
};
inline constexpr auto as_boolean = [] {
    return boolean_param<single_member<std::optional<bool>>>(undeclared);
};
inline constexpr auto as_integer = [] {
    return integer_param<single_member<std::optional<std::int64_t>>, 0>(undeclared);
};
inline constexpr auto as_decimal = [] {
    return value_param<single_member<std::optional<decimal_number>>>(undeclared);
};
inline constexpr auto as_uuid = [] {
    return value_param<single_member<std::optional<uuid>>>(undeclared);
};
inline constexpr auto as_real = [] {
    return real_param<single_member<std::optional<double>>>(undeclared);
};
inline constexpr auto as_date = [] {
    return value_param<single_member<std::optional<calendar_day>>>(undeclared);
};
inline constexpr auto as_contains = [] {
    return contains_param<single_member<std::optional<std::string>>>(undeclared);
};
inline constexpr auto as_starts_with = [] {
    return starts_with_param<single_member<std::optional<std::string>>>(undeclared);
};
inline constexpr auto as_ends_with = [] {
    return ends_with_param<single_member<std::optional<std::string>>>(undeclared);
};
inline constexpr auto as_is_null = [] {
    return null_param<single_member<std::optional<bool>>>(undeclared);
};
inline constexpr auto as_time = [] {
    return instant_param<single_member<std::optional<instant>>>(undeclared);
};
inline constexpr auto as_expression = [] {
    return expression_param<single_member<metadata_query>>(undeclared);
};
inline constexpr auto as_condition = [] {
    return expression_param<single_member<expression>, grammar::odata>(undeclared);
};
inline constexpr auto as_order = [] {
    return ordering_param<single_member<ordering>, grammar::odata>(undeclared);
};
inline constexpr auto as_direction = [] {
    using member = single<std::optional<choice_index>>;
    auto row = choice_param<&member::value>(undeclared);
    row.comparable = 0;
    row.info.role = param_role::sort_order;
    row.contribute = [](const member& chosen, const param_info&, const column*,
                        list_query_draft& draft) {
        if (!chosen.value) return;
        draft.direction =
            *chosen.value == choice_index{} ? sort_order::ascending : sort_order::descending;
    };
    return row;
};
inline constexpr auto as_window = [] {
    return rows_of_window<&list_window::interval, &list_window::start, &list_window::end,
                          &list_window::timezone, &list_window::window, list_window,
                          end_of_all::open>(undeclared, default_window_names);
};
inline constexpr auto as_page = [] {
    return rows_of_page<list_page, std::numeric_limits<std::int64_t>::max()>(default_page_names);
};

/// Returns the test of a column for a custom type's value: its text parsed as the column's type.
/// Errors: those of the type's parse function, such as number_malformed.
[[nodiscard]] inline result<column_test> custom_test(const column& subject, comparison op,
                                                     std::string_view text) {
    const auto compared = [&]<class T>(const T& value) -> column_test {
        bounds<T> range;
        range.narrow(op, value);
        return range;
    };
    switch (subject.type) {
        case column_type::integer: return parse_int64(text).map(compared);
        case column_type::decimal: return parse_decimal_number(text).map(compared);
        case column_type::time: return parse_timestamp(text).map(compared);
        case column_type::boolean:
            return parse_boolean(text).map(
                [](bool value) -> column_test { return boolean_test{value}; });
        case column_type::real: return parse_real_number(text).map(compared);
        case column_type::date: return parse_day(text).map(compared);
        case column_type::uuid:
            return parse_uuid(text).map(
                [](const uuid& id) -> column_test { return text_test{filter({id.text()})}; });
        case column_type::text:
        case column_type::choice:
        case column_type::json:
        case column_type::records: break;
    }
    return text_test{filter({text})};
}

/// Makes the row of a custom type. Its values are parsed by the program's function, and refused
/// (value_malformed) if their text can't be compared with the column.
inline constexpr auto as_custom = [] {
    constexpr auto member = single_member<std::optional<custom_value>>;
    constexpr auto read = [](std::string_view text, const param_info& info,
                             const bind_options&) -> result<custom_value> {
        const column* const subject = info.declared->subject;
        return info.declared->spec.parse(text).and_then(
            [&](custom_value&& value) -> result<custom_value> {
                if (subject != nullptr && !custom_test(*subject, info.op, value.text)) {
                    return fail(rule::value_malformed, 0, text.size());
                }
                return std::move(value);
            });
    };
    auto row = make_row<member>(undeclared, param_type::value);
    row.assign = assign<member, read>;
    row.comparable = set_of(column_type::text, column_type::integer, column_type::decimal,
                            column_type::time, column_type::boolean, column_type::real,
                            column_type::date, column_type::uuid, column_type::choice);
    row.contribute = [](const single<std::optional<custom_value>>& single_value,
                        const param_info& info, const column* subject, list_query_draft& draft) {
        if (!single_value.value) return;
        draft.leaves.push_back(
            {*subject, *custom_test(*subject, info.op, single_value.value->text), info.name});
    };
    return row;
};

/// Makes the row of a sort. Its choices needn't be names of columns, see declaration::sorted_by.
inline constexpr auto as_sort = [] {
    auto row = sort_param<single_member<sort_choices>>(undeclared);
    row.contribute = [](const single<sort_choices>& single_value, const param_info& info,
                        const column*, list_query_draft& draft) {
        for (const sort_choice& key : single_value.value) {
            draft.query.order.push_back({info.declared->sorted_by[key.column], key.direction});
        }
    };
    return row;
};

/// Makes the row of names: a sort's that orders nothing.
inline constexpr auto as_names = [] {
    auto row = sort_param<single_member<sort_choices>>(undeclared);
    row.info.role = param_role::condition;
    row.info.column = {};
    row.contribute = nullptr;
    return row;
};

/// Adapts row `Index` of those that `Make()` returns, a row or a group bound to a value_type, to a
/// declared_query. The static functions are those of the adapted row: they look up the value by
/// declared_param::place and call the function of the inner row.
template <auto Make, std::size_t Index = 0>
struct declared_row {
    static constexpr auto rows = Make();
    using rows_type = std::remove_const_t<decltype(rows)>;
    using value_type = typename query_type_of<rows_type>::type;

    /// Returns the row that is adapted.
    [[nodiscard]] static constexpr const param<value_type>& inner() noexcept {
        if constexpr (std::is_base_of_v<param<value_type>, rows_type>) {
            return rows;
        } else {
            return rows[Index];
        }
    }
    /// Returns the value of the declaration, to write to.
    [[nodiscard]] static value_type& write_to(declared_query& query, const param_info& info) {
        return value_to_write<value_type>(query, *info.declared, inner().repeatable());
    }

    static result<void> assign(declared_query& query, const param_info& info, std::string_view text,
                               const bind_options& options) {
        return inner().assign(write_to(query, info), info, text, options);
    }
    /// Returns the text of a value, even if it is the default.
    static std::optional<std::string> full_text(const value_type& value, const param_info& info) {
        const auto text = inner().as_text(value, info);
        return text ? text : inner().as_default(info);
    }
    /// Returns the text of the value; nullopt if it is that of the declaration's default.
    static std::optional<std::string> as_text(const declared_query& query, const param_info& info) {
        const declared_param& declared = *info.declared;
        auto text = full_text(value_at<value_type>(query, declared), info);
        return text == full_text(*std::get_if<value_type>(&declared.unset), info) ? std::nullopt
                                                                                  : std::move(text);
    }
    static std::optional<std::string> as_canonical_text(const declared_query& query,
                                                        const param_info& info) {
        auto text = as_text(query, info);
        if (!text) return text;
        auto canonical =
            inner().as_canonical_text(value_at<value_type>(query, *info.declared), info);
        return canonical ? canonical : text;
    }
    static void contribute(const declared_query& query, const param_info& info,
                           const column* subject, list_query_draft& draft) {
        inner().contribute(value_at<value_type>(query, *info.declared), info, subject, draft);
    }
    static result<void> finish(declared_query& query, const param_info& info,
                               const bind_options& options) {
        return inner().finish(write_to(query, info), info, options);
    }

    /// Makes the row of a declaration, without its texts, bounds and default. Of a group only the
    /// leader has the column.
    [[nodiscard]] static param<declared_query> row_of(declared_param& declared) {
        if (declared.unset.index() == 0) declared.unset.template emplace<value_type>();
        param<declared_query> row{};
        row.info = inner().info;
        if (inner().contribute != nullptr) {
            row.info.column = declared.spec.column;
            row.contribute = contribute;
        }
        row.info.op = declared.spec.op;
        const bool is_text =
            row.info.type == param_type::text || row.info.type == param_type::choice;
        if (is_text && inner().info.test == test_kind::bounds) {
            row.info.test = kind_of_text(declared.spec.op);
        }
        row.info.declared = &declared;
        row.assign = assign;
        row.as_text = as_text;
        row.as_canonical_text = as_canonical_text;
        row.comparable = inner().comparable;
        if (inner().finish != nullptr) row.finish = finish;
        return row;
    }
    /// Parses the default of a row, if it has one, into declared_param::unset, and sets its text as
    /// the row's `absent`. Commas separate the values of a default, also of repeated lists. Errors:
    /// those of the row.
    static result<void> set_default(param<declared_query>& row, declared_param& declared,
                                    const std::optional<std::string>& absent) {
        auto& value = *std::get_if<value_type>(&declared.unset);
        result<void> done;
        param_info info = row.info;
        info.lists = list_form::commas;
        if (absent) done = inner().assign(value, info, *absent, {});
        const auto text = full_text(value, row.info);
        if (text && !text->empty()) row.info.absent = declared.keep(*text);
        return done;
    }
};

}  // namespace detail

}  // namespace sluice

#endif
