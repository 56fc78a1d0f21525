// SPDX-License-Identifier: MIT
#include <sluice/api/limits.hpp>
#include <sluice/filter.hpp>

#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

using namespace sluice::api;

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
    >>> sluice.check_bulk_size(100)
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
    >>> sluice.check_query_length("metadata['plan']:🙂")
    19)";

}  // namespace doc

void register_constants(py::module_& m) {
    m.attr("FILTER_MAX_VALUES") = filter_max_values;
    m.attr("FILTER_MAX_BYTES") = filter_max_bytes;
    m.attr("QUERY_MAX_LENGTH") = metadata_query_max_length;
    m.attr("BULK_MAX_ITEMS") = bulk_max_items;
    m.attr("PAGE_SIZE_MAX") = page_size_max;
    m.attr("EVENTS_LIMIT_MAX") = events_limit_max;
    m.attr("TEST_VARIANTS_MIN") = test_variants_min;
    m.attr("TEST_VARIANTS_MAX") = test_variants_max;
    m.attr("VARIANT_PERCENTAGE_MIN") = variant_percentage_min;
    m.attr("VARIANT_PERCENTAGE_MAX") = variant_percentage_max;
}

/// A validator's name and the name of its argument.
struct check_names {
    const char* function;
    const char* argument;
};

constexpr check_names bulk{"check_bulk_size", "items"};
constexpr check_names page_size{"check_page_size", "size"};
constexpr check_names events_limit{"check_events_limit", "limit"};
constexpr check_names variants{"check_test_variants", "variants"};

/// Gives the number back, or raises.
template <const check_names& Names, auto Check>
PyObject* check_integer(PyObject*, const raw_call& call) {
    const auto [number] = bind_arguments<1>(Names.function, {Names.argument}, 1, call);
    return to_new_object(unwrap(Check(to_integer(number, Names.argument))));
}

PyObject* check_percentage(PyObject*, const raw_call& call) {
    const auto [share] = bind_arguments<1>("check_variant_percentage", {"percentage"}, 1, call);
    return to_new_object(unwrap(check_variant_percentage(to_double(share, "percentage"))));
}

PyObject* check_length(PyObject*, const raw_call& call) {
    const auto [query] = bind_arguments<1>("check_query_length", {"query"}, 1, call);
    return to_new_object(unwrap(check_query_length(utf8_text(query, "query").view())));
}

}  // namespace

void register_limits(py::module_& m) {
    register_constants(m);
    def_fast<check_integer<bulk, check_bulk_size>>(m, bulk.function, doc::bulk);
    def_fast<check_integer<page_size, check_page_size>>(m, page_size.function, doc::page_size);
    def_fast<check_integer<events_limit, check_events_limit>>(m, events_limit.function,
                                                              doc::events_limit);
    def_fast<check_integer<variants, check_test_variants>>(m, variants.function, doc::variants);
    def_fast<check_percentage>(m, "check_variant_percentage", doc::percentage);
    def_fast<check_length>(m, "check_query_length", doc::query);
}

}  // namespace sluice::bindings
