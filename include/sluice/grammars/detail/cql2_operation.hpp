// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_CQL2_OPERATION_HPP
#define SLUICE_GRAMMARS_DETAIL_CQL2_OPERATION_HPP

#include <cstddef>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/json_cursor.hpp>
#include <sluice/grammars/detail/text_scanner.hpp>

namespace sluice::detail {

/// An operation of CQL2 in JSON: `{"op": "name", "args": [...]}`, with its members in any order.
struct cql2_operation {
    std::string_view name{};    ///< empty for an object that is none
    text_place place{};         ///< of the name
    std::size_t arguments = 0;  ///< offset of the first
    std::size_t end = 0;        ///< offset behind the object; 0 if it ends with its arguments
    text_place fault{};         ///< the member at which it is no operation, or the first one
};

/// Reads the operation at an offset of a text, up to its arguments; all of it if they come first.
[[nodiscard]] inline cql2_operation read_cql2_operation(std::string_view text, std::size_t offset) {
    json_cursor json(text);
    json.move_to(offset);
    cql2_operation next;
    if (!json.take('{')) return {};
    do {
        static_cast<void>(json.peek());  // moves over the space
        const std::size_t start = json.offset();
        const auto member = json.take_string();
        const text_place place{start, json.offset() - start};
        if (next.fault.length == 0) next.fault = place;
        if (!member || !json.take(':')) return {.fault = next.fault};
        if (equal_bytes(member->spelled, "args") && json.peek() == '[' && next.arguments == 0) {
            next.arguments = json.offset() + 1;
            if (!next.name.empty()) return next;
            json.skip_value();
        } else if (equal_bytes(member->spelled, "op") && json.peek() == '"' && next.name.empty()) {
            const std::size_t first = json.offset();
            const auto name = json.take_string();
            if (!name) return {.fault = next.fault};
            next.name = name->spelled;
            next.place = {first, json.offset() - first};
        } else {
            return {.fault = place};
        }
    } while (json.take(','));
    if (!json.take('}') || next.name.empty() || next.arguments == 0) return {.fault = next.fault};
    next.end = json.offset();
    return next;
}

}  // namespace sluice::detail

#endif
