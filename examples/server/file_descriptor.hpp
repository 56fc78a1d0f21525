// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_FILE_DESCRIPTOR_HPP
#define SLUICE_EXAMPLES_SERVER_FILE_DESCRIPTOR_HPP

#include <utility>

#include <unistd.h>

namespace server {

/// An open file or socket, or none; closed by the destructor.
class file_descriptor {
public:
    file_descriptor() = default;
    explicit file_descriptor(int number) noexcept : number_(number) {}
    file_descriptor(file_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    file_descriptor& operator=(file_descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~file_descriptor() {
        if (is_open()) ::close(number_);
    }

    [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
    [[nodiscard]] int number() const noexcept { return number_; }

private:
    int number_ = -1;
};

}  // namespace server

#endif
