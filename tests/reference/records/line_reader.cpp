// SPDX-License-Identifier: MIT
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/random.hpp>
#include <sluice/reference/records/line_reader.hpp>

#include "../../temporary_folder.hpp"

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
