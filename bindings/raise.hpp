// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_RAISE_HPP
#define SLUICE_BINDINGS_RAISE_HPP

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include <sluice/base/query_string.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/params/bind.hpp>

namespace sluice::bindings {

namespace py = pybind11;

/// The location of an error, in addition to its own fields.
struct error_context {
    std::optional<std::string_view> text{};  ///< the text that offset and length refer to
    std::string message{};                   ///< replaces the error's own message unless empty
    std::string file{};                      ///< file with the record; empty if there is none
    std::int64_t line = 0;                   ///< counted from 1; 0 if there is none
};

/// Creates an instance of sluice.ApiError.
[[nodiscard]] py::object to_api_error(const error& failure, const error_context& where = {});

/// Sets sluice.ApiError as Python's error and returns null, for functions in CPython's convention:
/// a C++ exception takes longer than the rest of a refusal.
[[nodiscard]] PyObject* set_api_error(const error& failure, const error_context& where = {});

/// Raises sluice.ApiError.
[[noreturn]] void raise(const error& failure, const error_context& where = {});

/// Returns the value of a result, or raises its error; `text` is the parsed text.
template <class T>
[[nodiscard]] T unwrap(result<T>&& parsed, std::optional<std::string_view> text = {}) {
    if (!parsed) raise(parsed.error(), {.text = text});
    return std::move(*parsed);
}

/// Like unwrap(), for the text of an argument, which the error names.
template <class T>
[[nodiscard]] T unwrap_argument(result<T>&& parsed, std::string_view argument,
                                std::string_view text) {
    if (!parsed) parsed.error().param = argument;
    return unwrap(std::move(parsed), text);
}

/// The location of an error in a request.
[[nodiscard]] inline error_context context_of(std::span<const name_value> pairs,
                                              const error& failure) {
    if (failure.pair == error::no_pair) return {};
    return {.text = text_at_fault(pairs, failure)};
}

}  // namespace sluice::bindings

#endif
