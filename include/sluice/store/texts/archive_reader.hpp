// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_ARCHIVE_READER_HPP
#define SLUICE_STORE_TEXTS_ARCHIVE_READER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include <sluice/store/texts/archive_writer.hpp>
#include <sluice/store/texts/stored_array.hpp>

namespace sluice::store {

/// Faults of an archive that can't be read.
enum class archive_fault : std::uint8_t {
    none,
    foreign,        ///< not an archive
    other_version,  ///< another format, program or machine
    cut_off,        ///< bytes are missing, or there are too many
    damaged,        ///< a checksum differs
};

/// Reads an archive in memory, in the order in which it was written. After a failed read, all
/// further values are empty or 0, and has_failed() is true. Never reads outside of the archive.
///
/// ```
/// archive_reader archive(bytes, keeper, head);
/// if (archive.fault() != archive_fault::none) ...
/// const std::uint64_t rows = archive.number();
/// stored_array<code> codes = archive.array<code>();   // views the archive
/// if (archive.has_failed()) ...
/// ```
class archive_reader {
public:
    /// `bytes` are aligned to 64 bytes and live as long as `keeper`. Checks the head, directory and
    /// tail; data_fault() checks the data.
    archive_reader(std::string_view bytes, std::shared_ptr<const void> keeper,
                   const archive::head& expected)
        : bytes_(bytes), keeper_(std::move(keeper)), fault_(open(expected)) {}

    [[nodiscard]] archive_fault fault() const noexcept { return fault_; }
    /// Returns the owner of the bytes that array() and view() return.
    [[nodiscard]] const std::shared_ptr<const void>& keeper() const noexcept { return keeper_; }

    /// Verifies the checksums of all data, at about the speed of memory. Calls `goes_on()` before
    /// each MiB, and stops with archive_fault::none if it returns false.
    template <class GoesOn>
    [[nodiscard]] archive_fault data_fault(const GoesOn& goes_on) const {
        const std::string_view data = bytes_.substr(0, tail_.sums);
        for (std::size_t at = 0; at < sums_.size() && goes_on(); ++at) {
            const auto chunk = data.substr(at * archive::chunk_bytes, archive::chunk_bytes);
            if (archive::sum_of(chunk) != sums_[at]) return archive_fault::damaged;
        }
        return archive_fault::none;
    }

    /// Reads a number; 0 after the end.
    [[nodiscard]] std::uint64_t number() noexcept {
        if (unread_.empty()) return fail();
        const std::uint64_t value = unread_.front();
        unread_ = unread_.subspan(1);
        return value;
    }
    /// Reads a number; fails if it is greater than `most`.
    [[nodiscard]] std::uint64_t number(std::uint64_t most) noexcept {
        const std::uint64_t value = number();
        return value <= most ? value : fail();
    }
    /// Reads a count of items that take at least one word of the directory each.
    [[nodiscard]] std::size_t count() noexcept { return number(unread_.size()); }

    /// Reads a text; empty after a failure. Views the archive, as all arrays do.
    [[nodiscard]] std::string_view text() noexcept {
        const std::span<const char> characters = view<char>();
        return {characters.data(), characters.size()};
    }
    template <class T>
    [[nodiscard]] stored_array<T> array() noexcept {
        return stored_array<T>(view<T>());
    }
    /// Reads an array; fails unless it has `size` elements.
    template <class T>
    [[nodiscard]] std::span<const T> view(std::size_t size) noexcept {
        const std::span<const T> items = view<T>();
        if (items.size() == size) return items;
        fail();
        return {};
    }
    /// Reads an array as a view of the archive; empty after a failure.
    template <class T>
    [[nodiscard]] std::span<const T> view() noexcept {
        const std::uint64_t size = number(bytes_.size() / sizeof(T));
        if (size == 0) return {};
        const std::uint64_t place = number();
        if (place == 0) return in_directory<T>(size);
        const bool is_there = place % archive::alignment == 0 && place < tail_.sums &&
                              size <= (tail_.sums - place) / sizeof(T);
        if (!is_there) {
            fail();
            return {};
        }
        return {reinterpret_cast<const T*>(bytes_.data() + place), size};
    }

    /// Marks the archive as unreadable; returns 0. For callers that find a value invalid.
    std::uint64_t fail() noexcept {
        has_failed_ = true;
        unread_ = {};
        return 0;
    }
    [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
    /// Returns true if the whole directory was read without a failure.
    [[nodiscard]] bool is_done() const noexcept { return !has_failed_ && unread_.empty(); }

private:
    /// Checks the head and the tail, and opens the directory.
    [[nodiscard]] archive_fault open(const archive::head& expected) noexcept {
        archive::head head;
        if (bytes_.size() < sizeof head) return archive_fault::foreign;
        std::memcpy(&head, bytes_.data(), sizeof head);
        if (head.magic != expected.magic) return archive_fault::foreign;
        if (head != expected) return archive_fault::other_version;
        if (bytes_.size() < sizeof head + sizeof tail_) return archive_fault::cut_off;
        std::memcpy(&tail_, bytes_.data() + bytes_.size() - sizeof tail_, sizeof tail_);
        if (tail_.tail_sum != tail_.sum() || tail_.size != bytes_.size()) {
            return archive_fault::cut_off;
        }
        return open_directory() ? archive_fault::none : archive_fault::damaged;
    }
    /// Sets sums_ and unread_. Returns false if their places or checksums are wrong.
    [[nodiscard]] bool open_directory() noexcept {
        const std::size_t end = bytes_.size() - sizeof tail_;
        const bool is_ordered = sizeof(archive::head) <= tail_.sums && tail_.directory <= end &&
                                tail_.sums <= tail_.directory && tail_.sums % 8 == 0 &&
                                tail_.directory % 8 == 0 && end % 8 == 0;
        if (!is_ordered) return false;
        sums_ = words(tail_.sums, tail_.directory);
        unread_ = words(tail_.directory, end);
        const std::size_t chunks = (tail_.sums + archive::chunk_bytes - 1) / archive::chunk_bytes;
        return sums_.size() == chunks &&
               archive::sum_of(archive::bytes_of(sums_)) == tail_.sums_sum &&
               archive::sum_of(archive::bytes_of(unread_)) == tail_.directory_sum;
    }
    [[nodiscard]] std::span<const std::uint64_t> words(std::size_t begin,
                                                       std::size_t end) const noexcept {
        return {reinterpret_cast<const std::uint64_t*>(bytes_.data() + begin), (end - begin) / 8};
    }
    /// Reads the items of a short array from the directory.
    template <class T>
    [[nodiscard]] std::span<const T> in_directory(std::size_t size) noexcept {
        const std::size_t taken = (size * sizeof(T) + 7) / 8;
        if (!archive::is_short<T>(size) || taken > unread_.size()) {
            fail();
            return {};
        }
        const std::span items(reinterpret_cast<const T*>(unread_.data()), size);
        unread_ = unread_.subspan(taken);
        return items;
    }

    std::string_view bytes_;
    std::shared_ptr<const void> keeper_;
    archive::tail tail_;
    std::span<const std::uint64_t> sums_;    // by chunk of the head and data
    std::span<const std::uint64_t> unread_;  // unread words of the directory
    bool has_failed_ = false;
    archive_fault fault_;
};

}  // namespace sluice::store

#endif
