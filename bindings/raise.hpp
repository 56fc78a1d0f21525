// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_RAISE_HPP
#define SLUICE_BINDINGS_RAISE_HPP

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/pybind11.h>

#include <sluice/error.hpp>
#include <sluice/query_string.hpp>

namespace sluice::bindings {

namespace py = pybind11;

/// Where an error was found, besides what it says itself.
struct error_context {
    std::optional<std::string_view> text{};  ///< what offset and length count in
    std::string message{};                   ///< the error's own where it is empty
    std::string file{};                      ///< of a record
    std::int64_t line = 0;                   ///< counted from 1
};

/// An instance of sluice.ApiError.
[[nodiscard]] py::object to_api_error(const error& e, const error_context& where = {});

/// Raises sluice.ApiError.
[[noreturn]] void raise(const error& e, const error_context& where = {});

/// The value of a result, or its error raised; `text` is what was parsed.
template <class T>
[[nodiscard]] T unwrap(result<T>&& parsed, std::optional<std::string_view> text = {}) {
    if (!parsed) raise(parsed.error(), {.text = text});
    return std::move(*parsed);
}

/// What the offset and length of a request's error count in: the value of its parameter, or an
/// unknown name. Nothing where it can't be told which of several repeats is at fault.
template <class Table>
[[nodiscard]] std::optional<std::string_view> text_at_fault(const Table& table,
                                                            std::span<const name_value> given,
                                                            const error& e) {
    std::vector<std::string_view> values, unknown;
    for (const auto& [name, value] : given) {
        const auto row =
            std::ranges::find_if(table, [&](const auto& r) { return r.is_named(name); });
        if (row == table.end()) unknown.push_back(name);
        if (row != table.end() && row->info.name == e.param) values.push_back(value);
    }
    if (e.broken == rule::parameter_unknown) return unknown.front();
    if (e.broken == rule::parameter_repeated) return values[1];
    return values.size() == 1 ? std::optional(values.front()) : std::nullopt;
}

}  // namespace sluice::bindings

#endif
