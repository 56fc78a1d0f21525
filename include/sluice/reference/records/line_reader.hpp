// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_LINE_READER_HPP
#define SLUICE_REFERENCE_RECORDS_LINE_READER_HPP

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <sluice/reference/records/folder_state.hpp>
#include <sluice/reference/records/record_reader.hpp>

namespace sluice::reference {

/// Reads a file line by line, in memory for one line of at most record_max_length bytes.
class line_reader {
public:
    explicit line_reader(const std::filesystem::path& path) {
        std::error_code unknown;
        if (std::filesystem::is_directory(path, unknown)) {
            failure_ = std::make_error_code(std::errc::is_a_directory);
            return;
        }
        errno = 0;
        stream_.open(path, std::ios::binary);
        if (!stream_.is_open()) record_failure();
    }

    /// The error of opening or reading the file, if there is one.
    [[nodiscard]] const std::error_code& failure() const noexcept { return failure_; }
    /// Returns true if the last line that next() returned ends at the end of the file without a
    /// newline.
    [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }
    /// The checksum of the bytes read so far; at the end, of the file.
    [[nodiscard]] std::uint64_t sum() const noexcept { return sum_.value(); }

    /// Returns the next line without its newline, or nullopt at the end of the file. A line that is
    /// too long is returned in chunks of more than record_max_length bytes, which every record
    /// reader refuses.
    [[nodiscard]] std::optional<std::string_view> next() {
        for (std::size_t searched = 0;;) {
            const std::size_t end = held().find('\n', searched);
            if (end != std::string_view::npos) return take(end, end + 1);
            searched = held().size();
            if (searched > record_max_length) return take(searched, searched);
            if (!refill()) break;
        }
        if (held().empty() || failure_) return std::nullopt;
        is_cut_ = true;
        return take(held().size(), held().size());
    }

private:
    /// The bytes read but not yet returned.
    [[nodiscard]] std::string_view held() const noexcept {
        return {buffer_.data() + begin_, end_ - begin_};
    }
    /// Returns the first `length` bytes and advances by `passed`.
    std::string_view take(std::size_t length, std::size_t passed) {
        const std::string_view line = held().substr(0, length);
        begin_ += passed;
        return line;
    }
    /// Reads more of the file behind the incomplete line.
    bool refill() {
        constexpr std::size_t chunk = std::size_t{1} << 18;
        if (!stream_.is_open()) return false;
        std::ranges::copy(held(), buffer_.begin());
        end_ -= std::exchange(begin_, 0);
        if (buffer_.size() < end_ + chunk) buffer_.resize(end_ + chunk);
        errno = 0;
        stream_.read(buffer_.data() + end_, chunk);
        if (stream_.bad()) record_failure();
        const auto added = static_cast<std::size_t>(stream_.gcount());
        if (added > 0) sum_.add({buffer_.data() + end_, added});
        end_ += added;
        return added > 0;
    }
    void record_failure() { failure_ = {errno == 0 ? EIO : errno, std::generic_category()}; }

    std::ifstream stream_;
    std::string buffer_;     // never shrunk, because growing it again would clear memory
    std::size_t begin_ = 0;  // begin of the next line
    std::size_t end_ = 0;    // end of the bytes read
    bool is_cut_ = false;
    std::error_code failure_;
    file_sum sum_;
};

}  // namespace sluice::reference

#endif
