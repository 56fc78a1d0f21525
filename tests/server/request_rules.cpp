// SPDX-License-Identifier: MIT
#include "../fuzz/http_session.hpp"
#include "../fuzz/try_corpus.hpp"

namespace {

sluice_fuzz::conversation hear(std::string_view bytes) {
    static sluice_fuzz::service kept;
    sluice_fuzz::connection_reader reader(kept);
    reader.receive(bytes);
    return reader.heard();
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

TEST_CASE("however the bytes of a connection are cut, they say the same") {
    const std::vector<std::string> inputs = sluice_fuzz::corpus("http_");
    REQUIRE(inputs.size() > 3);
    std::mt19937 random(1);
    for (const std::string& input : inputs) {
        sluice_fuzz::try_mutations({"http", sluice_fuzz::fuzz_http_session}, input, 2'000, random);
    }
}
