// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_BLOCK_DIRECTORY_HPP
#define SLUICE_STORE_BLOCKS_BLOCK_DIRECTORY_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <sluice/store/blocks/sealed_block.hpp>

namespace sluice::store {

/// The number of blocks in one group of a directory.
inline constexpr std::size_t group_blocks = 16;

/// A set of blocks in a group: bit i is the i-th block.
using block_mask = std::uint16_t;

/// A directory of one column's codes in a group of sealed blocks, so that a query looks a code up
/// once a group instead of once a block:
///
/// ```
/// frequent codes | code | its bitmap in block 0, 1, ..., 15; null where it has none |
/// masks          | least: blocks that hold it | least + 1 | ... | most |
/// ```
///
/// `least` and `most` are the smallest and the largest code of the group. There are masks if all
/// blocks list their codes (sealed_column::lists_codes()) and the masks take at most half a byte a
/// row.
class column_directory {
public:
    /// A code that has a bitmap in at least one of the blocks.
    struct frequent {
        code value;
        std::array<const std::uint64_t*, group_blocks> bitmaps;
    };

    /// Builds the directory of 1 to `group_blocks` blocks, and views their bitmaps.
    column_directory(std::span<const std::shared_ptr<const sealed_block>> blocks,
                     std::size_t column) {
        least_ = blocks[0]->column(column).least();
        most_ = blocks[0]->column(column).most();
        bool lists_codes = true;
        for (const auto& block : blocks) {
            const sealed_column& sealed = block->column(column);
            least_ = std::min(least_, sealed.least());
            most_ = std::max(most_, sealed.most());
            lists_codes = lists_codes && sealed.lists_codes();
        }
        const std::size_t room = blocks.size() * block_rows / 2 / sizeof(block_mask);
        if (lists_codes && most_ - least_ < room) mark_blocks(blocks, column);
        add_bitmaps(blocks, column);
    }
    /// Like the constructor above, but views the masks of an archive.
    column_directory(std::span<const std::shared_ptr<const sealed_block>> blocks,
                     std::size_t column, archive_reader& archive)
        : least_(static_cast<code>(archive.number(~code{0}))),
          most_(static_cast<code>(archive.number(~code{0}))),
          masks_(archive.array<block_mask>()) {
        if (!masks_.empty() && masks_.size() != std::size_t{most_} - least_ + 1) archive.fail();
        add_bitmaps(blocks, column);
    }
    /// Writes the masks. The bitmaps are those of the blocks.
    void save(archive_writer& archive) const {
        archive.number(least_);
        archive.number(most_);
        archive.array(std::span(masks_));
    }

    /// Returns the blocks that may hold a code: all blocks if there are no masks.
    [[nodiscard]] block_mask blocks_with(code c) const noexcept {
        if (c < least_ || c > most_) return 0;
        return masks_.empty() ? static_cast<block_mask>(~block_mask{0}) : masks_[c - least_];
    }
    /// Returns the bitmaps of a code; null if it has none in any block.
    [[nodiscard]] const frequent* find(code c) const noexcept {
        const auto place = std::ranges::lower_bound(frequent_, c, {}, &frequent::value);
        return place != frequent_.end() && place->value == c ? &*place : nullptr;
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return frequent_.size() * sizeof(frequent) + masks_.size() * sizeof(block_mask);
    }

private:
    using block_span = std::span<const std::shared_ptr<const sealed_block>>;

    /// Fills in the masks.
    void mark_blocks(block_span blocks, std::size_t column) {
        const std::span<block_mask> masks = masks_.resize(std::size_t{most_} - least_ + 1);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const auto bit = static_cast<block_mask>(1U << i);
            blocks[i]->column(column).for_each(
                [](code) { return true; },
                [&](code c, const code_rows&) { masks[c - least_] |= bit; });
        }
    }
    /// Fills in the frequent codes.
    void add_bitmaps(block_span blocks, std::size_t column) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            blocks[i]->column(column).for_each_bitmap(
                [&](code c, const std::uint64_t* bitmap) { bitmaps_of(c)[i] = bitmap; });
        }
    }
    /// Returns the bitmaps of a frequent code, all null if it is new.
    [[nodiscard]] std::array<const std::uint64_t*, group_blocks>& bitmaps_of(code c) {
        auto place = std::ranges::lower_bound(frequent_, c, {}, &frequent::value);
        if (place == frequent_.end() || place->value != c) place = frequent_.insert(place, {c, {}});
        return place->bitmaps;
    }

    code least_;
    code most_;
    std::vector<frequent> frequent_;  // sorted by code
    stored_array<block_mask> masks_;  // by code - least_, or empty
};

/// The directories of all columns for a group of blocks.
class block_group {
public:
    /// Builds the directories of 1 to `group_blocks` blocks, and views their bitmaps.
    explicit block_group(std::span<const std::shared_ptr<const sealed_block>> blocks) {
        const std::size_t columns = blocks[0]->columns().code_columns;
        columns_.reserve(columns);
        for (std::size_t i = 0; i < columns; ++i) columns_.emplace_back(blocks, i);
    }

    /// Reads the directories of blocks from an archive, which save() wrote, and views it.
    block_group(std::span<const std::shared_ptr<const sealed_block>> blocks,
                archive_reader& archive) {
        const std::size_t columns = blocks[0]->columns().code_columns;
        columns_.reserve(columns);
        for (std::size_t i = 0; i < columns; ++i) columns_.emplace_back(blocks, i, archive);
    }
    void save(archive_writer& archive) const {
        for (const column_directory& directory : columns_) directory.save(archive);
    }

    [[nodiscard]] const column_directory& column(std::size_t index) const noexcept {
        return columns_[index];
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t all = columns_.size() * sizeof(column_directory);
        for (const column_directory& directory : columns_) all += directory.bytes();
        return all;
    }

private:
    std::vector<column_directory> columns_;
};

/// The sealed blocks of a table in order, with a directory. A block that joins the last group
/// rebuilds that group; full groups are shared by all later lists.
class block_list {
public:
    [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }
    [[nodiscard]] const sealed_block& operator[](std::size_t index) const noexcept {
        return *blocks_[index];
    }
    /// Returns the group that contains a block.
    [[nodiscard]] const block_group& group_of(std::size_t block) const noexcept {
        return *groups_[block / group_blocks];
    }

    /// Writes all blocks, then all groups.
    void save(archive_writer& archive) const {
        archive.number(size());
        for (const auto& block : blocks_) block->save(archive);
        for (const auto& group : groups_) group->save(archive);
    }
    /// Reads a list that views an archive. Too short if the archive is damaged; see has_failed().
    [[nodiscard]] static std::shared_ptr<const block_list> open(archive_reader& archive,
                                                                const schema& columns) {
        auto list = std::make_shared<block_list>();
        const std::size_t size = archive.count();
        for (std::size_t i = 0; i < size && !archive.has_failed(); ++i) {
            list->blocks_.push_back(std::make_shared<const sealed_block>(archive, columns));
        }
        for (std::size_t i = 0; i < size && !archive.has_failed(); i += group_blocks) {
            const auto group =
                std::span(list->blocks_).subspan(i, std::min(group_blocks, size - i));
            list->groups_.push_back(std::make_shared<const block_group>(group, archive));
        }
        return list;
    }

    /// Returns a list with one more block at the end.
    [[nodiscard]] std::shared_ptr<const block_list> with(
        std::shared_ptr<const sealed_block> added) const {
        auto list = std::make_shared<block_list>();
        list->blocks_.reserve(size() + 1);
        list->blocks_ = blocks_;
        list->blocks_.push_back(std::move(added));
        list->share_groups(*this);
        return list;
    }
    /// Returns a list of the first `count` blocks.
    [[nodiscard]] std::shared_ptr<const block_list> first(std::size_t count) const {
        auto list = std::make_shared<block_list>();
        list->blocks_.assign(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(count));
        list->share_groups(*this);
        return list;
    }

    [[nodiscard]] std::size_t directory_bytes() const noexcept {
        std::size_t all = 0;
        for (const auto& group : groups_) all += group->bytes();
        return all;
    }

private:
    /// Shares the full groups of `from`, a list that begins with the same blocks or is the
    /// beginning of this one, and builds the last group.
    void share_groups(const block_list& from) {
        const std::size_t full = std::min(size(), from.size()) / group_blocks;
        groups_.assign(from.groups_.begin(),
                       from.groups_.begin() + static_cast<std::ptrdiff_t>(full));
        const std::span all(blocks_);
        if (size() > full * group_blocks) {
            groups_.push_back(
                std::make_shared<const block_group>(all.subspan(full * group_blocks)));
        }
    }

    std::vector<std::shared_ptr<const sealed_block>> blocks_;
    std::vector<std::shared_ptr<const block_group>> groups_;
};

}  // namespace sluice::store

#endif
