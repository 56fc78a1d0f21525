// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DOCUMENTS_COLUMNS_HPP
#define SLUICE_STORE_DOCUMENTS_COLUMNS_HPP

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

#include <sluice/base/word.hpp>
#include <sluice/store/documents/scalars.hpp>
#include <sluice/store/texts/chunked_list.hpp>

namespace sluice::store {

/// The most metadata paths of a table that get a column.
inline constexpr std::size_t metadata_paths_max = 32;

/// A metadata path as one text: for each key, its length in four bytes and its bytes.
class metadata_path {
public:
    metadata_path() = default;
    explicit metadata_path(std::span<const std::string> keys) {
        for (const std::string& key : keys) push(key);
    }

    /// Appends a key.
    void push(std::string_view key) {
        const auto size = static_cast<std::uint32_t>(key.size());
        std::array<char, sizeof(size)> length;
        std::memcpy(length.data(), &size, sizeof(size));
        text_.append(length.data(), length.size()).append(key);
        ++depth_;
    }
    /// Removes the last key. `size` is the size() before it was pushed.
    void pop(std::size_t size) {
        text_.resize(size);
        --depth_;
    }
    void clear() noexcept {
        text_.clear();
        depth_ = 0;
    }
    /// Splits a path's text into keys, as views of the text.
    [[nodiscard]] static std::vector<std::string_view> keys_of(std::string_view text) {
        std::vector<std::string_view> keys;
        while (!text.empty()) {
            const std::size_t size = sluice::detail::load_word<std::uint32_t>(text.data());
            keys.push_back(text.substr(sizeof(std::uint32_t), size));
            text.remove_prefix(sizeof(std::uint32_t) + size);
        }
        return keys;
    }
    /// Returns the size of the text in bytes; depth() is the number of keys.
    [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }
    [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
    std::size_t depth_ = 0;
};

/// The metadata columns of a table, by path. The first metadata_paths_max paths to arrive get a
/// column; other paths are looked up in the JSON.
///
/// ```
/// {"plan":"pro","seats":9}       metadata['plan']  -> place 0: "pro"
/// {"plan":"free","trial":true}   metadata['seats'] -> place 1: 9
///                                metadata['trial'] -> place 2: true
/// ```
///
/// One thread adds paths; any number look them up. If find() doesn't know a path, no row of a
/// snapshot taken before has it, unless has_others(). The values of some rows can't be in columns:
/// they are unshredded, see documents/shredder.hpp.
class metadata_columns {
public:
    /// The path and the scalars of a column.
    struct path_column {
        path_column(std::string_view text, hash_seed seed) : path(text), scalars(seed) {}

        std::string path;  ///< see metadata_path
        metadata_scalars scalars;
    };

    explicit metadata_columns(hash_seed seed) noexcept : seed_(seed) {}

    /// Returns the column of a path, adding one if needed; nullopt if all are taken.
    [[nodiscard]] std::optional<std::size_t> obtain(const metadata_path& path) {
        if (const auto known = find_after(path.text())) return known;
        if (columns_.size() == metadata_paths_max) return std::nullopt;
        columns_.push_back(std::make_unique<path_column>(path.text(), seed_));
        return last_ = columns_.size() - 1;
    }
    /// Writes the current paths and scalars; others may be added meanwhile. Any thread.
    void save(archive_writer& archive) const {
        archive.number(has_others() ? 1 : 0);
        archive.number(has_unshredded() ? 1 : 0);
        const std::size_t paths = columns_.size();
        archive.number(paths);
        for (std::size_t place = 0; place < paths; ++place) {
            archive.text(columns_[place]->path);
            columns_[place]->scalars.save(archive);
        }
    }
    /// Reads paths and scalars from an archive. Expects no columns yet.
    void open(archive_reader& archive) {
        if (archive.number(1) != 0) record_other();
        if (archive.number(1) != 0) record_unshredded();
        for (std::size_t left = archive.number(metadata_paths_max); left > 0; --left) {
            columns_.push_back(std::make_unique<path_column>(archive.text(), seed_));
            columns_[columns_.size() - 1]->scalars.open(archive);
        }
    }

    /// Records that a row has a path without a column.
    void record_other() noexcept { has_others_.store(true, std::memory_order_relaxed); }
    /// Records that a row's metadata is not in the columns.
    void record_unshredded() noexcept { has_unshredded_.store(true, std::memory_order_relaxed); }

    [[nodiscard]] std::size_t size() const noexcept { return columns_.size(); }
    [[nodiscard]] const path_column& at(std::size_t place) const noexcept {
        return *columns_[place];
    }
    [[nodiscard]] metadata_scalars& scalars(std::size_t place) noexcept {
        return columns_[place]->scalars;
    }

    /// Returns the place of a path's column; nullopt if it has none.
    [[nodiscard]] std::optional<std::size_t> find(const metadata_path& path) const noexcept {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i]->path == path.text()) return i;
        }
        return std::nullopt;
    }
    /// Returns true if rows may have values at paths without a column.
    [[nodiscard]] bool has_others() const noexcept {
        return has_others_.load(std::memory_order_relaxed);
    }
    /// Returns true if the metadata of some rows may not be in the columns.
    [[nodiscard]] bool has_unshredded() const noexcept {
        return has_unshredded_.load(std::memory_order_relaxed);
    }

private:
    /// Finds the column of a path. Tries the one after the last result first, as documents have
    /// their members in one order.
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
    std::size_t last_ = 0;  // last result of obtain()
    std::atomic<bool> has_others_ = false;
    std::atomic<bool> has_unshredded_ = false;
};

}  // namespace sluice::store

#endif
