// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_TABLE_STATS_HPP
#define SLUICE_STORE_BLOCKS_TABLE_STATS_HPP

#include <cstddef>
#include <vector>

namespace sluice::store {

/// The memory of a table's rows, in bytes, without the texts of dictionaries.
struct table_stats {
    struct column_stats {
        std::size_t codes = 0;  ///< codes, numbers, and the dictionaries of blocks
        std::size_t index = 0;  ///< at most 2 bytes a row of a full block, 4 of the last one
    };
    std::size_t rows = 0;
    std::size_t blocks = 0;
    std::vector<column_stats> columns{};  ///< the code columns, in order
    std::size_t times = 0;
    std::size_t image = 0;  ///< the codes again, row by row
    std::size_t integers = 0;
    std::size_t directory = 0;  ///< block directories: at most about half a byte a row and column
    /// Count projections: about two bytes a row at most, or 64 KB for units under 32,768 rows.
    /// Count cubes: five bytes a row at most for each of up to eight sets of columns, or 1 MiB more
    /// for cubes under 1,048,576 rows.
    std::size_t projection = 0;
    std::size_t mapped = 0;  ///< the part of all these that is mapped from a snapshot's file
};

}  // namespace sluice::store

#endif
