// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/json_writer.hpp>
#include <sluice/store/json/json_rows.hpp>
#include <sluice/store/table.hpp>
#include <sluice/time/instant.hpp>

using namespace sluice::store;

namespace {

/// Texts with and without bytes that JSON escapes, of all lengths up to some steps of a copy.
std::string random_text(std::mt19937& random) {
    constexpr std::string_view bytes = "abcdefghijklmnop\"\\\n\t\x01\x1F /~";
    std::string text;
    const bool is_plain = random() % 2 == 0;
    const std::size_t size = random() % (random() % 50 == 0 ? 40'000 : 120);
    while (text.size() < size) {
        text.push_back(bytes[random() % (is_plain ? 16 : bytes.size())]);
        if (random() % 40 == 0) text.append("\u00e9\U0001F600");
    }
    return text;
}

/// The text as it should stand in JSON.
std::string in_quotes(std::string_view text) {
    std::string out;
    sluice::detail::append_json_string(out, text);
    return out;
}

code encode(dictionary& texts, const std::string& text) {
    return texts.encode(std::string_view(text));
}

/// A table of made-up rows, and what they hold.
struct sample_rows {
    struct row {
        std::int64_t time = 0, number = 0, other_time = 0;
        std::string id;
        code name = absent, note = absent, raw = absent;
    };

    explicit sample_rows(unsigned seed, std::size_t count) : random(seed) {
        row_buffer added(columns);
        for (std::size_t i = 0; i < count; ++i) {
            row next{.time = static_cast<std::int64_t>(i) * 7'777'777,
                     .number = static_cast<std::int64_t>(random()) - 2'000'000'000,
                     .other_time = static_cast<std::int64_t>(random()) * 1000,
                     .id = "id\"" + std::to_string(i)};
            if (random() % 3 != 0) next.name = encode(names, random_text(random));
            if (random() % 3 != 0) next.note = encode(notes, random_text(random));
            if (random() % 3 != 0) next.raw = encode(raws, "[" + std::to_string(random()) + "]");
            const std::size_t at = added.add(next.time);
            added.codes(at)[0] = ids.encode(std::string_view(next.id));
            added.codes(at)[1] = next.name;
            added.codes(at)[2] = next.note;
            added.codes(at)[3] = next.raw;
            added.integers(at)[0] = next.number;
            added.integers(at)[1] = next.other_time;
            rows.push_back(next);
        }
        all.append(std::move(added), [](std::size_t, std::span<code>) {});
        fragments.follow(names);
        layout.json("{\"id\":").text(0, ids).fragment(1, fragments).json(",\"note\":");
        layout.text(2, notes, "\"none\"").json(",\"raw\":").raw(3, raws, "{}");
        layout.json(",\"time\":")
            .time()
            .json(",\"ms\":")
            .milliseconds()
            .json(",\"n\":")
            .integer(0)
            .json(",\"t\":")
            .time(1);
        layout.json("}");
    }

    /// Returns the expected JSON of a row.
    [[nodiscard]] std::string expected(std::size_t at) const {
        const row& source = rows[at];
        const auto time = [](std::int64_t count) {
            return in_quotes(
                sluice::format_timestamp(sluice::instant{std::chrono::milliseconds{count}}));
        };
        return "{\"id\":" + in_quotes(source.id) + ",\"name\":" +
               (source.name == absent ? "null" : in_quotes(names.text(source.name))) +
               ",\"note\":" +
               (source.note == absent ? "\"none\"" : in_quotes(notes.text(source.note))) +
               ",\"raw\":" + (source.raw == absent ? "{}" : std::string(raws.text(source.raw))) +
               ",\"time\":" + time(source.time) + ",\"ms\":" + std::to_string(source.time) +
               ",\"n\":" + std::to_string(source.number) + ",\"t\":" + time(source.other_time) +
               "}";
    }

    std::mt19937 random;
    dictionary ids, names, notes, raws;
    schema columns{4, 2, 0, &ids};
    table all{columns};
    std::vector<row> rows;
    json_fragments fragments{",\"name\":\"", "\"", ",\"name\":null"};
    json_rows layout;
};

}  // namespace

TEST_CASE("a fragment is what stands around a text and the text, escaped") {
    json_fragments countries(",\"country\":\"", "\"", ",\"country\":null");
    CHECK(countries.size() == 1);
    countries.append_text("US");
    countries.append_text("");
    countries.append_text("a\"b\\c\n\x01\u00e9");
    countries.append_json("[1]");
    CHECK(countries.size() == 5);
    CHECK(countries[absent] == ",\"country\":null");
    CHECK(countries[1] == ",\"country\":\"US\"");
    CHECK(countries[2] == ",\"country\":\"\"");
    CHECK(countries[3] == ",\"country\":\"a\\\"b\\\\c\\n\\u0001\u00e9\"");
    CHECK(countries[4] == ",\"country\":\"[1]\"");
    CHECK(countries.bytes() > 0);
}

TEST_CASE("fragments stay where they are and follow their dictionary") {
    dictionary texts;
    json_fragments values("\"", "\"", "null");
    texts.encode(std::string_view("first"));
    values.follow(texts);
    const std::string_view first = values[1];
    const std::string_view* const early = values.data();
    std::mt19937 random(3);
    for (int i = 0; i < 5'000; ++i) encode(texts, random_text(random));
    values.follow(texts);
    REQUIRE(values.size() == texts.size());
    CHECK(values[1].data() == first.data());
    CHECK(early[1] == "\"first\"");
    for (code c = 1; c < texts.size(); ++c) REQUIRE(values[c] == in_quotes(texts.text(c)));
}

TEST_CASE("rows are written as their layout says, whatever their texts") {
    for (unsigned seed = 0; seed < 12; ++seed) {
        CAPTURE(seed);
        sample_rows sample(seed, 40 + seed * 60);
        std::vector<std::size_t> wanted;
        for (std::size_t i = sample.random() % 3; i < sample.rows.size();
             i += 1 + sample.random() % 3) {
            wanted.push_back(sample.rows.size() - 1 - i);
        }
        std::string expected = "[";
        for (const std::size_t at : wanted) {
            expected.append(expected.size() > 1 ? "," : "").append(sample.expected(at));
        }
        std::string out = "[";
        sample.layout.write(sample.all.current(), wanted, out);
        REQUIRE(out == expected);
    }
}

TEST_CASE("no rows are nothing, one row has no comma") {
    sample_rows sample(1, 3);
    std::string out;
    sample.layout.write(sample.all.current(), {}, out);
    CHECK(out.empty());
    const std::vector<std::size_t> one{1};
    sample.layout.write(sample.all.current(), one, out);
    CHECK(out == sample.expected(1));
}

TEST_CASE("times outside of the years that can be written are the nearest ones inside") {
    std::string out;
    json_buffer buffer(out);
    for (const std::int64_t time :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{86'399'999}, std::int64_t{86'400'000},
          std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
        buffer.put_time(time);
    }
    buffer.put_integer(std::numeric_limits<std::int64_t>::min());
    buffer.flush();
    CHECK(out ==
          "\"1970-01-01T00:00:00.000Z\"\"1969-12-31T23:59:59.999Z\""
          "\"1970-01-01T23:59:59.999Z\"\"1970-01-02T00:00:00.000Z\""
          "\"9999-12-31T23:59:59.999Z\"\"0000-01-01T00:00:00.000Z\"-9223372036854775808");
}
