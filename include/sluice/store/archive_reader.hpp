// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_ARCHIVE_READER_HPP
#define SLUICE_STORE_ARCHIVE_READER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include <sluice/store/archive_writer.hpp>
#include <sluice/store/detail/stored_array.hpp>

namespace sluice::store {

/// What is wrong with the bytes of an archive.
enum class archive_fault : std::uint8_t {
    none,
    foreign,        ///< they begin as no archive does
    other_version,  ///< another program's, or of another machine
    cut_off,        ///< they are fewer, or more, than were written
    damaged,        ///< they are not those that were written
};

/// Reads an archive that stands in memory, in the order in which it was written. What is read
/// wrongly is empty or 0 from there on, and has_failed() tells; nothing outside of the archive is
/// ever read.
///
/// ```
/// archive_reader from(bytes, keeper, head);
/// if (from.fault() != archive_fault::none) ...
/// const std::uint64_t rows = from.number();
/// stored_array<code> codes = from.array<code>();   // views the archive
/// if (from.has_failed()) ...
/// ```
class archive_reader {
public:
    /// `bytes` begin at a multiple of 64 bytes and last as long as `keeper`. Their head, directory
    /// and tail are checked; the data by data_fault().
    archive_reader(std::string_view bytes, std::shared_ptr<const void> keeper,
                   const archive::head& expected)
        : bytes_(bytes), keeper_(std::move(keeper)), fault_(open(expected)) {}

    [[nodiscard]] archive_fault fault() const noexcept { return fault_; }
    /// What keeps the arrays that were read.
    [[nodiscard]] const std::shared_ptr<const void>& keeper() const noexcept { return keeper_; }

    /// Whether all data is what was written. It reads all bytes, at about the speed of memory;
    /// `goes_on()` is asked for each MiB, and ends it with archive_fault::none.
    template <class GoesOn>
    [[nodiscard]] archive_fault data_fault(const GoesOn& goes_on) const {
        const std::string_view data = bytes_.substr(0, tail_.sums);
        for (std::size_t at = 0; at < sums_.size() && goes_on(); ++at) {
            const auto chunk = data.substr(at * archive::chunk_bytes, archive::chunk_bytes);
            if (archive::sum_of(chunk) != sums_[at]) return archive_fault::damaged;
        }
        return archive_fault::none;
    }

    [[nodiscard]] std::uint64_t number() noexcept {
        if (left_.empty()) return fail();
        const std::uint64_t value = left_.front();
        left_ = left_.subspan(1);
        return value;
    }
    /// A number that is at most `most`.
    [[nodiscard]] std::uint64_t number(std::uint64_t most) noexcept {
        const std::uint64_t value = number();
        return value <= most ? value : fail();
    }
    /// How many of something come next, each of which takes a word of the directory at least.
    [[nodiscard]] std::size_t count() noexcept { return number(left_.size()); }

    [[nodiscard]] std::string_view text() noexcept {
        const std::span<const char> found = view<char>();
        return {found.data(), found.size()};
    }
    template <class T>
    [[nodiscard]] stored_array<T> array() noexcept {
        return stored_array<T>(view<T>());
    }
    /// An array of a size that is known.
    template <class T>
    [[nodiscard]] std::span<const T> view(std::size_t size) noexcept {
        const std::span<const T> found = view<T>();
        if (found.size() == size) return found;
        fail();
        return {};
    }
    template <class T>
    [[nodiscard]] std::span<const T> view() noexcept {
        const std::uint64_t size = number(bytes_.size() / sizeof(T));
        if (size == 0) return {};
        const std::uint64_t place = number();
        if (place == 0) return in_directory<T>(size);
        const bool is_there = place % archive::alignment == 0 && place < tail_.sums &&
                              size <= (tail_.sums - place) / sizeof(T);
        if (!is_there) return fail(), std::span<const T>{};
        return {reinterpret_cast<const T*>(bytes_.data() + place), size};
    }

    /// Takes what was read for wrong; returns 0.
    std::uint64_t fail() noexcept {
        has_failed_ = true;
        left_ = {};
        return 0;
    }
    [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
    /// Whether all was read, and nothing of it was wrong.
    [[nodiscard]] bool is_done() const noexcept { return !has_failed_ && left_.empty(); }

private:
    [[nodiscard]] archive_fault open(const archive::head& expected) noexcept {
        archive::head head;
        if (bytes_.size() < sizeof head) return archive_fault::foreign;
        std::memcpy(&head, bytes_.data(), sizeof head);
        if (head.magic != expected.magic) return archive_fault::foreign;
        if (head != expected) return archive_fault::other_version;
        if (bytes_.size() < sizeof head + sizeof tail_) return archive_fault::cut_off;
        std::memcpy(&tail_, bytes_.data() + bytes_.size() - sizeof tail_, sizeof tail_);
        if (tail_.own_sum != tail_.sum() || tail_.size != bytes_.size()) {
            return archive_fault::cut_off;
        }
        return open_directory() ? archive_fault::none : archive_fault::damaged;
    }
    [[nodiscard]] bool open_directory() noexcept {
        const std::size_t end = bytes_.size() - sizeof tail_;
        const bool is_ordered = sizeof(archive::head) <= tail_.sums && tail_.directory <= end &&
                                tail_.sums <= tail_.directory && tail_.sums % 8 == 0 &&
                                tail_.directory % 8 == 0 && end % 8 == 0;
        if (!is_ordered) return false;
        sums_ = words(tail_.sums, tail_.directory);
        left_ = words(tail_.directory, end);
        const std::size_t chunks = (tail_.sums + archive::chunk_bytes - 1) / archive::chunk_bytes;
        return sums_.size() == chunks &&
               archive::sum_of(archive::bytes_of(sums_)) == tail_.sums_sum &&
               archive::sum_of(archive::bytes_of(left_)) == tail_.directory_sum;
    }
    [[nodiscard]] std::span<const std::uint64_t> words(std::size_t begin,
                                                       std::size_t end) const noexcept {
        return {reinterpret_cast<const std::uint64_t*>(bytes_.data() + begin), (end - begin) / 8};
    }
    template <class T>
    [[nodiscard]] std::span<const T> in_directory(std::size_t size) noexcept {
        const std::size_t taken = (size * sizeof(T) + 7) / 8;
        if (!archive::is_short<T>(size) || taken > left_.size())
            return fail(), std::span<const T>{};
        const std::span found(reinterpret_cast<const T*>(left_.data()), size);
        left_ = left_.subspan(taken);
        return found;
    }

    std::string_view bytes_;
    std::shared_ptr<const void> keeper_;
    archive::tail tail_;
    std::span<const std::uint64_t> sums_;
    std::span<const std::uint64_t> left_;  // of the directory
    bool has_failed_ = false;
    archive_fault fault_;
};

}  // namespace sluice::store

#endif
