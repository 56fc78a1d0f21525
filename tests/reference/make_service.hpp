// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_API_MAKE_SERVICE_HPP
#define SLUICE_TESTS_API_MAKE_SERVICE_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/handler.hpp>

#include "make_records.hpp"

// A handler with keys and data, and what comes back from it.

namespace sluice_tests {

using namespace sluice;
using namespace sluice::reference;
using std::chrono::seconds;

inline const instant now = parse_timestamp("2026-08-21T00:00:00Z").value();
inline constexpr std::string_view docs = "https://docs.example";
inline const std::vector<std::string> all_permissions(permission_names.begin(),
                                                      permission_names.end());

inline api_key make_key(std::string_view token, plan subscribed,
                        std::vector<std::string> permissions = all_permissions) {
    return {.hash = sha256(token),
            .workspace_id = "ws_1",
            .plan = subscribed,
            .permissions = std::move(permissions),
            .limits = limits_of(subscribed)};
}

inline api_key make_enterprise_key(std::string_view token, std::int64_t per_minute,
                                   std::int64_t analytics_per_second) {
    api_key key = make_key(token, plan::enterprise);
    key.limits = {per_minute, analytics_per_second};
    return key;
}

/// A key for each token; `all` has no limit that a test reaches.
inline key_ring make_keys() {
    key_ring keys;
    REQUIRE(keys.add(make_key("free", plan::free)));
    REQUIRE(keys.add(make_key("pro", plan::pro)));
    REQUIRE(keys.add(make_key("business", plan::business)));
    REQUIRE(keys.add(make_key("business-2", plan::business)));
    REQUIRE(keys.add(make_key("advanced", plan::advanced)));
    REQUIRE(keys.add(make_key("powerless", plan::business, {})));
    REQUIRE(keys.add(make_key("powerless-pro", plan::pro, {})));
    REQUIRE(keys.add(make_key("analyst", plan::business, {"analytics.read"})));
    REQUIRE(keys.add(make_key("librarian", plan::business, {"tags.read"})));
    REQUIRE(keys.add(make_enterprise_key("enterprise", 5, 3)));
    REQUIRE(keys.add(make_enterprise_key("all", 100'000'000, 100'000'000)));
    api_key expiring = make_key("expiring", plan::business);
    expiring.expires_at = now;
    REQUIRE(keys.add(expiring));
    api_key lost = make_enterprise_key("lost", 100, 100);
    lost.workspace_id = "ws_of_nobody";
    REQUIRE(keys.add(lost));
    return keys;
}

inline handler_options make_options() {
    handler_options options;
    options.docs_url = docs;
    options.start_number = 1;
    return options;
}

/// Samoa's zone as it crossed the date line: its clocks skipped the whole of 2011-12-30.
inline time_zone make_samoa() {
    using namespace std::chrono;
    return {"Pacific/Apia", nullptr,
            [](const void*, sys_seconds at) noexcept -> seconds {
                return at < sys_days{2011y / 12 / 30} + hours{10} ? hours{-10} : hours{14};
            },
            [](const void*, local_seconds at) noexcept -> seconds {
                return at < local_days{2011y / 12 / 31} ? hours{-10} : hours{14};
            }};
}

/// A handler over a workspace with a tag, and clicks in the last day.
class service {
public:
    explicit service(const handler_options& options = make_options(), int clicks = 3) {
        REQUIRE(store.add(make_tag("tag_1", "one")));
        REQUIRE(store.add(make_link("link_1")));
        for (int i = 0; i < clicks; ++i) add_click(now - seconds{10 + i / 3});
        store.publish();
        handler_ = std::make_unique<handler>(store, make_keys(), zones_, options);
    }

    void add_click(instant time) {
        std::string id = std::to_string(1'000'000 + added_++);
        REQUIRE(store.add(make_click(id, "link_1", time.time_since_epoch().count())));
    }
    [[nodiscard]] response handle(const request& question, instant at = now,
                                  std::stop_token stop = {}) {
        return handler_->handle(question, at, std::move(stop));
    }
    [[nodiscard]] std::uint64_t lane_of(std::vector<name_value> headers) const {
        return handler_->resolve({.target = "/events", .headers = headers}).key_number();
    }
    [[nodiscard]] response get(std::string_view target, std::string_view token = "all",
                               instant at = now, std::vector<name_value> headers = {}) {
        const std::string credentials = "Bearer " + std::string(token);
        headers.push_back({"Authorization", credentials});
        return handle({.target = target, .headers = headers}, at);
    }

    [[nodiscard]] handler& answers() { return *handler_; }

    event_store store{"ws_1"};

private:
    time_zone_database zones_{{time_zone::utc(), make_samoa()}};
    std::unique_ptr<handler> handler_;
    int added_ = 0;
};

/// The targets of a Link header by relation.
inline std::map<std::string, std::string> links_of(const response& answer) {
    std::map<std::string, std::string> links;
    std::string_view rest = answer.header_value("link");
    while (!rest.empty()) {
        const std::size_t target_end = rest.find('>');
        const std::size_t rel = rest.find("; rel=\"");
        const std::size_t rel_end = rest.find('"', rel + 7);
        REQUIRE(rest.front() == '<');
        REQUIRE(rel == target_end + 1);
        links[std::string(rest.substr(rel + 7, rel_end - rel - 7))] =
            rest.substr(1, target_end - 1);
        rest.remove_prefix(std::min(rel_end + 3, rest.size()));
    }
    return links;
}

/// The events of a first page and of all that its links of a relation lead to.
inline id_list walk(
    service& api, std::string target, const std::string& relation,
    const std::function<void()>& between = [] {}) {
    id_list all;
    while (true) {
        const response answer = api.get(target);
        REQUIRE(answer.status == 200);
        const id_list ids = ids_in(answer.body);
        all.insert(all.end(), ids.begin(), ids.end());
        const auto links = links_of(answer);
        if (!links.contains(relation)) return all;
        target = links.at(relation);
        between();
    }
}

}  // namespace sluice_tests

#endif
