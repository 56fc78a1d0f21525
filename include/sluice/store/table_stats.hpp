// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TABLE_STATS_HPP
#define SLUICE_STORE_TABLE_STATS_HPP

#include <cstddef>
#include <vector>

namespace sluice::store {

/// What the rows of a table take in memory, in bytes; texts of dictionaries are not among it.
struct table_stats {
    struct column_stats {
        std::size_t codes = 0;  ///< codes, and what tells which codes a block holds
        std::size_t index = 0;  ///< at most 2 bytes a row of a full block, 4 of the last one
    };
    std::size_t rows = 0;
    std::size_t blocks = 0;
    std::vector<column_stats> columns{};  ///< the code columns in their order
    std::size_t times = 0;
    std::size_t image = 0;  ///< the codes again, row by row
    std::size_t integers = 0;
    std::size_t directory = 0;  ///< where codes are: about half a byte a row and column at most
    /// Of counts: about two bytes a row at most, or 64 KB for a unit of fewer than 32,768 rows.
    std::size_t projection = 0;
    std::size_t mapped = 0;  ///< of all these, those that stand in the file of a snapshot
};

}  // namespace sluice::store

#endif
