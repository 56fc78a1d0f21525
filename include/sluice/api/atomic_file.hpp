// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_ATOMIC_FILE_HPP
#define SLUICE_API_ATOMIC_FILE_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
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

/// A file that appears under its name only once it is whole: bytes go to `<name>.partial`, which
/// `commit` renames and the destructor removes. One process at a time writes a file of a name.
///
/// ```
/// write, write ... finish    the partial file is whole, closed and on the disk
/// commit                     it replaces the file of that name, if any; so does it on the disk
/// ```
class atomic_file {
public:
    /// Who may read a file.
    enum class readers : std::uint8_t { by_umask, owner };

    /// Starts a file. `name` outlives it and its errors, which refer to it.
    atomic_file(const std::filesystem::path& folder, std::string_view name,
                readers allowed = readers::by_umask)
        : name_(name),
          folder_(folder.empty() ? "." : folder),
          target_(folder / name),
          partial_(target_) {
        partial_ += ".partial";
        stream_.open(partial_, std::ios::binary | std::ios::trunc);
        if (allowed == readers::owner) keep_from_others();
    }
    atomic_file(const atomic_file&) = delete;
    atomic_file& operator=(const atomic_file&) = delete;
    ~atomic_file() {
        if (committed_) return;
        stream_.close();
        std::error_code ignored;
        std::filesystem::remove(partial_, ignored);
    }

    /// Hands bytes to the operating system; false where it doesn't take them.
    [[nodiscard]] bool write(std::string_view bytes) {
        stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return stream_.good();
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
        const bool is_written = write(buffer_);
        buffer_.clear();
        return check(is_written);
    }
    void keep_from_others() {
        using std::filesystem::perms;
        std::error_code failed;
        std::filesystem::permissions(partial_, perms::owner_read | perms::owner_write, failed);
        if (failed) stream_.setstate(std::ios::failbit);
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
