// SPDX-License-Identifier: MIT
// libFuzzer's program over all bodies: the first byte of an input chooses one.
//   cmake --preset asan -DSLUICE_FUZZ=ON && build/asan/tests/sluice_fuzz tests/corpus
//   -max_total_time=60
#include <cstddef>
#include <cstdint>

#include "bodies.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
    sluice_fuzz::fuzz_bodies[data[0] % sluice_fuzz::fuzz_bodies.size()].run(input);
    return 0;
}
