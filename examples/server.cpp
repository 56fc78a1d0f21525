// SPDX-License-Identifier: MIT
// Serves a folder of events and tags over HTTPS: the reference handler on cpp-httplib.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <span>
#include <string>
#include <utility>

#include <tl/expected.hpp>

#include <sluice/api/event_store.hpp>
#include <sluice/api/handler.hpp>
#include <sluice/message.hpp>
#include <sluice/random_hash_seed.hpp>
#include <sluice/system_time_zones.hpp>

#include "server/certificate.hpp"
#include "server/http_server.hpp"
#include "server/inputs.hpp"
#include "server/listener.hpp"
#include "server/options.hpp"
#include "server/stop_signals.hpp"
#include "server/tls_context.hpp"

namespace {

enum exit_code : int { stopped = 0, not_started = 1, wrong_arguments = 2 };

/// Nothing, or why the server can't start.
using outcome = tl::expected<void, std::string>;
template <class T>
using expected = tl::expected<T, std::string>;

/// The keys that are accepted: those of the options.
expected<sluice::api::key_ring> keys_of(const server::server_options& given) {
    auto keys = given.keys.empty() ? sluice::api::key_ring() : server::read_keys(given.keys);
    if (keys && !given.token.empty() && !keys->add(server::development_key(given.token))) {
        return tl::unexpected<std::string>("--token: that key is in " + given.keys);
    }
    if (keys && keys->size() == 0) {
        std::fputs("server: no keys, each request is answered 401: give --keys or --token\n",
                   stderr);
    }
    return keys;
}

/// What a server needs for HTTPS; nothing of it behind a proxy.
struct tls_setup {
    server::certificate_files files;
    server::tls_context context;
};

expected<tls_setup> tls_of(const server::server_options& given) {
    if (given.behind_proxy) return tls_setup{};
    expected<server::certificate_files> files =
        server::certificate_files{given.certfile, given.keyfile};
    if (given.certfile.empty()) files = server::development_certificate(std::time(nullptr));
    if (!files) {
        return tl::unexpected("no certificate for development, give --certfile and --keyfile: " +
                              files.error());
    }
    return server::make_tls_context(files->certificate, files->key).map([&](auto context) {
        return tls_setup{std::move(*files), std::move(context)};
    });
}

/// A word for a shell, whatever is in it.
std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char byte : word) text += byte == '\'' ? "'\\''" : std::string(1, byte);
    return text + '\'';
}

/// What a client writes before the path.
std::string url_of(const server::server_options& given, std::uint16_t port) {
    const bool is_any = given.host == "0.0.0.0" || given.host == "::";
    const bool is_six = given.host.find(':') != std::string::npos;
    std::string host = is_six ? '[' + given.host + ']' : given.host;
    if (is_any) host = "localhost";
    return (given.behind_proxy ? "http://" : "https://") + host + ':' + std::to_string(port);
}

/// Says where the server is and how to ask it.
void introduce(const server::server_options& given, const std::string& url,
               const server::certificate_files& files) {
    std::string trust = "--cacert " + quoted(files.certificate);
    if (given.behind_proxy) trust = "-H 'X-Forwarded-Proto: https'";
    if (!given.behind_proxy && given.certfile.empty()) {
        std::printf("certificate: %s, self-signed, for development; to trust it: curl %s\n",
                    files.certificate.c_str(), trust.c_str());
    }
    std::printf("serving: %s until Ctrl-C\n", url.c_str());
    std::printf(
        "try: curl %s -H \"Authorization: Bearer $TOKEN\" '%s/events?interval=all&limit=1'\n",
        trust.c_str(), url.c_str());
    std::fflush(stdout);
}

/// Serves until the server is told to stop. What can fail soon comes before the load, which may
/// take long.
outcome serve(const server::server_options& given) {
    auto keys = keys_of(given);
    if (!keys) return tl::unexpected(keys.error());
    const auto tls = tls_of(given);
    if (!tls) return tl::unexpected(tls.error());
    const auto zones = sluice::load_time_zones();
    if (!zones) return tl::unexpected(message(zones.error()));
    auto listener = server::bind_listener(given.host, given.port);
    const auto cannot_listen = [&given](const std::string& why) {
        return given.host + " port " + std::to_string(given.port) + ": " + why;
    };
    if (!listener) return tl::unexpected(cannot_listen(listener.error()));

    sluice::api::event_store store(std::string(server::default_workspace),
                                   sluice::random_hash_seed());
    if (auto loaded = server::load_data(store, given.data); !loaded) return loaded;
    sluice::api::handler handler(
        store, std::move(*keys), *zones,
        {.behind_proxy = given.behind_proxy, .start_number = sluice::random_hash_seed().value});
    const server::stop_signals stop;
    if (auto heard = server::listen(*listener); !heard) return heard.map_error(cannot_listen);
    std::printf("loaded: %zu events from %s\n", store.size(), given.data.c_str());
    introduce(given, url_of(given, server::port_of(*listener)), tls->files);
    server::serve_clients(std::move(*listener), tls->context.get(), handler, stop.number());
    std::puts("stopped");
    return {};
}

}  // namespace

int main(int argc, char** argv) try {
    const auto given =
        server::parse_options(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    if (!given) {
        std::fprintf(stderr, "server: %s\nTry 'server --help'.\n", given.error().c_str());
        return wrong_arguments;
    }
    if (given->help) {
        std::fwrite(server::help.data(), 1, server::help.size(), stdout);
        return stopped;
    }
    std::signal(SIGPIPE, SIG_IGN);  // a client that goes is an error of its connection
    if (const auto served = serve(*given); !served) {
        std::fprintf(stderr, "server: %s\n", served.error().c_str());
        return not_started;
    }
    return stopped;
} catch (const std::exception& failed) {
    std::fprintf(stderr, "server: %s\n", failed.what());
    return not_started;
}
