// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SAMPLE_TABLES_HPP
#define SLUICE_REFERENCE_SAMPLE_TABLES_HPP

#include <array>
#include <cstdint>
#include <string_view>

namespace sluice::reference {

// Tables of sample values, ordered from common to rare. Some values are awkward on purpose: commas,
// quotes, backslashes, leading dashes, emoji, right-to-left text.

/// A row of the table of locations of clicks; "Unknown" for unknown parts.
struct sample_place {
    std::string_view country, region, city, continent;
};

inline constexpr std::array<sample_place, 50> sample_places{{
    {"US", "US-CA", "San Francisco", "NA"}, {"US", "US-NY", "New York", "NA"},
    {"IN", "IN-MH", "Mumbai", "AS"},        {"GB", "GB-ENG", "London", "EU"},
    {"US", "Unknown", "Unknown", "NA"},     {"DE", "DE-BE", "Berlin", "EU"},
    {"US", "US-TX", "Austin", "NA"},        {"FR", "FR-IDF", "Paris", "EU"},
    {"BR", "BR-SP", "São Paulo", "SA"},     {"Unknown", "Unknown", "Unknown", "Unknown"},
    {"CA", "CA-ON", "Toronto", "NA"},       {"US", "US-DC", "Washington, D.C.", "NA"},
    {"IN", "IN-KA", "Bengaluru", "AS"},     {"JP", "JP-13", "Tokyo", "AS"},
    {"AU", "AU-NSW", "Sydney", "OC"},       {"US", "US-CA", "Los Angeles", "NA"},
    {"NL", "NL-NH", "Amsterdam", "EU"},     {"ES", "ES-MD", "Madrid", "EU"},
    {"NG", "NG-LA", "Lagos", "AF"},         {"DE", "DE-BY", "Munich", "EU"},
    {"MX", "MX-CMX", "Mexico City", "NA"},  {"ID", "ID-JK", "Jakarta", "AS"},
    {"US", "US-WA", "Seattle", "NA"},       {"CA", "CA-QC", "Val-d'Or", "NA"},
    {"IT", "IT-25", "Milan", "EU"},         {"PL", "PL-14", "Warsaw", "EU"},
    {"SE", "SE-AB", "Stockholm", "EU"},     {"KR", "KR-11", "Seoul", "AS"},
    {"TR", "TR-34", "Istanbul", "AS"},      {"ZA", "ZA-WC", "Cape Town", "AF"},
    {"GB", "GB-SCT", "Edinburgh", "EU"},    {"CN", "CN-SH", "Shanghai", "AS"},
    {"SG", "Unknown", "Singapore", "AS"},   {"AR", "AR-C", "Buenos Aires", "SA"},
    {"EG", "EG-C", "القاهرة", "AF"},        {"ES", "ES-CT", "L'Hospitalet de Llobregat", "EU"},
    {"UA", "UA-30", "Kyiv", "EU"},          {"JP", "JP-27", "Osaka", "AS"},
    {"IL", "IL-TA", "תל אביב", "AS"},       {"CO", "CO-DC", "Bogotá", "SA"},
    {"CL", "CL-RM", "Santiago", "SA"},      {"NZ", "NZ-AUK", "Auckland", "OC"},
    {"KE", "KE-30", "Nairobi", "AF"},       {"PT", "PT-11", "Lisbon", "EU"},
    {"AU", "AU-VIC", "Melbourne", "OC"},    {"CH", "CH-ZH", "Zürich", "EU"},
    {"SA", "SA-01", "Riyadh", "AS"},        {"BR", "BR-RJ", "Rio de Janeiro", "SA"},
    {"FR", "Unknown", "Unknown", "EU"},     {"AQ", "Unknown", "McMurdo Station", "AN"},
}};

/// The device and software of a click.
struct sample_client {
    std::string_view device, browser, os;
};

inline constexpr std::array<sample_client, 14> sample_clients{{
    {"Desktop", "Chrome", "Windows"},
    {"Mobile", "Mobile Safari", "iOS"},
    {"Mobile", "Chrome", "Android"},
    {"Desktop", "Chrome", "Mac OS"},
    {"Desktop", "Safari", "Mac OS"},
    {"Desktop", "Edge", "Windows"},
    {"Unknown", "Unknown", "Unknown"},
    {"Desktop", "Firefox", "Ubuntu"},
    {"Mobile", "Samsung Internet", "Android"},
    {"Tablet", "Mobile Safari", "iOS"},
    {"Desktop", "Chrome", "Chromium OS"},
    {"Desktop", "Opera", "Linux"},
    {"Desktop", "Unknown", "Unknown"},
    {"Smart TV", "Chrome", "Android"},
}};

/// The page before a click.
struct sample_referer {
    std::string_view host, url;
};

inline constexpr std::array<sample_referer, 12> sample_referers{{
    {"(direct)", "(direct)"},
    {"google.com", "https://google.com/"},
    {"t.co", "https://t.co/k3Yb0"},
    {"news.ycombinator.com", "https://news.ycombinator.com/item?id=39012345"},
    {"linkedin.com", "https://linkedin.com/feed/"},
    {"github.com", "https://github.com/trending/c++?since=weekly&spoken_language_code="},
    {"blog.example", "https://blog.example/it's-here,-at-last"},
    {"google.com", "https://google.com/search?q=short+links,+free&hl=en"},
    {"reddit.com", "https://reddit.com/r/cpp/comments/1a2b3c/?sort=new"},
    {"blog.example", "https://blog.example/archive?tag=a%2Cb&page=2"},
    {"xn--bcher-kva.example", "https://xn--bcher-kva.example/%E6%9C%AC"},
    {"forum.example", "https://forum.example/t/-1\\2"},
}};

/// The UTM parameters of a campaign; empty: absent.
struct sample_utm {
    std::string_view source, medium, campaign, term, content;
};

inline constexpr std::array<sample_utm, 10> sample_utms{{
    {"google", "cpc", "spring_sale", "short links", "headline-a"},
    {"newsletter", "email", "launch-2026", "", ""},
    {"google_ads", "cpc", "spring_sale", "", "headline-b"},
    {"twitter", "social", "50% off, today only", "", ""},
    {"partner blog", "referral", "Ünïcode & co", "a=b&c", ""},
    {"newsletter", "email", "rock'n'roll \"live\"", "", "footer"},
    {"linkedin", "social", "🚀 launch", "-10%", "carousel, 2nd"},
    {"facebook", "paid-social", "حملة الربيع", "", ""},
    {"podcast", "audio", "back\\slash", "50%", ""},
    {"qr", "print", "poster #7/a+b", "", "שלט"},
}};

inline constexpr std::array<std::string_view, 4> sample_domains{
    "lnk.example", "go.acme.example", "xn--bcher-kva.example", "try.example"};

/// Domains with records: all but the last of those with links, and one that is archived.
inline constexpr std::array<std::string_view, 4> sample_domain_records{
    sample_domains[0], sample_domains[1], sample_domains[2], "old.example"};

/// Ids of the makers of links; one link in six has none.
inline constexpr std::array<std::string_view, 5> sample_users{"user_1", "user_2", "user_3",
                                                              "user_4", "user_5"};

/// Names of folders. Their ids are `fold_0`, `fold_1` and so on.
inline constexpr std::array<std::string_view, 12> sample_folders{
    "Campaigns", "partners", "Émissions", "docs & help", "Q3, 2026", "it's new",
    "émigrés",   "الحملات",  "-archive",  "100%",        "social",   "Partners"};

/// Slugs chosen by people; all others are random.
inline constexpr std::array<std::string_view, 10> sample_slugs{
    "launch", "docs/start", "spring-sale", "a,b",       "it's",
    "日本",   "-dash",      "back\\slash", "100%-free", "🎉"};

inline constexpr std::array<std::string_view, 12> sample_pages{"/",
                                                               "/pricing",
                                                               "/docs/start",
                                                               "/blog/how-it-works",
                                                               "/shop/shoes,red",
                                                               "/help",
                                                               "/events",
                                                               "/shop/o'neil",
                                                               "/changelog/v2.0",
                                                               "/%E6%97%A5%E6%9C%AC",
                                                               "/search/a%2Cb",
                                                               "/guide/last-page"};

/// The name and color of a tag.
struct sample_tag {
    std::string_view name, color;
};

inline constexpr std::array<sample_tag, 20> sample_tags{{
    {"marketing", "blue"},
    {"evergreen", "green"},
    {"Blog", "red"},
    {"blog", "purple"},
    {"Q3, 2026", "yellow"},
    {"partners", "brown"},
    {"no colour", "gray"},
    {"O'Reilly", "gray"},
    {"\"quoted\"", "pink"},
    {"back\\slash", "red"},
    {"-dash", "blue"},
    {"Straße", "green"},
    {"STRASSE", "green"},
    {"ΣΊΣΥΦΟΣ", "purple"},
    {"été", "yellow"},
    {"عروض", "brown"},
    {"מבצע", "brown"},
    {"東京", "gray"},
    {"🚀 launch 👩‍🚀", "pink"},
    {"100%_free*", "red"},
}};

inline constexpr std::array<std::string_view, 14> sample_names{
    "Ana García",   "John Smith",   "O'Brien, Pat", "王小明",        "Quiet \"Q\" Heron",
    "Åsa Öberg",    "محمد علي",     "José Núñez",   "Zoë 🚀 Brandt", "נועה לוי",
    "Jean-Luc Roy", "C:\\Users\\x", "Ольга Ким",    "-Dash, Ms."};

inline constexpr std::array<std::string_view, 5> sample_titles{
    "Everything you need, in one place", "Read \"the guide\"", "Pat's offer: 50% off, today only",
    "مرحبا بالعالم", "Ready, set, 🚀"};

inline constexpr std::array<std::string_view, 6> sample_plans{
    "free", "pro", "business", "pro's choice", "enterprise, annual", "\"beta\""};

/// Numbers as JSON, with several notations of the same value.
inline constexpr std::array<std::string_view, 10> sample_numbers{
    "1", "2", "5", "10", "10.0", "25", "1e2", "0.5", "-3", "1234567.89"};

inline constexpr std::array<std::string_view, 6> sample_companies{
    "Acme, Inc.", "Ben & Jane's", "Globex \\ Co", "شركة النور", "\"Initech\"", "🍋 Ltd"};

inline constexpr std::array<std::string_view, 5> sample_labels{"vip", "a,b", "early adopter",
                                                               "it's", "新規"};

inline constexpr std::array<std::string_view, 6> sample_coupons{
    "SPRING,2026", "SAVE10", "it's-free", "-10%", "A\\B", "🎁"};

inline constexpr std::array<std::string_view, 3> sample_currencies{"usd", "eur", "gbp"};
inline constexpr std::array<std::string_view, 4> sample_processors{"stripe", "paddle", "shopify",
                                                                   "custom"};

/// Prices in cents, per unit.
inline constexpr std::array<std::int64_t, 8> sample_prices{999,   1'900,  4'900, 499,
                                                           9'900, 29'900, 1,     129'999};

}  // namespace sluice::reference

#endif
