// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SAMPLE_MODEL_HPP
#define SLUICE_REFERENCE_SAMPLE_MODEL_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/query_string.hpp>
#include <sluice/base/random.hpp>
#include <sluice/reference/sample/tables.hpp>
#include <sluice/time/instant.hpp>

/// The model of a sample: its random keys, links and other records, and the times of its events.
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

/// The model's distribution of events over the 30 days before `now`: quiet nights (UTC), slow
/// weekends, and a campaign that makes the last 24 hours eight times as busy, with about a fifth of
/// all events.
class sample_timeline {
public:
    explicit constexpr sample_timeline(instant now) noexcept
        : start_(now - std::chrono::hours(hours)) {
        for (std::size_t hour = 0; hour < hours; ++hour) {
            ends_[hour + 1] = ends_[hour] + weight(hour);
        }
    }

    /// The time of item `index` of `count`: traffic is divided into `count` equal slots, and the
    /// item is at `jitter` / 65,536 of its slot. Always before `now`. Requires `index` < `count` <=
    /// 1,000,000,000.
    [[nodiscard]] constexpr instant at(std::uint64_t index, std::uint64_t count,
                                       std::uint16_t jitter) const noexcept {
        // A position within all weights, in 1/65,536. The product stays below 2^30 * 2^16 * 2^17.
        const std::uint64_t point = ((index << 16) + jitter) * ends_.back() / count;
        const auto end = std::upper_bound(ends_.begin(), ends_.end(), point >> 16);
        const auto hour = static_cast<std::size_t>(end - ends_.begin()) - 1;
        const std::uint64_t width = ends_[hour + 1] - ends_[hour];
        const std::uint64_t inside = point - (ends_[hour] << 16);
        const auto milliseconds = static_cast<std::int64_t>(inside * 3'600'000 / (width << 16));
        return start_ + std::chrono::hours(hour) + std::chrono::milliseconds(milliseconds);
    }

private:
    static constexpr std::size_t hours = 30 * 24;

    /// The share of traffic in an hour since start_, relative to other hours.
    [[nodiscard]] constexpr std::uint64_t weight(std::size_t hour) const noexcept {
        constexpr std::array<std::uint64_t, 24> by_hour{
            6, 4, 3, 3, 3, 4, 6, 9, 12, 14, 15, 15, 14, 15, 16, 16, 15, 14, 13, 12, 12, 11, 10, 8};
        const instant begin = start_ + std::chrono::hours(hour);
        const auto day = std::chrono::floor<std::chrono::days>(begin);
        const auto hour_of_day = std::chrono::floor<std::chrono::hours>(begin - day).count();
        const unsigned weekday = std::chrono::weekday(day).iso_encoding();
        const std::uint64_t of_week = weekday >= 6 ? 6 : 10;  // Saturday and Sunday: less
        const std::uint64_t of_campaign = hour + 24 >= hours ? 8 : 1;
        return by_hour[static_cast<std::size_t>(hour_of_day)] * of_week * of_campaign;
    }

    instant start_;
    std::array<std::uint64_t, hours + 1> ends_{};  // sums of the weights before an hour, < 2^17
};

/// The numbers of records of a sample's model, by kind.
struct sample_counts {
    std::int64_t tags = 0;
    std::int64_t domains = 0;
    std::int64_t folders = 0;
    std::int64_t links = 0;
    std::int64_t customers = 0;
    std::int64_t clicks = 0;
    std::int64_t leads = 0;
    std::int64_t sales = 0;

    friend constexpr bool operator==(const sample_counts&, const sample_counts&) = default;
};

/// The record counts of a sample of `events` clicks, leads and sales, which are about 80, 8 and 12
/// percent. Every fourth lead is from a known customer.
[[nodiscard]] constexpr sample_counts count_sample(std::int64_t events) noexcept {
    const std::int64_t leads = events * 8 / 100;
    const std::int64_t sales = leads * 3 / 2;
    return {.tags = static_cast<std::int64_t>(sample_tags.size()),
            .domains = static_cast<std::int64_t>(sample_domain_records.size()),
            .folders = static_cast<std::int64_t>(sample_folders.size()),
            .links = std::min<std::int64_t>(5'000, 250 + events / 50),
            .customers = leads - leads / 4,
            .clicks = events - leads - sales,
            .leads = leads,
            .sales = sales};
}

/// A sample click; place, client and so on point into sample/tables.hpp.
struct sample_click {
    std::uint64_t key = 0;  ///< see sample_key(); the id contains it
    instant at{};
    const sample_link* link = nullptr;
    const sample_place* place = nullptr;
    const sample_client* client = nullptr;
    const sample_referer* referer = nullptr;
    const sample_utm* advert = nullptr;  ///< campaign in the click's URL; null: the link's own URL
    std::string_view trigger;            ///< link, pageview or qr; empty: unknown
    std::uint64_t address = 0;           ///< random bits for the visitor's IP address
};

/// A sample lead or sale, and the click that led to it.
struct sample_conversion {
    std::uint64_t index = 0;
    instant at{};
    std::uint64_t customer = 0;  ///< index of the customer
    sample_click click;          ///< the click that led to it
};

/// Computes every record of a sample from its index, so that only the links are stored:
///
/// ```
/// sale m -> customer k, who signed up before -> lead j -> click i, made before
/// ```
/// Records of a kind are in order of time. Indexes are below `counts()`.
class sample_model {
public:
    /// Computes the links of a sample of `events` clicks, leads and sales, which end before `now`.
    sample_model(std::int64_t events, std::uint64_t seed, instant now)
        : seed_(seed),
          counts_(count_sample(events)),
          visitors_(
              static_cast<std::uint32_t>(std::min<std::int64_t>(counts_.clicks / 4, 200'000) + 1)),
          timeline_(now),
          popular_(static_cast<std::size_t>(counts_.links)) {
        for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(counts_.links); ++k) {
            links_.push_back(make_sample_link(seed, k));
        }
    }

    [[nodiscard]] const sample_counts& counts() const noexcept { return counts_; }
    [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
    [[nodiscard]] const sample_link& link(std::uint64_t index) const { return links_[index]; }

    /// Returns a click. Few links and few visitors have most of the clicks.
    [[nodiscard]] sample_click click(std::uint64_t index) const {
        sample_click click;
        click.key = sample_key(seed_, sample_stream::clicks, index);
        sluice::detail::random_source random(click.key);
        click.at = time_of(sample_stream::click_times, index, counts_.clicks);
        click.link = &links_[popular_.draw(random)];
        click.trigger = trigger(random.below(100));
        const bool is_direct = click.trigger == "qr";  // a QR code has no page before it
        click.referer = &sample_referers[is_direct ? 0 : referers_.draw(random)];
        const bool has_no_query = click.link->url.find('?') == std::string::npos;
        if (has_no_query && random.chance(20)) click.advert = &random.pick(sample_utms);
        // A random number below a random number favours small ones: visitors who click often.
        set_visitor(click, random.below(random.below(visitors_) + 1));
        return click;
    }

    /// Returns a lead, which follows a recent click.
    [[nodiscard]] sample_conversion lead(std::uint64_t index) const {
        auto random = sample_random(seed_, sample_stream::leads, index);
        const std::uint64_t last = last_before(index, counts_.leads, counts_.clicks);
        // One of the latest 1/360 of the clicks: about two hours of the 30 days.
        const sample_click origin = click(last - random.below(recent(last, counts_.clicks / 360)));
        const instant at = time_of(sample_stream::lead_times, index, counts_.leads);
        return {index, std::max(at, origin.at), customer_of_lead(index, random), origin};
    }

    /// Returns a sale to a customer who signed up recently or buys often, with the click of the
    /// customer's first lead.
    [[nodiscard]] sample_conversion sale(std::uint64_t index) const {
        auto random = sample_random(seed_, sample_stream::sales, index);
        const std::uint64_t last_lead = last_before(index, counts_.sales, counts_.leads);
        const std::uint64_t last = customers_after(last_lead + 1) - 1;
        // Half of the sales are of the latest 1/30 of all customers; the others prefer the earliest
        // customers.
        const std::uint64_t customer =
            random.chance(50) ? last - random.below(recent(last, counts_.customers / 30))
                              : random.below(random.below(recent(last, counts_.customers)) + 1);
        const sample_conversion first = lead(sign_up(customer));
        const instant at = time_of(sample_stream::sale_times, index, counts_.sales);
        return {index, std::max(at, first.at), customer, first.click};
    }

    /// The index of a customer's first lead. Of four leads, three are from new customers.
    [[nodiscard]] static constexpr std::uint64_t sign_up(std::uint64_t customer) noexcept {
        return customer + customer / 3;
    }

private:
    /// Sets the fields that all clicks of a visitor share.
    void set_visitor(sample_click& click, std::uint32_t visitor) const noexcept {
        auto random = sample_random(seed_, sample_stream::visitors, visitor);
        click.place = &sample_places[places_.draw(random)];
        click.client = &sample_clients[clients_.draw(random)];
        click.address = random.next();
    }

    /// The number of customers after the first `leads` leads.
    [[nodiscard]] static constexpr std::uint64_t customers_after(std::uint64_t leads) noexcept {
        return leads - leads / 4;
    }

    /// The customer of a lead: a new one, or for every fourth lead one of those before.
    [[nodiscard]] static std::uint64_t customer_of_lead(
        std::uint64_t index, sluice::detail::random_source& random) noexcept {
        const std::uint64_t known = customers_after(index);
        return index % 4 == 3 ? random.below(static_cast<std::uint32_t>(known)) : known;
    }

    /// The number of latest items to draw from: `span` + 1, or fewer if there aren't as many.
    [[nodiscard]] static std::uint32_t recent(std::uint64_t last, std::int64_t span) noexcept {
        return static_cast<std::uint32_t>(std::min(last, static_cast<std::uint64_t>(span)) + 1);
    }

    /// Returns the index of the last of `others` items before the slot of item `index` of `count`;
    /// 0 if there is none. It may still be later than an item of a burst (see time_of), so that
    /// callers use the later of both times.
    [[nodiscard]] static constexpr std::uint64_t last_before(std::uint64_t index,
                                                             std::int64_t count,
                                                             std::int64_t others) noexcept {
        const std::uint64_t slots =
            index * static_cast<std::uint64_t>(others) / static_cast<std::uint64_t>(count);
        return std::max<std::uint64_t>(slots, 1) - 1;
    }

    /// The time of an item, which never falls with the index. One of 32 items belongs to a burst:
    /// it has the time that its predecessor's slot gives.
    [[nodiscard]] instant time_of(sample_stream stream, std::uint64_t index,
                                  std::int64_t count) const noexcept {
        const bool is_in_burst = index > 0 && sample_key(seed_, stream, index) % 32 == 0;
        const std::uint64_t slot = is_in_burst ? index - 1 : index;
        const auto jitter = static_cast<std::uint16_t>(sample_key(seed_, stream, slot) >> 48);
        return timeline_.at(slot, static_cast<std::uint64_t>(count), jitter);
    }

    /// The trigger of a click, by a random number below 100.
    [[nodiscard]] static constexpr std::string_view trigger(std::uint32_t percent) noexcept {
        if (percent < 68) return "link";
        if (percent < 88) return "pageview";
        return percent < 98 ? "qr" : "";
    }

    std::uint64_t seed_;
    sample_counts counts_;
    std::uint32_t visitors_;  // number of visitors
    sample_timeline timeline_;
    std::vector<sample_link> links_;
    sluice::detail::zipf popular_;  // draws links; few get most of the clicks
    sluice::detail::zipf places_{sample_places.size()};
    sluice::detail::zipf clients_{sample_clients.size()};
    sluice::detail::zipf referers_{sample_referers.size()};
};

}  // namespace sluice::reference

#endif
