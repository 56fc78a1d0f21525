// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_QUERY_MAKE_AGGREGATES_HPP
#define SLUICE_TESTS_QUERY_MAKE_AGGREGATES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/query/aggregate_query.hpp>

#include "../zones.hpp"
#include "make_tests.hpp"

namespace test_samples {

/// Random aggregate queries of the sample columns, without conditions.
class random_aggregates {
public:
    explicit random_aggregates(random_tests& random) : random_(random) {}

    [[nodiscard]] aggregate_query make_query() {
        aggregate_query query{.measures = {}};
        for (std::size_t left = random_.below(4); left > 0; --left) add_group(query);
        if (random_.below(3) == 0) query.measures.push_back({});
        do add_measure(query);
        while (query.measures.size() < 5 && random_.below(3) != 0);
        for (std::size_t left = random_.below(3); left > 0; --left) {
            const bool is_measure = query.group_by.empty() || random_.below(2) == 0;
            const std::size_t size = is_measure ? query.measures.size() : query.group_by.size();
            query.order.push_back(
                {is_measure, random_.below(size), static_cast<sort_order>(random_.below(2))});
        }
        if (random_.below(3) == 0) query.limit = 1 + static_cast<std::int64_t>(random_.below(9));
        return query;
    }

private:
    /// Names a group or a measure, whose default name another one may have.
    static std::string next_name(const aggregate_query& query) {
        return "c" + std::to_string(query.group_by.size() + query.measures.size());
    }
    void add_group(aggregate_query& query) {
        group_key group{.by = columns.begin()[random_.below(columns.size())]};
        if (group.by.type == column_type::records) group.by = named("tags");
        if (group.by.type == column_type::json) group.path = {random_.below(4) ? "plan" : "none"};
        if (group.by.type == column_type::time) {
            // Others would have a million buckets, or more.
            group.bucket = static_cast<time_bucket>(random_.below(6));
            group.zone = zone_of(random_.any_of(zone_names));
        }
        if (group.by.type == column_type::date && random_.below(2) == 0)
            group.bucket = static_cast<time_bucket>(1 + random_.below(5));
        group.name = next_name(query);
        query.group_by.push_back(std::move(group));
    }
    void add_measure(aggregate_query& query) {
        measure of{};
        do {
            of.kind = static_cast<measure_kind>(random_.below(measure_names.size()));
            of.of = columns.begin()[random_.below(columns.size())];
        } while (!allows_measure(of.kind, of.of));
        if (of.kind == measure_kind::count) of.of = {};
        of.name = next_name(query);
        query.measures.push_back(std::move(of));
    }

    static constexpr std::array<std::string_view, 3> zone_names{"UTC", "Asia/Kolkata",
                                                                "America/New_York"};

    random_tests& random_;
};

}  // namespace test_samples

#endif
