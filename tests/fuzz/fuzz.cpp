// SPDX-License-Identifier: MIT
// libFuzzer's program over all bodies, the server's among them. The first byte of an input chooses
// the body, unless SLUICE_FUZZ_BODY names it.
//   cmake --preset asan -DSLUICE_FUZZ=ON && build/asan/tests/sluice_fuzz tests/corpus
//   -max_total_time=60
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "bodies.hpp"
#include "http_session.hpp"

namespace {

using sluice_fuzz::fuzz_body;

constexpr auto all_bodies = [] {
    std::array<fuzz_body, sluice_fuzz::fuzz_bodies.size() + 1> bodies{};
    std::ranges::copy(sluice_fuzz::fuzz_bodies, bodies.begin());
    bodies.back() = {"http", sluice_fuzz::fuzz_http_session};
    return bodies;
}();

/// The body that SLUICE_FUZZ_BODY names; null without it. Ends the program if there is none.
const fuzz_body* named_body() {
    const char* const name = std::getenv("SLUICE_FUZZ_BODY");
    if (name == nullptr) return nullptr;
    const auto match = std::ranges::find(all_bodies, std::string_view(name), &fuzz_body::name);
    if (match != all_bodies.end()) return match;
    std::cerr << "SLUICE_FUZZ_BODY: no body '" << name << "', expected one of";
    for (const fuzz_body& body : all_bodies) std::cerr << ' ' << body.name;
    std::cerr << '\n';
    std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz_body* const named = named_body();
    if (size == 0) return 0;
    const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
    (named != nullptr ? *named : all_bodies[data[0] % all_bodies.size()]).run(input);
    return 0;
}
