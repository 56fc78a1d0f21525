// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_RECORDS_LINE_READER_HPP
#define SLUICE_API_RECORDS_LINE_READER_HPP

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <sluice/api/records/record_reader.hpp>

namespace sluice::api {

/// Gives the lines of a file one by one, in memory for one line: no longer than a record may be.
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
        if (!stream_.is_open()) note_failure();
    }

    /// Why the file can't be read, or can't be read on; none where it can.
    [[nodiscard]] const std::error_code& failure() const noexcept { return failure_; }
    /// Whether the file ended before the line that was given last did.
    [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

    /// The next line without its end, or nothing at the end of the file. A line that is too long
    /// comes in pieces of more than record_max_length bytes, which no reader takes.
    [[nodiscard]] std::optional<std::string_view> next() {
        for (std::size_t searched = 0;;) {
            const std::size_t end = buffer_.find('\n', begin_ + searched);
            if (end != std::string::npos) return take(end, end + 1);
            searched = buffer_.size() - begin_;
            if (searched > record_max_length) return take(buffer_.size(), buffer_.size());
            if (!refill()) break;
        }
        if (begin_ == buffer_.size() || failure_) return std::nullopt;
        is_cut_ = true;
        return take(buffer_.size(), buffer_.size());
    }

private:
    std::string_view take(std::size_t end, std::size_t next) {
        const std::size_t begin = std::exchange(begin_, next);
        return std::string_view(buffer_).substr(begin, end - begin);
    }
    /// Reads more of the file, after the line that is not whole yet.
    bool refill() {
        constexpr std::size_t chunk = std::size_t{1} << 18;
        if (!stream_.is_open()) return false;
        buffer_.erase(0, std::exchange(begin_, 0));
        const std::size_t kept = buffer_.size();
        buffer_.resize(kept + chunk);
        errno = 0;
        stream_.read(buffer_.data() + kept, chunk);
        if (stream_.bad()) note_failure();
        buffer_.resize(kept + static_cast<std::size_t>(stream_.gcount()));
        return buffer_.size() > kept;
    }
    void note_failure() { failure_ = {errno == 0 ? EIO : errno, std::generic_category()}; }

    std::ifstream stream_;
    std::string buffer_;
    std::size_t begin_ = 0;  // of the next line
    bool is_cut_ = false;
    std::error_code failure_;
};

}  // namespace sluice::api

#endif
