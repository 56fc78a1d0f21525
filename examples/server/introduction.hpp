// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_INTRODUCTION_HPP
#define SLUICE_EXAMPLES_SERVER_INTRODUCTION_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "certificate.hpp"
#include "options.hpp"

/// The first lines of the server's log.
namespace server {

namespace detail {

/// Quotes a word for a shell.
inline std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char byte : word) text += byte == '\'' ? "'\\''" : std::string(1, byte);
    return text + '\'';
}

}  // namespace detail

/// The URL of the server without a path.
[[nodiscard]] inline std::string url_of(const std::string& scheme, const std::string& listening,
                                        std::uint16_t port) {
    const bool is_any = listening == "0.0.0.0" || listening == "::";
    const bool is_six = listening.find(':') != std::string::npos;
    std::string host = is_six ? '[' + listening + ']' : listening;
    if (is_any) host = "localhost";
    return scheme + "://" + host + ':' + std::to_string(port);
}

/// The first lines of the log: the server's address, and a command that sends a request.
[[nodiscard]] inline std::vector<std::string> introduction(const server_options& options,
                                                           std::uint16_t port,
                                                           const certificate_files& files) {
    const std::string certificate = files.certificate.string();
    const std::string url =
        url_of(options.is_behind_proxy() ? "http" : "https", options.host, port);
    const std::string trust = options.is_behind_proxy() ? "-H 'X-Forwarded-Proto: https'"
                                                        : "--cacert " + detail::quoted(certificate);
    std::vector<std::string> lines;
    if (!options.is_behind_proxy() && options.certfile.empty()) {
        lines.push_back("certificate: " + certificate +
                        ", self-signed, for development; to trust it: curl " + trust);
    }
    lines.push_back("serving: " + url + " until Ctrl-C");
    lines.push_back("try: curl " + trust + " -H \"Authorization: Bearer $TOKEN\" '" + url +
                    "/events?interval=all&limit=1'");
    return lines;
}

}  // namespace server

#endif
