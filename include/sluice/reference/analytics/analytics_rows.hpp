// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_ANALYTICS_ANALYTICS_ROWS_HPP
#define SLUICE_REFERENCE_ANALYTICS_ANALYTICS_ROWS_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/exact_sum.hpp>
#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/reference/analytics/analytics_query.hpp>

/// Rows of `GET /analytics`, from aggregate queries of the events of each kind.
namespace sluice::reference {

/// The largest number of rows in an answer.
inline constexpr std::size_t analytics_rows_max = 5'000;

/// A row: its group, by the columns of its record or as the start of a bucket, and the measures in
/// the order of analytics_measures.
struct analytics_row {
    std::vector<std::string> group{};
    instant start{};
    std::array<std::int64_t, analytics_measures.size()> measures{};

    friend bool operator==(const analytics_row&, const analytics_row&) = default;
};

/// The events of a workspace, in memory or in a database. aggregate() answers queries of more than
/// aggregate_limit_max groups too, and knows the columns base_url_name and sale_amount_column;
/// first_time() is the time of the first event that meets conditions.
template <class T>
concept analytics_source =
    requires(const T& source, event_kind kind, const aggregate_query& query, const where& rows) {
        { source.aggregate(kind, query) } -> std::same_as<result<aggregate_result>>;
        { source.first_time(kind, rows) } -> std::same_as<result<std::optional<instant>>>;
    };

/// Returns the length of the buckets of a time series: hours, days or months, by the interval, or
/// by the wall time between `start` and the end.
[[nodiscard]] inline time_bucket bucket_of(const analytics_query& query) {
    const auto of_unit = [](time_unit unit) {
        switch (unit) {
            case time_unit::minute:
            case time_unit::hour: return time_bucket::hour;
            case time_unit::day:
            case time_unit::week: return time_bucket::day;
            case time_unit::month:
            case time_unit::year: break;
        }
        return time_bucket::month;
    };
    const auto& [start, end] = query.window;
    if (query.start && start && end) {
        const auto length = query.timezone.to_wall(*end) - query.timezone.to_wall(*start);
        if (length <= std::chrono::days(2)) return time_bucket::hour;
        return length > std::chrono::days(180) ? time_bucket::month : time_bucket::day;
    }
    if (const auto* const ago = std::get_if<time_ago>(&query.interval.form))
        return of_unit(ago->unit);
    switch (std::get<interval_word>(query.interval.form)) {
        case interval_word::mtd:
        case interval_word::qtd: return time_bucket::day;
        case interval_word::ytd:
        case interval_word::all: break;
    }
    return time_bucket::month;
}

/// Returns a text that identifies the buckets of a query's series, whichever moments within them
/// its window begins and ends at; empty for other groups.
[[nodiscard]] inline std::string buckets_text(const analytics_query& query) {
    if (query.group_by != analytics_group::timeseries) return {};
    const time_bucket length = bucket_of(query);
    std::string text = " by ";
    text.append(to_string(length)).append(" in ").append(query.timezone.name());
    for (const auto& edge : {query.window.start, query.window.end}) {
        if (!edge) continue;
        text.append(" ").append(format_timestamp(bucket_start(length, *edge, query.timezone)));
    }
    return text;
}

namespace detail {

/// Returns true if a group has a row: none of its texts is empty or unknown.
[[nodiscard]] inline bool is_shown(const analytics_record& record,
                                   const std::vector<std::string>& group) {
    const bool is_known = std::ranges::none_of(
        group, [](const std::string& text) { return text.empty() || text == "Unknown"; });
    return is_known && (record.only.empty() ||
                        std::ranges::find(record.only, group.front()) != record.only.end());
}

/// Measures the events of a query, kind by kind.
template <analytics_source Source>
class analytics_search {
public:
    /// Borrows the source and the query.
    analytics_search(const Source& source, const analytics_query& query)
        : source_(source), query_(query), record_(record_of(query.group_by)) {}

    [[nodiscard]] result<std::vector<analytics_row>> rows() {
        analytics_query bounded = query_;
        if (is_series()) {
            if (query_.window.empty()) return std::vector<analytics_row>();
            if (!bounded.window.start) {
                const auto first = first_time();
                if (!first) return tl::unexpected(first.error());
                if (!*first) return std::vector<analytics_row>();
                bounded.window.start = **first;
            }
            cut(bounded.window);
        }
        const where conditions = to_list_query(analytics_params, bounded).rows;
        for (const event_kind kind : query_.kinds()) {
            const auto groups = source_.aggregate(kind, query_of(kind, conditions));
            if (!groups) return tl::unexpected(in_request(groups.error()));
            if (auto added = add(kind, *groups); !added) return tl::unexpected(added.error());
        }
        const auto end = std::min(rows_.size(), analytics_rows_max);
        std::partial_sort(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(end),
                          rows_.end(),
                          [this](const auto& a, const auto& b) { return key_of(a) < key_of(b); });
        rows_.resize(end);
        return std::move(rows_);
    }

private:
    /// Returns an error of too many groups as one of the parameter that asks for them.
    [[nodiscard]] static error in_request(error why) noexcept {
        if (why.broken == rule::list_too_long) why.param = "groupBy";
        return why;
    }
    [[nodiscard]] bool is_series() const noexcept {
        return query_.group_by == analytics_group::timeseries;
    }
    [[nodiscard]] bool is_whole() const noexcept {
        return query_.group_by == analytics_group::count;
    }
    /// Returns true if the first groups of a kind, in the order of the rows, are enough: those left
    /// out of a column are null, "" and Unknown.
    [[nodiscard]] bool needs_first_only() const noexcept {
        return record_.columns.size() == 1 && record_.only.empty() &&
               record_.columns.front() != base_url_name;
    }
    /// Returns true if a row has the measures of several groups: of each kind of events, or of the
    /// parts of a URL.
    [[nodiscard]] bool merges_groups() const noexcept {
        return query_.measured == analytics_event::composite ||
               std::ranges::find(record_.columns, base_url_name) != record_.columns.end();
    }
    /// Returns the key by which rows are ordered: time, or the first measure descending and the
    /// group.
    [[nodiscard]] auto key_of(const analytics_row& row) const {
        const std::size_t by = query_.measured == analytics_event::sales
                                   ? analytics_measures.size() - 1
                                   : static_cast<std::size_t>(query_.event);
        return std::tuple(row.start, is_series() ? std::int64_t{0} : ~row.measures[by],
                          std::tie(row.group));
    }

    /// Ends a window with the last bucket that an answer has room for.
    void cut(time_range& window) const {
        const time_bucket length = bucket_of(query_);
        instant start = bucket_start(length, *window.start, query_.timezone);
        for (std::size_t at = 0; at < analytics_rows_max && start <= *window.end; ++at)
            start = next_bucket(length, start, query_.timezone);
        window.end = std::min(*window.end, start - std::chrono::milliseconds(1));
    }
    [[nodiscard]] result<std::optional<instant>> first_time() const {
        const where conditions = to_list_query(analytics_params, query_).rows;
        std::optional<instant> first;
        for (const event_kind kind : query_.kinds()) {
            const auto time = source_.first_time(kind, conditions);
            if (!time) return tl::unexpected(time.error());
            if (*time && (!first || **time < *first)) first = *time;
        }
        return first;
    }
    [[nodiscard]] aggregate_query query_of(event_kind kind, const where& conditions) const {
        const bool is_first = kind == query_.kinds().front();
        aggregate_query query{.rows = conditions};
        for (const std::string_view name : record_.columns) {
            const sluice::column* const known = events_schema.find(name);
            query.group_by.push_back(
                {.by = known != nullptr ? *known : sluice::column{.name = name}});
        }
        if (is_series()) {
            query.group_by.push_back({.by = *events_schema.find("timestamp"),
                                      .bucket = bucket_of(query_),
                                      .zone = query_.timezone});
        }
        if (kind == event_kind::sales)
            query.measures.push_back({measure_kind::sum, sale_amount_column});
        if (!is_series() && !is_whole()) {
            query.order = {{.is_measure = true,
                            .index = query.measures.size() - 1,
                            .direction = sort_order::descending}};
        }
        constexpr std::size_t left_out = 3;
        const std::size_t limit = is_series()                      ? analytics_rows_max
                                  : is_first && needs_first_only() ? analytics_rows_max + left_out
                                                                   : aggregate_groups_max;
        query.limit = static_cast<std::int64_t>(limit);
        return query;
    }

    /// Adds the measures of a kind to the rows of their groups. Error: number_too_large.
    [[nodiscard]] result<void> add(event_kind kind, const aggregate_result& groups) {
        // Other groups than those of the clicks come after them.
        const bool is_full = needs_first_only() && rows_.size() >= analytics_rows_max;
        for (const aggregate_row& counted : groups) {
            analytics_row row;
            for (const aggregate_value& value : counted.groups) {
                if (const auto* const start = std::get_if<instant>(&value)) {
                    row.start = *start;
                } else {
                    const auto* const text = std::get_if<std::string>(&value);
                    row.group.push_back(text != nullptr ? *text : std::string());
                }
            }
            if (!is_shown(record_, row.group)) continue;
            analytics_row* const place = row_of(std::move(row), is_full);
            if (place == nullptr) continue;
            if (auto added = add(kind, counted, *place); !added) return added;
        }
        return {};
    }
    /// Returns the row of a group, which is added if it is new; null if it is and no more may be.
    [[nodiscard]] analytics_row* row_of(analytics_row&& row, bool is_full) {
        if (merges_groups()) {
            const auto known = places_.find({row.start, row.group});
            if (known != places_.end()) return &rows_[known->second];
            if (is_full) return nullptr;
            places_.emplace(std::pair(row.start, row.group), rows_.size());
        }
        rows_.push_back(std::move(row));
        return &rows_.back();
    }
    [[nodiscard]] static result<void> add(event_kind kind, const aggregate_row& counted,
                                          analytics_row& row) {
        auto* measure = row.measures.data() + static_cast<std::size_t>(kind);
        for (const aggregate_value& value : counted.measures) {
            const auto* const number = std::get_if<std::int64_t>(&value);
            sluice::detail::wide_integer sum = *measure;
            if (number != nullptr) sum += *number;
            const auto exact = sum.as_int64();
            if (number == nullptr || !exact) {
                return fail_in(rule::number_too_large, analytics_measures.back());
            }
            *measure++ = *exact;
        }
        return {};
    }

    const Source& source_;
    const analytics_query& query_;
    const analytics_record& record_;
    std::vector<analytics_row> rows_;
    std::map<std::pair<instant, std::vector<std::string>>, std::size_t> places_;  // of groups
};

}  // namespace detail

/// Returns the rows of a query: by the measure that it asks for, the largest first (saleAmount of
/// sales, clicks of all events), then by group; those of a time series by time. Groups with an
/// empty or unknown text have none. A series has every bucket of the window; one without a start
/// begins with the first event. Errors: those of the source; number_too_large for a sum of amounts
/// beyond 64 bits.
template <analytics_source Source>
[[nodiscard]] result<std::vector<analytics_row>> find_analytics_rows(const Source& source,
                                                                     const analytics_query& query) {
    return detail::analytics_search<Source>(source, query).rows();
}

}  // namespace sluice::reference

#endif
