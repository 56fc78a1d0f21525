// SPDX-License-Identifier: MIT
#include "../../examples/server/compression.hpp"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <boost/beast/zlib/inflate_stream.hpp>
#include <doctest/doctest.h>

namespace {

/// The content of a gzip text's compressed part. Python's gzip checks the rest of it.
std::string inflated(std::string_view coded, std::size_t size) {
    constexpr std::size_t head = 10, tail = 8;
    namespace zlib = boost::beast::zlib;
    std::string text(size + 1, '\0');
    zlib::inflate_stream stream;
    zlib::z_params bytes;
    bytes.next_in = coded.data() + head;
    bytes.avail_in = coded.size() - head - tail;
    bytes.next_out = text.data();
    bytes.avail_out = text.size();
    boost::system::error_code end;
    stream.write(bytes, zlib::Flush::sync, end);
    CHECK(bytes.avail_in == 0);
    text.resize(bytes.total_out);
    return text;
}

sluice::response page(std::size_t size) {
    return {200,
            {{"content-type", "application/json; charset=utf-8"},
             {"etag", "\"a\""},
             {"content-length", std::to_string(size)},
             {"vary", "authorization"}},
            std::string(size, 'x')};
}

}  // namespace

TEST_CASE("a client takes gzip if its weights say so") {
    const struct {
        std::vector<std::string_view> values;
        bool takes;
    } cases[]{
        {{}, false},
        {{""}, false},
        {{"gzip"}, true},
        {{"GZIP"}, true},
        {{"x-gzip"}, true},
        {{"gzipped"}, false},
        {{"br"}, false},
        {{"br, gzip"}, true},
        {{"br", "gzip"}, true},
        {{"gzip;q=0"}, false},
        {{"gzip;q=0.000"}, false},
        {{"gzip;q=0.001"}, true},
        {{"gzip ; Q=1.000"}, true},
        {{"gzip;q=1.001"}, false},
        {{"gzip;q=2"}, false},
        {{"gzip;q=x"}, false},
        {{"gzip;q="}, false},
        {{"gzip;q=-1"}, false},
        {{"gzip;q=0.0001"}, false},
        {{"gzip;level=1"}, true},
        {{"*"}, true},
        {{"*;q=0"}, false},
        {{"gzip, *;q=0"}, true},
        {{"*, gzip;q=0"}, false},
        {{"identity"}, false},
        {{"identity, gzip"}, true},
        {{"identity, gzip;q=0.5"}, false},
        {{"identity;q=0.5, gzip;q=0.5"}, true},
        {{"identity;q=0, gzip;q=0.1"}, true},
        {{"gzip;q=0.5", "identity;q=0.2, *;q=0"}, true},
    };
    for (const auto& [values, takes] : cases) {
        std::vector<sluice::name_value> fields;
        for (const std::string_view value : values) fields.push_back({"Accept-Encoding", value});
        CAPTURE((values.empty() ? "none" : std::string(values.front())));
        CHECK(server::takes_gzip({.target = "/", .headers = fields}) == takes);
    }
}

TEST_CASE("what was compressed can be read again, whatever it is") {
    std::mt19937 random(7);
    for (const std::size_t size :
         {0U, 1U, 2U, 100U, 1'000U, 65'535U, 65'536U, 70'000U, 1'000'000U}) {
        for (const unsigned different : {1u, 3u, 64u, 256u}) {
            std::string text(size, '\0');
            for (char& byte : text) byte = static_cast<char>(random() % different);
            CAPTURE(size);
            CAPTURE(different);
            CHECK(inflated(server::to_gzip(text), size) == text);
        }
    }
}

TEST_CASE("answers are compressed that are JSON, large, and asked for so") {
    const std::vector<sluice::name_value> fields{{"accept-encoding", "gzip"}};
    const sluice::reference::request question{.target = "/", .headers = fields};
    const auto compressed = [](sluice::reference::request how, sluice::response answer) {
        server::compress(how, answer);
        return answer;
    };
    const sluice::response large = compressed(question, page(server::least_compressed));
    CHECK(large.header_value("content-encoding") == "gzip");
    CHECK(large.header_value("etag") == "W/\"a\"");
    CHECK(large.header_value("vary") == "authorization, accept-encoding");
    CHECK(large.header_value("content-length") == std::to_string(large.body.size()));
    CHECK(inflated(large.body, 2'000) == page(server::least_compressed).body);

    const sluice::response plain = compressed({}, page(server::least_compressed));
    CHECK(plain.header_value("content-encoding").empty());
    CHECK(plain.header_value("etag") == "\"a\"");
    CHECK(plain.header_value("vary") == "authorization, accept-encoding");
    CHECK(plain.body == page(server::least_compressed).body);

    const sluice::response small = page(server::least_compressed - 1);
    CHECK(compressed(question, small).headers == small.headers);
    sluice::response other = page(server::least_compressed);
    other.headers.front().value = "text/html";
    CHECK(compressed(question, other).headers == other.headers);

    sluice::response head = page(server::least_compressed);
    head.body.clear();
    head = compressed({.method = "HEAD", .target = "/", .headers = fields}, head);
    CHECK(head.body.empty());
    CHECK(head.header_value("content-encoding") == "gzip");
    CHECK(head.header_value("content-length").empty());
    CHECK(head.header_value("etag") == "W/\"a\"");

    const sluice::response kept{304, {{"etag", "\"a\""}, {"vary", "authorization"}}, {}};
    CHECK(compressed(question, kept).header_value("etag") == "W/\"a\"");
    CHECK(compressed(question, kept).header_value("content-encoding").empty());
    CHECK(compressed({}, kept).header_value("etag") == "\"a\"");
    CHECK(compressed({}, kept).header_value("vary") == "authorization, accept-encoding");
}
