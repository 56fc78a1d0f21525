// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SNAPSHOT_FILE_HPP
#define SLUICE_API_SNAPSHOT_FILE_HPP

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

#include <sluice/api/atomic_file.hpp>
#include <sluice/api/event_store.hpp>
#include <sluice/store/archive_reader.hpp>

namespace sluice::api {

/// What is wrong with the file of a snapshot.
enum class snapshot_fault : std::uint8_t {
    unreadable,     ///< the system can't open or map it
    unwritable,     ///< the system can't write it, or no longer
    foreign,        ///< it is something else
    other_version,  ///< another version of the library wrote it, or one on another kind of machine
    cut_off,        ///< it is shorter or longer than it was written
    damaged,        ///< its bytes are not those that were written
};

/// Why a snapshot was not written or opened.
struct snapshot_error {
    std::filesystem::path file;
    snapshot_fault fault;
    std::error_code system{};  ///< what the system says of a file that it can't read or write

    friend bool operator==(const snapshot_error&, const snapshot_error&) = default;
};

/// `data.snapshot: is damaged, expected the bytes that were written: delete it, load the records
/// and write it again`
[[nodiscard]] inline std::string message(const snapshot_error& failed) {
    const auto said = [&failed](std::string_view text) {
        return failed.file.string().append(": ").append(text);
    };
    constexpr std::string_view again = ": delete it, load the records and write it again";
    switch (failed.fault) {
        case snapshot_fault::unreadable:
            return said("cannot be read: ").append(failed.system.message());
        case snapshot_fault::unwritable:
            return said("cannot be written: ").append(failed.system.message());
        case snapshot_fault::foreign:
            return said("is no snapshot, expected a file that save_snapshot() wrote");
        case snapshot_fault::other_version:
            return said("is another version's snapshot, or another machine's").append(again);
        case snapshot_fault::cut_off:
            return said("is cut off, expected the size that was written").append(again);
        case snapshot_fault::damaged:
            return said("is damaged, expected the bytes that were written").append(again);
    }
    return said("failed");
}

namespace detail {

/// A file whose bytes stand in memory as long as this does. Where another takes its name, this
/// stays as it is; who cuts it off where it stands takes the bytes away.
class mapped_file {
public:
    /// Null, and errno says why, where it can't be mapped. An empty file has no bytes.
    [[nodiscard]] static std::shared_ptr<const mapped_file> open(
        const std::filesystem::path& path) {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) return nullptr;
        std::shared_ptr<const mapped_file> made;
        struct stat is{};
        if (::fstat(file, &is) == 0) made = map(file, static_cast<std::size_t>(is.st_size));
        const int failed = errno;
        ::close(file);
        errno = failed;
        return made;
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

    static std::shared_ptr<const mapped_file> map(int file, std::size_t size) {
        void* const begin =
            size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
        if (begin == MAP_FAILED) return nullptr;
        return std::shared_ptr<const mapped_file>(new mapped_file(begin, size));
    }

    void* begin_;
    std::size_t size_;
};

/// What is the same in all snapshots that this program can map: the order of bytes, the columns of
/// events and of links, and how their records are spelled.
[[nodiscard]] inline store::archive::head snapshot_head() {
    constexpr std::string_view format = "2";  // to be raised where what is stored changes
    std::string text(format);
    text.append(std::endian::native == std::endian::little ? " little" : " big");
    text.append(std::to_string(store::block_rows)).append(" ");
    text.append(std::to_string(sizeof(store::unit_value))).append(" ");
    for (const column_info& each : event_columns) {
        text.append(each.name).append(":").append(each.type);
        text.append(std::to_string(static_cast<unsigned>(each.uses))).append(" ");
    }
    text.append(json_of([](auto& json) { write_record(json, link{}, "w"); }));
    text.append(json_of([](auto& json) { write_record(json, customer{}); }));
    text.append(json_of([](auto& json) { write_record(json, tag{}); }));
    return {.format = store::archive::sum_of(text)};
}

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

/// A snapshot that was mapped: its store is there in milliseconds, however many events it has, and
/// what is read of it comes from the file as it is asked for.
///
/// ```
/// auto file = sluice::api::snapshot_file::open("data.snapshot");   // its head and directory
/// if (!file) return fail(message(file.error()));
/// auto store = file->store();                                      // answers from here on
/// auto checked = file->check();                                    // all bytes, on any thread
/// ```
///
/// Opening checks the head, the directory of all that is in it and its length. The data is checked
/// by check(), at about the speed of memory: until then a damaged disk may make wrong answers, or
/// end the program. A snapshot is as trusted as the program: its checksums find damage, and don't
/// withstand who forges a file, which is why only its owner may read or write it.
class snapshot_file {
public:
    /// Errors: unreadable, foreign, other_version, cut_off, damaged.
    [[nodiscard]] static tl::expected<snapshot_file, snapshot_error> open(
        const std::filesystem::path& path) {
        auto mapped = detail::mapped_file::open(path);
        const std::error_code system(errno, std::generic_category());
        if (!mapped) {
            return tl::unexpected(snapshot_error{path, snapshot_fault::unreadable, system});
        }
        const std::string_view bytes = mapped->bytes();
        snapshot_file made(path, {bytes, std::move(mapped), detail::snapshot_head()});
        const store::archive_fault fault = made.archive_.fault();
        if (fault == store::archive_fault::none) return made;
        return tl::unexpected(snapshot_error{path, detail::fault_of(fault)});
    }

    /// Whether all bytes are those that were written; any thread. `goes_on()` is asked for each MiB
    /// and may end the check. Errors: damaged.
    template <class GoesOn>
    [[nodiscard]] tl::expected<void, snapshot_error> check(const GoesOn& goes_on) const {
        const store::archive_fault fault = archive_.data_fault(goes_on);
        if (fault == store::archive_fault::none) return {};
        return tl::unexpected(snapshot_error{path_, detail::fault_of(fault)});
    }
    [[nodiscard]] tl::expected<void, snapshot_error> check() const {
        return check([] { return true; });
    }

    /// A new store of what is in the file, which it keeps mapped. Errors: damaged.
    [[nodiscard]] tl::expected<std::unique_ptr<event_store>, snapshot_error> store() const {
        store::archive_reader from = archive_;
        if (auto made = event_store::open(from)) return made;
        return tl::unexpected(snapshot_error{path_, snapshot_fault::damaged});
    }

private:
    snapshot_file(std::filesystem::path path, store::archive_reader archive)
        : path_(std::move(path)), archive_(std::move(archive)) {}

    std::filesystem::path path_;
    store::archive_reader archive_;
};

struct snapshot_options {
    /// Whether all bytes are checked first, at about the speed of memory: half a second for two
    /// gigabytes. Else a damaged disk may make wrong answers, or end the program.
    bool checks_data = true;
};

/// Opens a snapshot.
///
/// ```
/// auto store = sluice::api::open_snapshot("data.snapshot");
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

/// Writes what a store has published by now, while others add and read: none of them waits, and it
/// waits for a publish() alone, not for a load. The file is written beside and takes its name once
/// it is whole and on the disk, so that there is always the old one or the new one; only its owner
/// may read it. One process at a time writes a file. Returns its bytes.
///
/// ```
/// if (auto saved = sluice::api::save_snapshot(store, "data.snapshot"); !saved) …
/// ```
///
/// Errors: unwritable, and the file of before stays.
[[nodiscard]] inline tl::expected<std::uint64_t, snapshot_error> save_snapshot(
    const event_store& saved, const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    sluice::detail::atomic_file to(file.parent_path(), name,
                                   sluice::detail::atomic_file::readers::owner);
    std::uint64_t size = 0;
    store::archive_writer archive(
        [&](std::string_view bytes) {
            size += bytes.size();
            return to.write(bytes);
        },
        detail::snapshot_head());
    saved.save(archive);
    if (archive.finish() && to.finish() && to.commit()) return size;
    return tl::unexpected(snapshot_error{file, snapshot_fault::unwritable, to.failure()});
}

}  // namespace sluice::api

#endif
