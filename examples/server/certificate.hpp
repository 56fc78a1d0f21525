// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_CERTIFICATE_HPP
#define SLUICE_EXAMPLES_SERVER_CERTIFICATE_HPP

#include <filesystem>
#include <string>

#include <tl/expected.hpp>

namespace server {

/// Where a certificate and its key lie, in PEM.
struct certificate_files {
    std::filesystem::path certificate;
    std::filesystem::path key;
};

/// A certificate for localhost, 127.0.0.1 and ::1, for development: the one made before, or one
/// that the openssl command makes now where there is none, or it ends within a day. Says why where
/// there is none to be had.
[[nodiscard]] tl::expected<certificate_files, std::string> development_certificate();

}  // namespace server

#endif
