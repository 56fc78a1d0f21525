// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_WASM_CALLS_HPP
#define SLUICE_TESTS_FUZZ_WASM_CALLS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include <sluice/base/unicode.hpp>

#include "../../bindings/wasm/native/abi.hpp"
#include "byte_source.hpp"

// The functions of the WebAssembly module, called as JavaScript calls them, with strangers' texts.

extern "C" {
#define SLUICE_WASM_CALL(name) \
    const sluice::wasm::answer* sluice_##name(const char* bytes, std::size_t size)
SLUICE_WASM_CALL(filter_parse);
SLUICE_WASM_CALL(metadata_parse);
SLUICE_WASM_CALL(metadata_tree);
SLUICE_WASM_CALL(metadata_matches);
SLUICE_WASM_CALL(table_make);
SLUICE_WASM_CALL(table_parse);
SLUICE_WASM_CALL(events_parse);
SLUICE_WASM_CALL(tags_parse);
SLUICE_WASM_CALL(query_tree);
SLUICE_WASM_CALL(query_conditions);
SLUICE_WASM_CALL(query_sql);
SLUICE_WASM_CALL(query_cursor);
SLUICE_WASM_CALL(time_resolve);
SLUICE_WASM_CALL(window_resolve);
SLUICE_WASM_CALL(limit_policy);
SLUICE_WASM_CALL(decimal_order);
SLUICE_WASM_CALL(timestamp_parse);
#undef SLUICE_WASM_CALL
char* sluice_allocate(std::size_t size);
void sluice_release(sluice::wasm::object* held);
}

namespace sluice_fuzz {

using wasm_function = const sluice::wasm::answer* (*)(const char*, std::size_t);
using wasm_argument = std::optional<std::string_view>;

/// Calls a function, whose answer is JSON with a value, errors or a mistake; its value's handle, or
/// an empty text.
inline std::string call(wasm_function function, std::initializer_list<wasm_argument> arguments) {
    std::string bytes;
    for (const wasm_argument& argument : arguments) {
        const auto size = argument ? static_cast<std::uint32_t>(argument->size()) : 0xFFFF'FFFFU;
        bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
        bytes.append(argument.value_or(""));
    }
    char* const copied = sluice_allocate(bytes.size());
    std::memcpy(copied, bytes.data(), bytes.size());
    const sluice::wasm::answer* const answer = function(copied, bytes.size());
    static simdjson::dom::parser parser;
    const auto json = parser.parse(answer->text, answer->size);
    require(json.error() == simdjson::SUCCESS);
    const auto has = [&](const char* name) { return json[name].error() == simdjson::SUCCESS; };
    require(has("value") || has("errors") || has("mistake"));
    std::int64_t handle = 0;
    const bool is_object = json["value"]["handle"].get(handle) == simdjson::SUCCESS;
    return is_object ? std::to_string(handle) : std::string();
}

/// An object of the module, released at the end.
class wasm_object {
public:
    wasm_object(wasm_function function, std::initializer_list<wasm_argument> arguments)
        : handle_(call(function, arguments)) {}
    wasm_object(const wasm_object&) = delete;
    wasm_object& operator=(const wasm_object&) = delete;
    ~wasm_object() {
        if (!handle_.empty()) {
            sluice_release(reinterpret_cast<sluice::wasm::object*>(std::stoull(handle_)));
        }
    }

    [[nodiscard]] std::string_view handle() const noexcept { return handle_; }

private:
    std::string handle_;
};

inline constexpr std::string_view wasm_now = "1787279415123";

inline void ask_of_query(const wasm_object& query, std::string_view text) {
    if (query.handle().empty()) return;
    call(sluice_query_tree, {query.handle()});
    for (const std::string_view dialect : sluice::sql::dialect_names) {
        call(sluice_query_sql,
             {query.handle(), dialect, "prepared", "page", text, "false", "*", "0"});
    }
    call(sluice_query_cursor, {query.handle(), "prepared", "false", "2", "t", text, "t", text});
}

/// Lines: a filter, an expression, a time with its zone, a window, requests; each parses or is
/// refused, and what parses can be asked.
inline void fuzz_wasm_calls(std::string_view input) {
    if (!sluice::detail::is_valid_utf8(input)) return;  // JavaScript encodes its texts so
    byte_source bytes(input);
    const std::string_view first = bytes.line(), second = bytes.line(), rest = bytes.rest();
    call(sluice_filter_parse, {first});
    call(sluice_decimal_order, {first, second});
    call(sluice_timestamp_parse, {first});
    if (const wasm_object query(sluice_metadata_parse, {first}); !query.handle().empty()) {
        call(sluice_metadata_tree, {query.handle()});
        call(sluice_metadata_matches, {query.handle(), rest, "false"});
        call(sluice_metadata_matches, {query.handle(), rest, "true"});
    }
    call(sluice_time_resolve, {first, wasm_now, "end", second});
    call(sluice_window_resolve, {first, wasm_now});
    call(sluice_limit_policy, {first, second, rest});
    ask_of_query(wasm_object(sluice_events_parse, {rest, wasm_now, "true"}), second);
    ask_of_query(wasm_object(sluice_tags_parse, {rest, wasm_now, "false"}), second);
    const wasm_object table(
        sluice_table_make,
        {"id",         first,   "text",  "false",      "true",  "ignore_case", "id", "text",
         "false",      "false", "exact", std::nullopt, "1",     "filter",      "q",  first,
         "eq",         second,  "",      std::nullopt, "false", "false",       "",   std::nullopt,
         std::nullopt, "0",     "0"});
    if (table.handle().empty()) return;
    ask_of_query(wasm_object(sluice_table_parse, {table.handle(), rest, wasm_now, "true"}), second);
}

}  // namespace sluice_fuzz

#endif
