// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_SERVICE_HPP
#define SLUICE_TESTS_FUZZ_SERVICE_HPP

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include <sluice/reference/handler.hpp>
#include <sluice/reference/records/record_reader.hpp>
#include <sluice/reference/service/key_file.hpp>

#include "../reference/make_records.hpp"
#include "byte_source.hpp"

// The reference service: key files, records and what is listed of them, whole requests.

namespace sluice_fuzz {

inline const sluice::instant service_now{std::chrono::milliseconds(1'787'279'415'123)};

inline bool is_json(std::string_view text) {
    static simdjson::dom::parser parser;
    return parser.parse(text.data(), text.size()).error() == simdjson::SUCCESS;
}

/// A key file is read as a whole or refused as a whole.
inline void fuzz_key_file(std::string_view input) {
    const auto keys = sluice::reference::parse_keys(input);
    if (!keys) require(!sluice::message(keys.error().why).empty());
}

/// A store with one record of each kind for others to refer to, published.
inline void fill(sluice::reference::event_store& store) {
    require(store.add(make_tag("t1", "news")).has_value());
    require(store.add(make_customer("cus1")).has_value());
    require(store.add(make_link("l1")).has_value());
    const std::int64_t now = service_now.time_since_epoch().count();
    require(store.add(make_click("c1", "l1", now - 1)).has_value());
    require(store.add(make_lead("e1", now - 1, "cus1", "c1", "l1")).has_value());
    require(store.add(make_sale("s1", now - 1, "cus1", "c1", "l1")).has_value());
    store.publish();
}

/// Adds what a line holds, if it is a record of the kind that its first byte names.
inline void add_line(sluice::reference::event_store& store,
                     sluice::reference::record_reader& reader, std::string_view line) {
    const std::string_view json = line.substr(std::min<std::size_t>(1, line.size()));
    const auto add = [&](const auto& read) {
        if (read) static_cast<void>(store.add(*read));
    };
    switch (line.empty() ? 0 : line.front()) {
        case 't': return add(reader.read_tag(json));
        case 'u': return add(reader.read_customer(json));
        case 'l': return add(reader.read_link(json));
        case 'c': return add(reader.read_click(json));
        case 'd': return add(reader.read_lead(json));
        case 's': return add(reader.read_sale(json));
        default: return;
    }
}

/// A handler over a store, whose one key is `secret` and has no limit that a run reaches.
class service {
public:
    service() : handler_(store_, make_keys(), zones()) { fill(store_); }

    [[nodiscard]] sluice::reference::event_store& store() noexcept { return store_; }
    [[nodiscard]] sluice::response handle(const sluice::reference::request& request) {
        return handler_.handle(request, service_now);
    }

private:
    static sluice::reference::key_ring make_keys() {
        sluice::reference::key_ring keys;
        require(keys.add({.hash = sluice::reference::sha256("secret"),
                          .workspace_id = "ws_default",
                          .plan = sluice::reference::plan::enterprise,
                          .permissions = {"analytics.read", "tags.read"},
                          .limits = {100'000'000, 100'000'000}})
                    .has_value());
        return keys;
    }
    static const sluice::time_zone_database& zones() {
        static const sluice::time_zone_database utc({sluice::time_zone::utc()});
        return utc;
    }

    sluice::reference::event_store store_{"ws_default"};
    sluice::reference::handler handler_;
};

inline constexpr std::array<sluice::name_value, 1> authorized{
    sluice::name_value{"authorization", "Bearer secret"}};

/// Lines of records, each after a byte for its kind: whatever was taken is listed as JSON.
inline void fuzz_pages(std::string_view input) {
    service fresh;
    sluice::reference::record_reader reader;
    for (byte_source lines(input); !lines.empty();) add_line(fresh.store(), reader, lines.line());
    fresh.store().publish();
    constexpr std::array targets{"/events?interval=all&limit=1000",
                                 "/events?event=leads&interval=all&query=metadata['a']!=1",
                                 "/events?event=sales&interval=all&saleType=new", "/tags"};
    for (const char* const target : targets) {
        const auto answer = fresh.handle({.target = target, .headers = authorized});
        require(answer.status == 200 && is_json(answer.body));
    }
}

/// Header lines of a request: `name:value`, up to the end of the input.
inline std::vector<sluice::name_value> read_headers(byte_source& bytes) {
    std::vector<sluice::name_value> headers;
    while (!bytes.empty() && headers.size() < 100) {
        byte_source line(bytes.line());
        const std::string_view text = line.rest();
        const std::size_t colon = std::min(text.find(':'), text.size());
        headers.push_back({text.substr(0, colon), text.substr(std::min(colon + 1, text.size()))});
    }
    return headers;
}

inline bool has_header(const sluice::response& answer, std::string_view name) {
    return std::ranges::any_of(answer.headers,
                               [&](const auto& header) { return header.name == name; });
}

/// `method target\nname:value\n…`, with and without a key: an answer of the interface.
inline void fuzz_handler(std::string_view input) {
    static service kept;
    byte_source bytes(input);
    const std::string_view line = bytes.line();
    const std::size_t space = std::min(line.find(' '), line.size());
    auto headers = read_headers(bytes);
    for (const bool is_authorized : {false, true}) {
        if (is_authorized) headers.push_back(authorized.front());
        const auto answer = kept.handle({.method = line.substr(0, space),
                                         .target = line.substr(std::min(space + 1, line.size())),
                                         .headers = headers});
        require(answer.status >= 200 && answer.status < 500);
        const bool is_error = answer.status >= 400 && line.substr(0, space) != "HEAD";
        require(!is_error || (is_json(answer.body) && has_header(answer, "content-length")));
    }
}

}  // namespace sluice_fuzz

#endif
