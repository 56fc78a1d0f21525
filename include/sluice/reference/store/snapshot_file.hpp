// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_STORE_SNAPSHOT_FILE_HPP
#define SLUICE_REFERENCE_STORE_SNAPSHOT_FILE_HPP

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include <sluice/reference/store/event_store.hpp>
#include <sluice/store/texts/archive_file.hpp>

namespace sluice::reference {

using store::snapshot_error;
using store::snapshot_fault;
using store::snapshot_options;

namespace detail {

/// The head of all snapshots that this program can map: a checksum of everything that the layout of
/// the file depends on, such as the byte order, the columns of events and the fields of records.
[[nodiscard]] inline store::archive::head snapshot_head() {
    constexpr std::string_view format = "6";  // raise it if the stored format changes
    std::string text(format);
    text.append(store::table::format());
    for (const column_info& info : event_columns) {
        text.append(info.name).append(":").append(info.type);
        text.append(std::to_string(static_cast<unsigned>(info.uses))).append(" ");
    }
    text.append(json_of([](auto& json) { write_record(json, link{}, "w"); }));
    text.append(json_of([](auto& json) { write_record(json, customer{}); }));
    text.append(json_of([](auto& json) { write_record(json, tag{}); }));
    text.append(json_of([](auto& json) { write_record(json, domain{}); }));
    text.append(json_of([](auto& json) { write_record(json, folder{}); }));
    for (const columns_view columns :
         {columns_view(tags_schema), columns_view(domains_schema), columns_view(folders_schema),
          columns_view(links_schema), columns_view(customers_schema)}) {
        for (const sluice::column& of : columns) text.append(of.name).append(" ");
    }
    return {.format = store::archive::sum_of(text)};
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
class snapshot_file : public store::archive_file {
public:
    /// Maps a snapshot. Errors: unreadable, foreign, other_version, cut_off, damaged.
    [[nodiscard]] static tl::expected<snapshot_file, snapshot_error> open(
        const std::filesystem::path& path) {
        return archive_file::open(path, detail::snapshot_head()).map([](archive_file&& mapped) {
            return snapshot_file(std::move(mapped));
        });
    }

    /// Returns a new store of the records in the file, which it keeps mapped. Error: damaged.
    [[nodiscard]] tl::expected<std::unique_ptr<event_store>, snapshot_error> store() const {
        return read(event_store::open);
    }

private:
    explicit snapshot_file(archive_file&& mapped) : archive_file(std::move(mapped)) {}
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

/// Writes the records that a store has published so far, and returns the size of the file in bytes;
/// see store::save_archive(). Adding and reading go on meanwhile; only a publish() in progress is
/// waited for, not a load.
///
/// ```
/// if (auto saved = sluice::reference::save_snapshot(store, "data.snapshot"); !saved) …
/// ```
///
/// Error: unwritable; the old file stays.
[[nodiscard]] inline tl::expected<std::uint64_t, snapshot_error> save_snapshot(
    const event_store& saved, const std::filesystem::path& file) {
    return store::save_archive(file, detail::snapshot_head(),
                               [&](store::archive_writer& archive) { saved.save(archive); });
}

}  // namespace sluice::reference

#endif
