// SPDX-License-Identifier: MIT
#include "store_servers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <openssl/evp.h>

#include <sluice/reference/clickhouse/request.hpp>

#include "semaphore.hpp"
#include "store_connection.hpp"
#include "store_place.hpp"
#include "tls_context.hpp"

namespace server {

namespace {

namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using clock = std::chrono::steady_clock;
using sluice::sql::statement;

/// The base64 form of a text, for HTTP's basic authentication.
std::string base64(const std::string& text) {
    std::string coded(4 * ((text.size() + 2) / 3) + 1, '\0');  // NUL-terminated
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(coded.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    coded.resize(static_cast<std::size_t>(size));
    return coded;
}

/// A server with its idle connections.
class store_server {
public:
    store_server(const store_host& host, ssl::context* tls)
        : host_(host), names_(host), tls_(tls) {}

    /// The name in messages.
    [[nodiscard]] std::string name() const {
        return host_.name + " port " + std::to_string(host_.port);
    }
    /// The Host header: `name:port`, or `[address]:port` for IPv6.
    [[nodiscard]] std::string authority() const {
        const bool is_six = host_.name.find(':') != std::string::npos;
        return (is_six ? '[' + host_.name + ']' : host_.name) + ':' + std::to_string(host_.port);
    }

    /// Returns the answer to a request. If an idle connection has been closed by the server, the
    /// request, which is read-only, is sent again on a new one.
    [[nodiscard]] tl::expected<store_answer, store_failure> ask(const store_request& request,
                                                                const deadline& until) {
        for (;;) {
            auto kept = take();
            const bool is_new = kept == nullptr;
            if (is_new) kept = make_store_connection(host_, names_, tls_);
            auto answer = kept->ask(request, until);
            const bool is_over = answer || is_new || !answer.error().has_ended;
            give_back(std::move(kept));
            if (is_over) return answer;
        }
    }

private:
    /// Takes an idle connection; null if there is none.
    [[nodiscard]] std::unique_ptr<store_connection> take() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) return nullptr;
        auto last = std::move(idle_.back());
        idle_.pop_back();
        return last;
    }
    /// Keeps a connection that is still open for the next request.
    void give_back(std::unique_ptr<store_connection> used) {
        if (!used->is_open()) return;
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(used));
    }

    store_host host_;
    name_lookup names_;
    ssl::context* tls_;
    std::mutex mutex_;  // guards idle_
    std::vector<std::unique_ptr<store_connection>> idle_;
};

/// Runs statements on the first server that answers:
///
/// ```
///              semaphore      the server that answered last, then those after it
/// statement -> [ ] [ ] |  ->  answer
///                             no answer: the next one, while there is time
///                             refused to this user: so would the others
/// ```
class store_servers {
    /// The error of a server without an answer.
    struct refusal {
        std::string why{};
        bool is_everywhere = false;  ///< other servers would return the same
    };

public:
    store_servers(const store_options& options, store_place place, std::optional<ssl::context> tls,
                  std::function<void(const std::string&)> warn)
        : timeout_(options.timeout),
          database_(std::move(place.database)),
          login_("Basic " + base64(place.user + ':' + place.password)),
          tls_(std::move(tls)),
          permits_(options.statements),
          warn_(std::move(warn)) {
        for (const store_host& host : place.hosts) {
            servers_.push_back(std::make_unique<store_server>(host, tls_ ? &*tls_ : nullptr));
        }
    }

    /// Runs a statement and returns ClickHouse's answer, or store_unavailable.
    [[nodiscard]] sluice::result<std::string> run(const statement& query, std::stop_token stop) {
        const deadline until{clock::now() + timeout_, std::move(stop)};
        const semaphore::permit permit(permits_, until);
        auto answer = permit ? run_somewhere(query, until)
                             : tl::unexpected(refusal{"too many statements at a time"});
        if (answer) return *std::move(answer);
        if (!until.stop.stop_requested()) warn_("the store does not answer: " + answer.error().why);
        return sluice::fail(sluice::rule::store_unavailable);
    }

    /// Sends a test query. Returns an error if the servers refuse the user; that none is reachable
    /// is only noted, as one may be later.
    [[nodiscard]] tl::expected<void, std::string> try_out() {
        auto answer = run_somewhere({"SELECT 1", {}}, {clock::now() + timeout_});
        if (answer) return {};
        if (answer.error().is_everywhere) return tl::unexpected(std::move(answer.error().why));
        warn_("the store does not answer: " + answer.error().why);
        return {};
    }

private:
    /// The answer of the first server that gives one, or the errors of all.
    [[nodiscard]] tl::expected<std::string, refusal> run_somewhere(const statement& query,
                                                                   const deadline& until) {
        refusal all;
        const std::size_t first = first_;
        for (std::size_t tried = 0; tried < servers_.size(); ++tried) {
            std::size_t at = (first + tried) % servers_.size();
            auto answer = run_on(*servers_[at], query, until);
            if (answer) return *std::move(answer);
            const auto& [why, is_everywhere] = answer.error();
            all.why.append(all.why.empty() ? "" : "; ");
            all.why.append(servers_[at]->name()).append(": " + why);
            all.is_everywhere = is_everywhere;
            // Later statements begin with the next server, unless another thread changed that.
            first_.compare_exchange_strong(at, (at + 1) % servers_.size());
            if (is_everywhere || until.stop.stop_requested() || clock::now() >= until.end) break;
        }
        return tl::unexpected(std::move(all));
    }

    /// Runs a statement on one server, within the time that is left.
    [[nodiscard]] tl::expected<std::string, refusal> run_on(store_server& on,
                                                            const statement& query,
                                                            const deadline& until) const {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until.end - clock::now());
        auto answer = on.ask(to_request(query, left, on.authority()), until);
        if (!answer) return tl::unexpected(refusal{std::move(answer.error().why)});
        const http::status status = answer->result();
        if (status == http::status::ok) return std::move(answer->body());
        return tl::unexpected(refusal{
            sluice::reference::clickhouse::failure_in(static_cast<int>(answer->result_int()),
                                                      (*answer)["X-ClickHouse-Exception-Code"],
                                                      answer->body()),
            status == http::status::unauthorized || status == http::status::forbidden});
    }

    /// The HTTP request of a statement, which may run for the time that is left.
    [[nodiscard]] store_request to_request(const statement& query, std::chrono::milliseconds left,
                                           const std::string& authority) const {
        auto [target, body] = sluice::reference::clickhouse::to_http(query, database_, left);
        store_request request{http::verb::post, std::move(target), 11, std::move(body)};
        request.set(http::field::host, authority);
        request.set(http::field::authorization, login_);
        request.prepare_payload();
        return request;
    }

    std::chrono::seconds timeout_;
    std::string database_;
    std::string login_;
    std::optional<ssl::context> tls_;
    semaphore permits_;
    std::function<void(const std::string&)> warn_;
    std::atomic<std::size_t> first_ = 0;  // index of the server to try first
    std::vector<std::unique_ptr<store_server>> servers_;
};

}  // namespace

tl::expected<sluice::reference::clickhouse::stoppable_runner, std::string> ask_store(
    const store_options& options, std::function<void(const std::string&)> warn) {
    auto place = parse_store_place(options.url, options.password);
    if (!place) return tl::unexpected("--store: " + place.error());
    std::optional<ssl::context> tls;
    if (!place->is_secure && !options.ca_file.empty()) {
        return tl::unexpected(std::string("--store-ca: expected a URL of clickhouses:// with it"));
    }
    if (place->is_secure) {
        auto context = make_client_context(options.ca_file);
        if (!context) return tl::unexpected("--store-ca: " + context.error());
        tls = *std::move(context);
    }
    const auto servers = std::make_shared<store_servers>(options, *std::move(place), std::move(tls),
                                                         std::move(warn));
    if (auto tried = servers->try_out(); !tried) {
        return tl::unexpected("--store: " + tried.error());
    }
    return [servers](const statement& query, const std::stop_token& stop) {
        return servers->run(query, stop);
    };
}

}  // namespace server
