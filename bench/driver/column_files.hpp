// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_COLUMN_FILES_HPP
#define SLUICE_BENCH_DRIVER_COLUMN_FILES_HPP

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice_bench {

/// The bytes of a file.
[[nodiscard]] inline std::vector<char> read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.filename().string());
    std::vector<char> bytes(std::filesystem::file_size(path));
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

/// A file of little-endian numbers of one width.
template <class Number>
[[nodiscard]] std::vector<Number> read_numbers(const std::filesystem::path& path) {
    const std::vector<char> bytes = read_file(path);
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
    return numbers;
}

/// The lines of a file.
[[nodiscard]] inline std::vector<std::string> read_lines(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path.filename().string());
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

/// The codes of a column, as narrow as its file holds them:
///
/// ```
/// NAME.codes   one number a row, 1, 2 or 4 bytes; 0 is absent, c the c-th line of NAME.texts
/// ```
class code_file {
public:
    code_file(const std::filesystem::path& path, std::size_t rows)
        : bytes_(read_file(path)), width_(rows == 0 ? 1 : bytes_.size() / rows) {}

    [[nodiscard]] std::uint32_t operator[](std::size_t row) const noexcept {
        std::uint32_t code = 0;
        std::memcpy(&code, bytes_.data() + row * width_, width_);
        return code;
    }

private:
    std::vector<char> bytes_;
    std::size_t width_;
};

}  // namespace sluice_bench

#endif
