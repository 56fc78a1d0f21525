// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_OPTIONS_HPP
#define SLUICE_EXAMPLES_SERVER_OPTIONS_HPP

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <arpa/inet.h>
#include <tl/expected.hpp>

#include <sluice/api/key_ring.hpp>

namespace server {

inline constexpr std::string_view help =
    "Usage: server --data FOLDER [options]\n"
    "\n"
    "Serves the events and tags of a folder of JSON lines: GET /events and GET /tags over\n"
    "HTTPS, until Ctrl-C or SIGTERM. Each request is a line on standard output.\n"
    "\n"
    "  --data FOLDER    tags, customers, links, clicks, leads and sales, each a .ndjson file\n"
    "  --host HOST      the name or address to listen on (default 127.0.0.1)\n"
    "  --port PORT      0 to 65535; 0 takes a free one (default 8443)\n"
    "  --certfile FILE  the certificate, then those that lead to its root, in PEM\n"
    "  --keyfile FILE   the certificate's key in PEM, without a passphrase\n"
    "                   without these two: a certificate for localhost, made at the first\n"
    "                   start, kept in $XDG_STATE_HOME/sluice (default ~/.local/state/sluice)\n"
    "  --behind-proxy   plain HTTP for a proxy on this machine that sends X-Forwarded-Proto:\n"
    "                   only on a loopback host, and other schemes than https are refused\n"
    "  --keys FILE      the keys that are accepted: a JSON list of {\"sha256\", \"workspaceId\",\n"
    "                   \"plan\", \"permissions\", \"expiresAt\"?, \"limits\"?}\n"
    "  --token TOKEN    accepts one more key, of a Business plan, with all permissions\n"
    "  --help           prints this text\n"
    "\n"
    "Exit codes: 0 stopped, 1 not started, 2 wrong arguments.\n";

struct server_options {
    std::string data;
    std::string host = "127.0.0.1";
    std::uint16_t port = 8443;
    std::string certfile;  ///< empty for one made here
    std::string keyfile;
    std::string keys;   ///< empty for none
    std::string token;  ///< empty for none
    bool behind_proxy = false;
    bool help = false;
};

namespace detail {

/// An option's value, or what is wrong with it.
template <class T>
using option = tl::expected<T, std::string>;

inline option<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, port);
    if (!text.empty() && read.ec == std::errc{} && read.ptr == end) return port;
    return tl::unexpected(std::string("--port: not a port, expected 0 to 65535"));
}

/// A token that a request can carry. It is never part of a message.
inline option<std::string> parse_token(std::string_view text) {
    if (sluice::api::bearer_token("Bearer " + std::string(text)) == text) return std::string(text);
    return tl::unexpected(
        std::string("--token: cannot be sent as a bearer token, expected one or more "
                    "letters, digits and -._~+/="));
}

/// Whether a host is this machine, seen from itself only.
inline bool is_loopback(const std::string& host) {
    in_addr four{};
    in6_addr six{};
    if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
    if (::inet_pton(AF_INET6, host.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
    return host == "localhost";
}

/// The options whose value is taken as it is.
struct text_option {
    std::string_view name;
    std::string server_options::* member;
};
inline constexpr std::array text_options{text_option{"--data", &server_options::data},
                                         text_option{"--host", &server_options::host},
                                         text_option{"--certfile", &server_options::certfile},
                                         text_option{"--keyfile", &server_options::keyfile},
                                         text_option{"--keys", &server_options::keys}};

inline bool takes_value(std::string_view name) {
    return name == "--port" || name == "--token" ||
           std::ranges::find(text_options, name, &text_option::name) != text_options.end();
}

/// Keeps the value of an option that takes one.
inline option<void> keep(server_options& into, std::string_view name, std::string_view value) {
    if (name == "--port") return parse_port(value).map([&](auto port) { into.port = port; });
    if (name == "--token")
        return parse_token(value).map([&](const auto& text) { into.token = text; });
    if (value.empty()) return tl::unexpected(std::string(name) + ": empty");
    into.*std::ranges::find(text_options, name, &text_option::name)->member = value;
    return {};
}

/// Whether the options go together.
inline option<server_options> check(server_options read) {
    const auto refuse = [](const char* why) { return tl::unexpected(std::string(why)); };
    if (read.help) return read;
    if (read.data.empty()) return refuse("--data is missing, expected a folder");
    if (read.certfile.empty() != read.keyfile.empty()) {
        return refuse("--certfile and --keyfile: one without the other, give both or neither");
    }
    if (!read.behind_proxy) return read;
    if (!read.certfile.empty()) {
        return refuse("--certfile: --behind-proxy serves plain HTTP, leave one of them out");
    }
    if (!is_loopback(read.host)) {
        return refuse(
            "--behind-proxy: plain HTTP to other machines, expected a --host such as 127.0.0.1, "
            "::1 or localhost");
    }
    return read;
}

}  // namespace detail

/// Reads the words after the program's name, `--name value` or `--name=value`, or says what is
/// wrong with them.
[[nodiscard]] inline tl::expected<server_options, std::string> parse_options(
    std::span<char* const> words) {
    server_options read;
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::string_view word = words[at];
        const std::string_view name = word.substr(0, word.find('='));
        if (word == "--help") {
            read.help = true;
        } else if (word == "--behind-proxy") {
            read.behind_proxy = true;
        } else if (!name.starts_with("--")) {
            return tl::unexpected("argument " + std::to_string(at + 1) + " is no option");
        } else if (!detail::takes_value(name)) {
            return tl::unexpected("unknown option " + std::string(name));
        } else if (name == word && at + 1 == words.size()) {
            return tl::unexpected(std::string(name) + " lacks its value");
        } else {
            const auto value = name == word ? words[++at] : word.substr(name.size() + 1);
            if (auto kept = detail::keep(read, name, value); !kept) {
                return tl::unexpected(kept.error());
            }
        }
    }
    return detail::check(std::move(read));
}

}  // namespace server

#endif
