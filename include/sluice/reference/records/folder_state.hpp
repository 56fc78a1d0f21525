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

#include <sluice/store/texts/archive_reader.hpp>
#include <sluice/store/texts/archive_writer.hpp>

namespace sluice::reference {

/// The state of a records file before it was read, and the checksum of the bytes read.
struct file_state {
    std::string name;
    std::uint64_t size = 0, device = 0, inode = 0;
    std::int64_t modified = 0, changed = 0;  ///< mtime and ctime, in nanoseconds since 1970
    std::uint64_t sum = 0;                   ///< see file_sum

    /// Returns true if the file can't have been written since `before`. Returns false if its change
    /// is too close to `seen`, the moment of the first state: two writes within the resolution of
    /// the clock may leave the same time.
    [[nodiscard]] bool is_untouched_since(const file_state& before,
                                          std::int64_t seen) const noexcept {
        constexpr std::int64_t coarse = 2'000'000'000;  // resolution of file systems' clocks
        return size == before.size && device == before.device && inode == before.inode &&
               modified == before.modified && changed == before.changed && changed + coarse < seen;
    }
};

/// The folder that records were loaded from, and the state of its files before the load.
struct folder_state {
    std::string folder;     ///< absolute path, symbolic links resolved
    std::int64_t seen = 0;  ///< when its files were examined, in nanoseconds since 1970
    std::vector<file_state> files{};

    void save(store::archive_writer& to) const {
        to.text(folder);
        to.number(static_cast<std::uint64_t>(seen));
        to.number(files.size());
        for (const file_state& file : files) {
            to.text(file.name);
            for (const std::uint64_t number :
                 {file.size, file.device, file.inode, static_cast<std::uint64_t>(file.modified),
                  static_cast<std::uint64_t>(file.changed), file.sum}) {
                to.number(number);
            }
        }
    }
    [[nodiscard]] static folder_state open(store::archive_reader& from) {
        folder_state state{std::string(from.text()), static_cast<std::int64_t>(from.number())};
        for (std::size_t left = from.count(); left > 0 && !from.has_failed(); --left) {
            file_state& file = state.files.emplace_back();
            file.name = from.text();
            file.size = from.number();
            file.device = from.number();
            file.inode = from.number();
            file.modified = static_cast<std::int64_t>(from.number());
            file.changed = static_cast<std::int64_t>(from.number());
            file.sum = from.number();
        }
        return state;
    }
};

/// The checksum of a file's chunks, added in order. It detects accidental and manual changes, but
/// resists no one who forges a file with the same sum.
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

/// The state of a file, without its sum. All 0 if the file doesn't exist.
[[nodiscard]] inline file_state state_of(const std::filesystem::path& folder,
                                         std::string_view name) {
    file_state state{std::string(name)};
    struct stat known{};
    if (::stat((folder / name).c_str(), &known) != 0) return state;
    const auto nanoseconds = [](const timespec& time) {
        return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
    };
    state.size = static_cast<std::uint64_t>(known.st_size);
    state.device = static_cast<std::uint64_t>(known.st_dev);
    state.inode = static_cast<std::uint64_t>(known.st_ino);
    state.modified = nanoseconds(known.st_mtim);
    state.changed = nanoseconds(known.st_ctim);
    return state;
}

/// The state of the named files of a folder, without their sums.
[[nodiscard]] inline folder_state state_of(const std::filesystem::path& folder,
                                           std::span<const std::string_view> names) {
    std::error_code unknown;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    folder_state state{std::filesystem::weakly_canonical(folder, unknown).string(),
                       std::chrono::nanoseconds(now).count()};
    for (const std::string_view name : names) state.files.push_back(state_of(folder, name));
    return state;
}

}  // namespace detail

}  // namespace sluice::reference

#endif
