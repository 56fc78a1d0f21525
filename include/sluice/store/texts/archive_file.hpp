// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_ARCHIVE_FILE_HPP
#define SLUICE_STORE_TEXTS_ARCHIVE_FILE_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tl/expected.hpp>
#include <unistd.h>

#include <sluice/store/texts/archive.hpp>
#include <sluice/store/texts/atomic_file.hpp>

namespace sluice::store {

/// Kinds of snapshot failures.
enum class snapshot_fault : std::uint8_t {
    unreadable,     ///< the system can't open or map the file
    unwritable,     ///< the system can't write the file
    foreign,        ///< the file isn't a snapshot
    other_version,  ///< of another version of the library, kind of machine or schema
    cut_off,        ///< the file is shorter or longer than it was written
    damaged,        ///< the bytes differ from those that were written
};

/// An error of writing or opening a snapshot.
struct snapshot_error {
    std::filesystem::path file;
    snapshot_fault fault;
    std::error_code system{};  ///< the system's error if the file can't be read or written

    friend bool operator==(const snapshot_error&, const snapshot_error&) = default;
};

/// Describes an error, for people: `data.snapshot: is damaged, expected the bytes that were
/// written: delete it, load the records and write it again`.
[[nodiscard]] inline std::string message(const snapshot_error& failed) {
    const auto with_file = [&failed](std::string_view text) {
        return failed.file.string().append(": ").append(text);
    };
    constexpr std::string_view again = ": delete it, load the records and write it again";
    switch (failed.fault) {
        case snapshot_fault::unreadable:
            return with_file("cannot be read: ").append(failed.system.message());
        case snapshot_fault::unwritable:
            return with_file("cannot be written: ").append(failed.system.message());
        case snapshot_fault::foreign:
            return with_file("is no snapshot, expected a file that save_snapshot() wrote");
        case snapshot_fault::other_version:
            return with_file(
                       "is another version's snapshot, another machine's, or one of other columns")
                .append(again);
        case snapshot_fault::cut_off:
            return with_file("is cut off, expected the size that was written").append(again);
        case snapshot_fault::damaged:
            return with_file("is damaged, expected the bytes that were written").append(again);
    }
    return with_file("failed");
}

namespace detail {

/// A file mapped into memory for the lifetime of this object. It is unaffected if another file
/// replaces it under its name; truncating it in place, however, invalidates its bytes.
class mapped_file {
public:
    /// Maps a file. Returns null and leaves the reason in errno if that fails. An empty file has no
    /// bytes.
    [[nodiscard]] static std::shared_ptr<const mapped_file> open(
        const std::filesystem::path& path) {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) return nullptr;
        std::shared_ptr<const mapped_file> mapped;
        struct stat is{};
        if (::fstat(file, &is) == 0) mapped = map(file, static_cast<std::size_t>(is.st_size));
        const int failed = errno;
        ::close(file);
        errno = failed;
        return mapped;
    }
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;
    ~mapped_file() {
        if (size_ != 0) ::munmap(begin_, size_);
    }

    [[nodiscard]] std::string_view bytes() const noexcept {
        return {static_cast<const char*>(begin_), size_};
    }

private:
    mapped_file(void* begin, std::size_t size) noexcept : begin_(begin), size_(size) {}

    /// Maps an open file of this size; null and errno if that fails.
    static std::shared_ptr<const mapped_file> map(int file, std::size_t size) {
        void* const begin =
            size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
        if (begin == MAP_FAILED) return nullptr;
        return std::shared_ptr<const mapped_file>(new mapped_file(begin, size));
    }

    void* begin_;
    std::size_t size_;
};

/// Returns the snapshot fault of an archive fault other than none.
[[nodiscard]] inline snapshot_fault fault_of(archive_fault fault) noexcept {
    switch (fault) {
        case archive_fault::foreign: return snapshot_fault::foreign;
        case archive_fault::other_version: return snapshot_fault::other_version;
        case archive_fault::cut_off: return snapshot_fault::cut_off;
        case archive_fault::none:
        case archive_fault::damaged: break;
    }
    return snapshot_fault::damaged;
}

}  // namespace detail

struct snapshot_options {
    /// Check all bytes first, at about memory speed: half a second for two gigabytes. Otherwise a
    /// damaged disk may cause wrong answers or end the program.
    bool checks_data = true;
};

/// A mapped file with an archive, from which a store reads on demand.
///
/// Opening checks the head, the directory and the length of the file. The data is checked by
/// check(), at about memory speed: before that, a damaged disk may cause wrong answers or end the
/// program. A snapshot is as trusted as the program: its checksums detect damage but not forgery,
/// so that only its owner may read or write it.
class archive_file {
public:
    /// Maps a file, whose first bytes must be `expected`. Errors: unreadable; foreign if the magic
    /// number differs, other_version if another field of the head does; cut_off, damaged.
    [[nodiscard]] static tl::expected<archive_file, snapshot_error> open(
        const std::filesystem::path& path, const archive::head& expected) {
        auto mapped = detail::mapped_file::open(path);
        const std::error_code system(errno, std::generic_category());
        if (!mapped) {
            return tl::unexpected(snapshot_error{path, snapshot_fault::unreadable, system});
        }
        const std::string_view bytes = mapped->bytes();
        archive_file file(path, {bytes, std::move(mapped), expected});
        const archive_fault fault = file.archive_.fault();
        if (fault == archive_fault::none) return file;
        return tl::unexpected(snapshot_error{path, detail::fault_of(fault)});
    }

    /// Checks all bytes against their checksums; safe on any thread. `goes_on()` is called before
    /// each MiB; false ends the check, without an error for the rest. Error: damaged.
    template <class GoesOn>
    [[nodiscard]] tl::expected<void, snapshot_error> check(const GoesOn& goes_on) const {
        const archive_fault fault = archive_.data_fault(goes_on);
        if (fault == archive_fault::none) return {};
        return tl::unexpected(snapshot_error{path_, detail::fault_of(fault)});
    }
    [[nodiscard]] tl::expected<void, snapshot_error> check() const {
        return check([] { return true; });
    }

    /// Returns what `open(archive_reader&)` reads from the start of the archive: a pointer, null if
    /// the archive holds something else. Error: damaged.
    template <class Open>
    [[nodiscard]] auto read(const Open& open) const
        -> tl::expected<decltype(open(std::declval<archive_reader&>())), snapshot_error> {
        archive_reader archive = archive_;
        if (auto opened = open(archive)) return opened;
        return tl::unexpected(snapshot_error{path_, snapshot_fault::damaged});
    }

private:
    archive_file(std::filesystem::path path, archive_reader archive)
        : path_(std::move(path)), archive_(std::move(archive)) {}

    std::filesystem::path path_;
    archive_reader archive_;
};

/// Writes what `save(archive_writer&)` saves to a file, and returns its size in bytes. The new file
/// replaces the old one once it is complete and on the disk, so that one of the two always exists.
/// Only its owner may read it. Only one process at a time may write it. Error: unwritable; the old
/// file stays.
template <class Save>
[[nodiscard]] tl::expected<std::uint64_t, snapshot_error> save_archive(
    const std::filesystem::path& file, const archive::head& head, const Save& save) {
    const std::string name = file.filename().string();
    sluice::detail::atomic_file output(file.parent_path(), name,
                                       sluice::detail::atomic_file::readers::owner);
    std::uint64_t size = 0;
    archive_writer archive(
        [&](std::string_view bytes) {
            size += bytes.size();
            return output.write(bytes);
        },
        head);
    save(archive);
    if (archive.finish() && output.finish() && output.commit()) return size;
    return tl::unexpected(snapshot_error{file, snapshot_fault::unwritable, output.failure()});
}

}  // namespace sluice::store

#endif
