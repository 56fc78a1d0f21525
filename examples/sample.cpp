// SPDX-License-Identifier: MIT
// Writes a folder of synthetic links, clicks, leads and sales, to try the server and the library.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <sluice/errors/error.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/reference/sample.hpp>
#include <sluice/time/instant.hpp>

#include "progress.hpp"

namespace {

constexpr std::string_view help =
    "Usage: sample DIR [--events N] [--seed S] [--now TIME]\n"
    "\n"
    "Writes made-up but realistic data into DIR: tags, links, customers, clicks, leads\n"
    "and sales, each a file of JSON lines. DIR is made where it is missing; files of\n"
    "these names in it are replaced.\n"
    "\n"
    "  --events N   clicks, leads and sales together, 0 to 1000000000 (default 20000)\n"
    "  --seed S     a whole number; another seed makes other data (default 1)\n"
    "  --now TIME   when the events end, such as 2026-08-21T02:30:15Z (default: now);\n"
    "               the same N, S and TIME give the same files\n"
    "  --help       print this text\n"
    "\n"
    "Exit codes: 0 written, 1 not written, 2 wrong arguments.\n";

constexpr std::int64_t events_without_progress = 100'000;  // so few show no progress bar

enum exit_code : int { written = 0, not_written = 1, wrong_arguments = 2 };

struct arguments {
    std::string folder;
    sluice::reference::sample_options options;
    bool help = false;
};

/// Prints an error of the arguments.
std::nullopt_t complain(const std::string& problem) {
    std::fprintf(stderr, "sample: %s\nTry 'sample --help'.\n", problem.c_str());
    return std::nullopt;
}

/// Parses all of `text` as a whole number. Returns false for any other text.
template <class Number>
bool read_number(std::string_view text, Number& number) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc{} && end == text.data() + text.size();
}

/// Parses the value of `--events`, `--seed` or `--now`. Returns false if it is invalid.
bool read_option(std::string_view name, std::string_view value, arguments& into) {
    if (name == "--events") return read_number(value, into.options.events);
    if (name == "--seed") return read_number(value, into.options.seed);
    const auto now = sluice::parse_timestamp(value);
    if (now) into.options.now = *now;
    return now.has_value();
}

/// Parses the arguments, or prints their error and returns nullopt.
std::optional<arguments> read_arguments(std::span<char*> words) {
    arguments read;
    read.options.now =
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::string word = words[at];
        if (word == "--help") return arguments{.folder = {}, .options = {}, .help = true};
        if (word == "--events" || word == "--seed" || word == "--now") {
            if (++at == words.size()) return complain(word + " lacks its value");
            const std::string value = words[at];
            if (!read_option(word, value, read)) return complain(word + ": bad value " + value);
        } else if (word.starts_with('-')) {
            return complain("unknown option " + word);
        } else if (!std::exchange(read.folder, word).empty()) {
            return complain("more than one folder");
        }
    }
    if (read.folder.empty()) return complain("no folder given");
    return read;
}

/// Prints the reason why nothing was written.
exit_code report(const std::string& folder, const sluice::error& why) {
    std::fprintf(stderr, "sample: %s: %s\n", folder.c_str(), sluice::message(why).c_str());
    return why.broken == sluice::rule::file_unwritable ? not_written : wrong_arguments;
}

/// Prints the numbers of written records.
exit_code report(const std::string& folder, const sluice::reference::sample_counts& counts) {
    const auto line = [](std::int64_t count, const char* of) {
        std::printf("  %lld %s\n", static_cast<long long>(count), of);
    };
    std::printf("%s:\n", folder.c_str());
    line(counts.clicks, "clicks");
    line(counts.leads, "leads");
    line(counts.sales, "sales");
    line(counts.links, "links");
    line(counts.domains, "domains");
    line(counts.folders, "folders");
    line(counts.tags, "tags");
    line(counts.customers, "customers");
    return written;
}

/// Writes the files, with a progress bar if that takes long.
sluice::result<sluice::reference::sample_counts> write(const arguments& args) {
    const std::int64_t events = args.options.events;
    progress_bar bar(events, events > events_without_progress);
    return sluice::reference::write_sample(args.folder, args.options,
                                           [&bar](std::int64_t done) { bar.update(done); });
}

}  // namespace

int main(int argc, char** argv) {
    const auto args = read_arguments(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    if (!args) return wrong_arguments;
    if (args->help) {
        std::fwrite(help.data(), 1, help.size(), stdout);
        return written;
    }
    const auto counts = write(*args);
    return counts ? report(args->folder, *counts) : report(args->folder, counts.error());
}
