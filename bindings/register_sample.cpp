// SPDX-License-Identifier: MIT
#include <filesystem>

#include <pybind11/stl/filesystem.h>

#include <sluice/api/sample.hpp>

#include "background.hpp"
#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

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

py::dict write(const std::filesystem::path& folder, std::int64_t events, std::uint64_t seed,
               const py::object& now, const py::object& progress) {
    const api::sample_options options{.events = events, .seed = seed, .now = to_now(now)};
    const progress_report report(progress);
    const auto tell = [&](std::int64_t done) { report(done, events); };
    return to_dict(unwrap(without_gil([&] { return api::write_sample(folder, options, tell); })));
}

}  // namespace

void register_sample(py::module_& m) {
    m.def("write_sample", write, py::arg("folder"), py::arg("events") = 20'000, py::arg("seed") = 1,
          py::arg("now") = py::none(), py::arg("progress") = py::none(),
          "Writes a folder of made-up data that ends now, and gives the number of records of\n"
          "each kind. progress(done, total) is told events. Releases the GIL.");
}

}  // namespace sluice::bindings
