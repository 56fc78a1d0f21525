// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_LOADER_HPP
#define SLUICE_API_LOADER_HPP

#include <filesystem>
#include <fstream>
#include <functional>

#include <sluice/api/event_store.hpp>
#include <sluice/api/record_reader.hpp>
#include <sluice/api/slug.hpp>
#include <sluice/detail/random.hpp>
#include <sluice/message.hpp>

namespace sluice::api {

/// Why a file was not loaded to its end, and where.
struct load_error {
    std::string file;       ///< its name in the folder
    std::int64_t line = 0;  ///< counted from 1; 0 where the file can't be read
    error why;

    friend bool operator==(const load_error&, const load_error&) = default;
};

/// `clicks.ndjson:12: linkId: names no record, load that record first`
[[nodiscard]] inline std::string message(const load_error& failed) {
    std::string text = failed.file + ':';
    if (failed.line > 0) text.append(std::to_string(failed.line)).append(":");
    return text + ' ' + message(failed.why);
}

/// Told now and then how many bytes of how many were loaded.
using load_progress = std::function<void(std::int64_t done, std::int64_t total)>;

struct load_options {
    std::uint64_t random = 0;  ///< seeds the slugs of links that have no key
    load_progress progress{};  ///< may be empty
};

/// The files of a folder, in the order in which records refer to those before.
inline constexpr std::array<std::string_view, 6> folder_files{"tags.ndjson",  "customers.ndjson",
                                                              "links.ndjson", "clicks.ndjson",
                                                              "leads.ndjson", "sales.ndjson"};

namespace detail {

/// Gives the lines of a file one by one, in memory for one line: no longer than a record may be.
class line_reader {
public:
    explicit line_reader(const std::filesystem::path& path) : stream_(path, std::ios::binary) {}

    [[nodiscard]] bool is_open() const { return stream_.is_open(); }
    [[nodiscard]] bool failed() const { return stream_.bad(); }

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
        if (begin_ == buffer_.size()) return std::nullopt;
        return take(buffer_.size(), buffer_.size());
    }

private:
    std::string_view take(std::size_t end, std::size_t next) {
        const std::size_t begin = std::exchange(begin_, next);
        return std::string_view(buffer_).substr(begin, end - begin);
    }
    /// Reads more behind the line that is not yet whole.
    bool refill() {
        constexpr std::size_t chunk = std::size_t{1} << 18;
        buffer_.erase(0, std::exchange(begin_, 0));
        const std::size_t kept = buffer_.size();
        buffer_.resize(kept + chunk);
        stream_.read(buffer_.data() + kept, chunk);
        buffer_.resize(kept + static_cast<std::size_t>(stream_.gcount()));
        return buffer_.size() > kept;
    }

    std::ifstream stream_;
    std::string buffer_;
    std::size_t begin_ = 0;  // of the next line
};

/// Loads the files of one folder into a store.
class folder_loader {
public:
    folder_loader(event_store& store, const std::filesystem::path& folder,
                  const load_options& options)
        : store_(store), folder_(folder), options_(options), random_(options.random) {}

    tl::expected<std::int64_t, load_error> load() {
        for (const std::string_view file : folder_files) total_ += size_of(file);
        for (const std::string_view file : folder_files) {
            if (auto loaded = load_file(file); !loaded) return tl::unexpected(loaded.error());
        }
        if (options_.progress) options_.progress(total_, total_);
        return records_;
    }

private:
    std::int64_t size_of(std::string_view file) const {
        std::error_code unknown;
        const auto size = std::filesystem::file_size(folder_ / file, unknown);
        return unknown ? 0 : static_cast<std::int64_t>(size);
    }

    tl::expected<void, load_error> load_file(std::string_view file) {
        line_reader lines(folder_ / file);
        std::int64_t number = 0;
        while (const auto line = lines.next()) {
            ++number;
            note_progress(static_cast<std::int64_t>(line->size()) + 1);
            if (is_blank(*line)) continue;
            if (auto added = add(file, *line); !added) {
                return tl::unexpected(load_error{std::string(file), number, added.error()});
            }
            ++records_;
        }
        if (lines.is_open() && !lines.failed()) return {};
        return tl::unexpected(load_error{std::string(file), 0, make_error(rule::file_unreadable)});
    }
    /// A piece of a line that is too long is no blank line, whatever it holds.
    static bool is_blank(std::string_view line) noexcept {
        return line.size() <= record_max_length &&
               line.find_first_not_of(" \t\r") == std::string_view::npos;
    }
    void note_progress(std::int64_t bytes) {
        constexpr std::int64_t step = std::int64_t{1} << 20;
        const bool is_due = done_ / step != (done_ + bytes) / step;
        done_ += bytes;
        if (is_due && options_.progress) options_.progress(std::min(done_, total_), total_);
    }

    result<void> add(std::string_view file, std::string_view line) {
        const auto keep = [&](const auto& record) { return store_.add(record); };
        if (file == "tags.ndjson") return reader_.read_tag(line).and_then(keep);
        if (file == "customers.ndjson") return reader_.read_customer(line).and_then(keep);
        if (file == "links.ndjson")
            return reader_.read_link(line).and_then([&](link added) {
                const auto slug = make_slug(random_.next());
                if (added.key.empty()) added.key = {slug.data(), slug.size()};
                return store_.add(added);
            });
        if (file == "clicks.ndjson") return reader_.read_click(line).and_then(keep);
        if (file == "leads.ndjson") return reader_.read_lead(line).and_then(keep);
        return reader_.read_sale(line).and_then(keep);
    }

    event_store& store_;
    const std::filesystem::path& folder_;
    const load_options& options_;
    sluice::detail::random_source random_;
    record_reader reader_;
    std::int64_t records_ = 0;
    std::int64_t done_ = 0;
    std::int64_t total_ = 0;
};

}  // namespace detail

/// Loads a folder of NDJSON files (see folder_files) and publishes it; returns how many records it
/// held. The first bad line ends the load: the records before it stay, whole and published.
///
/// ```
/// sluice::api::event_store store("ws_default");
/// if (auto loaded = load_folder(store, "data"); !loaded) fail(message(loaded.error()));
/// ```
[[nodiscard]] inline tl::expected<std::int64_t, load_error> load_folder(
    event_store& store, const std::filesystem::path& folder, const load_options& options = {}) {
    auto loaded = detail::folder_loader(store, folder, options).load();
    store.publish();
    return loaded;
}

}  // namespace sluice::api

#endif
