// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_HTTP_SESSION_HPP
#define SLUICE_EXAMPLES_SERVER_HTTP_SESSION_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <httplib.h>

#include <sluice/api/handler.hpp>
#include <sluice/detail/ascii.hpp>
#include <sluice/detail/json_writer.hpp>
#include <sluice/envelope.hpp>

#include "access_log.hpp"
#include "connection.hpp"
#include "request_head.hpp"

namespace server {

// How long a client may take.
inline constexpr std::chrono::seconds handshake_time{5};
inline constexpr std::chrono::seconds idle_time{5};   ///< until a request begins
inline constexpr std::chrono::seconds head_time{10};  ///< for all of a request's head
inline constexpr std::chrono::seconds write_time{30};

inline constexpr int max_requests = 1'000;  ///< of a connection

namespace detail {

/// The text that cpp-httplib reads as a request, and the connection that it answers on.
class exchange_stream final : public httplib::Stream {
public:
    exchange_stream(connection& client, std::string_view request)
        : client_(client), request_(request) {}

    [[nodiscard]] bool is_readable() const override { return true; }
    [[nodiscard]] bool is_writable() const override { return true; }
    ssize_t read(char* into, std::size_t size) override {
        const std::size_t count = request_.copy(into, size);
        request_.remove_prefix(count);
        return static_cast<ssize_t>(count);
    }
    ssize_t write(const char* bytes, std::size_t size) override {
        const bool sent = client_.send({bytes, size}, deadline_in(write_time));
        return sent ? static_cast<ssize_t>(size) : -1;
    }
    void get_remote_ip_and_port(std::string& ip, int& port) const override {
        ip = client_.address();
        port = 0;
    }
    void get_local_ip_and_port(std::string& ip, int& port) const override {
        ip.clear();
        port = 0;
    }
    [[nodiscard]] socket_t socket() const override { return INVALID_SOCKET; }

private:
    connection& client_;
    std::string_view request_;
};

/// A head for cpp-httplib. Of the request line it gets only what it needs: its own limit on targets
/// is lower, it takes no second `?` in one, and it knows few methods. No Range, since answers are
/// whole; no Expect, since bodies are not read.
[[nodiscard]] inline std::string head_for_httplib(const request_head& head) {
    std::string text = head.method == "HEAD" ? "HEAD / HTTP/1.1\r\n" : "GET / HTTP/1.1\r\n";
    for (std::string_view rest = head.fields; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find(line_end) + line_end.size());
        const std::string_view name = line.substr(0, line.find(':'));
        const bool left_out = sluice::detail::equal_ignoring_case(name, "range") ||
                              sluice::detail::equal_ignoring_case(name, "expect");
        if (!left_out) text.append(line);
        rest.remove_prefix(line.size());
    }
    return text.append(line_end);
}

/// The value of a Date header: `Fri, 21 Aug 2026 02:30:15 GMT`.
[[nodiscard]] inline std::string http_date(sluice::instant now) {
    const std::time_t seconds =
        std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 40> text{};
    std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return text.data();
}

/// The answer to a head that no handler saw.
[[nodiscard]] inline sluice::response answer_of(const refusal& refused) {
    sluice::response answer{refused.status, {}, {}};
    sluice::detail::json_writer json(answer.body);
    json.begin_object().key("error").begin_object();
    json.member("code", to_string(sluice::error_code::bad_request));
    json.member("message", std::string_view(refused.message));
    json.member("doc_url", sluice::error_doc_url(sluice::error_code::bad_request, {}));
    json.end_object().end_object();
    answer.headers = {{"content-type", std::string(sluice::json_content_type)},
                      {"content-length", std::to_string(answer.body.size())}};
    return answer;
}

}  // namespace detail

/// The requests of one connection, one after another, each answered by the handler.
///
/// cpp-httplib (0.11, as in Debian 12) reads the header fields and writes the answers. The head is
/// read before, since the library knows no limit on the number of fields and none on the time that
/// a client takes:
///
/// ```
///  connection -> buffer_ -> head -> cpp-httplib -> respond -> cpp-httplib -> connection
///                             \-> 400, 414, 431 ------^
/// ```
class http_session : private httplib::Server {
public:
    /// `scheme` is the connection's; `stop` can be read once the server stops.
    http_session(connection& client, sluice::api::handler& handler, std::string_view scheme,
                 int stop)
        : client_(client), handler_(handler), scheme_(scheme), stop_(stop) {
        set_pre_routing_handler([](const httplib::Request&, httplib::Response&) {
            return httplib::Server::HandlerResponse::Handled;
        });
        // The last to see an answer: what cpp-httplib puts into it by itself is replaced.
        set_post_routing_handler(
            [this](const httplib::Request& asked, httplib::Response& out) { respond(asked, out); });
    }

    void run() {
        if (!client_.open(deadline_in(handshake_time))) return;
        while (!closes_ && await_request() && read_head()) serve();
        client_.close(bytes_are_unread_);
    }

private:
    [[nodiscard]] bool await_request() {
        return !buffer_.empty() || client_.await_bytes(stop_, deadline_in(idle_time));
    }

    /// Reads a head and takes it off the buffer; false where none comes.
    [[nodiscard]] bool read_head() {
        const deadline until = deadline_in(head_time);
        for (std::size_t searched = 0;;) {
            const std::size_t end = buffer_.find(head_end, searched);
            if (end != std::string::npos) return take_head(end + head_end.size());
            if (auto refused = check_size(buffer_)) return refuse(std::move(*refused));
            searched = buffer_.size() - std::min(buffer_.size(), head_end.size() - 1);
            if (client_.receive(buffer_, until) == 0) return false;
        }
    }
    bool take_head(std::size_t size) {
        text_ = buffer_.substr(0, size);
        buffer_.erase(0, size);
        auto head = parse_head(text_);
        if (!head) return refuse(std::move(head.error()));
        head_ = *head;
        return true;
    }
    bool refuse(refusal why) {
        head_ = {.method = "-", .target = "-", .version = {}, .fields = {}};
        refused_ = std::move(why);
        return true;
    }

    void serve() {
        const auto begun = std::chrono::steady_clock::now();
        logged_ = {.time = {},
                   .client = client_.address(),
                   .method = head_.method,
                   .target = head_.target};
        const std::string request = detail::head_for_httplib(head_);
        detail::exchange_stream stream(client_, request);
        bool ignored = false;
        if (!process_request(stream, false, ignored, {})) closes_ = true;
        logged_.taken = std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - begun);
        log(logged_);
    }

    void respond(const httplib::Request& asked, httplib::Response& out) {
        const sluice::instant now =
            std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
        sluice::response answer = refused_ ? detail::answer_of(*refused_) : handle(now);
        decide_to_close(asked);
        logged_.time = now;
        logged_.status = answer.status;
        logged_.bytes = answer.body.size();
        out.status = answer.status;
        out.headers.clear();
        for (sluice::header& each : answer.headers) {
            out.headers.emplace(std::move(each.name), std::move(each.value));
        }
        out.headers.emplace("date", detail::http_date(now));
        if (closes_) out.headers.emplace("connection", "close");
        out.body = std::move(answer.body);
    }
    [[nodiscard]] sluice::response handle(sluice::instant now) {
        const std::vector<sluice::name_value> headers = fields_of(head_);
        return handler_.handle(
            {.method = head_.method, .target = head_.target, .headers = headers, .scheme = scheme_},
            now);
    }

    /// Whether this answer is the connection's last. Bodies are not read, so that what follows one
    /// can't be told from it.
    void decide_to_close(const httplib::Request& asked) {
        const bool has_body =
            asked.has_header("Transfer-Encoding") ||
            (asked.has_header("Content-Length") && asked.get_header_value("Content-Length") != "0");
        bytes_are_unread_ = has_body || refused_.has_value();
        const std::string wish = sluice::detail::to_lower(asked.get_header_value("Connection"));
        closes_ = bytes_are_unread_ || ++requests_ == max_requests || head_.version != "HTTP/1.1" ||
                  wish.find("close") != std::string::npos || is_stopping();
    }
    [[nodiscard]] bool is_stopping() const {
        pollfd stop{stop_, POLLIN, 0};
        return ::poll(&stop, 1, 0) > 0;
    }

    connection& client_;
    sluice::api::handler& handler_;
    std::string_view scheme_;
    int stop_;
    std::string buffer_;  // received, but not yet taken
    std::string text_;    // that head_ views
    request_head head_{};
    std::optional<refusal> refused_{};
    access logged_{};
    int requests_ = 0;
    bool closes_ = false;
    bool bytes_are_unread_ = false;
};

}  // namespace server

#endif
