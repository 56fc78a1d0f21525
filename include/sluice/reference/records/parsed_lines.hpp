// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_PARSED_LINES_HPP
#define SLUICE_REFERENCE_RECORDS_PARSED_LINES_HPP

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include <sluice/reference/records/folder_state.hpp>
#include <sluice/reference/records/record_reader.hpp>

/// Lines of files of records: read one by one, and parsed.
namespace sluice::reference {

/// Reads the lines of a file one by one. Keeps only the current line in memory, and at most about
/// record_max_length bytes of it.
class line_reader {
public:
    /// Opens a file; failure() says if that failed. An optional file that is missing has no lines.
    explicit line_reader(const std::filesystem::path& path, bool is_optional = false) {
        std::error_code unknown;
        if (std::filesystem::is_directory(path, unknown)) {
            failure_ = std::make_error_code(std::errc::is_a_directory);
            return;
        }
        errno = 0;
        stream_.open(path, std::ios::binary);
        const bool is_left_out = is_optional && errno == ENOENT;
        if (!stream_.is_open() && !is_left_out) record_failure();
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
    /// reader refuses. The line is valid until the next call.
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
    /// Returns the first `length` bytes and advances by `passed`, which includes the newline.
    std::string_view take(std::size_t length, std::size_t passed) {
        const std::string_view line = held().substr(0, length);
        begin_ += passed;
        return line;
    }
    /// Reads more of the file behind the incomplete line. Returns false if there is nothing more.
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
    /// Stores the error of the last system call.
    void record_failure() { failure_ = {errno == 0 ? EIO : errno, std::generic_category()}; }

    std::ifstream stream_;
    std::string buffer_;     // never shrunk, because growing it again would clear memory
    std::size_t begin_ = 0;  // begin of the next line
    std::size_t end_ = 0;    // end of the bytes read
    bool is_cut_ = false;
    std::error_code failure_;
    file_sum sum_;
};

/// The files of a folder, in loading order: records refer only to records of earlier files.
inline constexpr std::array<std::string_view, 8> folder_files{
    tag::file,  domain::file, folder::file, customer::file,
    link::file, click::file,  lead::file,   sale::file};

/// Returns true if a folder may lack a file: no events refer to its records.
[[nodiscard]] constexpr bool is_optional_file(std::string_view file) noexcept {
    return file == domain::file || file == reference::folder::file;
}

namespace detail {

/// Parses a line of one of folder_files and returns `use(record)`, or the error of parsing.
template <class Use>
result<void> read_record(record_reader& reader, std::string_view file, std::string_view line,
                         const Use& use) {
    if (file == tag::file) return reader.read_tag(line).and_then(use);
    if (file == domain::file) return reader.read_domain(line).and_then(use);
    if (file == reference::folder::file) return reader.read_folder(line).and_then(use);
    if (file == customer::file) return reader.read_customer(line).and_then(use);
    if (file == link::file) return reader.read_link(line).and_then(use);
    if (file == click::file) return reader.read_click(line).and_then(use);
    if (file == lead::file) return reader.read_lead(line).and_then(use);
    return reader.read_sale(line).and_then(use);
}

/// Adds a hint to the error of a truncated last line: JSON that ends with the file was probably cut
/// off.
inline void mark_cut(error& why, std::string_view line) noexcept {
    if (why.broken != rule::json_malformed || why.offset < line.size()) return;
    why.accepts = "the file ends within this line and may have been cut off";
}

/// Returns true if a line is blank. A chunk of a line that is too long never is.
[[nodiscard]] inline bool is_blank(std::string_view line) noexcept {
    return line.size() <= record_max_length &&
           line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// A parsed line: nothing if it is blank, or a record, or an error.
struct parsed_line {
    std::size_t size = 0;  ///< bytes of the line
    std::variant<std::monostate, tag, domain, folder, customer, link, click, lead, sale, error>
        content{};
    record_reader reader{};  ///< memory that the record views
};

/// A batch of consecutive lines of a file.
class parsed_lines {
public:
    /// The most lines of a batch: so many that the cache misses of their lookups overlap, and so
    /// few that their readers stay in a cache.
    static constexpr std::size_t max_lines = 64;

    [[nodiscard]] std::string_view file() const noexcept { return file_; }
    [[nodiscard]] std::span<parsed_line> lines() noexcept {
        return std::span(*lines_).first(count_);
    }
    /// Returns true if the last line has an error.
    [[nodiscard]] bool is_refused() const noexcept {
        return count_ > 0 && std::holds_alternative<error>((*lines_)[count_ - 1].content);
    }
    /// The error of reading on after these lines, if there is one.
    [[nodiscard]] const std::error_code& failure() const noexcept { return failure_; }
    /// The checksum of the file, if these are its last lines; see line_reader::sum().
    [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }

    /// Reads and parses the next lines of a file, stopping at an error. Returns false at the end of
    /// the file or after an error.
    bool read(std::string_view file, line_reader& from) {
        file_ = file;
        count_ = 0;
        for (std::size_t bytes = 0; count_ < lines_->size() && bytes < max_bytes;) {
            const auto line = from.next();
            if (!line) {
                failure_ = from.failure();
                sum_ = from.sum();
                return false;
            }
            bytes += line->size();
            if (!parse(*line, from.is_cut(), (*lines_)[count_++])) return false;
        }
        return true;
    }

private:
    // Readers keep memory for their longest line, so that batches are limited in bytes, too, and
    // readers of long lines are replaced.
    static constexpr std::size_t max_bytes = std::size_t{1} << 18;
    static constexpr std::size_t long_line = std::size_t{1} << 14;

    /// Parses a line. Returns false on an error, which ends the load.
    bool parse(std::string_view line, bool is_cut, parsed_line& to) const {
        if (to.size > long_line) to.reader = record_reader();
        to.size = line.size();
        to.content.emplace<std::monostate>();
        if (is_blank(line)) return true;
        auto read = read_record(to.reader, file_, line, [&to](auto&& record) -> result<void> {
            to.content = std::forward<decltype(record)>(record);
            return {};
        });
        if (read) return true;
        if (is_cut) mark_cut(read.error(), line);
        to.content = read.error();
        return false;
    }

    std::string_view file_;
    std::size_t count_ = 0;
    std::error_code failure_;
    std::uint64_t sum_ = 0;
    std::unique_ptr<std::array<parsed_line, max_lines>> lines_ =
        std::make_unique<std::array<parsed_line, max_lines>>();
};

/// Parses the files of a folder on its own thread, ahead of the thread that consumes the lines:
///
/// ```
/// parser:    | parse 3 | parse 4 | waits for a free batch ...
/// consumer:  | use 1   | use 2        | use 3 ...             four batches, in a ring
/// ```
///
/// ```
/// parse_ahead parser(folder);
/// while (parsed_lines* const batch = parser.next()) use(batch->file(), batch->lines());
/// ```
///
/// Parsing ends after an unreadable file or an invalid line; the destructor stops it early.
class parse_ahead {
public:
    /// Starts the thread, which parses all folder_files of a folder.
    explicit parse_ahead(std::filesystem::path folder)
        : folder_(std::move(folder)), parser_([this] { run(); }) {}
    ~parse_ahead() {
        const std::lock_guard lock(mutex_);
        is_stopped_ = true;
        freed_.notify_one();
    }
    parse_ahead(const parse_ahead&) = delete;
    parse_ahead& operator=(const parse_ahead&) = delete;

    /// Returns the next batch, valid until the next call; null after the last one. Rethrows
    /// exceptions of the parser's thread.
    [[nodiscard]] parsed_lines* next() {
        std::unique_lock lock(mutex_);
        if (std::exchange(is_in_use_, false)) {
            ++taken_;
            freed_.notify_one();
        }
        parsed_more_.wait(lock, [this] { return taken_ < parsed_ || is_done_; });
        if (taken_ == parsed_) {
            if (thrown_) std::rethrow_exception(thrown_);
            return nullptr;
        }
        is_in_use_ = true;
        return &batches_[taken_ % batches_.size()];
    }

private:
    /// Parses all files, on the parser's thread.
    void run() noexcept {
        std::exception_ptr thrown;
        try {
            for (const std::string_view file : folder_files) {
                if (!parse(file)) break;
            }
        } catch (...) {
            thrown = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        thrown_ = thrown;
        is_done_ = true;
        parsed_more_.notify_one();
    }
    /// Parses a file. Returns false if no further file is to be parsed.
    bool parse(std::string_view file) {
        line_reader lines(folder_ / file, is_optional_file(file));
        while (parsed_lines* const batch = wait_for_free_batch()) {
            const bool has_more = batch->read(file, lines);
            const bool ends_load = batch->failure() || batch->is_refused();
            publish();
            if (!has_more) return !ends_load;
        }
        return false;
    }
    /// Waits for a free batch; null once the consumer has stopped.
    [[nodiscard]] parsed_lines* wait_for_free_batch() {
        std::unique_lock lock(mutex_);
        freed_.wait(lock, [this] { return is_stopped_ || parsed_ - taken_ < batches_.size(); });
        return is_stopped_ ? nullptr : &batches_[parsed_ % batches_.size()];
    }
    /// Lets next() return the batch that was just parsed.
    void publish() {
        const std::lock_guard lock(mutex_);
        ++parsed_;
        parsed_more_.notify_one();
    }

    std::filesystem::path folder_;
    std::array<parsed_lines, 4> batches_;
    std::mutex mutex_;  // guards the members below
    std::condition_variable parsed_more_, freed_;
    std::size_t parsed_ = 0, taken_ = 0;  // numbers of batches parsed, and used by the consumer
    bool is_in_use_ = false, is_done_ = false, is_stopped_ = false;
    std::exception_ptr thrown_;
    std::jthread parser_;  // joins before the other members are destroyed
};

}  // namespace detail
}  // namespace sluice::reference

#endif
