// SPDX-License-Identifier: MIT
#include "bodies.hpp"
#include "try_corpus.hpp"

TEST_CASE("every property holds for every input of the corpus and its mutations") {
    const std::vector<std::string> inputs = sluice_fuzz::corpus();
    REQUIRE(inputs.size() > 20);
    std::mt19937 random(1);
    for (const std::string& input : inputs) {
        for (const auto& body : sluice_fuzz::fuzz_bodies) {
            sluice_fuzz::try_mutations(body, input, 20, random);
        }
    }
}
