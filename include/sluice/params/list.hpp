// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_LIST_HPP
#define SLUICE_PARAMS_LIST_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/params/page.hpp>
#include <sluice/params/text.hpp>
#include <sluice/params/value.hpp>
#include <sluice/params/window.hpp>

/// Parameters of lists rather than of rows: order, search, resource. Their rows name no column to
/// compare with: param::comparable is 0.
namespace sluice {

/// Declares a parameter that selects one of several lists (list_query::resource), bound to an
/// enumeration whose values count `Choices` from 0.
template <auto Member, const auto& Choices>
[[nodiscard]] constexpr auto resource_param(const param_info& info) noexcept {
    auto row = choice_param<Member, Choices>(info);
    row.comparable = 0;
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) {
        draft.query.resource = Choices[static_cast<std::size_t>(query.*Member)];
    };
    return row;
}

namespace detail {

/// Splits a text into its words, which white space separates.
[[nodiscard]] inline std::vector<std::string> words_of(std::string_view text) {
    constexpr std::string_view spaces = " \t\n\r\f\v";
    std::vector<std::string> words;
    for (std::size_t at = 0;;) {
        const std::size_t begin = text.find_first_not_of(spaces, at);
        if (begin == text.npos) return words;
        at = std::min(text.find_first_of(spaces, begin), text.size());
        words.emplace_back(text.substr(begin, at - begin));
    }
}

/// Splits the `$search` of OData into its words and its phrases in double quotes; AND between them
/// is optional. Errors, with the byte: expression_unsupported of OR, NOT and parentheses,
/// query_quote.
[[nodiscard]] inline result<std::vector<std::string>> phrases_of(std::string_view text) {
    std::vector<std::string> phrases;
    const auto unsupported = [](std::size_t at, std::size_t size) {
        auto failed = fail(rule::expression_unsupported, at, size);
        failed.value().accepts = "expected words, phrases in double quotes, and AND";
        return failed;
    };
    for (std::size_t at = 0; at < text.size();) {
        if (is_space(text[at])) {
            ++at;
        } else if (text[at] == '(' || text[at] == ')') {
            return unsupported(at, 1);
        } else if (text[at] == '"') {
            const std::size_t end = text.find('"', at + 1);
            if (end == text.npos) return fail(rule::query_quote, at, text.size() - at);
            phrases.emplace_back(text.substr(at + 1, end - at - 1));
            at = end + 1;
        } else {
            const std::size_t end =
                std::min(text.find_first_of(" \t\n\r\f\v\"()", at), text.size());
            const std::string_view word = text.substr(at, end - at);
            if (word == "OR" || word == "NOT") return unsupported(at, word.size());
            if (word != "AND") phrases.emplace_back(word);
            at = end;
        }
    }
    return phrases;
}

/// Returns lists of texts: a row has to contain any text of each list. A search for all words has a
/// list for each word.
[[nodiscard]] inline std::vector<std::vector<std::string>> searched_parts(const std::string& text,
                                                                          search_form form) {
    std::vector<std::string> words = form == search_form::odata
                                         ? phrases_of(text).value_or(std::vector<std::string>())
                                         : words_of(text);
    if (words.empty()) return {};
    switch (form) {
        case search_form::any: return {std::move(words)};
        case search_form::phrase: return {{text}};
        case search_form::all:
        case search_form::odata: break;
    }
    std::vector<std::vector<std::string>> parts;
    for (std::string& word : words) parts.push_back({std::move(word)});
    return parts;
}

/// Adds a search to a draft: conditions that any of the searched columns contains the words, or
/// without such columns the text.
inline void search(const std::string& text, const param_info& info, list_query_draft& draft) {
    if (info.searched.empty()) {
        draft.query.search = text;
        draft.query.search_param = info.name;
        return;
    }
    for (std::vector<std::string>& parts : searched_parts(text, info.words)) {
        const part_test test{part_place::anywhere, std::move(parts)};
        std::vector<where> any;
        for (const std::string_view name : info.searched) {
            any.emplace_back(leaf{*find_column(draft.columns, name), test, info.name});
        }
        draft.trees.push_back(where::any(std::move(any)));
    }
}

}  // namespace detail

/// Declares a text to search for, bound to a `std::optional<std::string>`. The endpoint decides
/// which columns are searched. Empty is absent.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto search_param(const param_info& info) noexcept {
    auto row = text_param<Member, Query>(info);
    row.comparable = 0;
    row.assign = [](Query& query, const param_info& row_info, std::string_view text,
                    const bind_options& options) -> result<void> {
        if (row_info.words == search_form::odata) {
            const auto phrases = detail::phrases_of(text);
            if (!phrases) return tl::unexpected<error>(phrases.error());
            if (phrases->empty()) return {};
        }
        return text_param<Member, Query>({}).assign(query, row_info, text, options);
    };
    row.contribute = [](const auto& query, const param_info& row_info, const column*,
                        list_query_draft& draft) {
        detail::search((query.*Member).value_or(std::string()), row_info, draft);
    };
    return row;
}

/// Like search_param() of a text, but selects rows that have any word of the text in any of
/// `Columns`, an array of names of text columns with static storage.
template <auto Member, const auto& Columns>
[[nodiscard]] constexpr auto search_param(param_info info) noexcept {
    info.searched = Columns;
    return search_param<Member>(info);
}

/// Declares the column to order by, one of `Columns`, bound to an enum that counts their names from
/// 0.
template <auto Member, const auto& Columns>
[[nodiscard]] constexpr auto sort_column_param(const param_info& info) noexcept {
    auto row = choice_param<Member, Columns>(info);
    row.comparable = 0;
    row.info.role = param_role::sort_column;
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) {
        const auto at = static_cast<std::size_t>(query.*Member);
        draft.query.order.push_back({*find_column(draft.columns, Columns[at])});
    };
    return row;
}

/// Declares the direction of sort_column_param()'s column, bound to a `sort_order`.
template <auto Member>
[[nodiscard]] constexpr auto sort_order_param(const param_info& info) noexcept {
    auto row = choice_param<Member, sort_order_names>(info);
    row.comparable = 0;
    row.info.role = param_role::sort_order;
    row.contribute = [](const auto& query, const param_info&, const column*,
                        list_query_draft& draft) { draft.direction = query.*Member; };
    return row;
}

/// Declares columns to order by, each with its direction, bound to `sort_choices`; see
/// parse_sort(). `info.choices` are the names of the columns.
template <auto Member>
[[nodiscard]] constexpr auto sort_param(const param_info& info) noexcept {
    static_assert(detail::holds<Member, sort_choices>,
                  "sort_param is bound to sluice::sort_choices: give the member this type");
    constexpr auto read = [](std::string_view text, const param_info& row_info,
                             const bind_options&) {
        return parse_sort(text, row_info.choices, row_info.sorts);
    };
    auto row = detail::make_row<Member>(info, param_type::sort);
    row.assign = detail::assign<Member, read>;
    row.info.role = param_role::sort_column;
    row.contribute = [](const auto& query, const param_info& row_info, const column*,
                        list_query_draft& draft) {
        for (const sort_choice& key : query.*Member) {
            draft.query.order.push_back(
                {*find_column(draft.columns, row_info.choices[key.column]), key.direction});
        }
    };
    return row;
}

/// Like sort_param() of `info.choices`, for an array of column names with static storage.
template <auto Member, const auto& Columns>
[[nodiscard]] constexpr auto sort_param(param_info info) noexcept {
    info.choices = Columns;
    if (info.accepts.empty()) info.accepts = detail::choices_text<Columns>.view();
    return sort_param<Member>(info);
}

}  // namespace sluice

#endif
