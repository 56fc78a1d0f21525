// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_HPP
#define SLUICE_REFERENCE_SERVICE_HPP

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include <sluice/base/text_hasher.hpp>
#include <sluice/errors/envelope.hpp>
#include <sluice/reference/service/handler_options.hpp>
#include <sluice/reference/service/request.hpp>
#include <sluice/time/instant.hpp>

namespace sluice::reference {

/// An error of opening a service.
struct open_error {
    error why;
    std::string text;  ///< location and reason: `data/clicks.ndjson:12: linkId: names no record, …`
};

/// Inputs of service::open().
struct service_inputs {
    std::filesystem::path folder{};   ///< NDJSON files, see load_folder
    std::string_view keys = "[]";     ///< JSON, see parse_keys
    std::string default_workspace{};  ///< for records that name no workspace
    handler_options options{};
    std::uint64_t random = 0;                  ///< seed of the slugs of links without a key
    hash_seed seed = hash_seed::of_process();  ///< of the store's text hashes, see event_store
};

/// A store, its keys and their handler in one object, compiled once in the library sluice::service.
/// Including this header takes a fraction of the compile time of <sluice/reference/handler.hpp>.
///
/// ```
/// auto opened = sluice::reference::service::open(
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

    /// Answers a request at the time `now`: see handler::handle. Any number of threads may call it.
    [[nodiscard]] response handle(const request& http_request, instant now,
                                  std::stop_token stop = {}) noexcept;

private:
    struct parts;

    explicit service(std::unique_ptr<parts> all) noexcept;

    std::unique_ptr<parts> parts_;
};

}  // namespace sluice::reference

#endif
