// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_BODY_HPP
#define SLUICE_TESTS_FUZZ_BODY_HPP

#include <string_view>

namespace sluice_fuzz {

/// What must hold for any bytes: `run` ends the program where it doesn't.
struct fuzz_body {
    std::string_view name{};  // what its inputs in the corpus begin with
    void (*run)(std::string_view input) = nullptr;
};

}  // namespace sluice_fuzz

#endif
