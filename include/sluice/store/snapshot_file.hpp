// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SNAPSHOT_FILE_HPP
#define SLUICE_STORE_SNAPSHOT_FILE_HPP

#include <cstdint>
#include <filesystem>
#include <memory>

#include <tl/expected.hpp>

#include <sluice/store/column_store.hpp>
#include <sluice/store/texts/archive_file.hpp>

namespace sluice::store {

/// Writes the rows that a store has published so far, and returns the size of the file in bytes;
/// see save_archive(). Others may add, publish and read meanwhile.
///
/// ```
/// const auto saved = sluice::store::save_snapshot(orders, "orders.snapshot");
/// if (!saved) report(message(saved.error()));
/// ```
///
/// Error: unwritable; the old file stays.
[[nodiscard]] tl::expected<std::uint64_t, snapshot_error> save_snapshot(
    const column_store& saved, const std::filesystem::path& file);

/// Opens a snapshot as a store, which reads from the file on demand and keeps it mapped. Rows that
/// are added later are in memory. Reads referenced rows and the distinct numbers, times, lists
/// and records of columns, but no rows.
///
/// ```
/// const auto orders = sluice::store::open_snapshot(columns, "orders.snapshot");
/// if (!orders) return fail(message(orders.error()));
/// (*orders)->add({"o2", "open", "7", now});
/// ```
///
/// Errors: unreadable, foreign, other_version, cut_off, damaged. A snapshot belongs to the columns
/// that were saved: with other names, types, nullable columns or references it is other_version.
[[nodiscard]] tl::expected<std::unique_ptr<column_store>, snapshot_error> open_snapshot(
    storable_columns columns, const std::filesystem::path& file,
    const snapshot_options& options = {});

}  // namespace sluice::store

#if SLUICE_STORE_DEFINED
#include <string>
#include <string_view>

#include <sluice/store/table.hpp>

namespace sluice::store {

namespace detail {

/// Returns the head of a store's snapshots: a checksum of everything that their layout depends on.
[[nodiscard]] inline archive::head snapshot_head(const storable_columns& columns) {
    std::string text("2");  // raise it if the stored format changes
    text.append(table::format());
    for (const column& of : columns.all()) {
        text.append(of.name).append(of.is_list ? "[]" : "").append(of.is_nullable ? "?" : "");
        text.append(":").append(std::to_string(static_cast<unsigned>(of.type))).append(" ");
        for (const column& member : of.records) {
            text.append(".").append(member.name).append(member.is_list ? "[]" : "");
            text.append(":").append(std::to_string(static_cast<unsigned>(member.type))).append(" ");
        }
    }
    for (const std::string_view reference : columns.references()) {
        text.append("->").append(reference);
    }
    return {.format = archive::sum_of(text)};
}

}  // namespace detail

SLUICE_STORE_INLINE tl::expected<std::uint64_t, snapshot_error> save_snapshot(
    const column_store& saved, const std::filesystem::path& file) {
    return save_archive(file, detail::snapshot_head(saved.storable()),
                        [&](archive_writer& archive) { saved.save(archive); });
}

SLUICE_STORE_INLINE tl::expected<std::unique_ptr<column_store>, snapshot_error> open_snapshot(
    storable_columns columns, const std::filesystem::path& file, const snapshot_options& options) {
    const auto open = [&](archive_reader& archive) { return column_store::open(columns, archive); };
    return archive_file::open(file, detail::snapshot_head(columns))
        .and_then([&](const archive_file& mapped) {
            return mapped.check([&] { return options.checks_data; }).and_then([&] {
                return mapped.read(open);
            });
        });
}

}  // namespace sluice::store
#endif

#endif
