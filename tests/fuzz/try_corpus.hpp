// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_TRY_CORPUS_HPP
#define SLUICE_TESTS_FUZZ_TRY_CORPUS_HPP

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "body.hpp"

namespace sluice_fuzz {

/// The inputs whose names begin so.
inline std::vector<std::string> corpus(std::string_view prefix = "") {
    std::vector<std::string> inputs;
    const std::filesystem::path folder = std::string(SLUICE_TEST_DATA) + "/../corpus";
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        if (!file.path().filename().string().starts_with(prefix)) continue;
        std::ifstream bytes(file.path(), std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(bytes),
                            std::istreambuf_iterator<char>());
    }
    return inputs;
}

/// Runs a body on an input and on as many of its mutations.
inline void try_mutations(const fuzz_body& body, const std::string& input, int count,
                          std::mt19937& random) {
    CAPTURE(body.name);
    body.run(input);
    for (int i = 0; i < count; ++i) {
        std::string mutant = input;
        for (auto n = 1 + random() % 4; n > 0 && !mutant.empty(); --n) {
            mutant[random() % mutant.size()] = static_cast<char>(random());
        }
        body.run(mutant.substr(0, random() % (mutant.size() + 1)));
    }
}

}  // namespace sluice_fuzz

#endif
