// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_BODY_HPP
#define SLUICE_TESTS_FUZZ_BODY_HPP

#include <string_view>

namespace sluice_fuzz {

/// A body of the fuzzer: `run` ends the program if a promise doesn't hold for some bytes.
struct fuzz_body {
    std::string_view name{};  // what its inputs in the corpus begin with
    void (*run)(std::string_view input) = nullptr;
};

}  // namespace sluice_fuzz

#endif
