// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_GUIDELINE_ERRORS_HPP
#define SLUICE_PARAMS_GUIDELINE_ERRORS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/json_writer.hpp>
#include <sluice/errors/envelope.hpp>
#include <sluice/params/bind.hpp>

/// Error answers in the forms of guidelines: OData, AIP-193 of Google, and SCIM.
namespace sluice {

/// The form of errors in a guideline.
enum class error_form : std::uint8_t {
    odata,  ///< the error object of OData's JSON format (4.01, 21.1)
    aip,    ///< the status of AIP-193
    scim,   ///< the error message of RFC 7644 (3.12)
};

/// A form of errors: its name, and the media type of its bodies.
struct error_form_record {
    error_form kind;
    std::string_view name, content_type;
};

/// The records of all forms, in the order of the enumeration.
inline constexpr std::array<error_form_record, 3> error_form_records{{
    {error_form::odata, "odata", "application/json"},
    {error_form::aip, "aip", "application/json"},
    {error_form::scim, "scim", "application/scim+json"},
}};
static_assert(error_form_records.front().kind == error_form::odata &&
              error_form_records.back().kind == error_form::scim);

/// An error as answers show it. Its texts are UTF-8.
struct reported_error {
    int status = 400;       ///< of HTTP
    std::string rule{};     ///< such as `column_unknown`
    std::string message{};  ///< for people
    std::string param{};    ///< the parameter; empty if none is at fault

    friend bool operator==(const reported_error&, const reported_error&) = default;
};

/// Returns an error as answers show it. `input` is the text at fault, of an unknown parameter its
/// name; see text_at_fault().
[[nodiscard]] inline reported_error report(const error& failure, std::string_view input = {}) {
    const bool is_unknown = failure.broken == rule::parameter_unknown;
    return {http_status(failure.code), std::string(to_string(failure.broken)),
            message(failure, input), std::string(is_unknown ? input : failure.param)};
}

namespace detail {

/// Returns the name of a code of google.rpc by its HTTP status.
[[nodiscard]] constexpr std::string_view rpc_code(int status) noexcept {
    constexpr std::array<std::pair<int, std::string_view>, 8> codes{{
        {401, "UNAUTHENTICATED"},
        {403, "PERMISSION_DENIED"},
        {404, "NOT_FOUND"},
        {409, "ABORTED"},
        {429, "RESOURCE_EXHAUSTED"},
        {501, "UNIMPLEMENTED"},
        {503, "UNAVAILABLE"},
        {504, "DEADLINE_EXCEEDED"},
    }};
    const auto row = std::ranges::find(codes, status, &std::pair<int, std::string_view>::first);
    if (row != codes.end()) return row->second;
    return status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT";
}

/// Writes the body of errors in the form of a guideline; see guideline_error_response().
class guideline_error_writer {
public:
    guideline_error_writer(std::span<const reported_error> reports, int status)
        : reports_(reports), status_(status) {}

    [[nodiscard]] std::string odata() && {
        json_.begin_object().key("error");
        write_odata(reports_.front(), reports_.size() > 1);
        json_.end_object();
        return std::move(body_);
    }
    /// Writes an ErrorInfo of the first error, and a violation for each parameter.
    [[nodiscard]] std::string aip(std::string_view domain) && {
        const reported_error& first = reports_.front();
        json_.begin_object().key("error").begin_object();
        json_.member("code", std::int64_t{status_}).member("message", first.message);
        json_.member("status", rpc_code(status_)).key("details").begin_array();
        json_.begin_object().member("@type", "type.googleapis.com/google.rpc.ErrorInfo");
        json_.member("reason", reason_of(first)).member("domain", domain);
        json_.key("metadata").begin_object().end_object().end_object();
        write_violations();
        json_.end_array().end_object().end_object();
        return std::move(body_);
    }
    /// Writes the first error, with the messages of all.
    [[nodiscard]] std::string scim() && {
        const reported_error& first = reports_.front();
        json_.begin_object().key("schemas").begin_array();
        json_.value("urn:ietf:params:scim:api:messages:2.0:Error").end_array();
        if (status_ == 400 && !first.param.empty()) {
            json_.member("scimType", first.param == "filter" ? "invalidFilter" : "invalidValue");
        }
        std::string messages;
        for (const reported_error& reported : reports_) {
            messages.append(messages.empty() ? "" : "\n").append(reported.message);
        }
        json_.member("detail", messages).member("status", std::to_string(status_)).end_object();
        return std::move(body_);
    }

private:
    /// Writes an error; the first of several with all of them as its details.
    void write_odata(const reported_error& reported, bool has_details) {
        json_.begin_object().member("code", reported.rule).member("message", reported.message);
        if (!reported.param.empty()) json_.member("target", reported.param);
        if (has_details) {
            json_.key("details").begin_array();
            for (const reported_error& further : reports_) write_odata(further, false);
            json_.end_array();
        }
        json_.end_object();
    }
    void write_violations() {
        const auto has_param = [](const reported_error& reported) {
            return !reported.param.empty();
        };
        if (std::ranges::none_of(reports_, has_param)) return;
        json_.begin_object().member("@type", "type.googleapis.com/google.rpc.BadRequest");
        json_.key("fieldViolations").begin_array();
        for (const reported_error& reported : reports_) {
            if (!has_param(reported)) continue;
            json_.begin_object().member("field", reported.param);
            json_.member("description", reported.message);
            json_.member("reason", reason_of(reported)).end_object();
        }
        json_.end_array().end_object();
    }
    static std::string reason_of(const reported_error& reported) {
        std::string reason = reported.rule;
        for (char& byte : reason) byte = is_letter(byte) ? static_cast<char>(byte & ~0x20) : byte;
        return reason;
    }

    std::span<const reported_error> reports_;
    int status_;
    std::string body_{};
    json_writer json_{body_};
};

}  // namespace detail

/// Returns the answer to a request with errors, at least one, in the form of a guideline. Its
/// status is that of the first; no guideline has 422, and 400 takes its place. `domain` names the
/// service in the form of AIP-193.
///
/// ```
/// const auto query = sluice::bind_all(table, request.pairs());
/// if (!query) {
///     return sluice::guideline_error_response(sluice::error_form::odata, query.error(),
///                                             request.pairs());
/// }
/// // {"error":{"code":"column_unknown","message":"$filter: unknown column …","target":"$filter"}}
/// ```
[[nodiscard]] inline response guideline_error_response(error_form form,
                                                       std::span<const reported_error> reports,
                                                       std::string_view domain = "sluice") {
    const int status = reports.front().status == 422 ? 400 : reports.front().status;
    const error_form_record& record = error_form_records[static_cast<std::size_t>(form)];
    response answer{status, {{"content-type", std::string(record.content_type)}}, {}};
    detail::guideline_error_writer writer(reports, status);
    switch (form) {
        case error_form::odata: answer.body = std::move(writer).odata(); break;
        case error_form::aip: answer.body = std::move(writer).aip(domain); break;
        case error_form::scim: answer.body = std::move(writer).scim(); break;
    }
    return answer;
}
/// Like guideline_error_response() of reported errors, for those of bind_all() and its pairs.
[[nodiscard]] inline response guideline_error_response(error_form form,
                                                       std::span<const error> failures,
                                                       std::span<const name_value> pairs,
                                                       std::string_view domain = "sluice") {
    std::vector<reported_error> reports;
    for (const error& failure : failures) {
        reports.push_back(report(failure, text_at_fault(pairs, failure)));
    }
    return guideline_error_response(form, std::span<const reported_error>(reports), domain);
}

}  // namespace sluice

#endif
