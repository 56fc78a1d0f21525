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

/// The query of a request.
struct query_object : object {
    query_object(list_query made, columns_view of, std::shared_ptr<const void> table = nullptr)
        : asked(std::move(made)), columns(of), owner(std::move(table)) {}

    list_query asked;
    columns_view columns;
    std::shared_ptr<const void> owner;  // owns what they view; null if that is static
};

/// Writes the query of a request; `write_values` writes the values of its parameters:
///
/// ```
/// { "handle": …, "text": query string, "conditions": [ { "param", "column", "type" } … ],
///   "values": … }
/// ```
template <class WriteValues>
void write_query(json_writer& json, std::unique_ptr<query_object> made, std::string_view text,
                 WriteValues write_values) {
    json.key("value").begin_object().member("text", text).key("conditions").begin_array();
    for (const leaf& each : made->asked.rows.leaves()) {
        json.begin_object().member("column", each.subject.name);
        json.member("param", each.param.empty() ? each.subject.name : each.param);
        json.member("type", to_string(each.subject.type)).end_object();
    }
    json.end_array().key("values");
    write_values();
    write_object(json, "handle", std::move(made));
    json.end_object();
}

}  // namespace sluice::wasm

#endif
