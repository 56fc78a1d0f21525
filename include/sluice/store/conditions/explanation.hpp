// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_CONDITIONS_EXPLANATION_HPP
#define SLUICE_STORE_CONDITIONS_EXPLANATION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The explanation of a search: how the rows of a block are found, and what was read.
namespace sluice::store {

/// The place in a request that a condition comes from. The error of a scan beyond its limits points
/// at it.
struct condition_source {
    std::string_view param{};  ///< a parameter's name; static text
    std::uint32_t offset = 0;  ///< offset of the condition in the parameter's value, in bytes
    std::uint32_t length = 0;
};

/// The access path in an explanation: how the rows of a block are found.
enum class access_path : std::uint8_t {
    counts,     ///< by the number of rows of each value, without reading rows
    postings,   ///< the rows of a rare value, each checked against the other conditions
    bitmaps,    ///< the bits of rows, for each condition
    code_scan,  ///< the codes of all rows
    /// Count projections: units of sorted rows that span many blocks; only for counts.
    projection,
};

/// The number of access paths.
inline constexpr std::size_t access_paths = 5;

/// The names of the access paths, in the order of the enumeration.
inline constexpr std::array<std::string_view, access_paths> access_path_names{
    "counts", "postings", "bitmaps", "code_scan", "projection"};

/// A condition of a scan, and its cost.
struct condition_use {
    condition_source from{};
    bool is_test = false;   ///< a function called row by row; else read from codes and index
    std::size_t bytes = 0;  ///< estimated bytes read from codes and index
    std::size_t rows = 0;   ///< calls of a test; before the scan, their maximum
};

/// The plan of a count, and what it reads: an estimate before it has run, or, with `matching`, a
/// report of a run.
struct explanation {
    struct path_use {
        /// Number of blocks on this path; of units for `projection`. If units cover only some rows
        /// of a block, each range of its other rows counts as a block of another path.
        std::size_t blocks = 0;
        std::size_t bytes = 0;  ///< estimated bytes read from codes and index
    };
    std::array<path_use, access_paths> paths{};  ///< in the order of access_path
    std::size_t skipped = 0;  ///< blocks, or parts, in the time range without a matching row
    std::size_t rows = 0;     ///< rows in the time range
    std::vector<condition_use> conditions{};  ///< in the order of the scan
    std::optional<std::int64_t> matching{};   ///< number of rows found

    [[nodiscard]] path_use& operator[](access_path path) noexcept {
        return paths[static_cast<std::size_t>(path)];
    }
    [[nodiscard]] const path_use& operator[](access_path path) const noexcept {
        return paths[static_cast<std::size_t>(path)];
    }
};

/// Adds the work on other blocks of the same scan to `total`, but not their rows and matches.
inline void add_work(explanation& total, const explanation& done) {
    total.skipped += done.skipped;
    for (std::size_t i = 0; i < total.paths.size(); ++i) {
        total.paths[i].blocks += done.paths[i].blocks;
        total.paths[i].bytes += done.paths[i].bytes;
    }
    if (total.conditions.empty()) total.conditions.resize(done.conditions.size());
    for (std::size_t i = 0; i < done.conditions.size(); ++i) {
        condition_use& use = total.conditions[i];
        use = {done.conditions[i].from, done.conditions[i].is_test,
               use.bytes + done.conditions[i].bytes, use.rows + done.conditions[i].rows};
    }
}

/// Formats an explanation: a line for the scan, and one for each condition:
///
/// ```
/// rows 10000000, skipped 3, counts 1/0 B, bitmaps 149/2441216 B, found 1200
/// country: 1220608 B
/// query at byte 3: tested 5000 rows
/// ```
[[nodiscard]] inline std::string to_string(const explanation& explained) {
    std::string text =
        "rows " + std::to_string(explained.rows) + ", skipped " + std::to_string(explained.skipped);
    for (std::size_t i = 0; i < explained.paths.size(); ++i) {
        if (explained.paths[i].blocks == 0) continue;
        text.append(", ").append(access_path_names[i]).append(" ");
        text.append(std::to_string(explained.paths[i].blocks)).append("/");
        text.append(std::to_string(explained.paths[i].bytes)).append(" B");
    }
    if (explained.matching) text.append(", found ").append(std::to_string(*explained.matching));
    for (const condition_use& use : explained.conditions) {
        text.append("\n").append(use.from.param.empty() ? "condition" : use.from.param);
        if (use.from.length > 0) text.append(" at byte ").append(std::to_string(use.from.offset));
        text.append(use.is_test ? ": tested " : ": ");
        if (use.is_test && !explained.matching) text.append("at most ");
        text.append(std::to_string(use.is_test ? use.rows : use.bytes));
        text.append(use.is_test ? " rows" : " B");
    }
    return text;
}

}  // namespace sluice::store

#endif
