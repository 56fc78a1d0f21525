// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_CERTIFICATE_HPP
#define SLUICE_EXAMPLES_SERVER_CERTIFICATE_HPP

#include <filesystem>
#include <string>

#include <tl/expected.hpp>

/// A certificate for development.
namespace server {

/// The paths of a certificate and its key, in PEM.
struct certificate_files {
    std::filesystem::path certificate;
    std::filesystem::path key;
};

/// A development certificate for localhost, 127.0.0.1 and ::1. Uses the existing one; creates one
/// with the openssl command if there is none or it expires within a day. Returns the reason if that
/// fails.
[[nodiscard]] tl::expected<certificate_files, std::string> development_certificate();

}  // namespace server

#endif
