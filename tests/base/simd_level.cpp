// SPDX-License-Identifier: MIT
#include <algorithm>

#include <doctest/doctest.h>

#include <sluice/base/simd/kernels.hpp>
#include <sluice/base/simd_level.hpp>

using namespace sluice;

namespace {

constexpr std::array every_level{simd_level::scalar, simd_level::sse2,        simd_level::avx2,
                                 simd_level::avx512, simd_level::avx512_vbmi, simd_level::neon};

}  // namespace

TEST_CASE("supported levels ascend from scalar, and the last is active") {
    const auto levels = supported_simd_levels();
    REQUIRE_FALSE(levels.empty());
    CHECK(levels.front() == simd_level::scalar);
    CHECK(std::ranges::adjacent_find(levels, std::ranges::greater_equal{}) == levels.end());
    CHECK(active_simd_level() == levels.back());
}

TEST_CASE("every x86-64 runs SSE2, every AArch64 NEON, and none both") {
#if defined(__x86_64__)
    CHECK(supports(simd_level::sse2));
    CHECK_FALSE(supports(simd_level::neon));
#elif defined(__aarch64__)
    CHECK(supports(simd_level::neon));
    CHECK_FALSE(supports(simd_level::sse2));
#endif
}

TEST_CASE("a forced level is active until another is forced or none") {
    for (const simd_level level : supported_simd_levels()) {
        CHECK(force_simd_level(level));
        CHECK(active_simd_level() == level);
        CHECK(&detail::simd::active_kernels() == detail::simd::kernels_of(level));
    }
    CHECK(force_simd_level(std::nullopt));
    CHECK(active_simd_level() == supported_simd_levels().back());
}

TEST_CASE("a level that the machine lacks is refused and changes nothing") {
    for (const simd_level level : every_level) {
        if (supports(level)) continue;
        CHECK(force_simd_level(simd_level::scalar));
        CHECK_FALSE(force_simd_level(level));
        CHECK(active_simd_level() == simd_level::scalar);
    }
    CHECK(force_simd_level(std::nullopt));
}

TEST_CASE("a level has kernels exactly where it is supported, and all of them") {
    for (const simd_level level : every_level) {
        const auto* kernels = detail::simd::kernels_of(level);
        CHECK((kernels != nullptr) == supports(level));
        if (kernels == nullptr) continue;
        CHECK((kernels->match_u8 && kernels->match_u16 && kernels->match_u32));
        CHECK((kernels->match_few_u16 && kernels->match_few_u32 && kernels->count_u8));
        CHECK((kernels->count_bits && kernels->count_all && kernels->list_rows));
        CHECK((kernels->intersect && kernels->subtract && kernels->unite));
    }
}

TEST_CASE("levels have the compiler's names") {
    CHECK(to_string(simd_level::scalar) == "scalar");
    CHECK(to_string(simd_level::sse2) == "sse2");
    CHECK(to_string(simd_level::avx2) == "avx2");
    CHECK(to_string(simd_level::avx512) == "avx512bw");
    CHECK(to_string(simd_level::avx512_vbmi) == "avx512vbmi");
    CHECK(to_string(simd_level::neon) == "neon");
}
