// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_WORDS_HPP
#define SLUICE_GRAMMARS_WORDS_HPP

#include <array>
#include <cstddef>
#include <string_view>

#include <sluice/grammars/grammar.hpp>
#include <sluice/query/column_test.hpp>

/// Words of the grammars, for documentation.
namespace sluice {

/// The operators of a grammar, and how it orders.
struct grammar_words {
    grammar kind;
    std::string_view guideline;
    std::array<std::string_view, test_kind_count> operators;  ///< by kind of test
    std::string_view list_operators;                          ///< of a list's items
    std::string_view order;  ///< the syntax of an order, with `a` and `b` for columns
    std::string_view descending_before, descending_after;  ///< around a descending sort key
};

/// The words of all grammars, in the order of the enumeration.
inline constexpr std::array<grammar_words, grammar_count> all_grammar_words{{
    {.kind = grammar::aip160,
     .guideline = "a filter of AIP-160",
     .operators = {"=", "!=", "=", ":", "= with * at the end", "= with * at the beginning",
                   "> >= < <=", "=", ":", "= != > >= < <= of a key", ":*"},
     .list_operators = ":",
     .order = "columns `a,b desc`",
     .descending_before = "",
     .descending_after = " desc"},
    {.kind = grammar::odata,
     .guideline = "a $filter of OData 4.01",
     .operators = {"eq in", "ne", "any", "contains", "startswith", "endswith", "gt ge lt le",
                   "eq ne", "any all", "eq ne gt ge lt le of a key", "eq null"},
     .list_operators = "any all",
     .order = "columns `a,b desc`",
     .descending_before = "",
     .descending_after = " desc"},
    {.kind = grammar::rsql,
     .guideline = "a filter of RSQL or FIQL",
     .operators = {"== =in=", "!= =out=", "==", "== with * at both ends", "== with * at the end",
                   "== with * at the beginning", "> >= < <=", "== !=", "== of a member",
                   "== != > >= < <= of a key", "=null="},
     .list_operators = "== =in=",
     .order = "columns `a,-b`, descending after `-`",
     .descending_before = "-",
     .descending_after = ""},
    {.kind = grammar::cql2,
     .guideline = "a filter of CQL2 text",
     .operators = {"= IN", "<>", "A_CONTAINS", "LIKE '%a%'", "LIKE 'a%'", "LIKE '%a'",
                   "> >= < <= BETWEEN", "= <>", "= of a member", "= <> > >= < <= of a key",
                   "IS NULL"},
     .list_operators = "A_OVERLAPS A_CONTAINS",
     .order = "columns `a,-b`, descending after `-`",
     .descending_before = "-",
     .descending_after = ""},
    {.kind = grammar::scim,
     .guideline = "a filter of SCIM, RFC 7644",
     .operators = {"eq", "ne", "eq", "co", "sw", "ew", "gt ge lt le", "eq ne", "[ ]",
                   "eq ne gt ge lt le of a key", "pr"},
     .list_operators = "eq",
     .order = "a column",
     .descending_before = "",
     .descending_after = ""},
    {.kind = grammar::postgrest,
     .guideline = "a filter of PostgREST",
     .operators = {"eq in", "neq", "cs", "like.*a*", "like.a*", "like.*a", "gt gte lt lte", "is",
                   "eq of a member", "eq neq gt gte lt lte of a key", "is.null"},
     .list_operators = "cs ov",
     .order = "columns `a,b.desc`",
     .descending_before = "",
     .descending_after = ".desc"},
    {.kind = grammar::cql2_json,
     .guideline = "a filter of CQL2 as JSON",
     .operators = {"= in", "<>", "a_contains", "like %a%", "like a%", "like %a",
                   "> >= < <= between", "= <>", "= of a member", "= <> > >= < <= of a key",
                   "isNull"},
     .list_operators = "a_overlaps a_contains",
     .order = "columns `a,-b`, descending after `-`",
     .descending_before = "-",
     .descending_after = ""},
}};
static_assert(detail::are_in_order(all_grammar_words),
              "the words are in the order of the grammars");

[[nodiscard]] constexpr const grammar_words& words_of(grammar kind) noexcept {
    return all_grammar_words[static_cast<std::size_t>(kind)];
}

}  // namespace sluice

#endif
