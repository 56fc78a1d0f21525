// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_LIST_REQUEST_HPP
#define SLUICE_BINDINGS_LIST_REQUEST_HPP

#include <optional>
#include <string>
#include <string_view>

#include <sluice/params/bind.hpp>
#include <sluice/time/instant.hpp>

#include "convert.hpp"
#include "raise.hpp"
#include "values.hpp"

namespace sluice::bindings {

/// The arguments of a request for a list: its query string, the current time and whether unknown
/// parameters are errors. Borrows the query string.
class list_request {
public:
    /// Takes the arguments of parse(); null for missing ones. `strict` is `is_strict_by_default` if
    /// it is missing.
    list_request(py::handle query, py::handle now_argument, py::handle strict,
                 bool is_strict_by_default, const param_finder& info_of)
        : now(to_now(now_argument)), is_strict(to_flag(strict, "strict", is_strict_by_default)) {
        if (PyUnicode_Check(query.ptr())) {
            view_.emplace(query, "query_string");
        } else {
            text_ = to_query_text(query, info_of);
        }
        refuse_address(text());
    }

    [[nodiscard]] std::string_view text() const { return view_ ? view_->view() : text_; }
    /// The binding options, for any table.
    [[nodiscard]] bind_options options() const {
        return {.zones = system_zones(), .strict = is_strict, .now = now};
    }

    instant now;
    bool is_strict;

private:
    std::optional<utf8_text> view_;
    std::string text_;
};

/// All errors of a request as a list of sluice.ApiError.
[[nodiscard]] inline py::list to_api_errors(std::span<const name_value> pairs, const errors& all) {
    py::list raised;
    for (const error& failure : all)
        raised.append(to_api_error(failure, context_of(pairs, failure)));
    return raised;
}

}  // namespace sluice::bindings

#endif
