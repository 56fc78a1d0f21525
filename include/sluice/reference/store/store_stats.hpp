// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_STORE_STORE_STATS_HPP
#define SLUICE_REFERENCE_STORE_STORE_STATS_HPP

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/reference/store/workspace.hpp>
#include <sluice/store/blocks/table_stats.hpp>

namespace sluice::reference {

/// Memory use of a workspace, in bytes unless noted otherwise. Fields without a comment are those
/// of store::table_stats.
struct workspace_stats {
    /// A column of the table of one kind of event.
    struct column_stats {
        std::string name;  ///< such as `country`, or `metadata['plan']`
        std::size_t codes = 0;
        std::size_t index = 0;
    };
    /// The table of one kind of event.
    struct event_stats {
        std::size_t rows = 0;    ///< events
        std::size_t blocks = 0;  ///< of at most 65,536 rows
        std::size_t times = 0;
        std::size_t image = 0;
        std::size_t integers = 0;
        std::size_t directory = 0;
        std::size_t projection = 0;
        std::size_t mapped = 0;  ///< share of these bytes that is in a snapshot file
        std::vector<column_stats> columns{};
    };
    /// The texts of a column, shared by the tables.
    struct text_stats {
        std::string name;           ///< of the column
        std::size_t texts = 0;      ///< number of texts
        std::size_t bytes = 0;      ///< approximate size of the texts and their hash table
        std::size_t fragments = 0;  ///< size of their prepared JSON; see event_fragments
        std::size_t probes = 0;     ///< most slots of the hash table that a lookup reads
    };

    std::string id;                       ///< of the workspace
    std::array<event_stats, 3> events{};  ///< in the order of event_kind
    std::vector<text_stats> texts{};
    std::size_t links = 0, customers = 0, tags = 0;  ///< number of records
    std::size_t link_index = 0;  ///< the index of links by their fields, and the rows of lists
    std::size_t mapped = 0;      ///< share of all its bytes that is in a snapshot file
};

namespace detail {

/// `metadata['a']['b']`, with quotes and backslashes in keys escaped.
inline std::string name_of_path(std::string_view path) {
    std::string name("metadata");
    for (const std::string_view key : store::metadata_path::keys_of(path)) {
        name.append("['");
        for (const char byte : key) {
            if (byte == '\'' || byte == '\\') name.push_back('\\');
            name.push_back(byte);
        }
        name.append("']");
    }
    return name;
}

/// The name of a column of a table; columns of metadata are named by their path. "unshredded" marks
/// rows whose metadata is not in these columns; "free" columns have no path yet.
inline std::string name_of_column(const workspace& source, event_kind kind, std::size_t at) {
    const std::size_t fixed_columns = fixed_columns_of(kind);
    if (at < fixed_columns) return std::string(event_columns[at].name);
    if (at == fixed_columns) return "metadata (unshredded)";
    const store::metadata_columns& metadata = source.metadata(kind);
    const std::size_t place = at - fixed_columns - 1;
    return place < metadata.size() ? name_of_path(metadata.at(place).path) : "metadata (free)";
}

/// The memory of the table of one kind of event.
inline workspace_stats::event_stats stats_of(const workspace_view& view, event_kind kind) {
    const store::table_stats table = view.events(kind).stats();
    workspace_stats::event_stats stats{.rows = table.rows,
                                       .blocks = table.blocks,
                                       .times = table.times,
                                       .image = table.image,
                                       .integers = table.integers,
                                       .directory = table.directory,
                                       .projection = table.projection,
                                       .mapped = table.mapped};
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        stats.columns.push_back({name_of_column(*view.source, kind, i), table.columns[i].codes,
                                 table.columns[i].index});
    }
    return stats;
}

/// The memory of a column's texts. `beside` are its bytes outside of the dictionary and fragments.
inline workspace_stats::text_stats stats_of(std::string name, const store::dictionary& texts,
                                            std::size_t fragments = 0, std::size_t beside = 0) {
    return {std::move(name), texts.size() - 1, texts.bytes() + beside, fragments,
            texts.longest_probe()};
}

/// Appends the memory of all texts of a workspace: of columns, ids of sales, and metadata.
inline void add_texts(std::vector<workspace_stats::text_stats>& list, const workspace& source) {
    for (const column c : all_columns) {
        list.push_back(
            stats_of(std::string(c.info().name), source.texts(c), source.fragments().bytes(c)));
    }
    list.push_back(stats_of("eventId (sales)", source.event_ids(event_kind::sales)));
    for (const event_kind kind : {event_kind::leads, event_kind::sales}) {
        const store::metadata_columns& metadata = source.metadata(kind);
        for (std::size_t place = 0; place < metadata.size(); ++place) {
            const auto& [path, scalars] = metadata.at(place);
            list.push_back(stats_of(name_of_path(path), scalars.texts(), 0, scalars.bytes()));
        }
    }
}

}  // namespace detail

/// Returns the memory use of a workspace. Events and records are those of the view, texts the
/// current ones.
[[nodiscard]] inline workspace_stats stats(const workspace_view& view) {
    workspace_stats all{.id = view.source->id(),
                        .links = view.links,
                        .customers = view.customers,
                        .tags = view.tags,
                        .link_index = view.source->link_fields().bytes() + view.source->row_bytes(),
                        .mapped = view.source->mapped_text_bytes()};
    for (const event_kind kind : {event_kind::clicks, event_kind::leads, event_kind::sales}) {
        auto& events = all.events[static_cast<std::size_t>(kind)];
        events = detail::stats_of(view, kind);
        all.mapped += events.mapped;
    }
    detail::add_texts(all.texts, *view.source);
    return all;
}

/// The sum of all bytes in workspace_stats.
[[nodiscard]] inline std::size_t total_bytes(const workspace_stats& stats) {
    std::size_t total = stats.link_index;
    for (const auto& events : stats.events) {
        total +=
            events.times + events.image + events.integers + events.directory + events.projection;
        for (const auto& column : events.columns) total += column.codes + column.index;
    }
    for (const auto& column_texts : stats.texts)
        total += column_texts.bytes + column_texts.fragments;
    return total;
}

}  // namespace sluice::reference

#endif
