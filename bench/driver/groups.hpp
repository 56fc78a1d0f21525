// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_GROUPS_HPP
#define SLUICE_BENCH_DRIVER_GROUPS_HPP

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/params/aggregate.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/sluice.hpp>
#include <sluice/store/aggregate.hpp>
#include <sluice/store/column_store.hpp>
#include <sluice/time/system_zones.hpp>

#include "operation.hpp"
#include "rows.hpp"

namespace sluice_bench {

// --- Requests ------------------------------------------------------------------------------------

inline constexpr sluice::schema visits_schema{
    column{.name = "id"},
    column{.name = "time", .type = column_type::time},
    column{.name = "kind"},
    column{.name = "device"},
    column{.name = "os"},
    column{.name = "browser"},
    column{.name = "country"},
    column{.name = "link"},
    column{.name = "customer", .is_nullable = true},
    column{.name = "url"},
    column{.name = "amount", .type = column_type::integer, .is_nullable = true}};

inline constexpr std::array visit_groups{
    group_choice{.name = "link"}, group_choice{.name = "browser"}, group_choice{.name = "kind"},
    group_choice{.name = "hour", .column = "time", .bucket = time_bucket::hour},
    group_choice{.name = "day", .column = "time", .bucket = time_bucket::day}};
inline constexpr std::array visit_measures{
    measure_choice{.name = "count"},
    measure_choice{.name = "amount", .column = "amount", .kind = measure_kind::sum},
    measure_choice{
        .name = "customers", .column = "customer", .kind = measure_kind::count_distinct}};
inline constexpr std::array<std::string_view, 5> visit_facets{"device", "os", "browser", "country",
                                                              "link"};

/// The parameters of groups and facets of visits.
struct visits_query {
    filter kind, device, browser, country;
    std::optional<std::string> url{};
    std::optional<instant> start{}, end{};
    sort_choices groups{}, measures{{0}}, order{}, facets{};
    std::int64_t top = 10;
};

inline constexpr param_table visits_params{
    visits_schema,
    dimension<&visits_query::kind>("kind"),
    dimension<&visits_query::device>("device"),
    dimension<&visits_query::browser>("browser"),
    dimension<&visits_query::country>("country"),
    contains_param<&visits_query::url>({.name = "url", .column = "url"}),
    instant_param<&visits_query::start>(
        {.name = "start", .column = "time", .op = comparison::at_least}),
    instant_param<&visits_query::end>({.name = "end", .column = "time", .op = comparison::at_most}),
    group_by_param<&visits_query::groups, visit_groups>({.name = "groupBy"}),
    measures_param<&visits_query::measures, visit_measures>({.name = "measures"}),
    group_order_param<&visits_query::order, visit_groups, visit_measures>({.name = "order"}),
    group_limit_param<&visits_query::top>({.name = "top"}),
    facets_param<&visits_query::facets, visit_facets>({.name = "facets"})};

// --- The rows ------------------------------------------------------------------------------------

/// The visits of groups.py in a store::column_store. Requests begin with the text of a query string
/// and end with JSON.
class stored_visits {
public:
    explicit stored_visits(const std::filesystem::path& folder) {
        load(folder);
        maintain();
        auto zones = load_time_zones();
        if (!zones) throw std::runtime_error(message(zones.error()));
        zone_ = zones->find("Europe/Berlin").value();
    }

    [[nodiscard]] std::size_t size() const { return store_.current().size(); }
    /// Indexes the rows, and the columns that past requests name; see column_store::maintain().
    void maintain() {
        while (store_.maintain()) {
        }
    }

    [[nodiscard]] std::string groups(std::string_view text) const {
        const auto query = to_aggregate_query(visits_params, parsed(text), zone_).value();
        return to_json(query, store::aggregate(store_.current(), query).value());
    }
    [[nodiscard]] std::string facets(std::string_view text) const {
        const visits_query query = parsed(text);
        const auto facets = store::facets(store_.current(), to_list_query(visits_params, query),
                                          to_facets(visits_params, query));
        std::string body;
        sluice::detail::json_writer json(body);
        json.begin_object();
        for (const facet& of : facets.value()) {
            json.key(of.by.name);
            json.begin_array();
            for (const auto& [value, count] : of.values) {
                json.begin_object();
                json.member("value", std::string_view(std::get<std::string>(value)));
                json.member("count", count);
                json.end_object();
            }
            json.end_array();
        }
        json.end_object();
        return body;
    }

private:
    /// A file of codes, and the texts of these.
    struct text_file {
        std::ifstream codes;
        std::vector<std::string> texts;

        [[nodiscard]] cell next() {
            std::uint32_t code = 0;
            const bool has_text = read_number(codes, code) && code > 0;
            return has_text ? cell(std::string_view(texts[code - 1])) : cell();
        }
    };

    [[nodiscard]] static visits_query parsed(std::string_view text) {
        const query_string pairs = parse_query_string(text);
        auto query = bind(visits_params, pairs.pairs(), {.now = instant()});
        if (!query) throw std::runtime_error(message(query.error()));
        return *std::move(query);
    }
    [[nodiscard]] static std::ifstream open(const std::filesystem::path& file) {
        return std::ifstream(file, std::ios::binary);
    }

    void load(const std::filesystem::path& folder) {
        constexpr std::size_t batch_rows = std::size_t{1} << 20;
        std::ifstream times = open(folder / "times"), ids = open(folder / "ids");
        std::ifstream amounts = open(folder / "amount.codes");
        std::vector<text_file> columns;
        for (const column& of : visits_schema) {
            if (of.type != column_type::text || of.name == "id") continue;
            const std::string name(of.name);
            columns.push_back(
                {open(folder / (name + ".codes")), read_lines(folder / (name + ".texts"))});
        }
        std::vector<cell> row;
        std::int64_t time = 0, number = 0;
        for (std::size_t rows = 1; read_number(times, time) && read_number(ids, number); ++rows) {
            const std::string id = "ev_" + std::to_string(number);
            row.assign({std::string_view(id), instant(std::chrono::milliseconds(time))});
            for (text_file& column : columns) row.push_back(column.next());
            std::uint32_t amount = 0;
            if (read_number(amounts, amount) && amount > 0) row.push_back(std::int64_t{amount});
            if (const auto added = store_.add(row); !added)
                throw std::runtime_error(message(added.error()));
            if (rows % batch_rows == 0) store_.publish();
        }
        store_.publish();
    }

    store::column_store store_{visits_schema};
    time_zone zone_ = time_zone::utc();
};

/// Adds `group_load FOLDER`, which reads visits and answers their number, and `groups TEXT` and
/// `facets TEXT`, which start from the text of a query string. The store learns the columns of
/// groups before they are measured.
inline void add_groups(operation_table& operations) {
    const auto rows = std::make_shared<std::unique_ptr<stored_visits>>();
    operations["group_load"] = [rows](const std::string& folder) {
        *rows = std::make_unique<stored_visits>(folder);
        return operation{[rows] { return std::to_string((*rows)->size()); }};
    };
    operations["groups"] = [rows](const std::string& text) {
        for (std::uint32_t i = 0; i < store::count_cubes::least_uses; ++i)
            keep((*rows)->groups(text));
        (*rows)->maintain();
        return measured([rows, text] { return (*rows)->groups(text); });
    };
    operations["facets"] = [rows](const std::string& text) {
        return measured([rows, text] { return (*rows)->facets(text); });
    };
}

}  // namespace sluice_bench

#endif
