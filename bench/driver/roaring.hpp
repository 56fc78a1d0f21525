// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_ROARING_HPP
#define SLUICE_BENCH_DRIVER_ROARING_HPP

#include <memory>

#include "listing.hpp"
#include "operation.hpp"
#include "roaring_index.hpp"

namespace sluice_bench {

/// Adds three operations: `roaring_load FOLDER` builds CRoaring's bitmaps of the generated data and
/// answers its version; `roaring_count QUERY` counts, with the values looked up in advance;
/// `roaring_page QUERY` finds a page, starting from the query string, and writes JSON like the
/// store's.
inline void add_roaring([[maybe_unused]] operation_table& operations,
                        [[maybe_unused]] const std::unique_ptr<listing>& data) {
#ifdef SLUICE_BENCH_HAS_ROARING
    const auto index = std::make_shared<std::shared_ptr<const roaring_index>>();
    operations["roaring_load"] = [index](std::string_view folder) {
        *index = std::make_shared<const roaring_index>(folder);
        return operation{[] { return roaring_index::version(); }};
    };
    operations["roaring_count"] = [index](std::string_view text) {
        const auto run = [made = *index, query = (*index)->prepare(text)] {
            return made->count(query);
        };
        return repeated([run] { return std::to_string(run()); }, run);
    };
    operations["roaring_page"] = [index, &data](std::string_view text) {
        const auto run = [made = *index, text = std::string(text), &data] {
            return data->render(made->page(made->prepare(text)));
        };
        return repeated(run, run);
    };
#endif
}

}  // namespace sluice_bench

#endif
