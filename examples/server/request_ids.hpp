// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_REQUEST_IDS_HPP
#define SLUICE_EXAMPLES_SERVER_REQUEST_IDS_HPP

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

#include <sluice/base/random.hpp>

namespace server {

/// Creates unique ids for requests without one: 32 hexadecimal digits. They are not secret. For one
/// thread; `random` is the seed.
class request_ids {
public:
    explicit request_ids(std::uint64_t random) : source_(random) {}

    [[nodiscard]] std::string operator()() {
        std::array<char, 33> digits{};
        const std::uint64_t upper = source_.next(), lower = source_.next();
        std::snprintf(digits.data(), digits.size(), "%016" PRIx64 "%016" PRIx64, upper, lower);
        return digits.data();
    }

private:
    sluice::detail::random_source source_;
};

}  // namespace server

#endif
