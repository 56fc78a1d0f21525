// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_EVALUATION_HPP
#define SLUICE_BENCH_DRIVER_EVALUATION_HPP

#include <memory>
#include <sstream>

#include "listing.hpp"
#include "operation.hpp"

namespace sluice_bench {

/// Formats the memory of the data as `NAME codes index` in bytes for each dimension, then the rest
/// of the rows and their texts.
[[nodiscard]] inline std::string to_text(const listing& data) {
    const store::table_stats stats = data.stats();
    std::string text = "rows " + std::to_string(stats.rows);
    for (std::size_t i = 0; i < data.dimensions(); ++i) {
        const auto& column = stats.columns[data.place(i)];
        text.append(", ").append(data.name(i)).append(" ");
        text.append(std::to_string(column.codes)).append(" ");
        text.append(std::to_string(column.index));
    }
    const auto add = [&text](std::string_view name, std::size_t bytes) {
        text.append(", ").append(name).append(" ").append(std::to_string(bytes));
    };
    add("times", stats.times);
    add("image", stats.image);
    add("directory", stats.directory);
    add("projection", stats.projection);
    add("ids", data.id_bytes());
    add("texts", data.text_bytes());
    return text;
}

/// Adds counts and pages of the generated data; each starts from the text of a query string.
inline void add_evaluation(operation_table& operations, const std::unique_ptr<listing>& data) {
    operations["count"] = [&data](std::string_view text) {
        const auto run = [&data, text = std::string(text)] {
            return data->count(parse_listing_query(text));
        };
        return repeated([run] { return std::to_string(run()); }, run);
    };
    // The argument is queries separated by spaces: each is counted once, then indexes are built for
    // them.
    operations["learn"] = [&data](std::string_view texts) {
        return operation{[&data, texts = std::string(texts)] {
            std::istringstream each(texts);
            for (std::string text; each >> text;) {
                static_cast<void>(data->count(parse_listing_query(text)));
            }
            return data->maintain();
        }};
    };
    operations["count_raw"] = [&data](std::string_view text) {
        const auto run = [&data, text = std::string(text)] {
            return data->count_raw(parse_listing_query(text));
        };
        return repeated([run] { return std::to_string(run()); }, run);
    };
    operations["analyze"] = [&data](std::string_view text) {
        return operation{[&data, query = parse_listing_query(text)] {
            return store::to_string(data->analyze(query));
        }};
    };
    operations["stats"] = [&data](std::string_view) {
        return operation{[&data] { return to_text(*data); }};
    };
    operations["page"] = [&data](std::string_view text) {
        const auto run = [&data, text = std::string(text)] {
            return data->page(parse_listing_query(text));
        };
        return repeated(run, run);
    };
    // The page is found in advance: measures only the writing.
    operations["render"] = [&data](std::string_view text) {
        const auto page = data->find(parse_listing_query(text));
        const auto run = [&data, page] { return data->render(page); };
        return repeated(run, run);
    };
}

}  // namespace sluice_bench

#endif
