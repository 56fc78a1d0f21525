// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SAMPLE_HPP
#define SLUICE_REFERENCE_SAMPLE_HPP

#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>

#include <sluice/base/json_writer.hpp>
#include <sluice/base/static_text.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/reference/sample/model.hpp>
#include <sluice/reference/sample/records.hpp>
#include <sluice/store/texts/atomic_file.hpp>
#include <sluice/time/instant.hpp>

namespace sluice::reference {

/// The maximum number of events in a sample.
inline constexpr std::int64_t sample_events_max = 1'000'000'000;

/// Options of sample data. Equal options produce the same bytes on every platform.
struct sample_options {
    std::int64_t events = 20'000;  ///< clicks, leads and sales together, 0 to sample_events_max
    std::uint64_t seed = 1;
    instant now{};  ///< end of the 30 days that the events fall into
};

/// Called from time to time with the number of events written; may be empty.
using sample_progress = std::function<void(std::int64_t events_written)>;

/// One file of a sample: `count` lines, each the JSON object that `write` writes for its index.
struct sample_file {
    std::string_view name;
    std::int64_t count = 0;
    bool are_events = false;  ///< the records are events, which the progress counts
    std::function<void(sluice::detail::json_writer& json, std::uint64_t index)> write;
};

/// The files of a sample. They refer to `model`, which must outlive them.
[[nodiscard]] inline std::array<sample_file, 8> sample_files(const sample_model& model,
                                                             instant now) {
    using writer = sluice::detail::json_writer;
    using number = std::uint64_t;
    const auto tag = [&model, now](writer& json, number index) {
        write_sample_tag(json, model.seed(), index, now);
    };
    const auto link = [&model, now](writer& json, number index) {
        write_sample_link(json, model.seed(), model.link(index), now);
    };
    const auto domain = [now](writer& json, number index) {
        write_sample_domain(json, index, now);
    };
    const auto folder = [now](writer& json, number index) {
        write_sample_folder(json, index, now);
    };
    const auto customer = [&](writer& json, number index) {
        write_sample_customer(json, model, index);
    };
    const auto click = [&](writer& json, number index) {
        write_sample_click(json, model.click(index));
    };
    const auto lead = [&](writer& json, number index) { write_sample_lead(json, model, index); };
    const auto sale = [&](writer& json, number index) { write_sample_sale(json, model, index); };
    const sample_counts& counts = model.counts();
    return {{{tag::file, counts.tags, false, tag},
             {domain::file, counts.domains, false, domain},
             {folder::file, counts.folders, false, folder},
             {link::file, counts.links, false, link},
             {customer::file, counts.customers, false, customer},
             {click::file, counts.clicks, true, click},
             {lead::file, counts.leads, true, lead},
             {sale::file, counts.sales, true, sale}}};
}

/// Writes the lines of a file without committing it, so that it doesn't yet replace an older one.
/// `written` is the number of events in earlier files, for the progress. Error: file_unwritable.
[[nodiscard]] inline result<void> write_sample_lines(sluice::detail::atomic_file& target,
                                                     const sample_file& file, std::int64_t written,
                                                     const sample_progress& progress) {
    constexpr std::int64_t events_a_report = 1024;
    for (std::int64_t index = 0; index < file.count; ++index) {
        sluice::detail::json_writer json(target.buffer());
        file.write(json, static_cast<std::uint64_t>(index));
        target.buffer().push_back('\n');
        if (auto flushed = target.flush_when_large(); !flushed) return flushed;
        const bool is_report_due = file.are_events && (index + 1) % events_a_report == 0;
        if (is_report_due && progress) progress(written + index + 1);
    }
    return target.finish();
}

/// Writes all files, and commits them once the last one is complete. Error: file_unwritable.
[[nodiscard]] inline result<void> write_sample_files(const std::filesystem::path& folder,
                                                     const sample_model& model, instant now,
                                                     const sample_progress& progress) {
    std::deque<sluice::detail::atomic_file> targets;  // files neither move nor copy
    std::int64_t written = 0;
    for (const sample_file& file : sample_files(model, now)) {
        auto& target = targets.emplace_back(folder, file.name);
        auto lines = write_sample_lines(target, file, written, progress);
        if (!lines) return lines;
        if (file.are_events) written += file.count;
    }
    for (sluice::detail::atomic_file& target : targets) {
        if (auto appeared = target.commit(); !appeared) return appeared;
    }
    if (progress) progress(written);
    return {};
}

/// Returns the options if they are valid. Errors: see write_sample().
[[nodiscard]] inline result<sample_options> check_sample_options(const sample_options& options) {
    const auto refuse = [](rule broken, std::string_view param, std::string_view accepts) {
        error refused = make_error(broken);
        refused.param = param;
        refused.accepts = accepts;
        return tl::unexpected<error>(refused);
    };
    constexpr std::string_view events =
        sluice::detail::number_text<"expected 0 to ", sample_events_max>.view();
    if (options.events < 0) return refuse(rule::number_too_small, "events", events);
    if (options.events > sample_events_max) {
        return refuse(rule::number_too_large, "events", events);
    }
    if (!is_writable(options.now)) {
        return refuse(rule::time_out_of_range, "now", {});
    }
    return options;
}

/// Creates a folder and its missing parents.
[[nodiscard]] inline result<void> make_sample_folder(const std::filesystem::path& folder) {
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (!failure) return {};
    error unwritable = make_error(rule::file_unwritable);
    unwritable.param = "folder";
    return tl::unexpected<error>(unwritable);
}

/// Writes a folder of synthetic but realistic data, in the format of the loaders: `tags`,
/// `domains`, `folders`, `links`, `customers`, `clicks`, `leads` and `sales` as `.ndjson`, one JSON
/// object per line. Creates the folder if it is missing. Replaces files of these names, all of them
/// once the last one is complete. Takes time linear in the number of events, and constant memory.
///
/// Events are sorted by time within their file. Every reference resolves: sales refer to customers
/// that signed up before, leads to earlier clicks, clicks to links.
///
/// Errors: rule::number_too_small, rule::number_too_large (param `events`), rule::time_out_of_range
/// (`now` is not in the years 0000 to 9999), rule::file_unwritable (param: the file's name, or
/// `folder`). After an error no file is replaced, unless the renaming itself fails.
///
/// ```
/// const sluice::reference::sample_options options{.events = 1'000, .seed = 7, .now = now};
/// auto written = sluice::reference::write_sample("sample", options);
/// if (written) std::printf("%d clicks\n", static_cast<int>(written->clicks));
/// ```
[[nodiscard]] inline result<sample_counts> write_sample(const std::filesystem::path& folder,
                                                        const sample_options& options,
                                                        const sample_progress& progress = {}) {
    return check_sample_options(options).and_then(
        [&](const sample_options& checked) -> result<sample_counts> {
            const sample_model model(checked.events, checked.seed, checked.now);
            return make_sample_folder(folder)
                .and_then([&] { return write_sample_files(folder, model, checked.now, progress); })
                .map([&model] { return model.counts(); });
        });
}

}  // namespace sluice::reference

#endif
