// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_QUERIES_HPP
#define SLUICE_WASM_QUERIES_HPP

#include <memory>
#include <string>
#include <string_view>

#include <sluice/query/list_query.hpp>
#include <sluice/query/schema.hpp>

#include "abi.hpp"

namespace sluice::wasm {

/// The query of a request, and the columns of its table.
struct query_object : object {
    query_object(list_query parsed, columns_view of_table,
                 std::shared_ptr<const void> table = nullptr)
        : query(std::move(parsed)), columns(of_table), owner(std::move(table)) {}

    list_query query;
    columns_view columns;
    /// The table whose names `query` and `columns` view; null if it is static.
    std::shared_ptr<const void> owner;
};

/// Writes the answer with the query of a request; `write_values()` writes the values of its
/// parameters:
///
/// ```
/// { "handle": …, "text": query string, "values": … }
/// ```
template <class WriteValues>
void write_query(json_writer& json, std::unique_ptr<query_object> parsed, std::string_view text,
                 WriteValues write_values) {
    json.key("value").begin_object().member("text", text).key("values");
    write_values();
    write_object(json, "handle", std::move(parsed));
    json.end_object();
}

}  // namespace sluice::wasm

#endif
