// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_STORE_MAKE_ARCHIVE_HPP
#define SLUICE_TESTS_STORE_MAKE_ARCHIVE_HPP

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/store/texts/archive.hpp>

constexpr sluice::store::archive::head test_head{.format = 42};

/// The bytes of an archive of what `save(writer)` writes.
template <class Save>
std::string archived(const Save& save) {
    std::string bytes;
    const auto keep = [&bytes](std::string_view next) {
        bytes += next;
        return true;
    };
    sluice::store::archive_writer to(keep, test_head);
    save(to);
    return to.finish() ? bytes : std::string();
}

/// Reads bytes where an archive may stand: in memory of just their size, so that a sanitizer tells
/// who reads beyond, from a multiple of 64 bytes on.
inline sluice::store::archive_reader reader_of(std::string_view bytes) {
    struct alignas(64) line {
        std::array<char, 64> bytes;
    };
    const std::size_t lines = (bytes.size() + sizeof(line) - 1) / sizeof(line);
    const auto kept = std::make_shared<std::vector<line>>(lines);
    if (!bytes.empty()) std::memcpy(kept->data(), bytes.data(), bytes.size());
    return {{reinterpret_cast<const char*>(kept->data()), bytes.size()}, kept, test_head};
}

#endif
