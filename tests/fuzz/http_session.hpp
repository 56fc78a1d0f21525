// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_HTTP_SESSION_HPP
#define SLUICE_TESTS_FUZZ_HTTP_SESSION_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../examples/server/request_reader.hpp"
#include "service.hpp"

// What a connection of the server says, from its first byte to its last: the server's reader, then
// the handler.

namespace sluice_fuzz {

/// The requests of a connection: the target of each, then the status of a refusal.
struct conversation {
    std::vector<std::string> targets{};
    int refused = 0;

    friend bool operator==(const conversation&, const conversation&) = default;
};

/// Reads one connection as its bytes come in.
class connection_reader {
public:
    explicit connection_reader(service& answering) : service_(&answering) {}

    /// Takes more bytes; after a refusal they are dropped.
    void receive(std::string_view bytes) {
        pending_.append(bytes);
        while (heard_.refused == 0 && read_some()) continue;
    }
    [[nodiscard]] const conversation& heard() const noexcept { return heard_; }

private:
    /// Reads what has come; false where more is needed.
    bool read_some() {
        if (!reader_) {
            pending_.erase(0, server::empty_lines_before(pending_));
            if (pending_.empty() || pending_ == "\r") return false;
            reader_.emplace();
        }
        const bool had_head = reader_->has_head();
        pending_.erase(0, reader_->take(pending_));
        if (reader_->refused()) heard_.refused = reader_->refused()->status;
        const bool is_answered = reader_->is_over();
        if (is_answered && heard_.refused == 0) answer();
        return is_answered || reader_->has_head() != had_head;
    }
    void answer() {
        const std::string target = server::target_of(reader_->head());
        const auto fields = server::fields_of(reader_->head());
        const auto answered = service_->handle(
            {.method = reader_->head().method_string(), .target = target, .headers = fields});
        require(answered.status >= 200 && answered.status < 500);
        heard_.targets.push_back(target);
        reader_.reset();
    }

    service* service_;
    std::string pending_;
    std::optional<server::request_reader> reader_;
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
