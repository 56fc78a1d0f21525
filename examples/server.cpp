// SPDX-License-Identifier: MIT
// Serves a folder of events and tags over HTTPS: the reference handler on Boost.Beast and Asio.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <tl/expected.hpp>
#include <unistd.h>

#include <sluice/api/event_store.hpp>
#include <sluice/api/handler.hpp>
#include <sluice/message.hpp>
#include <sluice/random_hash_seed.hpp>
#include <sluice/system_time_zones.hpp>

#include "server/certificate.hpp"
#include "server/http_server.hpp"
#include "server/inputs.hpp"
#include "server/introduction.hpp"
#include "server/listener.hpp"
#include "server/open_files.hpp"
#include "server/options.hpp"
#include "server/shared_limits.hpp"
#include "server/store_servers.hpp"
#include "server/tls_context.hpp"

namespace {

/// The lane of those who ask for the store's health: it takes a thread, and nobody needs a key.
constexpr auto health_lane = std::numeric_limits<std::uint64_t>::max();

enum exit_code : int { stopped = 0, not_started = 1, wrong_arguments = 2 };

/// Nothing, or why the server can't start.
using outcome = tl::expected<void, std::string>;
template <class T>
using expected = tl::expected<T, std::string>;

/// The keys that are accepted: those of the options.
expected<sluice::api::key_ring> keys_of(const server::server_options& given) {
    auto keys = given.keys.empty() ? sluice::api::key_ring() : server::read_keys(given.keys);
    if (keys && !given.token.empty() && !keys->add(server::development_key(given.token))) {
        return tl::unexpected("the token is a key of " + given.keys + " already");
    }
    if (keys && keys->size() == 0) {
        std::fputs(
            "server: no keys, each request is answered 401: give --keys, --token-file or "
            "SLUICE_TOKEN\n",
            stderr);
    }
    return keys;
}

/// What a server needs for HTTPS; nothing of it behind a proxy.
struct tls_setup {
    server::certificate_files files;
    std::optional<boost::asio::ssl::context> context;
};

expected<tls_setup> tls_of(const server::server_options& given) {
    if (given.behind_proxy) return tls_setup{};
    expected<server::certificate_files> files =
        server::certificate_files{given.certfile, given.keyfile};
    if (given.certfile.empty()) files = server::development_certificate();
    if (!files) {
        return tl::unexpected("no certificate for development, give --certfile and --keyfile: " +
                              files.error());
    }
    return server::make_tls_context(files->certificate, files->key).map([&](auto context) {
        return tls_setup{std::move(*files), std::move(context)};
    });
}

/// What counts requests in Redis; nothing where this server counts for itself.
expected<sluice::api::limit_check> shared_limits_of(const server::server_options& given,
                                                    server::log_writer& log) {
    if (given.sharing.url.empty()) return sluice::api::limit_check();
    return server::share_limits(given.sharing, [&log](std::string_view why) {
        log.write("limits: Redis: " + std::string(why) + '\n');
    });
}

/// What runs statements in ClickHouse; nothing where the data is a folder's.
expected<sluice::api::clickhouse::stoppable_runner> store_of(const server::server_options& given,
                                                             server::log_writer& log) {
    if (given.store.url.empty()) return sluice::api::clickhouse::stoppable_runner();
    return server::ask_store(given.store,
                             [&log](const std::string& why) { log.write(why + '\n'); });
}

/// Loads the folder, where there is one.
outcome load(sluice::api::event_store& store, const server::server_options& given,
             server::log_writer& log) {
    if (given.data.empty()) return {};
    return server::load_data(store, given.data).map([&] {
        log.write("loaded: " + std::to_string(store.size()) + " events from " + given.data + '\n');
    });
}

/// How many connections there may be, as many files as the system lets be open.
server::connection_limits connections_of(const server::server_options& given) {
    constexpr std::size_t others = server::admission::max_refused + 64;
    server::connection_limits limits = given.connections;
    if (given.behind_proxy) limits.per_address = limits.in_all;  // they all come from the proxy
    const std::size_t files = server::allow_open_files(limits.in_all + others);
    if (files >= limits.in_all + others) return limits;
    limits.in_all = files > others ? files - others : 1;
    std::fprintf(stderr,
                 "server: at most %zu connections, more files may not be open (ulimit -n)\n",
                 limits.in_all);
    return limits;
}

/// Serves until the server is told to stop. What can fail soon comes before the load, which may
/// take long.
outcome serve(const server::server_options& given) {
    auto keys = keys_of(given);
    if (!keys) return tl::unexpected(keys.error());
    auto tls = tls_of(given);
    if (!tls) return tl::unexpected(tls.error());
    server::log_writer log(STDOUT_FILENO);
    auto shared_limits = shared_limits_of(given, log);
    if (!shared_limits) return tl::unexpected(shared_limits.error());
    auto run_statement = store_of(given, log);
    if (!run_statement) return tl::unexpected(run_statement.error());
    const auto zones = sluice::load_time_zones();
    if (!zones) return tl::unexpected(message(zones.error()));
    boost::asio::io_context io(1);  // one thread
    auto bound = server::bind_listener(io, given.host, given.port);
    const auto cannot_listen = [&given](const std::string& why) {
        return given.host + " port " + std::to_string(given.port) + ": " + why;
    };
    if (!bound) return tl::unexpected(cannot_listen(bound.error()));

    sluice::api::event_store store(std::string(server::default_workspace),
                                   sluice::random_hash_seed());
    if (auto loaded = load(store, given, log); !loaded) return loaded;
    sluice::api::handler handler(store, std::move(*keys), *zones,
                                 {.behind_proxy = given.behind_proxy,
                                  .start_number = sluice::random_hash_seed().value,
                                  .check_limit = *std::move(shared_limits),
                                  .run_statement = *std::move(run_statement),
                                  .deadline = given.deadline});
    server::lanes lanes(given.threads);
    server::service shared{
        .handle = [&](const auto& asked, sluice::instant now,
                      const std::stop_token& stop) { return handler.handle(asked, now, stop); },
        .lane_of =
            [&](const auto& asked) {
                const bool asks_store = !given.store.url.empty() && asked.path() == "/healthz";
                return asks_store ? health_lane : handler.lane_of(asked);
            },
        .tls = tls->context ? &*tls->context : nullptr,
        .work = lanes,
        .log = log,
        .times = given.times};
    if (auto heard = server::listen(*bound); !heard) return heard.map_error(cannot_listen);
    server::http_server http(io, std::move(*bound), connections_of(given), shared);
    log.write(server::introduction(given, http.port(), tls->files));
    http.run();
    lanes.join();
    log.write("stopped\n");
    return {};
}

}  // namespace

int main(int count, char** words) try {
    const auto given = server::parse_options(count, words);
    if (!given) {
        std::fprintf(stderr, "server: %s\nTry 'server --help'.\n", given.error().c_str());
        return wrong_arguments;
    }
    if (!given->help.empty()) {
        std::fputs(given->help.c_str(), stdout);
        return stopped;
    }
    std::signal(SIGPIPE, SIG_IGN);  // a client or a reader of the log that goes is an error there
    if (const auto served = serve(*given); !served) {
        std::fprintf(stderr, "server: %s\n", served.error().c_str());
        return not_started;
    }
    return stopped;
} catch (const std::exception& failed) {
    std::fprintf(stderr, "server: %s\n", failed.what());
    return not_started;
}
