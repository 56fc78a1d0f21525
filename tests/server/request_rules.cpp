// SPDX-License-Identifier: MIT
#include "../fuzz/http_session.hpp"
#include "../fuzz/try_corpus.hpp"

namespace {

/// The answers to a connection whose bytes come in two pieces.
sluice_fuzz::conversation hear(std::string_view bytes, std::size_t first = 0) {
    static sluice_fuzz::service kept;
    sluice_fuzz::connection_reader reader(kept);
    reader.receive(bytes.substr(0, first));
    reader.receive(bytes.substr(first));
    return reader.heard();
}

/// A request with fields beside Host, and what follows its head.
std::string request(std::string_view fields, std::string_view body = "") {
    return "GET /a HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n" + std::string(body);
}
std::string chunked(std::string_view body) {
    return request("Transfer-Encoding: chunked\r\n", body);
}

std::string repeated(std::string_view text, std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all.append(text);
    return all;
}

}  // namespace

TEST_CASE("a connection's bytes are requests one after the other, up to what is refused") {
    const auto check = [](std::string_view bytes, std::vector<std::string> targets, int refused) {
        CAPTURE(bytes);
        CHECK(hear(bytes) == sluice_fuzz::conversation{std::move(targets), refused});
    };
    check("GET /a HTTP/1.1\r\nHost: h\r\n\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n", {"/a", "/b"},
          0);
    check("GET /a HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n41", {"/a"}, 0);
    check("GET /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n41GET /b HTTP/1.0\r\n\r\n",
          {"/a", "/b"}, 0);
    check("GET http://h/b?c HTTP/1.1\r\nHost: h\r\n\r\n", {"/b?c"}, 0);
    check("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.0\r\n\r\n", {}, 400);
    check("GET /a HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", {}, 400);
    check("GET /a HTTP/1.1\r\nHost: h\r\nContent-Length: %30\r\n\r\n", {}, 400);
    check("GET /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n41\r\n0\r\n\r\n",
          {"/a"}, 0);
}

TEST_CASE("a request ends in one place, wherever its bytes are cut in two") {
    const std::string most(server::max_body, 'x');
    const std::string trailer = "a: " + std::string(server::max_fields - 7, 'x') + "\r\n";
    const struct {
        std::string bytes;
        int refused;
    } cases[]{
        {chunked("0\r\n\r\n"), 0},
        {chunked("000\r\n\r\n"), 0},
        {chunked("A;a=b\r\n0123456789\r\n0\r\n\r\n"), 0},
        {chunked("1 ; a=\"b\"\r\n0\r\n0\r\na: b\r\n\r\n"), 0},
        {chunked("0000000000000000000002\r\n41\r\n0\r\n\r\n"), 0},
        {chunked("0\r\nContent-Length: 7\r\nHost: i\r\nConnection: close\r\n\r\n"), 0},
        {chunked("1\n0\r\n0\r\n\r\n"), 400},
        {chunked("1\r0\r\n0\r\n\r\n"), 400},
        {chunked("1\r\n0\n0\r\n\r\n"), 400},
        {chunked("1\r\n000\r\n\r\n"), 400},
        {chunked("1\r\n0\r\n0\r\n\n"), 400},
        {chunked("0\r\n\na: b\r\n\r\n"), 400},
        {chunked("0\r\na: b\nc: d\r\n\r\n"), 400},
        {chunked("0\r\na: b\rc: d\r\n\r\n"), 400},
        {chunked("\r\n\r\n"), 400},
        {chunked(" 0\r\n\r\n"), 400},
        {chunked("0 \r\n\r\n"), 400},
        {chunked("+0\r\n\r\n"), 400},
        {chunked("-0\r\n\r\n"), 400},
        {chunked("0x0\r\n\r\n"), 400},
        {chunked("0 a\r\n\r\n"), 400},
        {chunked(";a=b\r\n\r\n"), 400},
        {chunked("0;a=\x01\r\n\r\n"), 400},
        {chunked("10001\r\n"), 413},
        {chunked("10000000000000000\r\n"), 413},
        {chunked("ffffffffffffffffffff1\r\n"), 413},
        {chunked("10000\r\n" + most + "\r\n1\r\n"), 413},
        {chunked("0\r\n" + repeated("a: b\r\n", server::max_field_count) + "\r\n"), 0},
        {chunked("0\r\n" + repeated("a: b\r\n", server::max_field_count + 1)), 431},
        {chunked("0\r\n" + trailer + "\r\n"), 0},
        {chunked("0\r\n" + trailer + "b:\r\n\r\n"), 431},
        {chunked("0\r\na: " + std::string(server::max_fields, 'x')), 431},
        {chunked("0;" + std::string(server::max_fields, 'x')), 431},
        {chunked(repeated("1;a\r\nx\r\n", server::max_field_count + 1)), 431},
        {chunked("0\r\na: b\r\n c\r\n\r\n"), 400},
        {chunked("0\r\nno colon\r\n\r\n"), 400},
        {chunked("0\r\n: b\r\n\r\n"), 400},
        {chunked("0\r\na : b\r\n\r\n"), 400},
        {chunked("0\r\na: \x7f\r\n\r\n"), 400},
        {request("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"), 400},
        {request("Transfer-Encoding: \r\n\tchunked\r\n", "0\r\n\r\n"), 400},
        {request("Transfer-Encoding: chunked\r\n \r\n", "0\r\n\r\n"), 400},
        {request("Content-Length:\r\n 2\r\n", "41"), 400},
        {request("a: b\r\n c\r\n"), 400},
        {request("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400},
        {request("Transfer-Encoding : chunked\r\n"), 400},
        {request("Content-Length: 65536\r\n", most), 0},
        {request("Content-Length: 65537\r\n"), 413},
        {request("Content-Length: 18446744073709551616\r\n"), 400},
    };
    for (const auto& [bytes, refused] : cases) {
        CAPTURE(bytes.substr(0, 200));
        const std::string all = bytes + (refused == 0 ? "GET /b HTTP/1.0\r\n\r\n" : "");
        const sluice_fuzz::conversation expected{
            refused == 0 ? std::vector<std::string>{"/a", "/b"} : std::vector<std::string>{},
            refused};
        const std::size_t step = all.size() < 1'000 ? 1 : 997;
        for (std::size_t first = 0; first <= all.size(); first += step) {
            if (hear(all, first) == expected) continue;
            CAPTURE(first);
            CHECK(hear(all, first) == expected);
            break;
        }
    }
}

TEST_CASE("a connection goes on unless any of its Connection fields says close") {
    const struct {
        std::string_view fields;
        bool goes_on;
    } cases[]{
        {"", true},
        {"Connection: keep-alive\r\n", true},
        {"Connection: close\r\n", false},
        {"Connection: Close\r\n", false},
        {"Connection: keep-alive, close\r\n", false},
        {"Connection: close, keep-alive\r\n", false},
        {"Connection: keep-alive\r\nConnection: close\r\n", false},
        {"Connection: close\r\nConnection: keep-alive\r\n", false},
        {"Connection: x,,close ,y\r\n", false},
        {"Connection: closed\r\n", true},
    };
    for (const auto& [fields, goes_on] : cases) {
        CAPTURE(fields);
        server::request_reader reader;
        const std::string bytes = request(fields);
        CHECK(reader.take(bytes) == bytes.size());
        CHECK(!reader.refused());
        CHECK(reader.keeps_alive() == goes_on);
    }
    server::request_reader old;
    CHECK(old.take("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n") != 0);
    CHECK(!old.keeps_alive());
}

TEST_CASE("however the bytes of a connection are cut, they say the same") {
    const std::vector<std::string> inputs = sluice_fuzz::corpus("http_");
    REQUIRE(inputs.size() > 3);
    std::mt19937 random(1);
    for (const std::string& input : inputs) {
        sluice_fuzz::try_mutations({"http", sluice_fuzz::fuzz_http_session}, input, 2'000, random);
    }
}
