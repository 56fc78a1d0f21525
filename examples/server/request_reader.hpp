// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_REQUEST_READER_HPP
#define SLUICE_EXAMPLES_SERVER_REQUEST_READER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <sluice/base/ascii.hpp>

#include "request_rules.hpp"

namespace server {

/// Reads one request from the bytes of a connection, received in any chunks. The body is discarded.
///
/// ```
/// head --+---------------------------------------------------> done
///        +-> length bytes -----------------------------------> done
///        +-> size line -> data -> CRLF -> ... -> trailer ----> done
///                any of them -> refused
/// ```
/// Beast parses the head once it is complete. Bodies are parsed here, more strictly than by Beast:
/// lines end with CRLF, sizes are hexadecimal digits, and trailers have the limits of heads.
class request_reader {
public:
    request_reader() {
        parser_.header_limit(max_head);
        parser_.body_limit(boost::none);  // limited by this class
    }

    /// Consumes bytes from the front of those received; returns how many. Stops after the head, and
    /// at the end of the request.
    [[nodiscard]] std::size_t take(std::string_view received) {
        if (!has_head_) return take_head(received);
        std::size_t taken = 0;
        while (!is_over()) {
            const std::optional<std::size_t> size = take_body(received.substr(taken));
            if (!size) break;
            taken += *size;
        }
        return taken;
    }

    [[nodiscard]] bool has_head() const noexcept { return has_head_; }
    /// Returns true if the request has been read completely or refused.
    [[nodiscard]] bool is_over() const noexcept { return refused_ || next_ == part::end; }
    [[nodiscard]] const std::optional<refusal>& refused() const noexcept { return refused_; }
    /// The head; for a refused one, the fields before the error.
    [[nodiscard]] const request_head& head() const { return parser_.get(); }
    /// Returns true if the client allows the connection to stay open after the answer.
    [[nodiscard]] bool keeps_alive() const {
        return has_head_ && parser_.get().version() == 11 && parser_.keep_alive();
    }

private:
    /// The part of the request that is read next: a body of Content-Length bytes; or of each chunk,
    /// its size line, its data and the CRLF after it; then the trailer.
    enum class part : std::uint8_t { length, size, data, data_end, trailer, end };

    /// A line without its CRLF, and its size including it.
    struct line {
        std::string_view text;
        std::size_t size;
    };

    /// Consumes the head once all of it is received; returns its size, or 0.
    std::size_t take_head(std::string_view received) {
        constexpr std::string_view end = "\r\n\r\n";
        const std::size_t position = received.find(end, searched_);
        searched_ = received.size() - std::min(received.size(), end.size() - 1);
        const std::size_t size =
            position == std::string_view::npos ? position : position + end.size();
        if (std::min(size, received.size()) > max_head) return refuse(detail::too_large(received));
        if (size == std::string_view::npos) return 0;
        const std::string_view head = received.substr(0, size);
        if (detail::has_folded_line(head)) return refuse(detail::malformed());
        boost::beast::error_code failed;
        parser_.put(boost::asio::buffer(head.data(), head.size()), failed);
        if (failed) return refuse(refusal_of(failed));
        has_head_ = true;
        left_ = parser_.content_length().value_or(0);
        refused_ = check_head(parser_.get());
        if (!refused_ && left_ > max_body) refused_ = detail::body_too_large();
        next_ = parser_.chunked() ? part::size : left_ != 0 ? part::length : part::end;
        return size;
    }

    /// Consumes a part of the body; nullopt if more bytes are needed.
    std::optional<std::size_t> take_body(std::string_view received) {
        switch (next_) {
            case part::length: return take_data(received, part::end);
            case part::size: return take_size(received);
            case part::data: return take_data(received, part::data_end);
            case part::data_end: return take_data_end(received);
            case part::trailer: return take_trailer(received);
            case part::end: return std::nullopt;
        }
        return std::nullopt;
    }

    /// Consumes bytes of the body or of a chunk; `after` them is the next part.
    std::optional<std::size_t> take_data(std::string_view received, part after) {
        if (received.empty()) return std::nullopt;
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, received.size()));
        left_ -= size;
        if (left_ == 0) next_ = after;
        return size;
    }

    /// Consumes the first line of a chunk, `1*HEXDIG [ extensions ] CRLF`. Larger sizes than the
    /// limit are reduced to one above it, so that they don't overflow.
    std::optional<std::size_t> take_size(std::string_view received) {
        const std::optional<line> read = take_line(received);
        if (!read) return std::nullopt;
        std::uint64_t size = 0;
        std::size_t digits = 0;
        for (; digits < read->text.size(); ++digits) {
            const int digit = sluice::detail::hex_digit(read->text[digits]);
            if (digit < 0) break;
            size = std::min<std::uint64_t>(16 * size + static_cast<std::uint64_t>(digit),
                                           max_body + 1);
        }
        const std::string_view extensions = read->text.substr(digits);
        if (digits == 0 || !detail::are_extensions(extensions)) return refuse(detail::malformed());
        body_ += size;
        if (body_ > max_body) return refuse(detail::body_too_large());
        if (!extensions.empty() && !count_field(extensions.size())) {
            return refuse(detail::fields_too_large());
        }
        left_ = size;
        next_ = size == 0 ? part::trailer : part::data;
        return read->size;
    }

    /// Consumes the CRLF after a chunk.
    std::optional<std::size_t> take_data_end(std::string_view received) {
        constexpr std::string_view end = "\r\n";
        if (!received.starts_with(end.substr(0, received.size()))) {
            return refuse(detail::malformed());
        }
        if (received.size() < end.size()) return std::nullopt;
        next_ = part::size;
        return end.size();
    }

    /// Consumes a line of the trailer; an empty one ends the request.
    std::optional<std::size_t> take_trailer(std::string_view received) {
        const std::optional<line> read = take_line(received);
        if (!read) return std::nullopt;
        if (read->text.empty()) {
            next_ = part::end;
            return read->size;
        }
        if (!detail::is_field(read->text)) return refuse(detail::malformed());
        if (!count_field(read->size)) return refuse(detail::fields_too_large());
        return read->size;
    }

    /// The line at the front of the bytes; nullopt if more are needed or the line was refused.
    std::optional<line> take_line(std::string_view received) {
        const std::size_t end = received.find_first_of("\r\n");
        if (std::min(end, received.size()) > max_fields) {
            refuse(detail::fields_too_large());
            return std::nullopt;
        }
        const std::string_view ends = received.substr(std::min(end, received.size()), 2);
        if (ends == "\r\n") return line{received.substr(0, end), end + 2};
        if (!ends.empty() && ends != "\r") refuse(detail::malformed());
        return std::nullopt;
    }

    /// Counts a trailer field or chunk extensions. Returns false beyond the limits of a head's
    /// fields.
    bool count_field(std::size_t size) noexcept {
        trailer_bytes_ += size;
        return ++trailer_fields_ <= max_field_count && trailer_bytes_ <= max_fields;
    }

    /// Records a refusal; 0 bytes are consumed.
    std::size_t refuse(refusal why) {
        refused_ = std::move(why);
        return 0;
    }

    boost::beast::http::request_parser<boost::beast::http::empty_body> parser_;
    std::optional<refusal> refused_;
    bool has_head_ = false;
    part next_ = part::length;
    std::size_t searched_ = 0;  // bytes of the head searched for its end
    std::uint64_t left_ = 0;    // bytes left of the body or of the current chunk
    std::uint64_t body_ = 0;    // bytes of all chunks
    std::size_t trailer_fields_ = 0;
    std::size_t trailer_bytes_ = 0;
};

}  // namespace server

#endif
