// SPDX-License-Identifier: MIT
// A store that goes on after a restart: it opens its snapshot, or begins empty, and saves it again.
#include <filesystem>
#include <iostream>

#include <sluice/sluice.hpp>
#include <sluice/store.hpp>
#include <sluice/store/snapshot_file.hpp>

constexpr sluice::schema columns{sluice::column{.name = "id"}, sluice::column{.name = "status"}};
constexpr sluice::store::storable_columns stored(columns);

int main(int, char** arguments) {
    const std::filesystem::path file = arguments[1];
    auto opened = sluice::store::open_snapshot(stored, file);
    if (!opened) std::cout << "begins empty: " << message(opened.error()) << '\n';
    auto store =
        opened ? *std::move(opened) : std::make_unique<sluice::store::column_store>(stored);

    const auto rows = store->current();
    if (const auto row = rows.find("o2")) std::cout << rows.json(*row) << '\n';

    const std::string id = "o" + std::to_string(rows.size() + 1);
    if (const auto added = store->add({std::string_view(id), "open"}); !added) return 1;
    store->publish();
    const auto saved = sluice::store::save_snapshot(*store, file);
    if (!saved) {
        std::cout << message(saved.error()) << '\n';
        return 1;
    }
    std::cout << store->current().size() << " orders\n";
}
