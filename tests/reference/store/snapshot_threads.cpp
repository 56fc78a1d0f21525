// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/store/event_store.hpp>

#include "../../store/make_archive.hpp"
#include "../make_records.hpp"

using namespace sluice::reference;

namespace {

constexpr int batches = 150;
constexpr int batch_clicks = 6;

/// Adds a batch to two workspaces: a link of its own, its clicks, a lead and a sale. Every third
/// one comes late, and every fifth is taken back at first.
bool add_batch(event_store& store, int number, bool is_kept) {
    const std::string suffix = std::to_string(number), customer = "cus" + suffix,
                      json = "{\"n\":" + suffix + "}";
    const std::string link_id = "link" + suffix, other_id = "other" + suffix;
    const std::int64_t time = number % 3 == 0 ? number : 1'000 + number;
    event_store::batch batch(store);
    auto other = make_link(other_id);
    other.workspace_id = "second";
    bool is_added = batch.add(make_link(link_id)) && batch.add(other) &&
                    batch.add(make_customer(customer)) && batch.add(make_tag(link_id, suffix));
    for (int i = 0; i < batch_clicks; ++i) {
        const std::string id = suffix + "." + std::to_string(i), second = "s" + id;
        auto clicked = make_click(id, link_id, time);
        clicked.city = suffix;
        is_added = is_added && batch.add(clicked) && batch.add(make_click(second, other_id, time));
    }
    const std::string click_id = suffix + ".0";
    auto lead = make_lead(suffix, time, customer, click_id, link_id);
    lead.metadata = json;
    auto sale = make_sale(suffix, time, customer, click_id, link_id);
    sale.metadata = json;
    is_added = is_added && batch.add(lead) && batch.add(sale);
    if (is_kept) batch.publish();
    return is_added;
}

/// Returns true if an opened store has whole batches, and takes the next one.
bool is_right(event_store& opened) {
    const workspace_view view = opened.find("ws")->current();
    const workspace* const second = opened.find("second");
    const std::size_t count = view.leads.size();
    const std::size_t others = second == nullptr ? 0 : second->current().clicks.size();
    const bool is_whole = view.clicks.size() == count * batch_clicks &&
                          view.sales.size() == count && others == count * batch_clicks &&
                          view.links == count && view.tags == count && view.customers == count;
    const auto last = events_query_of("event=leads&query=metadata['n']:" + std::to_string(count));
    const bool is_found = count == 0 || count_events(view, last) == 1;
    return is_whole && is_found && add_batch(opened, static_cast<int>(count) + 1, true);
}

}  // namespace

TEST_CASE("a store is saved as of one moment while a thread adds to it and takes back") {
    event_store store("ws");
    std::atomic<bool> is_done = false;
    std::atomic<int> faults = 0, opened_stores = 0;
    const auto save_and_open = [&] {
        do {
            const std::string bytes = archived([&](auto& to) { store.save(to); });
            auto from = reader_of(bytes);
            const auto opened = event_store::open(from);
            if (!opened || !is_right(*opened)) ++faults;
            ++opened_stores;
        } while (!is_done);
    };
    std::vector<std::thread> savers;
    for (int i = 0; i < 2; ++i) savers.emplace_back(save_and_open);
    std::thread maintainer([&] {
        while (!is_done) store.maintain();
    });
    for (int number = 1; number <= batches; ++number) {
        if (number % 5 == 0 && !add_batch(store, number, false)) ++faults;
        if (!add_batch(store, number, true)) ++faults;
    }
    is_done = true;
    for (std::thread& saver : savers) saver.join();
    maintainer.join();
    CHECK(faults == 0);
    CHECK(opened_stores >= 2);
    CHECK(store.find("ws")->current().leads.size() == batches);
}
