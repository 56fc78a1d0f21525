// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENTS_EVENT_TABLE_HPP
#define SLUICE_API_EVENTS_EVENT_TABLE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <sluice/api/events/event_columns.hpp>
#include <sluice/store/table.hpp>

namespace sluice::api {

/// The events of a kind: a table and the rows that wait to enter it.
struct event_table {
    explicit event_table(const store::schema& columns) : rows(columns), pending(columns) {}

    store::table rows;
    store::row_buffer pending;

    /// Moves the pending rows into the table; see table::append() for `derive`.
    template <class Derive>
    void publish(Derive derive) {
        rows.append(std::exchange(pending, store::row_buffer(rows.columns())), derive);
    }
};

/// Where the clicks of a workspace are, so that leads and sales can copy theirs. For one thread.
///
/// ```
/// rows, by code:  | 65,536 in an archive | 65,536 in an archive, copied as one moved | own | ...
/// ```
class click_places {
public:
    /// Adds the next click, which waits after the pending ones.
    void add() {
        if (size_ == parts_.size() * part_rows) parts_.push_back(part::of(nullptr, 0));
        note(static_cast<store::code>(++size_), 0);
    }
    /// Takes the last clicks back, all of which wait, so that `clicks` are left.
    void shrink(std::size_t clicks) noexcept { size_ = clicks; }
    /// Notes which row of the table a click has taken.
    void note(store::code click, std::size_t row) {
        part& changed = parts_[(click - 1) / part_rows];
        if (!changed.own) changed = part::of(changed.rows, part_rows);
        changed.own[(click - 1) % part_rows] = static_cast<std::uint32_t>(row);
    }
    /// Takes the table's rows, once all clicks are among them.
    void take(const store::snapshot& clicks) { published_ = clicks; }

    /// Gives an outcome the codes of its click; returns the click's time.
    std::int64_t copy(store::code click, store::row_buffer& pending, std::span<store::code> codes) {
        const std::size_t published = size_ - pending.size();
        if (click > published) {  // clicks wait in the order of their codes
            std::ranges::copy(pending.codes(click - 1 - published), codes.begin());
            return pending.time(click - 1 - published);
        }
        const std::size_t row = parts_[(click - 1) / part_rows].rows[(click - 1) % part_rows];
        published_.read_codes(row, codes.first(code_columns_of(event_kind::clicks)));
        return published_.time(row);
    }

    /// Writes the places of all clicks of a table.
    static void save(store::archive_writer& to, const store::snapshot& clicks) {
        constexpr std::size_t ids = index_of(column::click_id);
        std::vector<std::uint32_t> rows(clicks.size());
        for (std::size_t row = 0; row < rows.size(); ++row) {
            rows[clicks.code_at(row, ids) - 1] = static_cast<std::uint32_t>(row);
        }
        rows.resize((rows.size() + part_rows - 1) / part_rows * part_rows);
        to.array(std::span<const std::uint32_t>(rows));
    }
    /// Takes the places that an archive has, of those clicks, before there are any.
    void open(store::archive_reader& from, const store::snapshot& clicks) {
        size_ = clicks.size();
        const std::size_t parts = (size_ + part_rows - 1) / part_rows;
        const auto rows = from.view<std::uint32_t>(parts * part_rows);
        for (std::size_t at = 0; at < rows.size(); at += part_rows) {
            parts_.push_back({rows.data() + at, nullptr});
        }
        published_ = clicks;
        mapped_ = from.keeper();
    }

private:
    static constexpr std::size_t part_rows = std::size_t{1} << 16;

    /// Some of the rows, which stand elsewhere until one changes.
    struct part {
        const std::uint32_t* rows;
        std::unique_ptr<std::uint32_t[]> own;

        static part of(const std::uint32_t* rows, std::size_t copied) {
            auto own = std::make_unique<std::uint32_t[]>(part_rows);
            std::copy_n(rows, copied, own.get());
            const std::uint32_t* const place = own.get();
            return {place, std::move(own)};
        }
    };

    std::vector<part> parts_;  // by code of column::click_id
    std::size_t size_ = 0;
    std::shared_ptr<const void> mapped_;  // the archive, if there is one
    store::snapshot published_;
};

}  // namespace sluice::api

#endif
