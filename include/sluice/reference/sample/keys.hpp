// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SAMPLE_KEYS_HPP
#define SLUICE_REFERENCE_SAMPLE_KEYS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/random.hpp>

/// Random numbers of sample records, computed from a seed and a record's index.
namespace sluice::reference {

/// The independent streams of a sample's random keys, one for each purpose, so that no two purposes
/// share random numbers.
enum class sample_stream : std::uint64_t {
    tags,
    links,
    link_details,
    customers,
    visitors,
    clicks,
    leads,
    sales,
    click_times,
    lead_times,
    sale_times,
    metadata,
};

/// A hash of an index within a stream. Different indexes have different hashes. Every record is
/// computed from such hashes alone, so that none is stored: a lead recomputes its click.
[[nodiscard]] constexpr std::uint64_t sample_key(std::uint64_t seed, sample_stream stream,
                                                 std::uint64_t index) noexcept {
    const auto salt = static_cast<std::uint64_t>(stream) + 1;  // mix64() leaves 0 as it is
    return sluice::detail::mix64(sluice::detail::mix64(seed + sluice::detail::mix64(salt)) + index);
}

/// The random numbers of the record at an index of a stream.
[[nodiscard]] constexpr sluice::detail::random_source sample_random(std::uint64_t seed,
                                                                    sample_stream stream,
                                                                    std::uint64_t index) noexcept {
    return sluice::detail::random_source(sample_key(seed, stream, index));
}

/// An identifier such as `click_4e295fac41adeb0b`, unique for each key.
[[nodiscard]] inline std::string sample_id(std::string_view prefix, std::uint64_t key) {
    std::string id(prefix);
    for (int shift = 60; shift >= 0; shift -= 4) {
        id.push_back(sluice::detail::lower_hex_digits[(key >> shift) & 15]);
    }
    return id;
}

}  // namespace sluice::reference

#endif
