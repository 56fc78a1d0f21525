// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_AGGREGATE_READER_HPP
#define SLUICE_QUERY_AGGREGATE_READER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/query/aggregate_writer.hpp>
#include <sluice/query/detail/condition_reader.hpp>
#include <sluice/query/detail/json_members.hpp>
#include <sluice/query/json_reader.hpp>
#include <sluice/time/zone.hpp>

namespace sluice {

namespace detail {

/// Reads the JSON of an aggregate query; see parse_aggregate_query().
class aggregate_reader {
public:
    aggregate_reader(columns_view columns, const time_zone_database& zones,
                     std::string_view resource)
        : zones_(zones), resource_(resource), conditions_(columns, fault_) {}

    [[nodiscard]] tl::expected<aggregate_query, list_query_error> read(const dom::element& json) {
        return read_query(json).map_error([this](error why) {
            why.offset = why.length = 0;  // an offset in a member's text, not in the JSON
            return list_query_error{why, fault_.place, fault_.column, fault_.accepts,
                                    fault_.sentence};
        });
    }

private:
    result<aggregate_query> read_query(const dom::element& json) {
        aggregate_query query{.resource = resource_};
        auto members = fault_.with_members(
            json, "query", {"resource", "where", "group_by", "measures", "order", "limit"});
        if (!members) return tl::unexpected(members.error());
        return fault_.at("resource", check_resource(*members, resource_))
            .and_then([&] { return fault_.at("where", read_rows(*members, query.rows)); })
            .and_then([&] { return fault_.at("group_by", read_groups(*members, query)); })
            .and_then([&] { return fault_.at("measures", read_measures(*members, query)); })
            .and_then([&] { return check(query); })  // before names are looked up in it
            .and_then([&] { return fault_.at("order", read_order(*members, query)); })
            .and_then([&] { return fault_.at("limit", read_limit(*members, query.limit)); })
            .and_then([&] { return check(query); })
            .map([&] { return std::move(query); });
    }
    result<void> read_rows(const dom::object& query, where& rows) {
        const auto json = member(query, "where");
        if (!json) return {};
        return conditions_.read(json).map([&](where&& read) { rows = std::move(read); });
    }
    result<void> read_groups(const dom::object& query, aggregate_query& target) {
        const auto json = member(query, "group_by");
        if (!json) return {};
        return fault_
            .list_at<group_key>(json, "group_by",
                                [this](const dom::element& item) { return read_group(item); })
            .map([&](std::vector<group_key>&& groups) { target.group_by = std::move(groups); });
    }
    result<group_key> read_group(const dom::element& json) {
        const auto members =
            fault_.with_members(json, "group_by", {"column", "path", "bucket", "zone", "as"});
        if (!members) return tl::unexpected(members.error());
        const auto by = conditions_.read_column(*members);
        if (!by) return tl::unexpected(by.error());
        group_key group{.by = *by};
        return fault_.at(".path", read_path(*members, group.path))
            .and_then([&] { return fault_.at(".bucket", read_bucket(*members, group)); })
            .and_then([&] { return fault_.at(".zone", read_zone(*members, group)); })
            .and_then([&] { return fault_.at(".as", read_name(*members, group.name)); })
            .and_then([&] { return check(group); })
            .map([&] { return std::move(group); });
    }
    result<void> read_path(const dom::object& members, std::vector<std::string>& path) {
        const auto json = member(members, "path");
        if (!json) return {};
        return fault_
            .list_at<std::string>(json, "path",
                                  [](const dom::element& item) {
                                      return text_of(item, "path").map([](std::string_view key) {
                                          return std::string(key);
                                      });
                                  })
            .map([&](std::vector<std::string>&& keys) { path = std::move(keys); });
    }
    static result<void> read_bucket(const dom::object& members, group_key& group) {
        const auto json = member(members, "bucket");
        if (!json) return {};
        return text_of(json, "bucket").and_then([&](std::string_view name) -> result<void> {
            group.bucket = find_time_bucket(name);
            if (group.bucket) return {};
            return refuse_member(rule::field_value, "bucket",
                                 "expected hour, day, week, month, quarter or year");
        });
    }
    result<void> read_zone(const dom::object& members, group_key& group) const {
        const auto json = member(members, "zone");
        if (!json) return {};
        if (!group.bucket || group.by.type != column_type::time) {
            return refuse_member(rule::field_unknown, "zone", "expected with a bucket of a time");
        }
        return text_of(json, "zone")
            .and_then([&](std::string_view name) { return zones_.find(name); })
            .map([&](time_zone zone) { group.zone = zone; })
            .map_error([](error why) {
                why.param = "zone";
                return why;
            });
    }
    static result<void> read_name(const dom::object& members, std::string& name) {
        const auto json = member(members, "as");
        if (!json) return {};
        return text_of(json, "as").map([&](std::string_view text) { name = text; });
    }
    result<void> read_measures(const dom::object& query, aggregate_query& target) {
        const auto json = member(query, "measures");
        if (!json) return {};
        return fault_
            .list_at<measure>(json, "measures",
                              [this](const dom::element& item) { return read_measure(item); })
            .map([&](std::vector<measure>&& measures) { target.measures = std::move(measures); });
    }
    result<measure> read_measure(const dom::element& json) {
        const auto members = fault_.with_members(json, "measures", {"measure", "column", "as"});
        if (!members) return tl::unexpected(members.error());
        const auto text = text_of(member(*members, "measure"), "measure");
        const auto place = std::ranges::find(measure_names, text.value_or(""));
        if (place == measure_names.end()) {
            return fault_.at<measure>(
                ".measure",
                refuse_member(rule::field_value, "measure",
                              "expected count, sum, min, max, average, count_distinct or "
                              "approx_count_distinct"));
        }
        measure of{.kind = static_cast<measure_kind>(place - measure_names.begin())};
        if (of.kind != measure_kind::count) {
            const auto subject = conditions_.read_column(*members);
            if (!subject) return tl::unexpected(subject.error());
            of.of = *subject;
        } else if (member(*members, "column")) {
            return fault_.at<measure>(
                ".column", refuse_member(rule::field_unknown, "column", "leave it out of count"));
        }
        return fault_.at(".as", read_name(*members, of.name))
            .and_then([&] { return check(of); })
            .map([&] { return std::move(of); });
    }
    result<void> read_order(const dom::object& query, aggregate_query& target) {
        const auto json = member(query, "order");
        if (!json) return {};
        std::vector<std::string> groups, measures;
        for (const group_key& group : target.group_by) groups.push_back(name_of(group));
        for (const measure& of : target.measures) measures.push_back(name_of(of));
        return fault_
            .list_at<aggregate_key>(
                json, "order",
                [&](const dom::element& item) { return read_key(item, groups, measures); })
            .map([&](std::vector<aggregate_key>&& keys) { target.order = std::move(keys); });
    }
    result<aggregate_key> read_key(const dom::element& json, const std::vector<std::string>& groups,
                                   const std::vector<std::string>& measures) {
        const auto members = fault_.with_members(json, "order", {"group", "measure", "direction"});
        if (!members) return tl::unexpected(members.error());
        const bool is_measure = !member(*members, "group");
        const std::string_view name = is_measure ? "measure" : "group";
        if (!is_measure && member(*members, "measure")) {
            return refuse_member(rule::field_value, "order", "expected a group or a measure");
        }
        const auto text = text_of(member(*members, name), name);
        if (!text)
            return fault_.at<aggregate_key>("." + std::string(name), tl::unexpected(text.error()));
        const std::vector<std::string>& names = is_measure ? measures : groups;
        const auto place = std::ranges::find(names, *text);
        if (place == names.end()) {
            const std::vector<std::string_view> words(names.begin(), names.end());
            if (!words.empty())
                fault_.sentence = to_unknown("no " + std::string(name), *text, "", words);
            return fault_.at<aggregate_key>(
                "." + std::string(name),
                refuse_member(rule::field_value, name,
                              is_measure ? "expected a measure of the query"
                                         : "expected a group of the query"));
        }
        aggregate_key key{.is_measure = is_measure,
                          .index = static_cast<std::size_t>(place - names.begin())};
        return fault_.at(".direction", direction_of(*members)).map([&](sort_order direction) {
            key.direction = direction;
            return key;
        });
    }
    static result<void> read_limit(const dom::object& query, std::int64_t& limit) {
        const auto json = member(query, "limit");
        if (!json) return {};
        return integer_of(json, "limit").map([&](std::int64_t number) { limit = number; });
    }

    const time_zone_database& zones_;
    std::string_view resource_;
    query_fault fault_{};
    condition_reader conditions_;
};

}  // namespace detail

/// Reads the JSON of an aggregate query, as written by sluice::to_json() or a program in another
/// language: conditions, groups and measures of the columns of a schema. Members left out have
/// their defaults: every row, one group, the number of rows, 1,000 groups in ascending order.
///
/// ```
/// const auto query = sluice::parse_aggregate_query(
///     R"({"group_by":[{"column":"created","bucket":"day","zone":"Europe/Paris"}],
///         "measures":[{"measure":"count"},{"measure":"sum","column":"total"}]})",
///     columns, zones);
/// ```
///
/// Errors are those of parse_list_query() and of check(); time_zone_unknown. The query's zones view
/// the database.
[[nodiscard]] inline tl::expected<aggregate_query, list_query_error> parse_aggregate_query(
    std::string_view json, columns_view columns, const time_zone_database& zones,
    std::string_view resource = {}) {
    return detail::read_query_json<aggregate_query>(json, [&](const simdjson::dom::element& query) {
        return detail::aggregate_reader(columns, zones, resource).read(query);
    });
}
tl::expected<aggregate_query, list_query_error> parse_aggregate_query(
    std::string_view json, columns_view columns, const time_zone_database&& zones,
    std::string_view resource = {}) = delete;

}  // namespace sluice

#endif
