// SPDX-License-Identifier: MIT
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/api/atomic_file.hpp>

#include "../temporary_folder.hpp"

using sluice::rule;
using sluice::detail::atomic_file;

namespace {

/// What was brought to the disk, and whether `watched` was there by then.
struct synced {
    std::filesystem::path path;
    bool is_watched_there;

    friend bool operator==(const synced&, const synced&) = default;
};
std::vector<synced> all_synced;
std::filesystem::path watched;
int fsync_fails_with = 0;

}  // namespace

/// The system's own, for this program.
extern "C" int fsync(int file) {
    const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file));
    all_synced.push_back({path, std::filesystem::exists(watched)});
    errno = fsync_fails_with;
    return fsync_fails_with == 0 ? 0 : -1;
}

TEST_CASE("a file is on the disk before it gets its name, and its folder after that") {
    const temporary_folder folder;
    watched = folder.path() / "a.txt";
    all_synced.clear();
    atomic_file file(folder.path(), "a.txt");
    file.buffer() += "whole";
    REQUIRE(file.finish());
    REQUIRE(file.commit());
    const std::filesystem::path real = std::filesystem::canonical(folder.path());
    CHECK(all_synced == std::vector<synced>{{real / "a.txt.partial", false}, {real, true}});
}

TEST_CASE("what can't be brought to the disk is an error, unless the file system can't tell") {
    const temporary_folder folder;
    for (const auto& [failure, is_refused] : {std::pair(EIO, true), std::pair(EINVAL, false)}) {
        fsync_fails_with = failure;
        atomic_file file(folder.path(), "a.txt");
        file.buffer() += "whole";
        const auto finished = file.finish();
        fsync_fails_with = 0;
        CHECK(finished.has_value() != is_refused);
        if (!finished) CHECK(finished.error().broken == rule::file_unwritable);
    }
}

TEST_CASE("a file appears when it is committed and not before") {
    const temporary_folder folder;
    {
        atomic_file file(folder.path(), "a.txt");
        file.buffer() += "whole";
        REQUIRE(file.flush_when_large());
        REQUIRE(file.finish());
        CHECK_FALSE(std::filesystem::exists(folder.path() / "a.txt"));
        REQUIRE(file.commit());
    }
    CHECK(read_file(folder.path() / "a.txt") == "whole");
    CHECK_FALSE(std::filesystem::exists(folder.path() / "a.txt.partial"));
}

TEST_CASE("a file that is not committed leaves nothing and replaces nothing") {
    const temporary_folder folder;
    {
        atomic_file(folder.path(), "a.txt").buffer() += "half";
    }
    CHECK(std::filesystem::is_empty(folder.path()));
    std::ofstream(folder.path() / "a.txt") << "old";
    {
        atomic_file file(folder.path(), "a.txt");
        file.buffer() += "half";
        REQUIRE(file.finish());
    }
    CHECK(read_file(folder.path() / "a.txt") == "old");
    CHECK_FALSE(std::filesystem::exists(folder.path() / "a.txt.partial"));
}

TEST_CASE("text of any size is written in order") {
    const temporary_folder folder;
    std::string expected;
    atomic_file file(folder.path(), "a.txt");
    for (int i = 0; i < 100'000; ++i) {
        const std::string line = std::to_string(i) + "\n";
        file.buffer() += line;
        expected += line;
        REQUIRE(file.flush_when_large());
    }
    REQUIRE(file.finish());
    REQUIRE(file.commit());
    CHECK(read_file(folder.path() / "a.txt") == expected);
}

TEST_CASE("a folder that is missing and a full device are errors that name the file") {
    const temporary_folder folder;
    atomic_file nowhere(folder.path() / "missing", "a.txt");
    nowhere.buffer() += "text";
    const auto missing = nowhere.finish();
    REQUIRE_FALSE(missing);
    CHECK(missing.error().broken == rule::file_unwritable);
    CHECK(missing.error().param == "a.txt");
    CHECK_FALSE(nowhere.commit());

    if (!std::filesystem::exists("/dev/full")) return;
    std::filesystem::create_symlink("/dev/full", folder.path() / "b.txt.partial");
    {
        atomic_file full(folder.path(), "b.txt");
        full.buffer() += "text";
        const auto finished = full.finish();
        REQUIRE_FALSE(finished);
        CHECK(finished.error().broken == rule::file_unwritable);
        CHECK(finished.error().param == "b.txt");
    }
    CHECK(std::filesystem::is_empty(folder.path()));
}
