// SPDX-License-Identifier: MIT
#include <sluice/api/sample.hpp>

#include "background.hpp"
#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

constexpr const char* doc =
    R"(write_sample(folder: str | PathLike[str], events: int = 20000, seed: int = 1, now: datetime | None = None, progress: _Progress | None = None) -> dict[str, int]
--

Writes a folder of made-up data that ends now.

Args:
    folder: str or path, made where it isn't there.
    events: How many events, an int.
    seed: An int from 0 to 2**64 - 1; the same seed and now give the same files.
    now: An aware datetime; the present by default.
    progress: A callable that is told the events written and their total, or None.

Returns:
    A dict of the number of records of each kind.

Raises:
    ApiError: A file can't be written, or an argument is out of bounds.)";

py::dict to_dict(const api::sample_counts& counts) {
    py::dict written;
    written["tags"] = counts.tags;
    written["links"] = counts.links;
    written["customers"] = counts.customers;
    written["clicks"] = counts.clicks;
    written["leads"] = counts.leads;
    written["sales"] = counts.sales;
    return written;
}

PyObject* write(PyObject*, const raw_call& call) {
    const auto [folder, events, seed, now, progress] =
        bind_arguments<5>("write_sample", {"folder", "events", "seed", "now", "progress"}, 1, call);
    api::sample_options options{.now = to_now(now)};
    if (events != nullptr) options.events = to_integer(events, "events");
    if (seed != nullptr) options.seed = to_unsigned(seed, "seed");
    const std::filesystem::path path = to_path(folder, "folder");
    const progress_report report(optional_object(progress));
    const auto tell = [&](std::int64_t done) { report(done, options.events); };
    const auto written = without_gil([&] { return api::write_sample(path, options, tell); });
    return to_dict(unwrap(result<api::sample_counts>(written))).release().ptr();
}

}  // namespace

void register_sample(py::module_& m) { def_fast<write>(m, "write_sample", doc); }

}  // namespace sluice::bindings
