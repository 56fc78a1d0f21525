// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_STORE_LOADER_HPP
#define SLUICE_REFERENCE_STORE_LOADER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include <sluice/base/random.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/reference/records/folder_state.hpp>
#include <sluice/reference/records/parsed_lines.hpp>
#include <sluice/reference/store/event_store.hpp>

namespace sluice::reference {

/// An error of the loader, with the file and line at fault.
struct load_error {
    std::filesystem::path folder;
    std::string file;        ///< file name within the folder
    std::int64_t line = 0;   ///< counted from 1; 0 if the file can't be read
    error why;               ///< its offset counts within the line
    std::error_code system;  ///< the system's error if the file can't be read

    friend bool operator==(const load_error&, const load_error&) = default;
};

/// `data/clicks.ndjson:12: linkId: names no record, load that record first`, or
/// `data/tags.ndjson: cannot be read: No such file or directory`
[[nodiscard]] inline std::string message(const load_error& failed) {
    std::string text = (failed.folder / failed.file).string().append(":");
    if (failed.line > 0) text.append(std::to_string(failed.line)).append(":");
    if (!failed.system) return text.append(" ").append(message(failed.why));
    return text.append(" ")
        .append(problem_of(failed.why.broken))
        .append(": ")
        .append(failed.system.message());
}

/// Called after about each MiB with the bytes loaded and their total, on the loading thread. An
/// exception that it throws aborts the load, like an error.
using load_progress = std::function<void(std::int64_t done, std::int64_t total)>;

struct load_options {
    std::uint64_t random = 0;  ///< seeds the slugs of links that have no key
    load_progress progress{};  ///< may be empty
    /// Parses on a second thread, some lines ahead of the thread that adds them.
    bool parses_ahead = false;
};

namespace detail {

/// Loads the files of one folder into a batch.
class folder_loader {
public:
    folder_loader(event_store::batch& batch, const std::filesystem::path& folder,
                  const load_options& options)
        : batch_(batch), folder_(folder), options_(options), random_(options.random) {}

    /// Adds all records of the folder to the batch and returns their number.
    tl::expected<std::int64_t, load_error> load() {
        state_ = state_of(folder_, folder_files);
        for (const file_state& file : state_.files) total_ += static_cast<std::int64_t>(file.size);
        auto loaded = options_.parses_ahead ? load_parsed() : load_files();
        if (!loaded) return tl::unexpected(std::move(loaded.error()));
        if (options_.progress) options_.progress(total_, total_);
        return records_;
    }
    /// The state of the folder before the load, with checksums of the loaded files.
    [[nodiscard]] folder_state&& take_state() && noexcept { return std::move(state_); }

private:
    using click_lookups = event_store::batch::click_lookups;

    /// Sets the checksum of a file in state_.
    void record_sum(std::string_view file, std::uint64_t sum) {
        std::ranges::find(state_.files, file, &file_state::name)->sum = sum;
    }
    tl::expected<void, load_error> load_files() {
        const auto parsed = std::make_unique<parsed_lines>();
        for (const std::string_view file : folder_files) {
            line_reader lines(folder_ / file, is_optional_file(file));
            for (bool has_more = true; has_more;) {
                has_more = parsed->read(file, lines);
                if (auto added = add(*parsed); !added) return added;
            }
        }
        return {};
    }
    /// Like load_files(), for lines that another thread parses.
    tl::expected<void, load_error> load_parsed() {
        parse_ahead parser(folder_);
        while (parsed_lines* const parsed = parser.next()) {
            if (auto added = add(*parsed); !added) return added;
        }
        return {};
    }
    /// Adds the next lines of a file.
    tl::expected<void, load_error> add(parsed_lines& parsed) {
        if (std::exchange(file_, parsed.file()) != parsed.file()) line_ = 0;
        seek_clicks(parsed.lines());
        const click_lookups* sought = sought_.data();
        for (parsed_line& line : parsed.lines()) {
            ++line_;
            report_progress(static_cast<std::int64_t>(line.size) + 1);
            if (auto added = std::visit(content_adder{*this, *sought++}, line.content); !added) {
                return refuse({folder_, std::string(file_), line_, added.error(), {}});
            }
        }
        record_sum(file_, parsed.sum());
        return check_end(file_, parsed.failure());
    }
    /// Starts the lookups of all clicks among the lines, step by step; see workspace::seek().
    void seek_clicks(std::span<const parsed_line> lines) {
        if (file_ != click::file) return;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const auto* const ahead = std::get_if<click>(&lines[i].content);
            sought_[i] = ahead != nullptr ? batch_.seek(*ahead) : click_lookups();
        }
        const auto sought = std::span(sought_).first(lines.size());
        for (click_lookups& ahead : sought) ahead = batch_.seek_places(ahead);
        for (const click_lookups& ahead : sought) batch_.seek_texts(ahead);
    }
    /// Returns the error of reading a file that ended with `failure`, if there is one.
    tl::expected<void, load_error> check_end(std::string_view file,
                                             const std::error_code& failure) const {
        if (!failure) return {};
        return refuse({folder_, std::string(file), 0, make_error(rule::file_unreadable), failure});
    }
    static tl::unexpected<load_error> refuse(load_error why) {
        return tl::unexpected(std::move(why));
    }
    /// Adds `bytes` to the progress and reports it once per MiB.
    void report_progress(std::int64_t bytes) {
        constexpr std::int64_t step = std::int64_t{1} << 20;
        const bool is_due = done_ / step != (done_ + bytes) / step;
        done_ += bytes;
        if (is_due && options_.progress) options_.progress(std::min(done_, total_), total_);
    }

    /// Adds a parsed line if it is a record; blank lines add nothing.
    struct content_adder {
        folder_loader& loader;
        const click_lookups& sought;

        result<void> operator()(std::monostate&) const { return {}; }
        result<void> operator()(error& why) const { return tl::unexpected(why); }
        template <class Record>
        result<void> operator()(Record& added) const {
            ++loader.records_;
            return loader.batch_.add(added);
        }
        result<void> operator()(link& added) const {
            ++loader.records_;
            return added.key.empty() ? loader.add_with_slug(added) : loader.batch_.add(added);
        }
        result<void> operator()(click& added) const {
            ++loader.records_;
            return loader.batch_.add(added, sought);
        }
    };
    /// Adds a link under the first free random slug.
    result<void> add_with_slug(link& added) {
        while (true) {
            const auto slug = make_slug(random_.next());
            added.key = {slug.data(), slug.size()};
            const result<void> kept = batch_.add(added);
            if (kept || kept.error().param != "key") return kept;
        }
    }

    event_store::batch& batch_;
    const std::filesystem::path& folder_;
    const load_options& options_;
    sluice::detail::random_source random_;
    folder_state state_;
    std::array<click_lookups, parsed_lines::max_lines> sought_{};  // by line
    std::string_view file_;                                        // of the last lines
    std::int64_t line_ = 0;                                        // number of its lines so far
    std::int64_t records_ = 0;
    std::int64_t done_ = 0;   // bytes read so far
    std::int64_t total_ = 0;  // bytes of all files
};

}  // namespace detail

/// Loads a folder of NDJSON files (see folder_files) and publishes its records. Returns their
/// number. It may lack the files of domains and folders. Other writers wait meanwhile. A load is
/// all or nothing: the first bad line ends it and the store stays as it was, so that the folder can
/// be loaded again once it is corrected.
///
/// ```
/// sluice::reference::event_store store("ws_default");
/// if (auto loaded = load_folder(store, "data"); !loaded) fail(message(loaded.error()));
/// ```
[[nodiscard]] inline tl::expected<std::int64_t, load_error> load_folder(
    event_store& store, const std::filesystem::path& folder, const load_options& options = {}) {
    event_store::batch batch(store);
    detail::folder_loader loader(batch, folder, options);
    auto loaded = loader.load();
    if (loaded) batch.publish(std::move(loader).take_state());
    return loaded;
}

/// Returns why a store doesn't match the current records of a folder; empty if it does. This also
/// works after a restart from a snapshot of the store. Files are compared by size and times, and by
/// their bytes if these leave doubt.
///
/// ```
/// changes_since_load(store, "data")  // "clicks.ndjson has changed since"
/// ```
[[nodiscard]] inline std::string changes_since_load(const event_store& store,
                                                    const std::filesystem::path& folder) {
    const std::optional<folder_state> loaded = store.origin();
    if (!loaded) return "it is not of one folder";
    const folder_state now = detail::state_of(folder, folder_files);
    if (now.folder != loaded->folder) return "it is of the folder " + loaded->folder;
    for (const file_state& file : now.files) {
        const auto known = std::ranges::find(loaded->files, file.name, &file_state::name);
        if (known == loaded->files.end()) return file.name + " is new";
        if (file.is_untouched_since(*known, loaded->seen)) continue;
        line_reader lines(folder / file.name, is_optional_file(file.name));
        while (lines.next()) {  // reads the whole file for sum()
        }
        if (lines.failure()) return file.name + " can't be read: " + lines.failure().message();
        if (lines.sum() != known->sum) return file.name + " has changed since";
    }
    return {};
}

}  // namespace sluice::reference

#endif
