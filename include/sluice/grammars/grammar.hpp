// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_GRAMMAR_HPP
#define SLUICE_GRAMMARS_GRAMMAR_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/grammars/aip160.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/cql2.hpp>
#include <sluice/grammars/cql2_json.hpp>
#include <sluice/grammars/odata.hpp>
#include <sluice/grammars/order.hpp>
#include <sluice/grammars/postgrest.hpp>
#include <sluice/grammars/rsql.hpp>
#include <sluice/grammars/scim.hpp>
#include <sluice/query/where_builder.hpp>

/// The grammars by name, for programs that choose one while they run.
namespace sluice {

/// A grammar of conditions in a guideline for APIs.
enum class grammar : std::uint8_t {
    aip160,     ///< AIP-160 of Google
    odata,      ///< the `$filter` of OData 4.01
    rsql,       ///< RSQL and FIQL
    cql2,       ///< CQL2 text of OGC
    scim,       ///< the filter of SCIM, RFC 7644
    postgrest,  ///< the logical filters of PostgREST
    cql2_json,  ///< CQL2 JSON of OGC
};
inline constexpr std::size_t grammar_count = 7;

/// The name of a grammar, its reader and writer, and the reader of its guideline's orders.
struct grammar_record {
    grammar kind;
    std::string_view name;
    result<where> (*parse)(std::string_view text, const expression_columns& columns);
    result<std::string> (*write)(const where& rows, const expression_columns& columns);
    result<std::vector<sort_key>> (*parse_order)(std::string_view text,
                                                 const expression_columns& columns);
};

/// The records of all grammars, in the order of the enumeration.
inline constexpr std::array<grammar_record, grammar_count> grammar_records{{
    {grammar::aip160, "aip160", parse_aip160_filter, to_aip160_filter, parse_aip160_order},
    {grammar::odata, "odata", parse_odata_filter, to_odata_filter, parse_odata_order},
    {grammar::rsql, "rsql", parse_rsql, to_rsql, parse_signed_order},
    {grammar::cql2, "cql2", parse_cql2, to_cql2, parse_signed_order},
    {grammar::scim, "scim", parse_scim_filter, to_scim_filter, parse_scim_order},
    {grammar::postgrest, "postgrest", parse_postgrest, to_postgrest, parse_postgrest_order},
    {grammar::cql2_json, "cql2-json", parse_cql2_json, to_cql2_json, parse_signed_order},
}};

namespace detail {

/// Returns true if there is a record for each grammar, in the order of the enumeration.
template <class Records>
[[nodiscard]] consteval bool are_in_order(const Records& records) {
    for (std::size_t at = 0; at < records.size(); ++at) {
        if (records[at].kind != static_cast<grammar>(at)) return false;
    }
    return true;
}

}  // namespace detail

static_assert(detail::are_in_order(grammar_records),
              "the records are in the order of the grammars");

/// The names of the grammars, in the order of the enumeration.
inline constexpr auto grammar_names = [] {
    std::array<std::string_view, grammar_records.size()> names;
    for (std::size_t at = 0; at < names.size(); ++at) names[at] = grammar_records[at].name;
    return names;
}();

[[nodiscard]] constexpr const grammar_record& record_of(grammar kind) noexcept {
    return grammar_records[static_cast<std::size_t>(kind)];
}
[[nodiscard]] constexpr std::string_view to_string(grammar kind) noexcept {
    return record_of(kind).name;
}
/// Returns the grammar of a name; nullopt if there is none.
[[nodiscard]] constexpr std::optional<grammar> find_grammar(std::string_view name) noexcept {
    for (const grammar_record& record : grammar_records) {
        if (record.name == name) return record.kind;
    }
    return std::nullopt;
}

/// Writes the conditions of a request, an AND over those of its parameters. The only one stands by
/// itself, so that every grammar can say it. Error: expression_inexpressible, with the column or
/// the test.
[[nodiscard]] inline result<std::string> to_expression(const where& rows, grammar in,
                                                       const expression_columns& columns) {
    const auto nodes = rows.nodes();
    const bool has_one = nodes[0].kind == where_kind::conjunction && nodes.size() > 1 &&
                         nodes[1].size == nodes.size() - 1;
    if (!has_one) return record_of(in).write(rows, columns);
    where_builder tree;
    tree.append(rows);
    tree.unwrap(0);
    return record_of(in).write(tree.take(0), columns);
}

/// Translates an expression from one grammar to another.
///
/// ```
/// sluice::translate("total gt 5", sluice::grammar::odata, sluice::grammar::rsql, columns);
/// // total=gt=5
/// ```
///
/// Errors: those of the first grammar, with the byte; expression_inexpressible of the second.
[[nodiscard]] inline result<std::string> translate(std::string_view text, grammar from, grammar to,
                                                   const expression_columns& columns) {
    return record_of(from).parse(text, columns).and_then([&](where&& rows) {
        return record_of(to).write(rows, columns);
    });
}

}  // namespace sluice

#endif
