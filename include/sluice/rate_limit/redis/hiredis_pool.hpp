// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_REDIS_HIREDIS_POOL_HPP
#define SLUICE_RATE_LIMIT_REDIS_HIREDIS_POOL_HPP

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hiredis/hiredis.h>
#include <sys/time.h>
#include <tl/expected.hpp>
// hiredis has TLS from 1.0 on, in a library of its own. Define SLUICE_HIREDIS_TLS as 0 without it.
#if !defined(SLUICE_HIREDIS_TLS)
#if __has_include(<hiredis/hiredis_ssl.h>)
#define SLUICE_HIREDIS_TLS 1
#else
#define SLUICE_HIREDIS_TLS 0
#endif
#endif
#if SLUICE_HIREDIS_TLS
#include <hiredis/hiredis_ssl.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#endif

#include <sluice/rate_limit/redis/limiter.hpp>

/// Connections to Redis by hiredis. The CMake target `sluice::hiredis` links it.
namespace sluice {

/// TLS of the connections to a Redis server, 1.2 or newer. The server's certificate must name its
/// host.
struct redis_tls {
    std::string ca_file{};    ///< PEM; empty for the system's
    std::string cert_file{};  ///< the client's certificate, PEM; empty without one
    std::string key_file{};   ///< its key, PEM

    friend bool operator==(const redis_tls&, const redis_tls&) = default;
};

/// The address and login of a Redis server.
struct redis_place {
    std::string host = "localhost";
    std::uint16_t port = 6379;
    std::string user{};  ///< empty for the default user
    std::string password{};
    int database = 0;
    std::optional<redis_tls> tls{};

    friend bool operator==(const redis_place&, const redis_place&) = default;
};

#if SLUICE_HIREDIS_TLS
namespace detail {

struct frees_tls {
    void operator()(SSL_CTX* settings) const noexcept { SSL_CTX_free(settings); }
    void operator()(SSL* session) const noexcept { SSL_free(session); }
};

/// The TLS settings of a pool's connections.
class hiredis_tls {
public:
    explicit hiredis_tls(const redis_tls& tls) : settings_(SSL_CTX_new(TLS_client_method())) {
        SSL_CTX* const settings = settings_.get();
        if (settings == nullptr) {
            problem_ = "out of memory";
            return;
        }
        SSL_CTX_set_min_proto_version(settings, TLS1_2_VERSION);
        SSL_CTX_set_verify(settings, SSL_VERIFY_PEER, nullptr);
        const bool has_ca = tls.ca_file.empty() ? SSL_CTX_set_default_verify_paths(settings) == 1
                                                : SSL_CTX_load_verify_locations(
                                                      settings, tls.ca_file.c_str(), nullptr) == 1;
        const bool has_key =
            tls.cert_file.empty() ||
            (SSL_CTX_use_certificate_chain_file(settings, tls.cert_file.c_str()) == 1 &&
             SSL_CTX_use_PrivateKey_file(settings, tls.key_file.c_str(), SSL_FILETYPE_PEM) == 1 &&
             SSL_CTX_check_private_key(settings) == 1);
        if (!has_ca) problem_ = "no CA certificates in " + tls.ca_file;
        if (!has_key) problem_ = "no certificate and key in " + tls.cert_file;
    }

    /// Begins TLS on a connection to a host. Returns the error, empty without one.
    [[nodiscard]] std::string begin(redisContext& open, const std::string& host) const {
        if (!problem_.empty()) return problem_;
        std::unique_ptr<SSL, frees_tls> session(SSL_new(settings_.get()));
        if (session == nullptr) return "out of memory";
        X509_VERIFY_PARAM* const verified = SSL_get0_param(session.get());
        if (X509_VERIFY_PARAM_set1_ip_asc(verified, host.c_str()) != 1) {  // no IP address
            X509_VERIFY_PARAM_set1_host(verified, host.c_str(), host.size());
            SSL_ctrl(session.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                     const_cast<char*>(host.c_str()));  // as SSL_set_tlsext_host_name() does
        }
        if (redisInitiateSSL(&open, session.get()) != REDIS_OK) return open.errstr;
        static_cast<void>(session.release());  // it is the connection's
        return {};
    }

private:
    std::unique_ptr<SSL_CTX, frees_tls> settings_;
    std::string problem_{};
};

}  // namespace detail
#endif

/// Connections to one Redis server, a redis_connection. Thread-safe. The program has to ignore
/// SIGPIPE.
///
/// ```
/// idle connections --> run: EVALSHA --NOSCRIPT--> EVAL --> idle again
///    (or a new one)       '--> failed: closed; an idle one that the server had closed: a new one
/// ```
class hiredis_pool {
public:
    using words = std::vector<std::string>;                 ///< a command and its arguments
    using answer = tl::expected<std::string, std::string>;  ///< a reply, or an error in words

    /// Stores the settings; connects on first use. All waiting of a check ends `deadline` after its
    /// begin. `note` is called for each failure, by the thread of the check.
    hiredis_pool(redis_place place, std::chrono::milliseconds deadline,
                 std::function<void(std::string_view)> note)
        : place_(std::move(place)), deadline_(deadline), note_(std::move(note)) {
#if SLUICE_HIREDIS_TLS
        if (place_.tls) tls_.emplace(*place_.tls);
#endif
    }

    /// Runs the script and returns its reply, or an error.
    [[nodiscard]] answer run(const redis_request& request) {
        const auto end = clock::now() + deadline_;
        connection used = take();
        const bool was_idle = used.open != nullptr;
        auto got = run_on(used, request, end);
        if (!got && was_idle && has_ended(used)) {
            used = {};
            got = run_on(used, request, end);
        }
        give_back(std::move(used));
        return got;
    }

    /// Connects, with the password and the database. Returns the server's error if it refuses them,
    /// else an empty text. A server that isn't reached is only noted, as it may become available
    /// later.
    [[nodiscard]] std::string try_out() {
        const auto end = clock::now() + deadline_;
        connection fresh;
        answer ready = open(fresh, end);
        if (ready) ready = send(fresh, packed_command(words{"PING"}), end);
        give_back(std::move(fresh));
        if (ready) return {};
        if (is_reply(ready.error())) return ready.error();
        note_(ready.error());
        return {};
    }

    /// Notes a failed check; called by redis_limiter.
    void failed(std::string_view why) { note_(why); }

private:
    using clock = std::chrono::steady_clock;
    struct closes {
        void operator()(redisContext* open) const noexcept { redisFree(open); }
    };
    struct frees {
        void operator()(redisReply* held) const noexcept { freeReplyObject(held); }
    };
    /// A connection, or none yet.
    struct connection {
        std::unique_ptr<redisContext, closes> open{};
        std::chrono::milliseconds timeout{};  ///< the current one, to set it only if it changes
    };
    using reply = std::unique_ptr<redisReply, frees>;

    /// Takes an idle connection, or one that is not open yet.
    [[nodiscard]] connection take() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) return {};
        connection last = std::move(idle_.back());
        idle_.pop_back();
        return last;
    }

    /// Keeps a connection for later checks, unless it has failed.
    void give_back(connection used) {
        if (used.open == nullptr || used.open->err != 0) return;
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(used));
    }

    /// Returns true if the server has closed the connection, as it does when it restarts.
    [[nodiscard]] static bool has_ended(const connection& used) {
        if (used.open == nullptr || used.open->err == 0) return false;
        return used.open->err == REDIS_ERR_EOF || errno == EPIPE || errno == ECONNRESET;
    }

    /// The time left until `end`, rounded up to whole milliseconds and at least 1, because 0 means
    /// to wait forever. Most checks thus find a connection whose timeout is set already.
    [[nodiscard]] static std::chrono::milliseconds left_until(clock::time_point end) {
        using std::chrono::milliseconds;
        return std::max(std::chrono::ceil<milliseconds>(end - clock::now()), milliseconds(1));
    }

    [[nodiscard]] static timeval as_timeval(std::chrono::milliseconds time) {
        return {.tv_sec = time / std::chrono::seconds(1), .tv_usec = time.count() % 1'000 * 1'000};
    }

    /// Sets a connection's timeout to end at `end`, unless it is set already.
    [[nodiscard]] static bool wait_until(connection& used, clock::time_point end) {
        const auto left = left_until(end);
        if (left == used.timeout) return true;
        if (redisSetTimeout(used.open.get(), as_timeval(left)) != REDIS_OK) return false;
        used.timeout = left;
        return true;
    }

    /// Returns true for an error reply of the server, which begins with a word in capitals.
    [[nodiscard]] static bool is_reply(std::string_view why) {
        const std::string_view word = why.substr(0, why.find(' '));
        return !word.empty() &&
               std::ranges::all_of(word, [](char byte) { return byte >= 'A' && byte <= 'Z'; });
    }

    /// Describes the failure of a connection.
    [[nodiscard]] static std::string reason_of(const redisContext& failed) {
        const bool is_late = failed.err == REDIS_ERR_IO && errno == EAGAIN;
        return is_late ? "no answer in time" : failed.errstr;
    }

    /// Runs the script by its hash, or by its whole text if the server doesn't know it.
    [[nodiscard]] answer run_on(connection& used, const redis_request& request,
                                clock::time_point end) const {
        if (used.open == nullptr) {
            if (auto opened = open(used, end); !opened) return opened;
        }
        auto got = send(used, request.packed(), end);
        if (got || !got.error().starts_with("NOSCRIPT")) return got;
        return send(used, request.packed(true), end);
    }

    /// Connects, logs in and selects the database, or returns the error.
    [[nodiscard]] answer open(connection& into, clock::time_point end) const {
        into.open.reset(
            redisConnectWithTimeout(place_.host.c_str(), place_.port, as_timeval(left_until(end))));
        if (into.open == nullptr) return tl::unexpected(std::string("out of memory"));
        if (into.open->err != 0) return tl::unexpected(place_.host + ": " + into.open->errstr);
        if (place_.tls) {
            if (const std::string why = begin_tls(into, end); !why.empty()) {
                into = {};
                return tl::unexpected(place_.host + ": " + why);
            }
        }
        words login{"AUTH", place_.password};
        if (!place_.user.empty()) login.insert(login.begin() + 1, place_.user);
        answer ready;
        if (!place_.password.empty()) ready = send(into, packed_command(login), end);
        if (ready && place_.database != 0) {
            const words select{"SELECT", std::to_string(place_.database)};
            ready = send(into, packed_command(select), end);
        }
        if (!ready) into = {};
        return ready;
    }

    /// Begins TLS. Returns the error, empty without one.
    [[nodiscard]] std::string begin_tls(connection& into, clock::time_point end) const {
#if SLUICE_HIREDIS_TLS
        if (!wait_until(into, end)) return into.open->errstr;
        return tls_->begin(*into.open, place_.host);
#else
        static_cast<void>(into);
        static_cast<void>(end);
        return "this hiredis has no TLS: take version 1.0 or newer, with hiredis_ssl";
#endif
    }

    /// Sends a packed command and waits for the reply.
    [[nodiscard]] static answer send(connection& used, const std::string& packed,
                                     clock::time_point end) {
        redisContext* const open = used.open.get();
        void* answered = nullptr;
        const bool is_answered =
            wait_until(used, end) &&
            redisAppendFormattedCommand(open, packed.data(), packed.size()) == REDIS_OK &&
            redisGetReply(open, &answered) == REDIS_OK;
        const reply got(static_cast<redisReply*>(answered));
        if (!is_answered) return tl::unexpected(reason_of(*open));
        std::string text(got->str == nullptr ? "" : got->str, got->str == nullptr ? 0 : got->len);
        if (got->type == REDIS_REPLY_ERROR) return tl::unexpected(std::move(text));
        return text;  // empty if the reply isn't text, which the script never returns
    }

    redis_place place_;
#if SLUICE_HIREDIS_TLS
    std::optional<detail::hiredis_tls> tls_{};
#endif
    std::chrono::milliseconds deadline_;
    std::function<void(std::string_view)> note_;
    std::mutex mutex_;
    std::vector<connection> idle_;
};

static_assert(redis_connection<hiredis_pool>);

}  // namespace sluice

#endif
