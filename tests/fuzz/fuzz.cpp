// SPDX-License-Identifier: MIT
// libFuzzer's program over all bodies, the server's among them: the first byte of an input chooses
// one.
//   cmake --preset asan -DSLUICE_FUZZ=ON && build/asan/tests/sluice_fuzz tests/corpus
//   -max_total_time=60
#include <cstddef>
#include <cstdint>

#include "bodies.hpp"
#include "http_session.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
    constexpr auto& bodies = sluice_fuzz::fuzz_bodies;
    const std::size_t chosen = data[0] % (bodies.size() + 1);
    if (chosen == bodies.size()) {
        sluice_fuzz::fuzz_http_session(input);
    } else {
        bodies[chosen].run(input);
    }
    return 0;
}
