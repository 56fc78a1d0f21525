// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SAMPLE_LINKS_HPP
#define SLUICE_REFERENCE_SAMPLE_LINKS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/base/query_string.hpp>
#include <sluice/base/random.hpp>
#include <sluice/reference/sample/keys.hpp>
#include <sluice/reference/sample/tables.hpp>

/// The links of a sample: their slugs, destinations and campaigns.
namespace sluice::reference {

/// The fields of sample links that clicks need.
struct sample_link {
    std::uint64_t index = 0;
    std::string id;
    std::string_view domain;
    std::string key;
    std::string url;
    const sample_utm* utm = nullptr;  ///< null: no campaign
};

/// The UTM parameters of a campaign, in the order of the documentation.
[[nodiscard]] constexpr std::array<name_value, 5> sample_utm_pairs(const sample_utm& utm) noexcept {
    return {{{"utm_source", utm.source},
             {"utm_medium", utm.medium},
             {"utm_campaign", utm.campaign},
             {"utm_term", utm.term},
             {"utm_content", utm.content}}};
}

/// Appends the UTM parameters of a campaign to a URL, percent-encoded.
[[nodiscard]] inline std::string sample_tagged_url(std::string url, const sample_utm& utm) {
    char separator = '?';
    for (const name_value& pair : sample_utm_pairs(utm)) {
        if (pair.value.empty()) continue;
        url.push_back(std::exchange(separator, '&'));
        url += to_query_string({&pair, 1});
    }
    return url;
}

/// A slug of seven characters of 6 bits, unique for each of 2^42 indexes.
[[nodiscard]] inline std::string sample_slug(std::uint64_t seed, std::uint64_t index) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    // Any odd factor is one to one modulo 2^42: no two indexes have the same slug.
    std::uint64_t bits = index * 0x2545F4914F6CDD1D + sluice::detail::mix64(seed);
    std::string slug;
    for (int i = 0; i < 7; ++i, bits >>= 6) slug.push_back(alphabet[bits & 63]);
    return slug;
}

/// Sets a link's destination: plain, with a campaign (mostly also in the URL), or with another
/// query.
inline void set_sample_destination(sample_link& link, sluice::detail::random_source& random) {
    const std::string_view page = random.pick(sample_pages);
    link.url = "https://www.acme.example" + std::string(page);
    if (random.chance(70)) {
        link.url += (page == "/" ? "p" : "/p") + std::to_string(random.below(1000));
    }
    // Of ten links, one has another query, four are plain, four have a campaign in the URL, and one
    // has a campaign in its UTM fields only.
    const std::uint32_t kind = random.below(10);
    if (kind == 0) link.url += "?ref=" + std::to_string(random.below(1000));
    if (kind < 5) return;
    // The smaller of two numbers prefers the first campaigns.
    const std::size_t likely =
        std::min(random.below(sample_utms.size()), random.below(sample_utms.size()));
    link.utm = &sample_utms[likely];
    if (kind < 9) link.url = sample_tagged_url(std::move(link.url), *link.utm);
}

/// Creates the sample link of an index. Of every 25 links, the eighth is the root link of a domain
/// and the ninth has a fixed slug, until these run out.
[[nodiscard]] inline sample_link make_sample_link(std::uint64_t seed, std::uint64_t index) {
    const std::uint64_t key = sample_key(seed, sample_stream::links, index);
    sluice::detail::random_source random(key);
    sample_link link{index, sample_id("link_", key), random.pick(sample_domains), {}, {}, nullptr};
    const std::size_t group = index / 25;
    if (index % 25 == 7 && group < sample_domains.size()) {
        link.domain = sample_domains[group];
        link.key = "_root";
    } else if (index % 25 == 8 && group < sample_slugs.size()) {
        link.key = sample_slugs[group];
    } else {
        link.key = sample_slug(seed, index);
    }
    set_sample_destination(link, random);
    return link;
}

}  // namespace sluice::reference

#endif
