// SPDX-License-Identifier: MIT
#include <sluice/filter.hpp>
#include <sluice/limits.hpp>

#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

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

/// Binds a validator: it gives the value back, or raises.
template <auto Check, class Value>
void register_check(py::module_& m, const char* name, const char* arg, const char* doc) {
    m.def(name, [](Value value) { return unwrap(Check(value)); }, py::arg(arg), doc);
}

}  // namespace

void register_limits(py::module_& m) {
    using integer = std::int64_t;
    register_constants(m);
    register_check<check_bulk_size, integer>(m, "check_bulk_size", "items",
                                             "The items of a bulk creation: 1 to 100.");
    register_check<check_page_size, integer>(m, "check_page_size", "size",
                                             "The size of a page: 1 to 100.");
    register_check<check_events_limit, integer>(m, "check_events_limit", "limit",
                                                "The events on a page: 1 to 1,000.");
    register_check<check_test_variants, integer>(m, "check_test_variants", "variants",
                                                 "The variants of an A/B test: 2 to 4.");
    register_check<check_variant_percentage, double>(m, "check_variant_percentage", "percentage",
                                                     "The share of an A/B variant: 10 to 90.");
    m.def(
        "check_query_length",
        [](const py::str& query) { return unwrap(check_query_length(to_utf8(query))); },
        py::arg("query"), "The length of an expression in UTF-16 code units: 0 to 10,000.");
}

}  // namespace sluice::bindings
