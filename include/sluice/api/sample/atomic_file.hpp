// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SAMPLE_ATOMIC_FILE_HPP
#define SLUICE_API_SAMPLE_ATOMIC_FILE_HPP

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <sluice/error.hpp>

namespace sluice::detail {

/// Waits until a file's bytes, or a folder's names, are on the disk, so that they outlive a loss of
/// power. File systems that can't tell count as done.
[[nodiscard]] inline bool sync_to_disk(const std::filesystem::path& path) noexcept {
    const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) return false;
    const bool is_synced = ::fsync(opened) == 0 || errno == EINVAL;
    ::close(opened);
    return is_synced;
}

/// A file that appears under its name only once it is whole: text goes to `<name>.partial`, which
/// `commit` renames and the destructor removes.
///
/// ```
/// write, write ... finish    the partial file is whole, closed and on the disk
/// commit                     it replaces the file of that name, if any; so does it on the disk
/// ```
class atomic_file {
public:
    /// Starts a file. `name` is static text: errors refer to it.
    atomic_file(const std::filesystem::path& folder, std::string_view name)
        : name_(name),
          folder_(folder.empty() ? "." : folder),
          target_(folder / name),
          partial_(target_) {
        partial_ += ".partial";
        stream_.open(partial_, std::ios::binary | std::ios::trunc);
    }
    atomic_file(const atomic_file&) = delete;
    atomic_file& operator=(const atomic_file&) = delete;
    ~atomic_file() {
        if (committed_) return;
        stream_.close();
        std::error_code ignored;
        std::filesystem::remove(partial_, ignored);
    }

    /// Where text is appended before `flush`.
    [[nodiscard]] std::string& buffer() noexcept { return buffer_; }

    /// Hands the buffer to the operating system where it has grown large.
    [[nodiscard]] result<void> flush_when_large() {
        constexpr std::size_t large = std::size_t{1} << 18;
        return buffer_.size() < large ? result<void>{} : flush();
    }

    /// Ends the text.
    [[nodiscard]] result<void> finish() {
        if (auto flushed = flush(); !flushed) return flushed;
        stream_.close();
        return check(stream_.good() && sync_to_disk(partial_));
    }

    /// Makes a finished file appear under its name.
    [[nodiscard]] result<void> commit() {
        std::error_code failure;
        std::filesystem::rename(partial_, target_, failure);
        committed_ = !failure;
        return check(committed_ && sync_to_disk(folder_));
    }

private:
    [[nodiscard]] result<void> flush() {
        stream_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        buffer_.clear();
        return check(stream_.good());
    }
    [[nodiscard]] result<void> check(bool well) const {
        if (well) return {};
        error failure = make_error(rule::file_unwritable);
        failure.param = name_;
        return tl::unexpected<error>(failure);
    }

    std::string_view name_;
    std::filesystem::path folder_;
    std::filesystem::path target_;
    std::filesystem::path partial_;
    std::ofstream stream_;
    std::string buffer_;
    bool committed_ = false;
};

}  // namespace sluice::detail

#endif
