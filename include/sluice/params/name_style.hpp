// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_NAME_STYLE_HPP
#define SLUICE_PARAMS_NAME_STYLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <sluice/base/ascii.hpp>
#include <sluice/query/bounds.hpp>
#include <sluice/query/page.hpp>

/// Spellings of parameters: operators in names, lists, exclusions, orders. Each is a record.
namespace sluice {

namespace detail {

/// Returns the names of records, in their order.
template <class Record, std::size_t Count>
[[nodiscard]] constexpr std::array<std::string_view, Count> names_of(
    const std::array<Record, Count>& records) noexcept {
    std::array<std::string_view, Count> names{};
    std::size_t at = 0;
    for (const Record& record : records) names[at++] = record.name;
    return names;
}

}  // namespace detail

/// The operator of a comparison in the name of its parameter.
enum class name_style : std::uint8_t {
    brackets,     ///< `price[gte]`
    underscores,  ///< `price__gte`
    dots,         ///< `price.gte`
    words,        ///< `price_min`
};

/// The name of a style, and what it adds to a name, in the order of comparison.
struct name_style_record {
    std::string_view name;
    std::array<std::string_view, comparison_names.size()> suffixes;
};
inline constexpr std::array<name_style_record, 4> name_style_records{
    {{"brackets", {"", "[gte]", "[gt]", "[lte]", "[lt]"}},
     {"underscores", {"", "__gte", "__gt", "__lte", "__lt"}},
     {"dots", {"", ".gte", ".gt", ".lte", ".lt"}},
     {"words", {"", "_min", "_above", "_max", "_below"}}}};
inline constexpr auto name_style_names = detail::names_of(name_style_records);

/// Returns what a style adds to the name of a parameter.
[[nodiscard]] constexpr std::string_view suffix_of(name_style style, comparison op) noexcept {
    return name_style_records[static_cast<std::size_t>(style)]
        .suffixes[static_cast<std::size_t>(op)];
}

/// The values of a filter or a list in a request.
enum class list_form : std::uint8_t {
    commas,    ///< `ids=a,b`; repeats are merged, and `ids[]` is the same parameter
    repeated,  ///< `ids=a&ids=b`: one value each, in which no character is special
};
inline constexpr std::array<std::string_view, 2> list_form_names{"commas", "repeated"};

/// The exclusion of a filter's values.
enum class exclusion : std::uint8_t {
    dash,    ///< `-a,b` excludes; as repeated values have no dash, they are never excluded
    never,   ///< a leading dash is part of the value
    always,  ///< the parameter excludes its values, whatever its name: `status!=a`
};
inline constexpr std::array<std::string_view, 3> exclusion_names{"dash", "never", "always"};

/// The words of a search text that a row has.
enum class search_form : std::uint8_t {
    any,     ///< any word, in any of the columns
    all,     ///< every word, each in any of the columns
    phrase,  ///< the text as it is, in any of the columns
    odata,   ///< `$search` of OData: every word, and every phrase in double quotes
};
inline constexpr std::array<std::string_view, 4> search_form_names{"any", "all", "phrase", "odata"};

/// The direction of a sort key in a request.
enum class sort_form : std::uint8_t {
    dash,   ///< `-total`
    space,  ///< `total desc`
    colon,  ///< `total:desc`
    dot,    ///< `total.desc`
    bare,   ///< `total`: names alone, ascending unless another parameter says
};

/// The name of a form, and what a descending key begins with, or has before a direction in words.
struct sort_form_record {
    std::string_view name;
    std::string_view prefix;
    std::string_view separator;
};
inline constexpr std::array<sort_form_record, 5> sort_form_records{{{"dash", "-", ""},
                                                                    {"space", "", " "},
                                                                    {"colon", "", ":"},
                                                                    {"dot", "", "."},
                                                                    {"bare", "", ""}}};
inline constexpr auto sort_form_names = detail::names_of(sort_form_records);
[[nodiscard]] constexpr const sort_form_record& record_of(sort_form form) noexcept {
    return sort_form_records[static_cast<std::size_t>(form)];
}

namespace detail {

/// Returns a parameter's name without the operator that any style adds: `total` of `total[gte]`.
constexpr std::string_view stem_of(std::string_view name) noexcept {
    name = name.substr(0, name.find('['));
    for (const name_style_record& style : name_style_records) {
        for (const std::string_view suffix : style.suffixes) {
            if (!suffix.empty() && name.ends_with(suffix)) {
                return name.substr(0, name.size() - suffix.size());
            }
        }
    }
    return name;
}

/// Returns the first two words that are a text with another operator, or without one; empty views
/// if there are fewer.
///
/// ```
/// with_same_stem("total", names);      // total[gte], total[lte]
/// with_same_stem("total[eq]", names);  // total
/// ```
template <class Words, class Projection>
[[nodiscard]] constexpr std::pair<std::string_view, std::string_view> with_same_stem(
    std::string_view text, const Words& words, Projection word_of) noexcept {
    std::pair<std::string_view, std::string_view> pair;
    for (const auto& candidate : words) {
        const std::string_view word = word_of(candidate);
        if (stem_of(text).empty() || !equal_ignoring_case(stem_of(word), stem_of(text))) continue;
        if (!pair.first.empty()) return {pair.first, word};
        pair.first = word;
    }
    return pair;
}

}  // namespace detail

}  // namespace sluice

#endif
