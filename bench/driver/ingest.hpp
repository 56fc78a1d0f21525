// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_INGEST_HPP
#define SLUICE_BENCH_DRIVER_INGEST_HPP

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <sluice/errors/message.hpp>

#include "../sample_service.hpp"
#include "column_files.hpp"
#include "operation.hpp"

namespace sluice_bench {

inline void require(const sluice::result<void>& done) {
    if (!done) throw std::runtime_error(sluice::message(done.error()));
}

/// Builds a store with a sample's tags, customers and links, without its events.
[[nodiscard]] inline std::unique_ptr<sluice::reference::event_store> store_of_links(
    const std::filesystem::path& folder) {
    auto store = std::make_unique<sluice::reference::event_store>("ws_default");
    sluice::reference::record_reader reader;
    for (const std::string& line : read_lines(folder / "tags.ndjson")) {
        require(store->add(*reader.read_tag(line)));
    }
    for (const std::string& line : read_lines(folder / "customers.ndjson")) {
        require(store->add(*reader.read_customer(line)));
    }
    for (const std::string& line : read_lines(folder / "links.ndjson")) {
        require(store->add(*reader.read_link(line)));
    }
    return store;
}

/// Parsed clicks, as in a program that received them; `readers` own their texts.
struct parsed_clicks {
    std::vector<std::unique_ptr<sluice::reference::record_reader>> readers;
    std::vector<sluice::reference::click> clicks;
};

[[nodiscard]] inline parsed_clicks parse_clicks(const std::filesystem::path& folder) {
    parsed_clicks parsed;
    for (const std::string& line : read_lines(folder / "clicks.ndjson")) {
        auto& reader =
            parsed.readers.emplace_back(std::make_unique<sluice::reference::record_reader>());
        parsed.clicks.push_back(*reader->read_click(line));
    }
    return parsed;
}

/// Adds three operations: `sample N FOLDER` writes a sample of N events; `ingest FOLDER` loads it;
/// `append FOLDER` adds its parsed clicks to a store of the other records, and publishes them.
inline void add_ingest(operation_table& operations) {
    operations["sample"] = [](std::string_view argument) {
        const std::size_t space = argument.find(' ');
        const auto events = std::stoll(std::string(argument.substr(0, space)));
        const std::filesystem::path folder(argument.substr(space + 1));
        return operation{[events, folder] {
            write_sample(folder, events);
            return std::string("written");
        }};
    };
    operations["ingest"] = [](std::string_view folder) {
        const auto run = [folder = std::filesystem::path(folder)] { return load_sample(folder); };
        return repeated([run] { return std::to_string(run()->size()); }, run);
    };
    operations["append"] = [](std::string_view argument) {
        const std::filesystem::path folder(argument);
        const auto parsed = std::make_shared<const parsed_clicks>(parse_clicks(folder));
        const auto run = [parsed](sluice::reference::event_store& store) {
            for (const auto& each : parsed->clicks) require(store.add(each));
            store.publish();
            return store.size();
        };
        const auto time = [folder, run](std::size_t repetitions) {
            std::uint64_t spent = 0;
            for (std::size_t i = 0; i < repetitions; ++i) {
                const auto store = store_of_links(folder);
                const auto begin = std::chrono::steady_clock::now();
                keep(run(*store));
                spent += static_cast<std::uint64_t>(
                    std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
            }
            return spent;
        };
        return operation{[folder, run] { return std::to_string(run(*store_of_links(folder))); },
                         time};
    };
}

}  // namespace sluice_bench

#endif
