// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_HPP
#define SLUICE_API_SERVICE_HPP

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include <sluice/api/service/handler_options.hpp>
#include <sluice/api/service/request.hpp>
#include <sluice/envelope.hpp>
#include <sluice/hash_seed.hpp>
#include <sluice/instant.hpp>

namespace sluice::api {

/// Why a service was not opened.
struct open_error {
    error why;
    std::string text;  ///< where and why: `data/clicks.ndjson:12: linkId: names no record, …`
};

/// What a service is opened with.
struct service_inputs {
    std::filesystem::path folder{};   ///< of NDJSON files, see load_folder
    std::string_view keys = "[]";     ///< JSON, see parse_keys
    std::string default_workspace{};  ///< of records that name none
    handler_options options{};
    std::uint64_t random = 0;  ///< seeds the slugs of links that have no key
    hash_seed seed = hash_seed::of_process();
};

/// A store, its keys and their handler in one, compiled once in the library sluice::service: what
/// includes this header needs a fraction of the time that <sluice/api/handler.hpp> takes to
/// compile.
///
/// ```
/// auto opened = sluice::api::service::open(
///     {.folder = "data", .keys = keys, .default_workspace = "ws_default"});
/// if (!opened) return fail(opened.error().text);
/// const auto response = opened->handle({.target = "/tags", .headers = headers}, now);
/// ```
class service {
public:
    /// Loads a folder and the system's time zones.
    [[nodiscard]] static tl::expected<service, open_error> open(service_inputs inputs);

    service(service&&) noexcept;
    service& operator=(service&&) noexcept;
    ~service();

    /// The response to a request at a time: see handler::handle. Any number of threads may ask.
    [[nodiscard]] response handle(const request& asked, instant now,
                                  std::stop_token stop = {}) noexcept;

private:
    struct parts;

    explicit service(std::unique_ptr<parts> all) noexcept;

    std::unique_ptr<parts> parts_;
};

}  // namespace sluice::api

#endif
