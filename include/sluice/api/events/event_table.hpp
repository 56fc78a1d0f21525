// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENTS_EVENT_TABLE_HPP
#define SLUICE_API_EVENTS_EVENT_TABLE_HPP

#include <algorithm>
#include <cstddef>
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
class click_places {
public:
    /// Adds the next click, which waits after the pending ones.
    void add() { rows_.push_back(0); }
    /// Takes the last clicks back, all of which wait, so that `clicks` are left.
    void shrink(std::size_t clicks) noexcept { rows_.resize(clicks); }
    /// Notes which row of the table a click has taken.
    void note(store::code click, std::size_t row) noexcept { rows_[click - 1] = row; }
    /// Takes the table's rows, once all clicks are among them.
    void take(const store::snapshot& clicks) { published_ = clicks; }

    /// Gives an outcome the codes of its click; returns the click's time.
    std::int64_t copy(store::code click, store::row_buffer& pending, std::span<store::code> codes) {
        const std::size_t published = rows_.size() - pending.size();
        if (click > published) {  // clicks wait in the order of their codes
            std::ranges::copy(pending.codes(click - 1 - published), codes.begin());
            return pending.time(click - 1 - published);
        }
        const std::size_t row = rows_[click - 1];
        published_.read_codes(row, codes.first(code_columns_of(event_kind::clicks)));
        return published_.time(row);
    }

private:
    std::vector<std::size_t> rows_;  // by code of column::click_id
    store::snapshot published_;
};

}  // namespace sluice::api

#endif
