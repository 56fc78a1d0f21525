// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_ATOMIC_FILE_HPP
#define SLUICE_STORE_TEXTS_ATOMIC_FILE_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sluice/errors/error.hpp>

namespace sluice::detail {

/// Syncs an open file or folder: waits until its bytes or entries are on the disk and would survive
/// a power loss. Returns false on failure, with errno set. Returns true on file systems without
/// fsync.
[[nodiscard]] inline bool sync_file(int file) noexcept {
    return ::fsync(file) == 0 || errno == EINVAL;
}
/// Like sync_file(), for the file or folder of this path.
[[nodiscard]] inline bool sync_to_disk(const std::filesystem::path& path) noexcept {
    const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) return false;
    const bool is_done = sync_file(opened);
    const int failure = errno;
    ::close(opened);
    errno = failure;
    return is_done;
}

/// A file that appears under its name only once it is complete: bytes go to `<name>.partial`, which
/// `commit` renames and the destructor removes. Only one process at a time may write a file of the
/// same name.
///
/// ```
/// write, write ... finish    the partial file is complete, closed and on the disk
/// commit                     it replaces the file of that name, if any; the rename is on the disk
/// ```
///
/// ```
/// atomic_file file(folder, "tags.ndjson");
/// file.buffer().append(line);
/// if (auto done = file.finish().and_then([&] { return file.commit(); }); !done) return done;
/// ```
///
/// The partial file is always new: a leftover of a crash is deleted, and so is a symbolic link,
/// which could lead to a file of somebody else's choice.
class atomic_file {
public:
    /// Permissions of the file: by the umask, or read and write for its owner only.
    enum class readers : std::uint8_t { by_umask, owner };

    /// Opens the partial file; failure() says if that failed. `name` must outlive this and its
    /// errors, which refer to it.
    atomic_file(const std::filesystem::path& folder, std::string_view name,
                readers allowed = readers::by_umask)
        : name_(name),
          folder_(folder.empty() ? "." : folder),
          target_(folder / name),
          partial_(target_) {
        partial_ += ".partial";
        if (::unlink(partial_.c_str()) != 0 && errno != ENOENT) {
            failure_ = errno;
            return;
        }
        constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        file_ = ::open(partial_.c_str(), flags, allowed == readers::owner ? 0600 : 0666);
        if (file_ < 0 || ::fstat(file_, &identity_) != 0) failure_ = errno;
    }
    atomic_file(const atomic_file&) = delete;
    atomic_file& operator=(const atomic_file&) = delete;
    ~atomic_file() {
        if (file_ >= 0) ::close(file_);
        if (!is_committed_ && is_in_place()) ::unlink(partial_.c_str());
    }

    /// Writes bytes to the file at once, before any text still in buffer(): use only one of the
    /// two. Returns false after any failure.
    [[nodiscard]] bool write(std::string_view bytes) noexcept {
        while (failure_ == 0 && !bytes.empty()) {
            const ::ssize_t written = ::write(file_, bytes.data(), bytes.size());
            if (written >= 0) bytes.remove_prefix(static_cast<std::size_t>(written));
            if (written < 0 && errno != EINTR) failure_ = errno;
        }
        return failure_ == 0;
    }
    /// The buffer that text is appended to; written by flush_when_large() and finish().
    [[nodiscard]] std::string& buffer() noexcept { return buffer_; }

    /// Writes the buffer to the file if it has at least 256 KiB. Error: file_unwritable.
    [[nodiscard]] result<void> flush_when_large() {
        constexpr std::size_t large = std::size_t{1} << 18;
        return buffer_.size() < large ? result<void>{} : flush();
    }

    /// Writes the rest of the buffer, syncs and closes the file. Error: file_unwritable.
    [[nodiscard]] result<void> finish() {
        if (auto flushed = flush(); !flushed) return flushed;
        if (!sync_file(file_) || ::close(std::exchange(file_, -1)) != 0) failure_ = errno;
        return check();
    }

    /// Renames a finished file to its final name. Error: file_unwritable.
    [[nodiscard]] result<void> commit() {
        if (failure_ == 0 && !is_in_place()) failure_ = EEXIST;  // another process writes it
        if (failure_ != 0) return check();
        is_committed_ = ::rename(partial_.c_str(), target_.c_str()) == 0;
        if (!is_committed_ || !sync_to_disk(folder_)) failure_ = errno;
        return check();
    }

    /// The system's error of the first failure; no error if nothing failed.
    [[nodiscard]] std::error_code failure() const noexcept {
        return {failure_, std::generic_category()};
    }

private:
    /// Writes the buffer to the file and empties it. Error: file_unwritable.
    [[nodiscard]] result<void> flush() {
        static_cast<void>(write(buffer_));
        buffer_.clear();
        return check();
    }
    /// Returns true if the partial file is the one that was opened here.
    [[nodiscard]] bool is_in_place() const noexcept {
        struct stat known{};
        return identity_.st_ino != 0 && ::lstat(partial_.c_str(), &known) == 0 &&
               known.st_ino == identity_.st_ino && known.st_dev == identity_.st_dev;
    }
    /// Returns the error of the first failure, if there was one.
    [[nodiscard]] result<void> check() const {
        if (failure_ == 0) return {};
        return fail_in(rule::file_unwritable, name_);
    }

    std::string_view name_;
    std::filesystem::path folder_;
    std::filesystem::path target_;
    std::filesystem::path partial_;
    int file_ = -1;
    struct stat identity_{};  // of the partial file, when it was opened
    int failure_ = 0;         // errno of the first failure
    std::string buffer_;
    bool is_committed_ = false;
};

}  // namespace sluice::detail

#endif
