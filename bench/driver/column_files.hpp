// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_COLUMN_FILES_HPP
#define SLUICE_BENCH_DRIVER_COLUMN_FILES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice_bench {

/// Reads the lines of a file.
[[nodiscard]] inline std::vector<std::string> read_lines(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path.filename().string());
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

/// Reads a file of little-endian numbers of one width, one by one, so that they needn't be in
/// memory next to the data built from them:
///
/// ```
/// NAME.codes   one number a row, 1, 2 or 4 bytes; 0 is absent, c the c-th line of NAME.texts
/// times.i64, ids.u64   8 bytes a row
/// ```
class number_file {
public:
    number_file(const std::filesystem::path& path, std::size_t rows)
        : file_(path, std::ios::binary),
          width_(rows == 0 ? 1 : std::filesystem::file_size(path) / rows) {
        if (!file_) throw std::runtime_error("cannot read " + path.filename().string());
    }

    [[nodiscard]] std::uint64_t next() {
        std::array<char, sizeof(std::uint64_t)> bytes{};
        file_.read(bytes.data(), static_cast<std::streamsize>(width_));
        std::uint64_t number = 0;
        std::memcpy(&number, bytes.data(), sizeof number);
        return number;
    }

private:
    std::ifstream file_;
    std::size_t width_;
};

}  // namespace sluice_bench

#endif
