// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_TEMPORARY_FOLDER_HPP
#define SLUICE_TESTS_TEMPORARY_FOLDER_HPP

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

/// A new folder that goes when the test ends.
class temporary_folder {
public:
    temporary_folder() {
        std::string name = (std::filesystem::temp_directory_path() / "sluice-XXXXXX").string();
        if (const char* created = mkdtemp(name.data())) path_ = created;
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() {
        if (!path_.empty()) std::filesystem::remove_all(path_);
    }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

/// The bytes of a file; empty where there is none.
inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

#endif
