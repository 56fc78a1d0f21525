// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_FOLDER_STATE_HPP
#define SLUICE_REFERENCE_RECORDS_FOLDER_STATE_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include <sluice/store/texts/archive.hpp>

/// The state of a folder of records at a load, by which a snapshot file notices that the records
/// have changed since.
namespace sluice::reference {

/// The size, identity (device and inode) and times of a file of records, and the checksum of its
/// bytes. All numbers are 0 if the file doesn't exist.
struct file_state {
    std::string name;
    std::uint64_t size = 0, device = 0, inode = 0;
    std::int64_t modified = 0, changed = 0;  ///< mtime and ctime, in nanoseconds since 1970
    std::uint64_t sum = 0;                   ///< a file_sum; 0 until the file is read

    /// Returns true if the file can't have been written between `before`, an earlier state examined
    /// at the time `seen`, and this state. Returns false if the states are equal but the last
    /// change was shortly before `seen`: a write shortly after it may have left the same time,
    /// since file systems' clocks are coarse.
    [[nodiscard]] bool is_untouched_since(const file_state& before,
                                          std::int64_t seen) const noexcept {
        constexpr std::int64_t resolution =
            2'000'000'000;  // of the coarsest clock (FAT), nanoseconds
        return size == before.size && device == before.device && inode == before.inode &&
               modified == before.modified && changed == before.changed &&
               changed + resolution < seen;
    }
};

/// The folder that records were loaded from, and the state of its files before the load.
struct folder_state {
    std::string folder;     ///< absolute path, symbolic links resolved
    std::int64_t seen = 0;  ///< when its files were examined, in nanoseconds since 1970
    std::vector<file_state> files{};

    /// Writes the state to an archive, the format of snapshot files.
    void save(store::archive_writer& archive) const {
        archive.text(folder);
        archive.number(static_cast<std::uint64_t>(seen));
        archive.number(files.size());
        for (const file_state& file : files) {
            archive.text(file.name);
            for (const std::uint64_t number :
                 {file.size, file.device, file.inode, static_cast<std::uint64_t>(file.modified),
                  static_cast<std::uint64_t>(file.changed), file.sum}) {
                archive.number(number);
            }
        }
    }
    /// Reads a state that save() wrote. It is incomplete if the archive is damaged; see
    /// has_failed().
    [[nodiscard]] static folder_state open(store::archive_reader& archive) {
        folder_state state{std::string(archive.text()),
                           static_cast<std::int64_t>(archive.number())};
        for (std::size_t left = archive.count(); left > 0 && !archive.has_failed(); --left) {
            file_state& file = state.files.emplace_back();
            file.name = archive.text();
            file.size = archive.number();
            file.device = archive.number();
            file.inode = archive.number();
            file.modified = static_cast<std::int64_t>(archive.number());
            file.changed = static_cast<std::int64_t>(archive.number());
            file.sum = archive.number();
        }
        return state;
    }
};

/// The checksum of a file's chunks, added in order. It detects accidental and manual changes, but
/// no forgery: it is easy to construct another file with the same sum.
class file_sum {
public:
    void add(std::string_view chunk) noexcept {
        const std::array<std::uint64_t, 2> both{sum_, store::archive::sum_of(chunk)};
        sum_ =
            store::archive::sum_of(store::archive::bytes_of(std::span<const std::uint64_t>(both)));
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return sum_; }

private:
    std::uint64_t sum_ = 0;
};

namespace detail {

/// Examines a file without reading it: its `sum` stays 0.
[[nodiscard]] inline file_state state_of(const std::filesystem::path& folder,
                                         std::string_view name) {
    file_state state{std::string(name)};
    struct stat status{};
    if (::stat((folder / name).c_str(), &status) != 0) return state;
    const auto nanoseconds = [](const timespec& time) {
        return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
    };
    state.size = static_cast<std::uint64_t>(status.st_size);
    state.device = static_cast<std::uint64_t>(status.st_dev);
    state.inode = static_cast<std::uint64_t>(status.st_ino);
    state.modified = nanoseconds(status.st_mtim);
    state.changed = nanoseconds(status.st_ctim);
    return state;
}

/// Examines the named files of a folder without reading them.
[[nodiscard]] inline folder_state state_of(const std::filesystem::path& folder,
                                           std::span<const std::string_view> names) {
    std::error_code ignored;  // the path is empty on failure
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    folder_state state{std::filesystem::weakly_canonical(folder, ignored).string(),
                       std::chrono::nanoseconds(now).count()};
    for (const std::string_view name : names) state.files.push_back(state_of(folder, name));
    return state;
}

}  // namespace detail

}  // namespace sluice::reference

#endif
