// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_STORE_STORED_SAMPLES_HPP
#define SLUICE_TESTS_STORE_STORED_SAMPLES_HPP

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/json_writer.hpp>
#include <sluice/store/column_store.hpp>

#include "../query/make_tests.hpp"

namespace test_samples {

/// Returns the records of a row as JSON; empty without any.
inline std::optional<std::string> lines_of(const row& of) {
    if (!of.lines) return std::nullopt;
    std::string text;
    sluice::detail::json_writer json(text);
    json.begin_array();
    for (const line& line : *of.lines) {
        json.begin_object();
        json.member("sku", line.sku);
        if (line.count) json.member("count", *line.count);
        json.end_object();
    }
    json.end_array();
    return text;
}

/// Sample rows in a store and beside it, published in parts.
struct samples {
    explicit samples(std::size_t count, unsigned seed) : random(seed) {
        for (std::size_t at = 0; at < count; ++at) {
            const row& added = rows.emplace_back(random.make_row());
            const auto lines = lines_of(added);
            std::vector<cell> cells;
            for (const column& of : columns) {
                cells.push_back(of.type == column_type::json      ? row::cell_of(added.data)
                                : of.type == column_type::records ? row::cell_of(lines)
                                                                  : added(of));
            }
            REQUIRE(store.add(cells));
            if (at % 97 == 0) store.publish();
        }
        store.publish();
    }

    random_tests random;
    std::deque<row> rows;
    store::column_store store{columns};
};

}  // namespace test_samples

#endif
