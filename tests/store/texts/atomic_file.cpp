// SPDX-License-Identifier: MIT
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <sluice/store/texts/atomic_file.hpp>

#include "../../temporary_folder.hpp"

using sluice::rule;
using sluice::detail::atomic_file;

namespace {

/// A path that was synced to the disk; `is_watched_there`: `watched` existed by then.
struct synced {
    std::filesystem::path path;
    bool is_watched_there;

    friend bool operator==(const synced&, const synced&) = default;
};
std::vector<synced> all_synced;
std::filesystem::path watched;
int fsync_fails_with = 0;

/// Sets how large a file of this process may be; returns what was allowed before.
rlimit file_size_limit(const rlimit& allowed) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &allowed) == 0);
    return before;
}

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

    const rlimit before = file_size_limit({10, RLIM_INFINITY});
    {
        atomic_file full(folder.path(), "b.txt");
        full.buffer() += "more than ten bytes";
        const auto finished = full.finish();
        CHECK(full.failure() == std::errc::file_too_large);
        REQUIRE_FALSE(finished);
        CHECK(finished.error().broken == rule::file_unwritable);
        CHECK(finished.error().param == "b.txt");
        CHECK_FALSE(full.commit());
    }
    file_size_limit(before);
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("what is under the partial file's name is replaced, and never written to") {
    const temporary_folder folder;
    const std::filesystem::path partial = folder.path() / "a.txt.partial";
    std::ofstream(folder.path() / "victim") << "kept";
    std::ofstream(folder.path() / "other") << "left by a crash";
    for (const bool is_link : {true, false}) {
        if (is_link) std::filesystem::create_symlink(folder.path() / "victim", partial);
        if (!is_link) std::filesystem::create_hard_link(folder.path() / "other", partial);
        atomic_file file(folder.path(), "a.txt", atomic_file::readers::owner);
        CHECK(std::filesystem::symlink_status(partial).type() ==
              std::filesystem::file_type::regular);
        CHECK(std::filesystem::status(partial).permissions() ==
              (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
        file.buffer() += "whole";
        REQUIRE(file.finish());
        REQUIRE(file.commit());
        CHECK(read_file(folder.path() / "a.txt") == "whole");
    }
    CHECK(read_file(folder.path() / "victim") == "kept");
    CHECK(read_file(folder.path() / "other") == "left by a crash");
    const auto owner = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    CHECK(std::filesystem::status(folder.path() / "a.txt").permissions() == owner);
    CHECK(std::filesystem::status(folder.path() / "victim").permissions() != owner);
}

TEST_CASE(
    "a file that another one replaced while it was written is an error, and the other stays") {
    const temporary_folder folder;
    const std::filesystem::path partial = folder.path() / "a.txt.partial";
    {
        atomic_file file(folder.path(), "a.txt");
        file.buffer() += "whole";
        REQUIRE(file.finish());
        std::ofstream(folder.path() / "other") << "half";
        std::filesystem::rename(folder.path() / "other", partial);
        CHECK_FALSE(file.commit());
        CHECK_FALSE(std::filesystem::exists(folder.path() / "a.txt"));
    }
    CHECK(read_file(partial) == "half");
}

TEST_CASE("who may read a file is said by the umask, unless its owner alone may") {
    const temporary_folder folder;
    const auto mode_of = [&](atomic_file::readers allowed) {
        atomic_file file(folder.path(), "a.txt", allowed);
        REQUIRE(file.finish());
        REQUIRE(file.commit());
        return static_cast<unsigned>(
            std::filesystem::status(folder.path() / "a.txt").permissions());
    };
    const mode_t before = ::umask(0022);
    CHECK(mode_of(atomic_file::readers::by_umask) == 0644);
    ::umask(0);
    CHECK(mode_of(atomic_file::readers::owner) == 0600);
    ::umask(before);
}
