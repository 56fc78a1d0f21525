// SPDX-License-Identifier: MIT
#include "compression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <boost/beast/zlib/deflate_stream.hpp>
#include <boost/crc.hpp>

#include <sluice/base/ascii.hpp>

#include "networks.hpp"

namespace server {

namespace {

using sluice::detail::equal_ignoring_case;
namespace zlib = boost::beast::zlib;

/// Removes and returns the text before a byte; the byte is removed too.
std::string_view take_until(std::string_view& text, char end) {
    const std::string_view taken = text.substr(0, text.find(end));
    text.remove_prefix(std::min(text.size(), taken.size() + 1));
    return detail::trimmed(taken);
}

/// Parses a weight into thousandths: `0`, `0.5`, `1.000`; nullopt if it is malformed.
std::optional<int> parse_weight(std::string_view text) {
    if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
    if (text.size() > 1 && text[1] != '.') return std::nullopt;
    std::string digits(text.substr(0, 1));  // `0.5` becomes 0500
    digits.append(text.substr(std::min<std::size_t>(2, text.size()))).resize(4, '0');
    if (!std::ranges::all_of(digits, sluice::detail::is_digit)) return std::nullopt;
    int weight = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), weight);
    return weight <= 1'000 ? std::optional(weight) : std::nullopt;
}

/// The weight of an item by its parameter `q`, in thousandths; nullopt if it is malformed. Without
/// it, the weight is 1,000.
std::optional<int> weight_of(std::string_view parameters) {
    std::optional<int> weight = 1'000;
    while (!parameters.empty()) {
        std::string_view value = take_until(parameters, ';');
        const std::string_view name = take_until(value, '=');
        if (equal_ignoring_case(name, "q")) weight = parse_weight(detail::trimmed(value));
    }
    return weight;
}

/// The weights of codings in thousandths; nullopt for a coding that the request doesn't name.
struct weights {
    std::optional<int> gzip{};
    std::optional<int> identity{};
    std::optional<int> others{};  // of `*`
};

/// Reads the items of an Accept-Encoding value into `read`; a later item replaces an earlier one.
/// Malformed weights are 0.
void read_weights(std::string_view list, weights& read) {
    while (!list.empty()) {
        std::string_view parameters = take_until(list, ',');
        const std::string_view coding = take_until(parameters, ';');
        const int weight = weight_of(parameters).value_or(0);
        if (equal_ignoring_case(coding, "gzip") || equal_ignoring_case(coding, "x-gzip")) {
            read.gzip = weight;
        } else if (equal_ignoring_case(coding, "identity")) {
            read.identity = weight;
        } else if (coding == "*") {
            read.others = weight;
        }
    }
}

/// Appends a number as 4 bytes, the lowest first.
void append_little_endian(std::string& text, std::uint32_t number) {
    for (int byte = 0; byte < 4; ++byte) text.push_back(static_cast<char>(number >> (8 * byte)));
}

/// A header of an answer by its name in lower case, or null.
sluice::header* find(sluice::response& answer, std::string_view name) {
    const auto position = std::ranges::find(answer.headers, name, &sluice::header::name);
    return position == answer.headers.end() ? nullptr : &*position;
}

/// The size of the body, or for HEAD that of the body of GET.
std::size_t size_of(sluice::response& answer) {
    const sluice::header* const length = find(answer, "content-length");
    std::size_t size = 0;
    if (length == nullptr) return 0;
    std::from_chars(length->value.data(), length->value.data() + length->value.size(), size);
    return size;
}

}  // namespace

bool takes_gzip(const sluice::reference::request& request) {
    weights read;
    for (const sluice::name_value& field : request.headers) {
        if (equal_ignoring_case(field.name, "accept-encoding")) read_weights(field.value, read);
    }
    const int gzip = read.gzip.value_or(read.others.value_or(0));
    return gzip > 0 && gzip >= read.identity.value_or(0);
}

std::string to_gzip(std::string_view text) {
    constexpr int level = 1, window_bits = 15, memory_level = 8;
    // RFC 1952: magic bytes, deflate, no flags, no time, unknown system. CRC and size end the text.
    constexpr std::array<unsigned char, 10> head{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
    zlib::deflate_stream stream;
    stream.reset(level, window_bits, memory_level, zlib::Strategy::normal);
    std::string coded(head.begin(), head.end());
    coded.resize(head.size() + stream.upper_bound(text.size()) + 16);
    zlib::z_params bytes;
    bytes.next_in = text.data();
    bytes.avail_in = text.size();
    boost::system::error_code end;
    bytes.next_out = coded.data() + head.size();
    bytes.avail_out = coded.size() - head.size();
    stream.write(bytes, zlib::Flush::finish, end);
    coded.resize(head.size() + bytes.total_out);
    boost::crc_32_type sum;
    sum.process_bytes(text.data(), text.size());
    append_little_endian(coded, sum.checksum());
    append_little_endian(coded, static_cast<std::uint32_t>(text.size()));
    return coded;
}

void compress(const sluice::reference::request& request, sluice::response& answer) {
    const sluice::header* const type = find(answer, "content-type");
    const bool is_json = type != nullptr && type->value.starts_with("application/json");
    const bool may_be_compressed = is_json && size_of(answer) >= least_compressed;
    // A 304 has no body, but its entity tag must equal that of the compressed answer.
    if (!may_be_compressed && answer.status != 304) return;
    if (sluice::header* const vary = find(answer, "vary")) vary->value += ", accept-encoding";
    if (!takes_gzip(request)) return;
    sluice::header* const tag = find(answer, "etag");
    if (tag != nullptr && !tag->value.starts_with("W/")) tag->value.insert(0, "W/");
    if (!may_be_compressed) return;
    answer.headers.push_back({"content-encoding", "gzip"});
    if (request.method == "HEAD") {  // the compressed size is unknown
        std::erase_if(answer.headers,
                      [](const auto& field) { return field.name == "content-length"; });
        return;
    }
    answer.body = to_gzip(answer.body);
    find(answer, "content-length")->value = std::to_string(answer.body.size());
}

}  // namespace server
