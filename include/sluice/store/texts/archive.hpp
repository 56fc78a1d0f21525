// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_ARCHIVE_HPP
#define SLUICE_STORE_TEXTS_ARCHIVE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <sluice/base/text_hasher.hpp>
#include <sluice/store/texts/stored_array.hpp>

/// Archives: the format, and their writer and reader.
namespace sluice::store {

/// The format of archives: files of arrays and numbers that are memory-mapped. It isn't Arrow, as
/// postings, bitmaps, row images and hash tables aren't columns of values, and the CPU reads them
/// in place, aligned and in the byte order of the machine that wrote them.
///
/// ```
/// head          64 bytes: what this is, and of which program
/// data          arrays, each from a multiple of 64 bytes on
/// sums          a checksum of each MiB of head and data
/// directory     words of 64 bits: numbers, texts, and where arrays are, in the order in which they
///               were written, which is that in which they are read
/// tail          64 bytes: offsets of sums and directory, their checksums, and that of the tail
/// ```
///
/// Short arrays are in the directory itself, after their size:
///
/// ```
/// number   | value |
/// array    | 0 |      | size | place in the data |      | size | 0 | bytes, up to a whole word |
/// ```
namespace archive {

inline constexpr std::size_t alignment = 64;
inline constexpr std::size_t chunk_bytes = std::size_t{1} << 20;  // covered by one checksum
inline constexpr std::size_t short_array = 256;                   // bytes

/// Returns true if an array of `size` elements is stored in the directory.
template <class T>
[[nodiscard]] constexpr bool is_short(std::size_t size) noexcept {
    return alignof(T) <= sizeof(std::uint64_t) && size <= short_array / sizeof(T);
}

/// Returns a checksum at about the speed of memory, the same in all processes. It detects damage,
/// not manipulation.
[[nodiscard]] inline std::uint64_t sum_of(std::string_view bytes) noexcept {
    // Any fixed seed would do, but readers and writers must agree on it.
    return sluice::detail::text_hasher(hash_seed{0x5EA1'ED0F'F11E})(bytes);
}
template <class T>
[[nodiscard]] std::string_view bytes_of(std::span<const T> items) noexcept {
    return {reinterpret_cast<const char*>(items.data()), items.size_bytes()};
}
template <class T>
[[nodiscard]] std::string_view bytes_of_one(const T& item) noexcept {
    return bytes_of(std::span<const T>(&item, 1));
}

/// The first bytes of an archive.
struct head {
    std::array<char, 16> magic{'\x89', 's', 'l', 'u', 'i', 'c',  'e',  ' ',
                               's',    't', 'o', 'r', 'e', '\r', '\n', '\x1A'};
    std::uint64_t format = 0;  ///< format of the contents; each program has its own
    std::array<std::uint64_t, 5> spare{};

    friend bool operator==(const head&, const head&) = default;
};

/// The last bytes of an archive.
struct tail {
    std::uint64_t sums = 0;                         ///< offset of the sums, and end of the data
    std::uint64_t directory = 0;                    ///< offset of the directory
    std::uint64_t size = 0;                         ///< size of the archive
    std::uint64_t sums_sum = 0, directory_sum = 0;  ///< checksums of the sums and the directory
    std::array<std::uint64_t, 2> spare{};
    std::uint64_t tail_sum = 0;  ///< checksum of the fields above

    [[nodiscard]] std::uint64_t sum() const noexcept {
        return sum_of(bytes_of_one(*this).substr(0, sizeof(tail) - sizeof(tail_sum)));
    }
};
static_assert(sizeof(head) == alignment && sizeof(tail) == alignment);

}  // namespace archive

/// Writes an archive, in order. If the sink fails, later data is dropped and finish() returns
/// false.
///
/// ```
/// archive_writer archive([&](std::string_view bytes) { return file.write(bytes); }, head);
/// archive.number(rows);
/// archive.array(std::span(codes));
/// if (!archive.finish()) ...
/// ```
class archive_writer {
public:
    /// Writes bytes; returns false on failure.
    using sink = std::function<bool(std::string_view bytes)>;

    archive_writer(sink to, const archive::head& head) : sink_(std::move(to)) {
        chunk_.reserve(archive::chunk_bytes);
        put(archive::bytes_of_one(head));
    }
    archive_writer(const archive_writer&) = delete;
    archive_writer& operator=(const archive_writer&) = delete;

    void number(std::uint64_t value) { directory_.push_back(value); }
    void text(std::string_view text) { array(std::span<const char>(text)); }

    template <class T>
    void array(std::span<const T> items) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= archive::alignment);
        number(items.size());
        if (items.empty()) return;
        if (archive::is_short<T>(items.size())) return put_short(archive::bytes_of(items));
        number(begin_array());
        put(archive::bytes_of(items));
    }

    /// Writes an array in pieces: begin_array(), then each piece(), then end_array() with the
    /// result of begin_array() and the number of elements. Items written in between precede it in
    /// the directory; other long arrays only after the last piece().
    [[nodiscard]] std::uint64_t begin_array() {
        static constexpr std::array<char, archive::alignment> zeros{};
        put({zeros.data(), (archive::alignment - written_ % archive::alignment) % zeros.size()});
        return written_;
    }
    void piece(std::string_view bytes) { put(bytes); }
    void end_array(std::uint64_t begin, std::size_t size) {
        number(size);
        if (size == 0) return;
        number(begin);
    }

    /// Ends the archive. Returns true if the sink took all of it.
    [[nodiscard]] bool finish() {
        archive::tail end{.sums = begin_array()};
        flush();
        const std::string_view sums = archive::bytes_of(std::span<const std::uint64_t>(sums_));
        const std::string_view directory =
            archive::bytes_of(std::span<const std::uint64_t>(directory_));
        end.directory = end.sums + sums.size();
        end.size = end.directory + directory.size() + sizeof end;
        end.sums_sum = archive::sum_of(sums);
        end.directory_sum = archive::sum_of(directory);
        end.tail_sum = end.sum();
        send(sums);
        send(directory);
        send(archive::bytes_of_one(end));
        return is_good_;
    }

private:
    /// Writes a short array into the directory.
    void put_short(std::string_view bytes) {
        number(0);
        const std::size_t first = directory_.size();
        directory_.resize(first + (bytes.size() + 7) / 8);
        std::memcpy(&directory_[first], bytes.data(), bytes.size());
    }
    /// Writes data, chunk by chunk.
    void put(std::string_view bytes) {
        written_ += bytes.size();
        while (!bytes.empty()) {
            const std::size_t taken = std::min(bytes.size(), archive::chunk_bytes - chunk_.size());
            chunk_.append(bytes.substr(0, taken));
            bytes.remove_prefix(taken);
            if (chunk_.size() == archive::chunk_bytes) flush();
        }
    }
    /// Sends the current chunk and keeps its checksum.
    void flush() {
        if (chunk_.empty()) return;
        sums_.push_back(archive::sum_of(chunk_));
        send(chunk_);
        chunk_.clear();
    }
    void send(std::string_view bytes) { is_good_ = is_good_ && sink_(bytes); }

    sink sink_;
    bool is_good_ = true;
    std::string chunk_;
    std::uint64_t written_ = 0;  // bytes of head and data
    std::vector<std::uint64_t> sums_;
    std::vector<std::uint64_t> directory_;
};

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
