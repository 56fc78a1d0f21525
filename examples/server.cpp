// SPDX-License-Identifier: MIT
// Serves a folder of events and tags over HTTPS: the reference handler on Boost.Beast and Asio.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <malloc.h>
#include <tl/expected.hpp>
#include <unistd.h>

#include <sluice/base/random_hash_seed.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/reference/handler.hpp>
#include <sluice/reference/service/routes.hpp>
#include <sluice/reference/store/event_store.hpp>
#include <sluice/time/system_zones.hpp>

#include "server/certificate.hpp"
#include "server/file_modes.hpp"
#include "server/http_server.hpp"
#include "server/inputs.hpp"
#include "server/introduction.hpp"
#include "server/listener.hpp"
#include "server/maintenance.hpp"
#include "server/metrics.hpp"
#include "server/metrics_host.hpp"
#include "server/open_files.hpp"
#include "server/options.hpp"
#include "server/reload.hpp"
#include "server/request_ids.hpp"
#include "server/server_log.hpp"
#include "server/service_manager.hpp"
#include "server/shared_limits.hpp"
#include "server/snapshot.hpp"
#include "server/store_servers.hpp"
#include "server/tls_context.hpp"

namespace {

/// The limits of the port with metrics, which a few scrapers use.
constexpr server::connection_limits metrics_limits{.in_all = 64, .per_address = 64};

enum exit_code : int { stopped = 0, not_started = 1, wrong_arguments = 2 };

/// A value, or the reason why the server can't start.
template <class T>
using expected = tl::expected<T, std::string>;
using outcome = expected<void>;

/// The accepted keys: those of the keys file and the token.
expected<sluice::reference::key_ring> keys_of(const server::server_options& options) {
    auto keys =
        options.keys.empty() ? sluice::reference::key_ring() : server::read_keys(options.keys);
    if (keys && !options.token.empty() && !keys->add(server::development_key(options.token))) {
        return tl::unexpected("the token is a key of " + options.keys + " already");
    }
    return keys;
}

/// Warns if no key is accepted, which is most likely a mistake.
void warn_without_keys(const sluice::reference::key_ring& keys, server::server_log& log) {
    if (keys.size() != 0) return;
    log.say("keys: none, each request is answered 401: give --keys, --token-file or SLUICE_TOKEN",
            server::log_level::warning);
}

/// Warns of secret files that others may read or write.
void warn_of_modes(const server::server_options& options, server::server_log& log) {
    for (const std::string& path : {options.keys, options.token_file, options.keyfile}) {
        const std::string problem = server::problem_of_mode(path);
        if (problem.empty()) continue;
        log.say(problem + ", expected a mode such as 0640", server::log_level::warning);
    }
}

/// Reads the keys file again and replaces the handler's keys, unless it has an error.
void reload_keys(const server::server_options& options, sluice::reference::handler& handler,
                 server::server_log& log) {
    if (options.keys.empty()) {
        return log.say("keys: there is no --keys file to read again", server::log_level::warning);
    }
    auto keys = keys_of(options);
    if (!keys) {
        return log.say("keys: " + keys.error() + "; the previous keys stay in use",
                       server::log_level::error);
    }
    const std::string count = std::to_string(keys->size());
    handler.replace_keys(*std::move(keys));
    log.say("keys: " + count + " accepted, " + options.keys + " was reloaded");
}

/// The certificate files and TLS context of an HTTPS server; both empty behind a proxy.
struct tls_setup {
    server::certificate_files files;
    std::shared_ptr<boost::asio::ssl::context> context;
};

/// The TLS setup with the certificate of the options, or else the development certificate.
expected<tls_setup> tls_of(const server::server_options& options) {
    if (options.is_behind_proxy()) return tls_setup{};
    expected<server::certificate_files> files =
        server::certificate_files{options.certfile, options.keyfile};
    if (options.certfile.empty()) files = server::development_certificate();
    if (!files) {
        return tl::unexpected("no certificate for development, give --certfile and --keyfile: " +
                              files.error());
    }
    return server::make_tls_context(files->certificate, files->key).map([&](auto context) {
        return tls_setup{std::move(*files),
                         std::make_shared<boost::asio::ssl::context>(std::move(context))};
    });
}

/// Reads the certificate again for new connections, unless it has an error.
void reload_certificate(const server::server_options& options, boost::asio::io_context& io,
                        server::service& shared, server::server_log& log) {
    if (options.certfile.empty()) return;
    auto read = server::make_tls_context(options.certfile, options.keyfile);
    if (!read) {
        return log.say("certificate: " + read.error() + "; the previous one stays in use",
                       server::log_level::error);
    }
    auto context = std::make_shared<boost::asio::ssl::context>(*std::move(read));
    boost::asio::post(io,
                      [&shared, replacement = std::move(context)] { shared.tls = replacement; });
    log.say("certificate: " + options.certfile + " was reloaded");
}

/// The limiter that counts requests in Redis; empty if this server counts by itself.
expected<sluice::reference::limit_check> shared_limits_of(const server::server_options& options,
                                                          server::server_log& log) {
    if (options.sharing.url.empty()) return sluice::reference::limit_check();
    return server::share_limits(options.sharing, [&log](std::string_view why) {
        log.say("limits: Redis: " + std::string(why), server::log_level::warning);
    });
}

/// The statement runner for ClickHouse; empty if the data is in a folder.
expected<sluice::reference::clickhouse::stoppable_runner> store_of(
    const server::server_options& options, server::server_log& log) {
    if (options.store.url.empty()) return sluice::reference::clickhouse::stoppable_runner();
    return server::ask_store(options.store, [&log](const std::string& why) {
        log.say(why, server::log_level::warning);
    });
}

/// Loads the folder, if there is one, and writes its snapshot.
outcome load(sluice::reference::event_store& store, const server::server_options& options,
             server::server_log& log) {
    if (options.data.empty()) return {};
    return server::load_data(store, options.data).map([&] {
        log.say("loaded: " + std::to_string(store.size()) + " events from " + options.data);
        server::write_snapshot(store, options, log);
    });
}

/// Creates an empty store, with a random seed for its hash tables.
std::unique_ptr<sluice::reference::event_store> new_store() {
    return std::make_unique<sluice::reference::event_store>(std::string(server::default_workspace),
                                                            sluice::random_hash_seed());
}

/// Limits the connections to the number of files that the system allows to be open.
server::connection_limits connections_of(const server::server_options& options,
                                         server::server_log& log) {
    // Open files besides clients: refused connections, and others such as logs and Redis.
    constexpr std::size_t others = server::admission::max_refused + 64;
    server::connection_limits limits = options.connections;
    limits.trusted = options.trusted_proxies;
    const std::size_t files = server::allow_open_files(limits.in_all + others);
    if (files >= limits.in_all + others) return limits;
    limits.in_all = files > others ? files - others : 1;
    log.say("connections: at most " + std::to_string(limits.in_all) +
                ", more files may not be open (ulimit -n)",
            server::log_level::warning);
    return limits;
}

/// A listener bound to a host and port of the options, or an error.
expected<boost::asio::ip::tcp::acceptor> bind_to(boost::asio::io_context& io,
                                                 const std::string& host, std::uint16_t port) {
    return server::bind_listener(io, host, port).map_error([&](const std::string& why) {
        return host + " port " + std::to_string(port) + ": " + why;
    });
}

/// The listeners for clients of the service and, if enabled, of the metrics.
struct listeners {
    boost::asio::ip::tcp::acceptor service;
    std::optional<boost::asio::ip::tcp::acceptor> metrics;
};

/// Binds the listeners, so that a port in use is an error before the load.
expected<listeners> bind_all(boost::asio::io_context& io, const server::server_options& options) {
    auto service = bind_to(io, options.host, options.port);
    if (!service) return tl::unexpected(service.error());
    listeners bound{*std::move(service), {}};
    if (!options.metrics_port) return bound;
    return bind_to(io, options.metrics_host, *options.metrics_port).map([&](auto&& metrics) {
        bound.metrics = std::move(metrics);
        return std::move(bound);
    });
}

/// Lets clients connect; they wait until they are accepted.
outcome listen_to(listeners& bound) {
    auto listening = server::listen(bound.service);
    if (listening && bound.metrics) listening = server::listen(*bound.metrics);
    return listening;
}

/// The handler's options that the server sets.
expected<sluice::reference::handler_options> options_of(const server::server_options& options,
                                                        server::server_log& log) {
    auto shared_limits = shared_limits_of(options, log);
    if (!shared_limits) return tl::unexpected(shared_limits.error());
    auto run_statement = store_of(options, log);
    if (!run_statement) return tl::unexpected(run_statement.error());
    return sluice::reference::handler_options{.cors_origins = options.cors_origins,
                                              .behind_proxy = options.is_behind_proxy(),
                                              .start_number = sluice::random_hash_seed().value,
                                              .check_limit = *std::move(shared_limits),
                                              .run_statement = *std::move(run_statement),
                                              .deadline = options.deadline};
}

/// Returns the memory of large answers to the system after each. By default, the C library keeps as
/// much as the largest one took.
void return_large_blocks() {
    constexpr int large = 1 << 20;  // bytes
    ::mallopt(M_MMAP_THRESHOLD, large);
}

/// Starts measuring; nullopt if the options don't ask for it.
expected<std::optional<server::metrics>> metrics_of(const server::server_options& options,
                                                    const sluice::reference::handler& handler) {
    if (!options.metrics_port) return std::nullopt;
    const auto measure = [&handler] {
        const auto measured = handler.measure();
        return std::vector(measured.begin(), measured.end());
    };
    return server::make_metrics(measure).map(
        [](auto&& counters) { return std::optional(std::move(counters)); });
}

/// The answer to `GET /readyz` while the server stops.
sluice::response not_ready() {
    sluice::response answer{503,
                            {{"content-type", std::string(sluice::json_content_type)}},
                            R"({"status":"stopping"})"};
    answer.headers.push_back({"content-length", std::to_string(answer.body.size())});
    return answer;
}

/// The state that the server reports to service managers and health checks.
struct reported_state {
    server::service_manager manager;
    std::atomic<bool> is_stopping = false;
};

/// The service of all sessions: requests go to the handler, access records to the log and metrics.
/// Borrows its arguments.
server::service service_of(const server::server_options& options,
                           sluice::reference::handler& handler, server::work_queues& queues,
                           server::server_log& log, const std::optional<server::metrics>& measured,
                           reported_state& state) {
    const auto prepare =
        [&](const sluice::reference::request& request) -> server::prepared_request {
        auto resolved = handler.resolve(request);
        const bool is_small = handler.is_small(
            resolved,
            std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()));
        const bool is_readiness = request.path() == "/readyz";
        const bool asks_store = is_readiness && !options.store.url.empty();
        return {asks_store ? server::work_queues::keyless : resolved.key_number(), is_small,
                resolved.route_label(),
                [&, is_readiness, resolved = std::move(resolved)](auto now, const auto& stop) {
                    const bool is_late = is_readiness && state.is_stopping;
                    return is_late ? not_ready() : handler.handle(resolved, now, stop);
                }};
    };
    return {.prepare = prepare,
            .tls = nullptr,
            .work = queues,
            .times = options.times,
            .trusted = options.trusted_proxies,
            .refusal_headers = [&](const auto& request) { return handler.cors_headers(request); },
            .make_id = server::request_ids(sluice::random_hash_seed().value),
            .record =
                [&](const auto& access) {
                    log.record(access);
                    if (measured) measured->count(access);
                },
            .stopping =
                [&] {
                    state.is_stopping = true;
                    state.manager.stopping();
                },
            .report = [&](auto why) { log.say(why, server::log_level::error); }};
}

/// The answer to a metrics request with a Host that isn't this server's.
sluice::response misdirected() {
    sluice::response answer{421,
                            {{"content-type", "text/plain; charset=utf-8"}},
                            "expected an address, localhost or a name of --metrics-host\n"};
    answer.headers.push_back({"content-length", std::to_string(answer.body.size())});
    return answer;
}

/// The service that answers Prometheus with metrics. Requests must name an address, localhost or
/// one of `names` as their host. Borrows `measured` and `queues`.
server::service service_of(const server::metrics& measured, std::vector<std::string> names,
                           server::work_queues& queues) {
    const auto prepare =
        [&measured, names = std::move(names)](
            const sluice::reference::request& request) -> server::prepared_request {
        return {.queue = server::work_queues::keyless,
                .answer = [&measured, &names, request](auto, const auto&) {
                    const bool is_known = server::has_known_host(request, names);
                    return is_known ? measured.answer(request) : misdirected();
                }};
    };
    return {.prepare = prepare, .tls = nullptr, .work = queues, .times = {}};
}

/// The site with metrics for Prometheus, on its own port. Borrows all that it is constructed from.
class metrics_site {
public:
    metrics_site(boost::asio::io_context& io, boost::asio::ip::tcp::acceptor listening,
                 const server::server_options& options, const server::metrics& measured,
                 server::work_queues& queues)
        : service_(service_of(measured, names_of(options), queues)),
          site_(io, std::move(listening), metrics_limits, service_) {}

    void open() { site_.open(); }
    [[nodiscard]] std::string url(const server::server_options& options) const {
        return server::url_of("http", options.metrics_host, site_.port()) + "/metrics";
    }

private:
    static std::vector<std::string> names_of(const server::server_options& options) {
        auto names = options.metrics_names;
        names.push_back(options.metrics_host);
        return names;
    }

    server::service service_;
    server::site site_;
};

/// Serves until the server is stopped. Steps that may fail quickly precede the load, which may take
/// long.
outcome serve(const server::server_options& options) {
    boost::asio::io_context io(1);  // single-threaded
    server::reload_signal hangups(io);
    reported_state state;
    auto keys = keys_of(options);
    if (!keys) return tl::unexpected(keys.error());
    server::server_log log(STDOUT_FILENO, options.log);
    warn_without_keys(*keys, log);
    warn_of_modes(options, log);
    auto tls = tls_of(options);
    if (!tls) return tl::unexpected(tls.error());
    auto handler_options = options_of(options, log);
    if (!handler_options) return tl::unexpected(handler_options.error());
    const auto zones = sluice::load_time_zones();
    if (!zones) return tl::unexpected(message(zones.error()));
    auto bound = bind_all(io, options);
    if (!bound) return tl::unexpected(bound.error());

    auto opened = server::open_snapshot(options, log);
    const bool is_opened = opened != nullptr;
    if (!is_opened) opened = new_store();
    sluice::reference::event_store& store = *opened;
    sluice::reference::handler handler(store, std::move(*keys), *zones,
                                       *std::move(handler_options));
    const auto measured = metrics_of(options, handler);
    if (!measured) return tl::unexpected(measured.error());
    if (!is_opened) {
        if (auto loaded = load(store, options, log); !loaded) return loaded;
    }
    const server::maintenance indexing(store);  // in the background
    server::work_queues queues(options.threads, options.unread_per_key);
    server::service shared = service_of(options, handler, queues, log, *measured, state);
    shared.tls = tls->context;
    if (auto heard = listen_to(*bound); !heard) return heard;
    server::http_server http(io, std::move(bound->service), connections_of(options, log), shared);
    for (const auto& line : server::introduction(options, http.port(), tls->files)) log.say(line);
    std::optional<metrics_site> prometheus;
    if (*measured) {
        prometheus.emplace(io, *std::move(bound->metrics), options, **measured, queues);
        log.say("metrics: " + prometheus->url(options));
        prometheus->open();
    }
    hangups.start([&] {
        state.manager.reloading();
        reload_keys(options, handler, log);
        reload_certificate(options, io, shared, log);
        state.manager.ready();
    });
    state.manager.ready();
    return_large_blocks();
    http.run();
    hangups.finish();
    queues.join();
    log.say("stopped");
    return {};
}

}  // namespace

int main(int count, char** words) try {
    const auto options = server::parse_options(count, words);
    if (!options) {
        std::fprintf(stderr, "server: %s\nTry 'server --help'.\n", options.error().c_str());
        return wrong_arguments;
    }
    if (!options->help.empty()) {
        std::fputs(options->help.c_str(), stdout);
        return stopped;
    }
    std::signal(SIGPIPE, SIG_IGN);  // a write to a closed connection or pipe returns an error
    if (const auto served = serve(*options); !served) {
        std::fprintf(stderr, "server: %s\n", served.error().c_str());
        return not_started;
    }
    return stopped;
} catch (const std::exception& failed) {
    std::fprintf(stderr, "server: %s\n", failed.what());
    return not_started;
}
