// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_STORE_SNAPSHOT_FILE_HPP
#define SLUICE_REFERENCE_STORE_SNAPSHOT_FILE_HPP

#include <bit>
#include <cerrno>
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

#include <sluice/reference/store/atomic_file.hpp>
#include <sluice/reference/store/event_store.hpp>
#include <sluice/store/texts/archive.hpp>

namespace sluice::reference {

/// Kinds of snapshot failures.
enum class snapshot_fault : std::uint8_t {
    unreadable,     ///< the system can't open or map the file
    unwritable,     ///< the system can't write the file
    foreign,        ///< the file is no snapshot
    other_version,  ///< written by another version of the library, or on another kind of machine
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
            return with_file("is another version's snapshot, or another machine's").append(again);
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

/// The head of all snapshots that this program can map: a checksum of everything that the layout of
/// the file depends on, such as the byte order, the columns of events and the fields of records.
[[nodiscard]] inline store::archive::head snapshot_head() {
    constexpr std::string_view format = "3";  // raise it if the stored format changes
    std::string text(format);
    text.append(std::endian::native == std::endian::little ? " little" : " big");
    text.append(std::to_string(store::block_rows)).append(" ");
    text.append(std::to_string(sizeof(store::unit_value))).append(" ");
    for (const column_info& info : event_columns) {
        text.append(info.name).append(":").append(info.type);
        text.append(std::to_string(static_cast<unsigned>(info.uses))).append(" ");
    }
    text.append(json_of([](auto& json) { write_record(json, link{}, "w"); }));
    text.append(json_of([](auto& json) { write_record(json, customer{}); }));
    text.append(json_of([](auto& json) { write_record(json, tag{}); }));
    return {.format = store::archive::sum_of(text)};
}

/// The snapshot fault of an archive fault other than none.
[[nodiscard]] inline snapshot_fault fault_of(store::archive_fault fault) noexcept {
    switch (fault) {
        case store::archive_fault::foreign: return snapshot_fault::foreign;
        case store::archive_fault::other_version: return snapshot_fault::other_version;
        case store::archive_fault::cut_off: return snapshot_fault::cut_off;
        case store::archive_fault::none:
        case store::archive_fault::damaged: break;
    }
    return snapshot_fault::damaged;
}

}  // namespace detail

/// A mapped snapshot. Its store opens in milliseconds regardless of the number of events, and reads
/// from the file on demand.
///
/// ```
/// auto file = sluice::reference::snapshot_file::open("data.snapshot");   // its head and directory
/// if (!file) return fail(message(file.error()));
/// auto store = file->store();                                      // answers from here on
/// auto checked = file->check();                                    // all bytes, on any thread
/// ```
///
/// Opening checks the head, the directory and the length of the file. The data is checked by
/// check(), at about memory speed: before that, a damaged disk may cause wrong answers or end the
/// program. A snapshot is as trusted as the program: its checksums detect damage but not forgery,
/// so that only its owner may read or write it.
class snapshot_file {
public:
    /// Maps a snapshot. Errors: unreadable, foreign, other_version, cut_off, damaged.
    [[nodiscard]] static tl::expected<snapshot_file, snapshot_error> open(
        const std::filesystem::path& path) {
        auto mapped = detail::mapped_file::open(path);
        const std::error_code system(errno, std::generic_category());
        if (!mapped) {
            return tl::unexpected(snapshot_error{path, snapshot_fault::unreadable, system});
        }
        const std::string_view bytes = mapped->bytes();
        snapshot_file file(path, {bytes, std::move(mapped), detail::snapshot_head()});
        const store::archive_fault fault = file.archive_.fault();
        if (fault == store::archive_fault::none) return file;
        return tl::unexpected(snapshot_error{path, detail::fault_of(fault)});
    }

    /// Checks all bytes against their checksums; safe on any thread. `goes_on()` is called before
    /// each MiB; false ends the check, without an error for the rest. Error: damaged.
    template <class GoesOn>
    [[nodiscard]] tl::expected<void, snapshot_error> check(const GoesOn& goes_on) const {
        const store::archive_fault fault = archive_.data_fault(goes_on);
        if (fault == store::archive_fault::none) return {};
        return tl::unexpected(snapshot_error{path_, detail::fault_of(fault)});
    }
    [[nodiscard]] tl::expected<void, snapshot_error> check() const {
        return check([] { return true; });
    }

    /// Returns a new store of the records in the file, which it keeps mapped. Error: damaged.
    [[nodiscard]] tl::expected<std::unique_ptr<event_store>, snapshot_error> store() const {
        store::archive_reader archive = archive_;
        if (auto opened = event_store::open(archive)) return opened;
        return tl::unexpected(snapshot_error{path_, snapshot_fault::damaged});
    }

private:
    snapshot_file(std::filesystem::path path, store::archive_reader archive)
        : path_(std::move(path)), archive_(std::move(archive)) {}

    std::filesystem::path path_;
    store::archive_reader archive_;
};

struct snapshot_options {
    /// Check all bytes first, at about memory speed: half a second for two gigabytes. Otherwise a
    /// damaged disk may cause wrong answers or end the program.
    bool checks_data = true;
};

/// Opens a snapshot as a store.
///
/// ```
/// auto store = sluice::reference::open_snapshot("data.snapshot");
/// if (!store) return fail(message(store.error()));
/// (*store)->add(click);                       // appends go on after what is in the file
/// ```
///
/// Errors: unreadable, foreign, other_version, cut_off, damaged.
[[nodiscard]] inline tl::expected<std::unique_ptr<event_store>, snapshot_error> open_snapshot(
    const std::filesystem::path& file, const snapshot_options& options = {}) {
    return snapshot_file::open(file).and_then([&](const snapshot_file& opened) {
        return opened.check([&] { return options.checks_data; }).and_then([&] {
            return opened.store();
        });
    });
}

/// Writes the records that a store has published so far, and returns the size of the file in bytes.
/// Adding and reading go on meanwhile; only a publish() in progress is waited for, not a load. The
/// new file replaces the old one once it is complete and on the disk, so that one of the two always
/// exists. Only its owner may read it. Only one process at a time may write it.
///
/// ```
/// if (auto saved = sluice::reference::save_snapshot(store, "data.snapshot"); !saved) …
/// ```
///
/// Error: unwritable; the old file stays.
[[nodiscard]] inline tl::expected<std::uint64_t, snapshot_error> save_snapshot(
    const event_store& saved, const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    sluice::detail::atomic_file output(file.parent_path(), name,
                                       sluice::detail::atomic_file::readers::owner);
    std::uint64_t size = 0;
    store::archive_writer archive(
        [&](std::string_view bytes) {
            size += bytes.size();
            return output.write(bytes);
        },
        detail::snapshot_head());
    saved.save(archive);
    if (archive.finish() && output.finish() && output.commit()) return size;
    return tl::unexpected(snapshot_error{file, snapshot_fault::unwritable, output.failure()});
}

}  // namespace sluice::reference

#endif
