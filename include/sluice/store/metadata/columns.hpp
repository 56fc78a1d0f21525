// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_METADATA_COLUMNS_HPP
#define SLUICE_STORE_METADATA_COLUMNS_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/detail/word.hpp>
#include <sluice/store/chunked_list.hpp>
#include <sluice/store/metadata/scalars.hpp>

namespace sluice::store {

/// How many paths of metadata have a column of their own in a table.
inline constexpr std::size_t metadata_paths_max = 32;

/// A path of metadata as one text: each key's length in four bytes, and the key.
class metadata_path {
public:
    metadata_path() = default;
    explicit metadata_path(std::span<const std::string> keys) {
        for (const std::string& key : keys) push(key);
    }

    void push(std::string_view key) {
        const auto size = static_cast<std::uint32_t>(key.size());
        std::array<char, sizeof(size)> length;
        std::memcpy(length.data(), &size, sizeof(size));
        text_.append(length.data(), length.size()).append(key);
        ++depth_;
    }
    /// Takes back to what it was at a size, which is one key less.
    void pop(std::size_t size) {
        text_.resize(size);
        --depth_;
    }
    void clear() noexcept {
        text_.clear();
        depth_ = 0;
    }
    /// The keys of a path's text, as views of it.
    [[nodiscard]] static std::vector<std::string_view> keys_of(std::string_view text) {
        std::vector<std::string_view> keys;
        while (!text.empty()) {
            const std::size_t size = sluice::detail::load_word<std::uint32_t>(text.data());
            keys.push_back(text.substr(sizeof(std::uint32_t), size));
            text.remove_prefix(sizeof(std::uint32_t) + size);
        }
        return keys;
    }
    [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }
    [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
    std::size_t depth_ = 0;
};

/// Which columns of a table hold what is at which paths of its rows' metadata. The first
/// metadata_paths_max paths that come get a column; what has none is looked up in the JSON.
///
/// ```
/// {"plan":"pro","seats":9}       metadata['plan']  -> place 0: "pro"
/// {"plan":"free","trial":true}   metadata['seats'] -> place 1: 9
///                                metadata['trial'] -> place 2: true
/// ```
///
/// One thread adds; any number look paths up. A path that is not known at a look is in no row
/// of a view taken before, unless has_others().
class metadata_columns {
public:
    /// A path's place among the columns, and its scalars.
    struct path_column {
        path_column(std::string_view text, hash_seed seed) : path(text), scalars(seed) {}

        std::string path;  ///< see metadata_path
        metadata_scalars scalars;
    };

    explicit metadata_columns(hash_seed seed) noexcept : seed_(seed) {}

    /// The place of a path, new if it has none and one is left.
    [[nodiscard]] std::optional<std::size_t> obtain(const metadata_path& path) {
        if (const auto known = find_after(path.text())) return known;
        if (columns_.size() == metadata_paths_max) return std::nullopt;
        columns_.push_back(std::make_unique<path_column>(path.text(), seed_));
        return last_ = columns_.size() - 1;
    }
    /// Writes the paths and scalars that are here now, while others are added. Any thread.
    void save(archive_writer& to) const {
        to.number(has_others() ? 1 : 0);
        to.number(has_unshredded() ? 1 : 0);
        const std::size_t paths = columns_.size();
        to.number(paths);
        for (std::size_t place = 0; place < paths; ++place) {
            to.text(columns_[place]->path);
            columns_[place]->scalars.save(to);
        }
    }
    /// Takes the paths that an archive has, before there are any.
    void open(archive_reader& from) {
        if (from.number(1) != 0) note_other();
        if (from.number(1) != 0) note_unshredded();
        for (std::size_t left = from.number(metadata_paths_max); left > 0; --left) {
            columns_.push_back(std::make_unique<path_column>(from.text(), seed_));
            columns_[columns_.size() - 1]->scalars.open(from);
        }
    }

    /// Notes that a path without a place is in a row.
    void note_other() noexcept { has_others_.store(true, std::memory_order_relaxed); }
    /// Notes that a row's metadata is not in the columns.
    void note_unshredded() noexcept { has_unshredded_.store(true, std::memory_order_relaxed); }

    [[nodiscard]] std::size_t size() const noexcept { return columns_.size(); }
    [[nodiscard]] const path_column& at(std::size_t place) const noexcept {
        return *columns_[place];
    }
    [[nodiscard]] metadata_scalars& scalars(std::size_t place) noexcept {
        return columns_[place]->scalars;
    }

    [[nodiscard]] std::optional<std::size_t> find(const metadata_path& path) const noexcept {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i]->path == path.text()) return i;
        }
        return std::nullopt;
    }
    /// Whether rows may have something at paths that have no place.
    [[nodiscard]] bool has_others() const noexcept {
        return has_others_.load(std::memory_order_relaxed);
    }
    /// Whether there may be rows whose metadata is not in the columns.
    [[nodiscard]] bool has_unshredded() const noexcept {
        return has_unshredded_.load(std::memory_order_relaxed);
    }

private:
    /// The place of a path. The one behind the last that was asked for is tried first: documents
    /// have their members in one order.
    std::optional<std::size_t> find_after(std::string_view path) noexcept {
        const std::size_t count = columns_.size();
        for (std::size_t i = 1; i <= count; ++i) {
            const std::size_t place = (last_ + i) % count;
            if (columns_[place]->path == path) return last_ = place;
        }
        return std::nullopt;
    }

    hash_seed seed_;
    chunked_list<std::unique_ptr<path_column>> columns_;
    std::size_t last_ = 0;  // the place that was obtained last
    std::atomic<bool> has_others_ = false;
    std::atomic<bool> has_unshredded_ = false;
};

}  // namespace sluice::store

#endif
