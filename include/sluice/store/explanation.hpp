// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_EXPLANATION_HPP
#define SLUICE_STORE_EXPLANATION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::store {

/// How the rows of a block are found.
enum class access_path : std::uint8_t {
    counts,     ///< by how often each value is there, without looking at rows
    postings,   ///< from the rows of a rare value, each checked against the other conditions
    bitmaps,    ///< by a bit for each row and condition
    code_scan,  ///< by the codes of all rows
};

/// The names of the access paths, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> access_path_names{"counts", "postings", "bitmaps",
                                                                   "code_scan"};

/// What a scan did.
struct explanation {
    struct path_use {
        std::size_t blocks = 0;  ///< answered in this way
        std::size_t bytes = 0;   ///< read from codes and index, as estimated
    };
    std::array<path_use, 4> paths{};  ///< in the order of access_path
    std::size_t skipped = 0;          ///< blocks in the time range without a row that matches
    std::size_t rows = 0;             ///< in the time range

    [[nodiscard]] path_use& operator[](access_path path) noexcept {
        return paths[static_cast<std::size_t>(path)];
    }
    [[nodiscard]] const path_use& operator[](access_path path) const noexcept {
        return paths[static_cast<std::size_t>(path)];
    }
};

/// One line, such as `rows 10000000, skipped 3, counts 1/0 B, bitmaps 149/2441216 B`.
[[nodiscard]] inline std::string to_string(const explanation& e) {
    std::string text = "rows " + std::to_string(e.rows) + ", skipped " + std::to_string(e.skipped);
    for (std::size_t i = 0; i < e.paths.size(); ++i) {
        if (e.paths[i].blocks == 0) continue;
        text.append(", ").append(access_path_names[i]).append(" ");
        text.append(std::to_string(e.paths[i].blocks)).append("/");
        text.append(std::to_string(e.paths[i].bytes)).append(" B");
    }
    return text;
}

}  // namespace sluice::store

#endif
