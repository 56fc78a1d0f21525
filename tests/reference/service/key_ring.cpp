// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/service/key_ring.hpp>

using namespace sluice::reference;
using sluice::instant;
using sluice::rule;
using namespace std::string_view_literals;

static_assert(bearer_token("Bearer abc") == "abc");
static_assert(!bearer_token("Basic abc"));

namespace {

constexpr instant at_ms(std::int64_t count) { return instant{std::chrono::milliseconds{count}}; }

api_key key_of(std::string_view token, std::string_view workspace_id,
               std::optional<instant> expires_at = std::nullopt) {
    api_key key;
    key.hash = sha256(token);
    key.workspace_id = workspace_id;
    key.expires_at = expires_at;
    return key;
}

/// The number of the key with a token; 0 if it is unknown.
std::size_t number_of(const key_ring& keys, std::string_view token) {
    const api_key* const key = keys.find(token);
    return key == nullptr ? 0 : key->number;
}

}  // namespace

TEST_CASE("SHA-256 gives the digests of FIPS 180-4's examples") {
    const std::vector<std::pair<std::string, std::string_view>> table{
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {std::string(1'000'000, 'a'),
         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
        {std::string(1, '\0'), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"},
    };
    for (const auto& [text, hex] : table) CHECK(to_hex(sha256(text)) == hex);
    CHECK(sha256(std::string_view{}) == sha256(""));
}

// By Python: hashlib.sha256(b"".join(hashlib.sha256(b"a" * n).digest() for n in range(200)))
TEST_CASE("a text of any length has its digest") {
    std::string digests;
    for (std::size_t length = 0; length < 200; ++length) {
        const digest hash = sha256(std::string(length, 'a'));
        digests.append(hash.begin(), hash.end());
    }
    CHECK(to_hex(sha256(digests)) ==
          "752c007f38611cfbf5fa42cb1cea3d8e086491c844d0cc4defd632cb81423506");
}

TEST_CASE("a digest is written in hexadecimal, the whole or its first bytes") {
    const digest hash = sha256("abc");
    const std::string hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    CHECK(to_hex(hash) == hex);
    CHECK(to_hex(hash, 16) == hex.substr(0, 32));
    CHECK(parse_digest(hex) == hash);
}

TEST_CASE("keys whose digests differ in one byte only are different keys") {
    key_ring ring;
    const api_key first = key_of("tok_1", "ws_1");
    REQUIRE(ring.add(first));
    for (std::size_t at = 0; at < first.hash.size(); ++at) {
        CAPTURE(at);
        api_key other = first;
        other.hash[at] ^= 1U;
        CHECK(ring.add(other));
    }
    CHECK(ring.add(first).error().broken == rule::identifier_taken);
}

TEST_CASE("a digest is 64 hexadecimal digits in any case") {
    const std::string hex = to_hex(sha256("abc"));
    std::string upper = hex;
    for (char& digit : upper) digit = digit >= 'a' ? static_cast<char>(digit - 0x20) : digit;
    CHECK(parse_digest(upper) == sha256("abc"));
    struct bad {
        std::string text;
        std::uint32_t offset, length;
    };
    const std::vector<bad> table{
        {"", 0, 0},
        {hex.substr(1), 0, 63},
        {hex + "0", 0, 65},
        {"g" + hex.substr(1), 0, 2},
        {hex.substr(0, 63) + "G", 62, 2},
        {hex.substr(0, 10) + " " + hex.substr(11), 10, 2},
        {hex.substr(0, 10) + "\xC3\xA9" + hex.substr(12), 10, 2},
        {"0x" + hex.substr(2), 0, 2},
        {std::string(64, '\0'), 0, 2},
    };
    for (const bad& entry : table) {
        CAPTURE(entry.text);
        CHECK(parse_digest(entry.text).error() ==
              sluice::make_error(rule::field_value, entry.offset, entry.length));
    }
}

TEST_CASE("a bearer token follows its scheme") {
    const std::vector<std::pair<std::string_view, std::optional<std::string_view>>> table{
        {"Bearer abc", "abc"},
        {"bearer abc", "abc"},
        {"BEARER abc", "abc"},
        {"bEaReR abc", "abc"},
        {"Bearer   abc", "abc"},
        {"Bearer aA0-._~+/=", "aA0-._~+/="},
        {"Bearer Bearer", "Bearer"},
        {"Bearer =", "="},
        {"", std::nullopt},
        {"Bearer", std::nullopt},
        {"Bearer ", std::nullopt},
        {"Bearer    ", std::nullopt},
        {" Bearer abc", std::nullopt},
        {"Bearer abc ", std::nullopt},
        {"Bearer\tabc", std::nullopt},
        {"Bearer abc def", std::nullopt},
        {"Bearer abc,def", std::nullopt},
        {"Bearer abc, Bearer abc", std::nullopt},
        {"Bearer \"abc\"", std::nullopt},
        {"Bearer abc\r\nx", std::nullopt},
        {"Bearer abc\0"sv, std::nullopt},
        {"Bearer \u00E9", std::nullopt},
        {"Bearer: abc", std::nullopt},
        {"Bearerabc", std::nullopt},
        {"Bearers abc", std::nullopt},
        {"Basic YTpi", std::nullopt},
        {"Token abc", std::nullopt},
        {"abc", std::nullopt},
        {"B\u00E9arer abc", std::nullopt},
    };
    for (const auto& [header, token] : table) {
        CAPTURE(header);
        CHECK(bearer_token(header) == token);
    }
    const std::string huge = "Bearer " + std::string(1 << 20, 'x');
    CHECK(bearer_token(huge)->size() == 1 << 20);
}

TEST_CASE("a key is found by its token and by nothing else") {
    key_ring keys;
    CHECK(keys.size() == 0);
    CHECK(keys.find("abc") == nullptr);
    REQUIRE(keys.add(key_of("abc", "ws_1")));
    REQUIRE(keys.add(key_of("def", "ws_2")));
    CHECK(keys.add(key_of("abc", "ws_3")).error().broken == sluice::rule::identifier_taken);
    CHECK(keys.size() == 2);
    REQUIRE(keys.find("abc") != nullptr);
    CHECK(keys.find("abc")->workspace_id == "ws_1");
    CHECK(keys.find("def")->workspace_id == "ws_2");
    for (const std::string& other : {std::string(), std::string("ABC"), std::string("ab"),
                                     std::string("abcd"), to_hex(sha256("abc"))}) {
        CHECK(keys.find(other) == nullptr);
    }
    const digest hash = sha256("abc");
    CHECK(keys.find({reinterpret_cast<const char*>(hash.data()), hash.size()}) == nullptr);
}

TEST_CASE("keys are numbered from 1 in the order of adding; no other token has a number") {
    key_ring keys({key_of("abc", "ws_1", at_ms(0)), key_of("def", "ws_2"), key_of("abc", "ws_3")});
    CHECK(keys.size() == 2);
    REQUIRE(keys.add(key_of("ghi", "ws_1")));
    CHECK(number_of(keys, "abc") == 1);
    CHECK(number_of(keys, "def") == 2);
    CHECK(number_of(keys, "ghi") == 3);
    CHECK(number_of(keys, "") == 0);
    CHECK(number_of(keys, "ABC") == 0);
    CHECK(number_of(key_ring(), "abc") == 0);
}

TEST_CASE("keys of an earlier ring keep their numbers, and new ones get others") {
    const key_ring first({key_of("abc", "ws_1"), key_of("def", "ws_1"), key_of("ghi", "ws_1")});
    key_ring second({key_of("new", "ws_1"), key_of("ghi", "ws_2"), key_of("abc", "ws_1")});
    second.follow(first);
    CHECK(number_of(second, "abc") == 1);
    CHECK(number_of(second, "ghi") == 3);
    CHECK(number_of(second, "new") == 4);
    CHECK(number_of(second, "def") == 0);
    CHECK(second.find("ghi")->workspace_id == "ws_2");
    key_ring third({key_of("def", "ws_1")});
    third.follow(second);
    CHECK(number_of(third, "def") == 5);  // it had gone
    REQUIRE(third.add(key_of("abc", "ws_1")));
    CHECK(number_of(third, "abc") == 6);
}

TEST_CASE("a look-up compares a few keys, however many there are") {
    constexpr int many = 40'000;
    std::vector<api_key> all;
    for (int i = 0; i < many; ++i) all.push_back(key_of("key " + std::to_string(i), "ws_1"));
    const key_ring crowded(std::move(all));
    for (int i = 0; i < many; i += 997) {
        CHECK(number_of(crowded, "key " + std::to_string(i)) == static_cast<std::size_t>(i) + 1);
    }
    CHECK(crowded.size() == many);
    CHECK(crowded.longest_bucket() < 16);  // of random hashes: 8 or so
}

TEST_CASE("the longest bucket is found wherever it is") {
    CHECK(key_ring().longest_bucket() == 0);
    for (int i = 0; i < 200; ++i) {
        const key_ring one({key_of("key " + std::to_string(i), "ws_1")});
        CHECK(one.longest_bucket() == 1);
    }
}

TEST_CASE("a key is valid up to the moment in which it expires") {
    const key_ring keys({key_of("abc", "ws_1", at_ms(1'000)), key_of("def", "ws_1")});
    CHECK_FALSE(keys.find("abc")->has_expired(at_ms(-5)));
    CHECK_FALSE(keys.find("abc")->has_expired(at_ms(999)));
    CHECK(keys.find("abc")->has_expired(at_ms(1'000)));
    CHECK(keys.find("abc")->has_expired(at_ms(1'001)));
    CHECK_FALSE(keys.find("def")->has_expired(sluice::latest_instant));
}

TEST_CASE("a key may do what its permissions name") {
    api_key key;
    CHECK_FALSE(key.may("tags.read"));
    key.permissions = {"tags.read", "analytics.write"};
    CHECK(key.may("tags.read"));
    CHECK_FALSE(key.may("analytics.read"));
    CHECK_FALSE(key.may("tags"));
    CHECK_FALSE(key.may("TAGS.READ"));
    CHECK_FALSE(key.may(""));
}
