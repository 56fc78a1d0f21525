// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_SNAPSHOTS_HPP
#define SLUICE_TESTS_FUZZ_SNAPSHOTS_HPP

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <sluice/reference/store/snapshot_file.hpp>

#include "../temporary_folder.hpp"
#include "service.hpp"

// Files of snapshots, damaged.

namespace sluice_fuzz {

/// A snapshot of a store with one record of each kind, and a file to damage.
class damaged_snapshot {
public:
    damaged_snapshot() {
        sluice::reference::event_store store("ws_default");
        fill(store);
        require(sluice::reference::save_snapshot(store, file()).has_value());
        whole_ = read_file(file());
    }

    [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "snapshot"; }
    [[nodiscard]] const std::string& whole() const noexcept { return whole_; }
    void write(const std::string& bytes) const {
        std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
    }

private:
    temporary_folder folder_;
    std::string whole_;
};

/// `*( place, 2 bytes; byte )`: a snapshot with other bytes in these places, cut off at the last
/// one if they are odd. It is refused unless it is whole, and what opens answers.
inline void fuzz_snapshot(std::string_view input) {
    static const damaged_snapshot kept;
    std::string bytes = kept.whole();
    byte_source edits(input);
    const bool is_cut = edits.number<std::uint8_t>() % 2 == 1;
    std::size_t place = bytes.size();
    while (!edits.empty()) {
        place = edits.below(bytes.size());
        bytes[place] = static_cast<char>(edits.number<std::uint8_t>());
    }
    if (is_cut) bytes.resize(place);
    kept.write(bytes);
    const auto store = sluice::reference::open_snapshot(kept.file());
    if (!store) {
        require(bytes != kept.whole() && !message(store.error()).empty());
        return;
    }
    std::string again;
    sluice::store::archive_writer archive(
        [&](std::string_view part) {
            again.append(part);
            return true;
        },
        sluice::reference::detail::snapshot_head());
    (*store)->save(archive);
    require(archive.finish() && again.size() == kept.whole().size());
}

}  // namespace sluice_fuzz

#endif
