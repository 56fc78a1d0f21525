// SPDX-License-Identifier: MIT
#include <cstdint>
#include <filesystem>
#include <optional>

#include <sluice/reference/limits.hpp>
#include <sluice/reference/plan.hpp>
#include <sluice/reference/sample.hpp>

#include "background.hpp"
#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

using namespace sluice::reference;

namespace {

namespace doc {

constexpr const char* bulk = R"(check_bulk_size(items: SupportsIndex) -> int
--

Checks how many items a bulk creation has: an int from 1 to 100.

Args:
    items: An int.

Returns:
    The number itself.

Raises:
    ApiError: It is out of bounds.

Example:
    >>> sluice.api.check_bulk_size(100)
    100)";

constexpr const char* page_size = R"(check_page_size(size: SupportsIndex) -> int
--

Checks the size of a page: an int from 1 to 100.

Args:
    size: An int.

Returns:
    The number itself.

Raises:
    ApiError: It is out of bounds.)";

constexpr const char* events_limit = R"(check_events_limit(limit: SupportsIndex) -> int
--

Checks how many events a page has: an int from 1 to 1,000.

Args:
    limit: An int.

Returns:
    The number itself.

Raises:
    ApiError: It is out of bounds.)";

constexpr const char* variants = R"(check_test_variants(variants: SupportsIndex) -> int
--

Checks how many variants an A/B test has: an int from 2 to 4.

Args:
    variants: An int.

Returns:
    The number itself.

Raises:
    ApiError: It is out of bounds.)";

constexpr const char* percentage = R"(check_variant_percentage(percentage: SupportsFloat) -> float
--

Checks the share of an A/B variant: a number of per cent from 10 to 90.

Args:
    percentage: A number.

Returns:
    The number itself, a float.

Raises:
    ApiError: It is out of bounds.)";

constexpr const char* query = R"(check_query_length(query: str) -> int
--

Checks the length of a metadata expression: at most 10,000 UTF-16 code units.

Args:
    query: str.

Returns:
    The length, an int.

Raises:
    ApiError: It is too long.

Example:
    >>> sluice.api.check_query_length("metadata['plan']:🙂")
    19)";

constexpr const char* plan = R"(plan_limits(name: str) -> dict[str, int | None]
--

The requests that a plan admits.

Args:
    name: 'free', 'pro', 'business', 'advanced' or 'enterprise'.

Returns:
    A dict with 'per_minute' and 'analytics_per_second', both int, or None if there is none or
    the workspace sets it.

Raises:
    ApiError: The plan is unknown.

Example:
    >>> sluice.api.plan_limits("business")
    {'per_minute': 1200, 'analytics_per_second': 4})";

constexpr const char* sample =
    R"(write_sample(folder: str | PathLike[str], events: int = 20000, seed: int = 1, now: datetime | None = None, progress: _Progress | None = None) -> dict[str, int]
--

Writes a folder of sample records that end now.

Args:
    folder: str or path, created if it is missing.
    events: The number of events, an int.
    seed: An int from 0 to 2**64 - 1; the same seed and now give the same files.
    now: An aware datetime; the present by default.
    progress: A callable that takes the events written and their total, or None.

Returns:
    A dict of the number of records by kind.

Raises:
    ApiError: A file can't be written, or an argument is out of bounds.)";

}  // namespace doc

void register_constants(py::module_& m) {
    m.attr("BULK_MAX_ITEMS") = bulk_max_items;
    m.attr("PAGE_SIZE_MAX") = page_size_max;
    m.attr("EVENTS_LIMIT_MAX") = events_limit_max;
    m.attr("TEST_VARIANTS_MIN") = test_variants_min;
    m.attr("TEST_VARIANTS_MAX") = test_variants_max;
    m.attr("VARIANT_PERCENTAGE_MIN") = variant_percentage_min;
    m.attr("VARIANT_PERCENTAGE_MAX") = variant_percentage_max;
}

/// Adds a function that returns its argument, an int, or raises if `Check` refuses it.
template <auto Check>
void def_check(py::module_& m, const char* name, const char* doc, const char* argument) {
    const auto check = [argument](py::handle number) {
        return unwrap(Check(to_integer(number, argument)));
    };
    def(m, name, check, doc, py::arg(argument));
}

double check_percentage(py::handle share) {
    return unwrap(check_variant_percentage(to_double(share, "percentage")));
}

auto check_length(py::handle query) {
    return unwrap(check_query_length(utf8_text(query, "query").view()));
}

void register_limits(py::module_& m) {
    def_check<check_bulk_size>(m, "check_bulk_size", doc::bulk, "items");
    def_check<check_page_size>(m, "check_page_size", doc::page_size, "size");
    def_check<check_events_limit>(m, "check_events_limit", doc::events_limit, "limit");
    def_check<check_test_variants>(m, "check_test_variants", doc::variants, "variants");
    def(m, "check_variant_percentage", check_percentage, doc::percentage, py::arg("percentage"));
    def(m, "check_query_length", check_length, doc::query, py::arg("query"));
}

py::object to_limit(const std::optional<std::int64_t>& limit) {
    return limit ? py::object(py::int_(*limit)) : py::none();
}

py::dict limits_of_plan(py::handle name) {
    using py::literals::operator""_a;
    const utf8_text text(name, "name");
    const plan_limits limits = limits_of(unwrap(parse_plan(text.view()), text.view()));
    return py::dict("per_minute"_a = to_limit(limits.per_minute),
                    "analytics_per_second"_a = to_limit(limits.analytics_per_second));
}

py::dict to_dict(const reference::sample_counts& counts) {
    py::dict written;
    written["tags"] = counts.tags;
    written["domains"] = counts.domains;
    written["folders"] = counts.folders;
    written["links"] = counts.links;
    written["customers"] = counts.customers;
    written["clicks"] = counts.clicks;
    written["leads"] = counts.leads;
    written["sales"] = counts.sales;
    return written;
}

/// Implements write_sample.
py::dict write(py::handle folder, py::handle events, py::handle seed, py::handle now,
               py::handle progress) {
    const reference::sample_options options{.events = to_integer(events, "events"),
                                            .seed = to_unsigned(seed, "seed"),
                                            .now = to_now(now)};
    const std::filesystem::path path = to_path(folder, "folder");
    const progress_report report(progress);
    const auto tell = [&](std::int64_t done) { report(done, options.events); };
    const auto written = without_gil([&] { return reference::write_sample(path, options, tell); });
    return to_dict(unwrap(result<reference::sample_counts>(written)));
}

}  // namespace

void register_reference(py::module_& m) {
    register_constants(m);
    register_limits(m);
    def(m, "plan_limits", limits_of_plan, doc::plan, py::arg("name"));
    def(m, "write_sample", write, doc::sample, py::arg("folder"), py::arg("events") = 20'000,
        py::arg("seed") = 1, py::arg("now") = py::none(), py::arg("progress") = py::none());
    register_events_query(m);
    register_tags_query(m);
    register_event_store(m);
    register_response(m);
    register_cancellation(m);
    register_handler(m);
    register_clickhouse(m);
}

}  // namespace sluice::bindings
