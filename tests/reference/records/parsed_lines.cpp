// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/random.hpp>
#include <sluice/reference/records/parsed_lines.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/reference/store/loader.hpp>

#include "../../temporary_folder.hpp"
#include "../make_records.hpp"

using namespace sluice::reference;

namespace {

/// The bytes that a reader takes from a file at once.
constexpr std::size_t chunk = std::size_t{1} << 18;

struct read_lines {
    std::vector<std::string> lines;
    bool is_cut;
    std::error_code failure;
};

/// The batches that a reader yields of a file, and whether each line but the last was whole.
read_lines read(const std::filesystem::path& file) {
    line_reader reader(file);
    read_lines batches{};
    while (const auto line = reader.next()) {
        CHECK_FALSE(batches.is_cut);
        batches.lines.emplace_back(*line);
        batches.is_cut = reader.is_cut();
    }
    batches.failure = reader.failure();
    return batches;
}

void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

/// Returns the lines of a file by the standard library.
std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string text_of(std::size_t size, char byte) { return std::string(size, byte); }

}  // namespace

TEST_CASE("lines are those of the standard library, wherever a file is read on") {
    const temporary_folder folder;
    const std::filesystem::path file = folder.path() / "lines";
    const std::vector<std::string> texts{
        "",
        "\n",
        "\n\n",
        "a",
        "a\n",
        "a\n\nb",
        text_of(chunk, 'a'),
        text_of(chunk, 'a') + "\n",
        text_of(chunk - 1, 'a') + "\n",
        text_of(chunk - 1, 'a') + "\nb",
        text_of(chunk - 2, 'a') + "\nb\n",
        text_of(3 * chunk, 'a') + "\n" + text_of(3 * chunk, 'b') + "\nc\n",
        "a\n" + text_of(2 * chunk - 2, 'b') + "\n" + text_of(chunk, 'c'),
    };
    for (const std::string& text : texts) {
        write(file, text);
        CAPTURE(text.size());
        const read_lines batches = read(file);
        CHECK(batches.lines == lines_of(file));
        CHECK(batches.is_cut == (!text.empty() && text.back() != '\n'));
        CHECK_FALSE(batches.failure);
    }
}

TEST_CASE("lines of any length, some longer than what is read at once") {
    const temporary_folder folder;
    const std::filesystem::path file = folder.path() / "lines";
    sluice::detail::random_source random(1);
    for (int turn = 0; turn < 20; ++turn) {
        std::string text;
        while (text.size() < 4 * chunk) {
            const std::size_t longest = random.next() % 8 == 0 ? 2 * chunk : 1'000;
            const auto byte = static_cast<char>('a' + random.next() % 26);
            text.append(random.next() % longest, byte).append("\n");
        }
        write(file, text);
        const read_lines batches = read(file);
        CHECK(batches.lines == lines_of(file));
        CHECK_FALSE(batches.is_cut);
    }
}

TEST_CASE(
    "a line that no record may have comes in pieces, of which all but the last are too long") {
    const temporary_folder folder;
    const std::filesystem::path file = folder.path() / "lines";
    const std::string longest = text_of(record_max_length + 1, 'a');
    const std::string whole = longest + text_of(2 * chunk + 5, 'b');
    write(file, whole + "\nc\n");
    const read_lines batches = read(file);
    REQUIRE(batches.lines.size() >= 3);
    CHECK(batches.lines.back() == "c");
    std::string joined;
    for (std::size_t at = 0; at + 1 < batches.lines.size(); ++at) {
        const bool is_last = at + 2 == batches.lines.size();
        CHECK((is_last || batches.lines[at].size() > record_max_length));
        joined += batches.lines[at];
    }
    CHECK(joined == whole);
}

TEST_CASE("what can't be read says why") {
    const temporary_folder folder;
    CHECK(read(folder.path() / "missing").failure == std::errc::no_such_file_or_directory);
    CHECK(read(folder.path()).failure == std::errc::is_a_directory);
}

namespace {

/// The lines of each file of a folder.
using folder_lines = std::map<std::string, std::vector<std::string>>;

/// Clicks in the order of their numbers, and an outcome of every third one.
folder_lines make_folder(int clicks) {
    folder_lines folder;
    const std::string time = R"("2026-01-01T00:00:00Z")", at = R"(,"timestamp":)" + time;
    folder["tags.ndjson"] = {R"({"id":"tag_1","name":"one","color":"red","createdAt":)" + time +
                             "}"};
    folder["customers.ndjson"] = {R"({"id":"cus_1","externalId":"1","createdAt":)" + time + "}"};
    folder["links.ndjson"] = {
        R"({"id":"link_1","domain":"d.example","url":"https://example.com/","createdAt":)" + time +
        R"(,"updatedAt":)" + time + "}"};
    auto& lines = folder["clicks.ndjson"];
    auto& leads = folder["leads.ndjson"];
    auto& sales = folder["sales.ndjson"];
    for (int i = 0; i < clicks; ++i) {
        const std::string number = std::to_string(i);
        lines.push_back(
            R"({"id":"click_)" + number + '"' + at +
            R"(,"linkId":"link_1","url":"https://example.com/?utm_term=)" + number +
            R"(","country":"US","region":"US-CA","city":"\"\u00e9)" + number +
            R"(","continent":"NA","device":"Desktop","browser":"Chrome","os":"Mac OS",)"
            R"("referer":"t.co","refererUrl":"https://t.co/","qr":false,"ip":"192.0.2.1"})");
        if (i % 3 != 0) continue;
        const std::string of = R"(","eventName":"x")" + at +
                               R"(,"customerId":"cus_1","linkId":"link_1","clickId":"click_)" +
                               number + R"(","metadata":{"n": )" + number + "}";
        leads.push_back(R"({"eventId":"lead_)" + number + of + "}");
        sales.push_back(R"({"eventId":"sale_)" + number + of +
                        R"(,"amount":100,"currency":"usd","paymentProcessor":"stripe"})");
    }
    return folder;
}

void write_folder(const std::filesystem::path& folder, const folder_lines& files) {
    for (const auto& [name, lines] : files) {
        std::ofstream file(folder / name, std::ios::binary);
        for (const std::string& line : lines) file << line << (line == "cut{" ? "" : "\n");
    }
}

std::string pages_of(const event_store& store) {
    std::string all = std::to_string(store.size());
    const workspace_view view = store.find("ws_default")->current();
    for (const char* const kind : {"event=clicks", "event=leads", "event=sales"}) {
        all += list_events(view, events_query_of(kind))->body;
        all += list_events(view, events_query_of(std::string(kind) + "&order=asc&page=2"))->body;
    }
    return all;
}

/// Loads a folder both ways, which have to do the same; returns what became of it.
tl::expected<std::int64_t, load_error> load_twice(const std::filesystem::path& folder) {
    using steps = std::vector<std::pair<std::int64_t, std::int64_t>>;
    const auto load = [&](bool parses_ahead, event_store& to, steps& reported) {
        const auto note = [&reported](std::int64_t done, std::int64_t total) {
            reported.emplace_back(done, total);
        };
        return load_folder(to, folder,
                           {.random = 5, .progress = note, .parses_ahead = parses_ahead});
    };
    event_store one("ws_default"), two("ws_default");
    steps steps_one, steps_two;
    const auto loaded = load(false, one, steps_one);
    const auto ahead = load(true, two, steps_two);
    CHECK(loaded == ahead);
    CHECK(steps_one == steps_two);
    CHECK(pages_of(one) == pages_of(two));
    return loaded;
}
tl::expected<std::int64_t, load_error> load_twice(const folder_lines& files) {
    const temporary_folder folder;
    write_folder(folder.path(), files);
    return load_twice(folder.path());
}

}  // namespace

TEST_CASE("what is parsed ahead is loaded as it is by one thread") {
    for (const int clicks : {0, 1, 63, 64, 65, 1'300}) {
        CAPTURE(clicks);
        CHECK(load_twice(make_folder(clicks)) == 3 + clicks + (clicks + 2) / 3 * 2);
    }
    folder_lines spaced = make_folder(300);
    spaced["clicks.ndjson"].insert(spaced["clicks.ndjson"].begin() + 64, {"", " \t\r", "\r"});
    CHECK(load_twice(spaced) == 3 + 300 + 200);
}

TEST_CASE("lines longer than a lot of others are parsed ahead too") {
    folder_lines files = make_folder(20);
    for (const std::size_t size :
         {std::size_t{1} << 14, std::size_t{1} << 18, std::size_t{1} << 19}) {
        std::string& line = files["clicks.ndjson"].emplace_back(files["clicks.ndjson"].front());
        line.replace(line.find("click_0"), 7, std::string(size, 'c'));
    }
    CHECK(load_twice(files) == 3 + 23 + 14);
}

TEST_CASE("the first line at fault ends a load, whichever thread finds it") {
    for (const std::size_t at : {0U, 1U, 63U, 64U, 65U, 900U}) {
        CAPTURE(at);
        // The parser finds one fault, and the thread that adds another one, after it or before.
        for (const bool is_taken_first : {true, false}) {
            folder_lines files = make_folder(1'200);
            auto& lines = files["clicks.ndjson"];
            lines[at] = is_taken_first ? lines[at == 0 ? 1 : 0] : "{\"id\":";
            lines[at + 1] = is_taken_first ? "{\"id\":" : lines[1'100];
            const auto loaded = load_twice(files);
            REQUIRE_FALSE(loaded);
            CHECK(loaded.error().file == "clicks.ndjson");
            const bool is_unknown = is_taken_first && at == 0;  // taken by the line after it
            CHECK(loaded.error().line == static_cast<std::int64_t>(at + 1) + (is_unknown ? 1 : 0));
        }
    }
    folder_lines cut = make_folder(10);
    cut["sales.ndjson"].push_back("cut{");
    CHECK(load_twice(cut).error().line == 5);
    cut["sales.ndjson"].back() = "{";
    CHECK(load_twice(cut).error().why.accepts.empty());
}

TEST_CASE("a file that can't be read ends a load after the lines before it") {
    for (const char* const file : {"tags.ndjson", "clicks.ndjson", "sales.ndjson"}) {
        const temporary_folder folder;
        write_folder(folder.path(), make_folder(300));
        std::filesystem::remove(folder.path() / file);
        const auto loaded = load_twice(folder.path());
        REQUIRE_FALSE(loaded);
        CHECK(loaded.error().file == file);
        CHECK(loaded.error().system == std::errc::no_such_file_or_directory);
    }
}

TEST_CASE("a load that ends early leaves no parser behind") {
    const temporary_folder folder;
    folder_lines files = make_folder(3'000);  // more than is parsed ahead
    files["clicks.ndjson"][1] = files["clicks.ndjson"][0];
    write_folder(folder.path(), files);
    CHECK(load_twice(folder.path()).error().line == 2);
    write_folder(folder.path(), make_folder(4'000));
    event_store store("ws_default");
    const auto stop = [](std::int64_t, std::int64_t) { throw std::runtime_error("enough"); };
    CHECK_THROWS_AS(static_cast<void>(load_folder(store, folder.path(),
                                                  {.progress = stop, .parses_ahead = true})),
                    std::runtime_error);
    CHECK(store.size() == 0);
    CHECK(load_folder(store, folder.path(), {.parses_ahead = true}) == 3 + 4'000 + 2'668);
}
