// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_CLICK_PLACES_HPP
#define SLUICE_REFERENCE_EVENTS_CLICK_PLACES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <sluice/reference/events/event_columns.hpp>
#include <sluice/store/table.hpp>

namespace sluice::reference {

/// The row of each click of a workspace, from which leads and sales copy the click's fields. For
/// one thread.
///
/// ```
/// rows, by code:  | 1,024 in an archive | 1,024 in an archive, copied as one moved | owned | ...
/// ```
///
/// An archive is a mapped snapshot file. A row moves if clicks with earlier times are published.
class click_places {
public:
    /// Adds the next click, which is pending.
    void add() {
        if (size_ == parts_.size() * part_rows) parts_.push_back(part::of(nullptr, 0));
        set_row(static_cast<store::code>(++size_), 0);
    }
    /// Removes the last clicks, all of which are pending, so that `clicks` are left.
    void shrink(std::size_t clicks) noexcept { size_ = clicks; }
    /// Records the row of a click in the table.
    void set_row(store::code click, std::size_t row) {
        part& changed = parts_[(click - 1) / part_rows];
        if (!changed.owned) changed = part::of(changed.rows, part_rows);
        changed.owned[(click - 1) % part_rows] = static_cast<std::uint32_t>(row);
    }
    /// Lets copy() read published clicks from `clicks`, the table after all of them were published
    /// and set_row() was called for those that are new or moved.
    void take(const store::snapshot& clicks) { published_ = clicks; }

    /// Copies the codes of a click to `codes`, those of its lead or sale; returns the click's time
    /// in milliseconds since 1970. `pending` are the clicks that are not published yet.
    std::int64_t copy(store::code click, store::row_buffer& pending, std::span<store::code> codes) {
        const std::size_t published = size_ - pending.size();
        if (click > published) {  // pending clicks are in the order of their codes
            std::ranges::copy(pending.codes(click - 1 - published), codes.begin());
            return pending.time(click - 1 - published);
        }
        const std::size_t row = parts_[(click - 1) / part_rows].rows[(click - 1) % part_rows];
        published_.read_codes(row, codes.first(code_columns_of(event_kind::clicks)));
        return published_.time(row);
    }

    /// Writes the row numbers of a table's clicks.
    static void save(store::archive_writer& archive, const store::snapshot& clicks) {
        constexpr std::size_t ids = index_of(column::click_id);
        std::vector<std::uint32_t> rows(clicks.size());
        for (std::size_t row = 0; row < rows.size(); ++row) {
            rows[clicks.code_at(row, ids) - 1] = static_cast<std::uint32_t>(row);
        }
        rows.resize((rows.size() + part_rows - 1) / part_rows * part_rows);
        archive.array(std::span<const std::uint32_t>(rows));
    }
    /// Reads the row numbers of the clicks from an archive into this empty object.
    void open(store::archive_reader& archive, const store::snapshot& clicks) {
        size_ = clicks.size();
        const std::size_t parts = (size_ + part_rows - 1) / part_rows;
        const auto rows = archive.view<std::uint32_t>(parts * part_rows);
        for (std::size_t at = 0; at < rows.size(); at += part_rows) {
            parts_.push_back({rows.data() + at, nullptr});
        }
        published_ = clicks;
        mapped_ = archive.keeper();
    }

private:
    static constexpr std::size_t part_rows = std::size_t{1} << 10;

    /// A chunk of the row numbers. Those of an archive are copied when the first one changes.
    struct part {
        const std::uint32_t* rows;
        std::unique_ptr<std::uint32_t[]> owned;

        /// A chunk of its own memory that begins with `copied` of `rows`.
        static part of(const std::uint32_t* rows, std::size_t copied) {
            auto owned = std::make_unique<std::uint32_t[]>(part_rows);
            std::copy_n(rows, copied, owned.get());
            const std::uint32_t* const place = owned.get();
            return {place, std::move(owned)};
        }
    };

    std::vector<part> parts_;  // by code of column::click_id
    std::size_t size_ = 0;
    std::shared_ptr<const void> mapped_;  // the archive, if there is one
    store::snapshot published_;
};

}  // namespace sluice::reference

#endif
