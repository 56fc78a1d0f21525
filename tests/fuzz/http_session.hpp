// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_HTTP_SESSION_HPP
#define SLUICE_TESTS_FUZZ_HTTP_SESSION_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/buffer.hpp>

#include "../../examples/server/request_rules.hpp"
#include "service.hpp"

// What a connection of the server says, from its first byte to its last: the server's parser and
// rules, then the handler.

namespace sluice_fuzz {

/// What is made of a connection: the target of each request, then the status of a refusal.
struct conversation {
    std::vector<std::string> targets{};
    int refused = 0;

    friend bool operator==(const conversation&, const conversation&) = default;
};

/// Reads one connection as its bytes come in.
class connection_reader {
public:
    explicit connection_reader(service& answering) : service_(&answering) { parser_.emplace(); }

    /// Takes more bytes; after a refusal they are dropped.
    void receive(std::string_view bytes) {
        pending_.append(bytes);
        while (heard_.refused == 0 && !pending_.empty() && read_some()) continue;
    }
    [[nodiscard]] const conversation& heard() const noexcept { return heard_; }

private:
    /// Parses what has come; false where more is needed.
    bool read_some() {
        if (!parser_->got_some()) pending_.erase(0, server::empty_lines_before(pending_));
        if (pending_.empty() || pending_ == "\r") return false;
        boost::beast::error_code failed;
        const auto taken =
            parser_->put(boost::asio::buffer(pending_.data(), pending_.size()), failed);
        if (failed && failed != server::http::error::need_more) {
            return refuse(server::refusal_of(failed, *parser_, pending_));
        }
        pending_.erase(0, taken);
        if (parser_->is_header_done() && !fields_ && !take_head()) return false;
        if (parser_->is_done()) answer();
        return taken > 0;
    }
    bool refuse(const std::optional<server::refusal>& why) {
        heard_.refused = why ? why->status : 400;
        return false;
    }
    bool take_head() {
        if (const auto why = server::check_head(parser_->get())) return refuse(why);
        fields_ = server::fields_of(parser_->get());  // before those that may follow a body
        return true;
    }
    void answer() {
        const std::string target = server::target_of(parser_->get());
        const auto answered = service_->handle(
            {.method = parser_->get().method_string(), .target = target, .headers = *fields_});
        require(answered.status >= 200 && answered.status < 500);
        heard_.targets.push_back(target);
        parser_.emplace();
        fields_.reset();
    }

    service* service_;
    std::string pending_;
    std::optional<server::request_parser> parser_;
    std::optional<std::vector<sluice::name_value>> fields_;  // once the head has come
    conversation heard_;
};

/// However the bytes of a connection are cut, they say the same, once the last head is whole: until
/// then a parser may wait for more before it finds a fault.
inline void fuzz_http_session(std::string_view input) {
    static service kept;
    connection_reader whole(kept), bytewise(kept);
    const std::string bytes = std::string(input) + "\r\n\r\n";
    whole.receive(bytes);
    for (const char& byte : bytes) bytewise.receive({&byte, 1});
    require(whole.heard() == bytewise.heard());
}

}  // namespace sluice_fuzz

#endif
