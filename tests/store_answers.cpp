// SPDX-License-Identifier: MIT
// Answers queries about rows in a column_store, for tests/python/table_engines.py. Reads lines of
// JSON from standard input and prints a line for each:
//
//   {"rows": [{"id": "r1", "seats": 7, ...}, ...]}   replaces the rows       {}
//   {"query": tree}                                  {"ids": [...], "total": 7, "beside": [...]}
//   {"sales": [{"id": "r1", ...}, ...]}              replaces the rows       {}
//   {"aggregate": tree}                              {"groups": [{...}, ...]}
//
// Rows have the columns of tests/python/tested_rows.py, sales those of group_sameness.py. `beside`
// has the cursors of the pages before and after, null without one. After an error the line is
// {"error": message}. Times are milliseconds; UUIDs, dates, decimals and JSON are texts.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <simdjson.h>

#include <sluice/base/json_writer.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/query/aggregate_reader.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/query/json_reader.hpp>
#include <sluice/store/aggregate.hpp>
#include <sluice/store/select.hpp>
#include <sluice/time/system_zones.hpp>

namespace {

using namespace sluice;
namespace dom = simdjson::dom;

constexpr std::array<std::string_view, 4> sizes{"small", "Medium", "an 'XL'", "größer"};

// The columns of tests/python/tested_rows.py.

constexpr schema line_columns{
    column{.name = "sku", .how = collation::ignore_case},
    column{.name = "count", .type = column_type::integer, .is_nullable = true},
    column{.name = "weight", .type = column_type::real, .is_nullable = true},
    column{.name = "fresh", .type = column_type::boolean, .is_nullable = true},
    column{.name = "packed", .type = column_type::date, .is_nullable = true},
    column{.name = "size", .type = column_type::choice, .is_nullable = true, .choices = sizes},
    column{.name = "marks", .is_list = true, .how = collation::ignore_case},
    column{.name = "bins", .type = column_type::integer, .is_list = true}};

constexpr schema columns{
    column{.name = "id"},
    column{.name = "city"},
    column{.name = "status", .is_nullable = true, .how = collation::ignore_case},
    column{.name = "region", .is_nullable = true, .how = collation::subdivision},
    column{.name = "url", .is_nullable = true, .how = collation::url},
    column{.name = "tags", .is_list = true, .how = collation::ignore_case},
    column{.name = "seats", .type = column_type::integer, .is_nullable = true},
    column{.name = "total", .type = column_type::decimal, .is_nullable = true},
    column{.name = "created", .type = column_type::time, .is_nullable = true},
    column{.name = "open", .type = column_type::boolean, .is_nullable = true},
    column{.name = "data", .type = column_type::json, .is_nullable = true},
    column{.name = "note", .is_nullable = true},
    column{.name = "labels", .is_list = true, .is_nullable = true},
    column{.name = "regions", .is_list = true, .how = collation::subdivision},
    column{.name = "ports", .type = column_type::integer, .is_list = true, .is_nullable = true},
    column{.name = "score", .type = column_type::real, .is_nullable = true},
    column{.name = "due", .type = column_type::date, .is_nullable = true},
    column{.name = "token", .type = column_type::uuid, .is_nullable = true},
    column{.name = "tokens", .type = column_type::uuid, .is_list = true, .is_nullable = true},
    column{.name = "size", .type = column_type::choice, .is_nullable = true, .choices = sizes},
    column{.name = "sizes",
           .type = column_type::choice,
           .is_list = true,
           .is_nullable = true,
           .choices = sizes},
    column{.name = "lines",
           .type = column_type::records,
           .is_nullable = true,
           .records = line_columns}};

constexpr std::array<std::string_view, 3> sale_sizes{"small", "medium", "Large"};

// The columns of tests/python/group_sameness.py.
constexpr schema sale_columns{
    column{.name = "id"},
    column{.name = "city", .is_nullable = true, .how = collation::ignore_case},
    column{.name = "seats", .type = column_type::integer, .is_nullable = true},
    column{.name = "total", .type = column_type::decimal, .is_nullable = true},
    column{.name = "score", .type = column_type::real, .is_nullable = true},
    column{.name = "created", .type = column_type::time},
    column{.name = "open", .type = column_type::boolean, .is_nullable = true},
    column{.name = "size", .type = column_type::choice, .is_nullable = true, .choices = sale_sizes},
    column{.name = "tags", .is_list = true},
    column{.name = "marks", .type = column_type::integer, .is_list = true, .is_nullable = true},
    column{.name = "owners", .type = column_type::uuid, .is_list = true},
    column{.name = "due", .type = column_type::date, .is_nullable = true},
    column{.name = "data", .type = column_type::json, .is_nullable = true}};

constexpr store::storable_columns stored(columns), stored_sales(sale_columns);

/// The cells of a row of JSON, and what they view.
class json_row {
public:
    json_row(const dom::object& members, columns_view all) {
        for (const column& of : all) {
            cell& read = cells_.emplace_back();
            dom::element value;
            if (members[of.name].get(value) == simdjson::SUCCESS && !value.is_null()) {
                read = of.is_list ? list_of(of, value) : cell_of(of, value);
            }
        }
    }

    [[nodiscard]] const std::vector<cell>& cells() const noexcept { return cells_; }

private:
    static cell cell_of(const column& of, const dom::element& value) {
        switch (of.type) {
            case column_type::integer: return value.get_int64().value();
            case column_type::real: return value.get_double().value();
            case column_type::boolean: return value.get_bool().value();
            case column_type::time:
                return instant(std::chrono::milliseconds(value.get_int64().value()));
            case column_type::date: return parse_day(value.get_string().value()).value();
            case column_type::text:
            case column_type::decimal:
            case column_type::json:
            case column_type::uuid:
            case column_type::choice:
            case column_type::records: break;
        }
        return std::string_view(value.get_string().value());
    }
    cell list_of(const column& of, const dom::element& items) {
        if (of.type == column_type::integer) {
            auto& numbers = numbers_.emplace_back(std::make_unique<std::vector<std::int64_t>>());
            for (const dom::element item : items) numbers->push_back(item.get_int64().value());
            return std::span<const std::int64_t>(*numbers);
        }
        auto& texts = texts_.emplace_back(std::make_unique<std::vector<std::string_view>>());
        for (const dom::element item : items) texts->push_back(item.get_string().value());
        return std::span<const std::string_view>(*texts);
    }

    std::vector<cell> cells_{};
    std::vector<std::unique_ptr<std::vector<std::int64_t>>> numbers_{};
    std::vector<std::unique_ptr<std::vector<std::string_view>>> texts_{};
};

std::string refusal(std::string_view message_of_error) {
    std::string line;
    detail::json_writer(line).begin_object().member("error", message_of_error).end_object();
    return line;
}

void write_cursor(detail::json_writer& json, const std::optional<cursor>& place,
                  const list_query& query) {
    if (place) {
        json.value(cursor_text(*place, query.order).value());
    } else {
        json.value(nullptr);
    }
}

/// The rows that queries are about.
class answering_store {
public:
    std::string replace(const dom::array& rows, const store::storable_columns& all) {
        store_.emplace(all);
        for (const dom::element row : rows) {
            const json_row read(row.get_object().value(), all.all());
            if (const auto added = store_->add(read.cells()); !added)
                return refusal(message(added.error()));
        }
        store_->publish();
        return "{}";
    }

    [[nodiscard]] std::string answer(std::string_view tree) const {
        const auto query = parse_list_query(tree, columns_view(columns.begin(), columns.size()));
        if (!query) return refusal(message(query.error()));
        const store::stored_rows rows = store_->current();
        const auto page = store::select(rows, *query);
        if (!page) return refusal(message(page.error()));
        const auto total = store::count(rows, *query);
        if (!total) return refusal(message(total.error()));

        std::string line;
        detail::json_writer json(line);
        json.begin_object().key("ids").begin_array();
        for (const store::stored_row& row : page->rows()) {
            json.value(std::get<std::string_view>(row.at(*columns.begin())));
        }
        json.end_array().member("total", *total).key("beside").begin_array();
        write_cursor(json, page->previous, *query);
        write_cursor(json, page->next, *query);
        json.end_array().end_object();
        return line;
    }

    [[nodiscard]] std::string aggregate(std::string_view tree) const {
        const auto query = parse_aggregate_query(
            tree, columns_view(sale_columns.begin(), sale_columns.size()), zones_);
        if (!query) return refusal(message(query.error()));
        const auto groups = store::aggregate(store_->current(), *query);
        if (!groups) return refusal(message(groups.error()));
        return R"({"groups":)" + to_json(*query, *groups) + "}";
    }

private:
    std::optional<store::column_store> store_{};
    time_zone_database zones_ = load_time_zones().value();
};

}  // namespace

int main() {
    answering_store rows;
    dom::parser parser;
    for (std::string line; std::getline(std::cin, line);) {
        const dom::object request = parser.parse(line).get_object().value();
        dom::array replaced;
        dom::element tree;
        if (request["rows"].get(replaced) == simdjson::SUCCESS) {
            std::cout << rows.replace(replaced, stored) << std::endl;
        } else if (request["sales"].get(replaced) == simdjson::SUCCESS) {
            std::cout << rows.replace(replaced, stored_sales) << std::endl;
        } else if (request["aggregate"].get(tree) == simdjson::SUCCESS) {
            std::cout << rows.aggregate(simdjson::minify(tree)) << std::endl;
        } else {
            std::cout << rows.answer(simdjson::minify(request["query"].value())) << std::endl;
        }
    }
}
