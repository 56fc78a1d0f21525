// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "bodies.hpp"

namespace {

std::vector<std::string> corpus() {
    std::vector<std::string> inputs;
    const std::filesystem::path folder = std::string(SLUICE_TEST_DATA) + "/../corpus";
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        std::ifstream bytes(file.path(), std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(bytes),
                            std::istreambuf_iterator<char>());
    }
    return inputs;
}

}  // namespace

TEST_CASE("every property holds for every input of the corpus and its mutations") {
    const std::vector<std::string> inputs = corpus();
    REQUIRE(inputs.size() > 20);
    std::mt19937 random(1);
    for (const std::string& input : inputs) {
        for (const auto& body : sluice_fuzz::fuzz_bodies) {
            CAPTURE(body.name);
            body.run(input);
            for (int i = 0; i < 50; ++i) {
                std::string mutant = input;
                for (auto n = 1 + random() % 4; n > 0 && !mutant.empty(); --n) {
                    mutant[random() % mutant.size()] = static_cast<char>(random());
                }
                body.run(mutant.substr(0, random() % (mutant.size() + 1)));
            }
        }
    }
}
