// SPDX-License-Identifier: MIT
// Scans over byte codes and bitmaps at every SIMD level, against a plain read of as many bytes in
// the same run: `of_read` is the median of read time / scan time over pairs of runs.
#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <sluice/base/simd/kernels.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

using namespace sluice;
using namespace sluice::detail::simd;

constexpr std::size_t block_rows = 65'536;
constexpr std::size_t block_words = block_rows / 64;
constexpr std::size_t in_memory = std::size_t{1} << 30;   // more than any cache
constexpr std::size_t in_cache = std::size_t{1} << 20;    // half of a common L2
constexpr std::size_t pair_bytes = std::size_t{1} << 21;  // short, so rarely interrupted

// --- The reference: loads, and one addition each ------------------------------------------------

/// Prefetches like the scans do; without it the reference would be slower.
void prefetch_lines(const std::byte* from, std::size_t bytes) {
    for (std::size_t line = 0; line < bytes; line += 64) prefetch_ahead(from + line);
}

std::uint64_t read_words(const std::byte* from, std::size_t bytes) {
    std::array<std::uint64_t, 8> sums{};
    for (const std::byte* end = from + bytes; from != end; from += sizeof sums) {
        prefetch_lines(from, sizeof sums);
        std::array<std::uint64_t, 8> words;
        std::memcpy(&words, from, sizeof words);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += words[i];
    }
    return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint64_t read_avx2(const std::byte* from, std::size_t bytes) {
    __m256i sums[4] = {};
    for (const std::byte* end = from + bytes; from != end; from += sizeof sums) {
        prefetch_lines(from, sizeof sums);
        for (int i = 0; i < 4; ++i) sums[i] = _mm256_add_epi64(sums[i], load_avx2(from + 32 * i));
    }
    return sum_avx2(
        _mm256_add_epi64(_mm256_add_epi64(sums[0], sums[1]), _mm256_add_epi64(sums[2], sums[3])));
}

[[gnu::target("avx512f")]] std::uint64_t read_avx512(const std::byte* from, std::size_t bytes) {
    __m512i sums[4] = {};
    for (const std::byte* end = from + bytes; from != end; from += sizeof sums) {
        prefetch_lines(from, sizeof sums);
        for (int i = 0; i < 4; ++i) sums[i] = _mm512_add_epi64(sums[i], load_avx512(from + 64 * i));
    }
    std::array<std::uint64_t, 8> lanes;
    _mm512_storeu_si512(lanes.data(), (sums[0] + sums[1]) + (sums[2] + sums[3]));
    return lanes[0] + lanes[1] + lanes[2] + lanes[3] + lanes[4] + lanes[5] + lanes[6] + lanes[7];
}
#endif

/// Reads with the widest loads of the CPU, whatever level is measured.
std::uint64_t read_all(const std::byte* from, std::size_t bytes) {
#if defined(__x86_64__)
    if (supports(simd_level::avx512)) return read_avx512(from, bytes);
    if (supports(simd_level::avx2)) return read_avx2(from, bytes);
#endif
    return read_words(from, bytes);
}

// --- Pairs --------------------------------------------------------------------------------------

template <class Work>
double seconds(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Returns a buffer of random bytes, shared by all benchmarks.
std::span<std::byte> random_bytes() {
    static std::vector<std::uint64_t> words = [] {
        std::vector<std::uint64_t> drawn(in_memory / 8);
        std::mt19937_64 random(1);
        std::generate(drawn.begin(), drawn.end(), std::ref(random));
        return drawn;
    }();
    return std::as_writable_bytes(std::span(words));
}

/// Alternates reads and scans over consecutive parts of the buffer: a part was last touched a whole
/// buffer ago, and a slow moment of the machine affects both of a pair.
template <class Scan>
void measure(benchmark::State& state, std::size_t buffer, std::size_t part, const Scan& scan) {
    const std::byte* const bytes = random_bytes().data();
    const int repeats = static_cast<int>(std::max<std::size_t>(1, pair_bytes / part));
    std::vector<double> ratios, reads, scans;
    std::size_t at = 0;
    const auto next = [&] { return bytes + (at = at + 2 * part <= buffer ? at + part : 0); };
    for (auto _ : state) {
        const std::byte* const read = next();
        reads.push_back(seconds([&] {
            for (int i = 0; i < repeats; ++i) benchmark::DoNotOptimize(read_all(read, part));
        }));
        const std::byte* const scanned = next();
        scans.push_back(seconds([&] {
            for (int i = 0; i < repeats; ++i) scan(scanned, part);
        }));
        state.SetIterationTime(scans.back());
        ratios.push_back(reads.back() / scans.back());
    }
    const double gigabytes = static_cast<double>(part) * repeats / 1e9;
    state.counters["GB/s"] = gigabytes / median(scans);
    state.counters["read_GB/s"] = gigabytes / median(reads);
    state.counters["of_read"] = median(ratios);
}

std::size_t part_of(std::size_t buffer) { return std::min(buffer / 2, pair_bytes); }

// --- Byte codes ---------------------------------------------------------------------------------

byte_set draw_set(std::size_t members) {
    std::mt19937_64 random(members);
    byte_set set;
    for (std::size_t count = 0; count < members;) {
        const auto code = static_cast<std::uint8_t>(random());
        if (set.contains(code)) continue;
        set.insert(code);
        ++count;
    }
    return set;
}

bool same_as_scalar(const kernels& level, const byte_set& set) {
    const auto* codes = reinterpret_cast<const std::uint8_t*>(random_bytes().data());
    std::vector<std::uint64_t> expected(block_words), bitmap(block_words);
    scalar_kernels.match_u8(codes, block_rows, set, expected.data());
    level.match_u8(codes, block_rows, set, bitmap.data());
    return bitmap == expected && level.count_u8(codes, block_rows, set) ==
                                     scalar_kernels.count_bits(expected.data(), block_words);
}

void match_u8(benchmark::State& state, simd_level at, std::size_t members, std::size_t buffer) {
    const kernels& level = *kernels_of(at);
    const byte_set set = draw_set(members);
    if (!same_as_scalar(level, set)) return state.SkipWithError("differs from scalar");
    std::vector<std::uint64_t> bitmap(block_words);
    measure(state, buffer, part_of(buffer), [&](const std::byte* from, std::size_t bytes) {
        const auto* codes = reinterpret_cast<const std::uint8_t*>(from);
        for (std::size_t row = 0; row < bytes; row += block_rows) {
            level.match_u8(codes + row, block_rows, set, bitmap.data());
            benchmark::ClobberMemory();
        }
    });
}

void count_u8(benchmark::State& state, simd_level at, std::size_t members, std::size_t buffer) {
    const kernels& level = *kernels_of(at);
    const byte_set set = draw_set(members);
    if (!same_as_scalar(level, set)) return state.SkipWithError("differs from scalar");
    measure(state, buffer, part_of(buffer), [&](const std::byte* from, std::size_t bytes) {
        const auto* codes = reinterpret_cast<const std::uint8_t*>(from);
        for (std::size_t row = 0; row < bytes; row += block_rows) {
            benchmark::DoNotOptimize(level.count_u8(codes + row, block_rows, set));
        }
    });
}

// --- Bitmaps ------------------------------------------------------------------------------------

/// Returns the bitmaps of a block, which are consecutive in memory.
std::vector<const std::uint64_t*> bitmaps_at(const std::byte* from, std::size_t count) {
    std::vector<const std::uint64_t*> bitmaps(count);
    for (std::size_t i = 0; i < count; ++i) {
        bitmaps[i] = reinterpret_cast<const std::uint64_t*>(from) + i * block_words;
    }
    return bitmaps;
}

void count_all(benchmark::State& state, simd_level at, std::size_t count, std::size_t buffer) {
    const kernels& level = *kernels_of(at);
    const std::size_t block = 8 * block_words * count;
    auto bitmaps = bitmaps_at(random_bytes().data(), count);
    if (level.count_all(bitmaps.data(), count, block_words) !=
        scalar_kernels.count_all(bitmaps.data(), count, block_words)) {
        return state.SkipWithError("differs from scalar");
    }
    const std::size_t part = part_of(buffer) / block * block;
    measure(state, buffer, part, [&](const std::byte* from, std::size_t bytes) {
        for (std::size_t i = 0; i < count; ++i) {
            bitmaps[i] = reinterpret_cast<const std::uint64_t*>(from) + i * block_words;
        }
        for (std::size_t done = 0; done < bytes; done += block) {
            benchmark::DoNotOptimize(level.count_all(bitmaps.data(), count, block_words));
            for (auto& bitmap : bitmaps) bitmap += count * block_words;
        }
    });
}

void list_rows(benchmark::State& state, simd_level at, std::size_t one_in, std::size_t) {
    const kernels& level = *kernels_of(at);
    std::mt19937_64 random(one_in);
    std::vector<std::uint64_t> bitmap(block_words);
    for (std::size_t row = 0; row < block_rows; ++row) {
        if (random() % one_in == 0) bitmap[row / 64] |= std::uint64_t{1} << row % 64;
    }
    std::vector<std::uint16_t> rows(block_rows);
    std::size_t listed = 0;
    for (auto _ : state) {
        listed += level.list_rows(bitmap.data(), block_words, rows.data());
        benchmark::ClobberMemory();
    }
    state.counters["rows"] =
        benchmark::Counter(static_cast<double>(listed), benchmark::Counter::kIsRate);
}

using measured = void (*)(benchmark::State&, simd_level, std::size_t, std::size_t);

void add(const std::string& name, measured benchmark, std::initializer_list<std::size_t> sizes) {
    for (const simd_level level : supported_simd_levels()) {
        for (const std::size_t buffer : {in_memory, in_cache}) {
            for (const std::size_t size : sizes) {
                const std::string place = buffer == in_memory ? "memory" : "cache";
                benchmark::RegisterBenchmark((name + "/" + std::string(to_string(level)) + "/" +
                                              place + "/" + std::to_string(size))
                                                 .c_str(),
                                             benchmark, level, size, buffer)
                    ->UseManualTime();
            }
        }
    }
}

void add_list_rows() {
    for (const simd_level level : supported_simd_levels()) {
        for (const std::size_t one_in : {2U, 8U, 64U, 1'024U}) {
            benchmark::RegisterBenchmark(
                ("list_rows/" + std::string(to_string(level)) + "/one_in/" + std::to_string(one_in))
                    .c_str(),
                list_rows, level, one_in, 0);
        }
    }
}

[[maybe_unused]] const bool added = [] {
    add("match_u8", match_u8, {1, 4, 16, 128});
    add("count_u8", count_u8, {1, 4, 16, 128});
    add("count_all", count_all, {2, 3, 5});
    add_list_rows();
    return true;
}();

}  // namespace
