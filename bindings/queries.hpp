// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_QUERIES_HPP
#define SLUICE_BINDINGS_QUERIES_HPP

#include <sluice/api/events/events_query.hpp>
#include <sluice/api/tags/tags_query.hpp>

#include "convert.hpp"
#include "raise.hpp"

namespace sluice::bindings {

/// What EventsQuery holds: a query and the present that its window was resolved at.
struct events_request {
    api::events_query query;
    instant now;
};

/// Adds EventsQuery.mask.
void register_events_mask(py::class_<events_request>& c);

/// All errors of a request as a list of sluice.ApiError.
[[nodiscard]] inline py::list to_api_errors(std::span<const name_value> given, const errors& all) {
    py::list raised;
    for (const error& e : all) raised.append(to_api_error(e, context_of(given, e)));
    return raised;
}

/// The names of a table's parameters, in its order.
template <class Table>
[[nodiscard]] py::tuple to_names(const Table& table) {
    py::list names;
    for (const auto& row : table) names.append(to_python(row.info.name));
    return py::tuple(names);
}

// How the values of parameters look in Python.

inline py::object to_python(const std::string& text) {
    return to_python(std::optional<std::string_view>(text));
}
inline py::object to_python(std::string_view text) {
    return to_python(std::optional<std::string_view>(text));
}
inline py::object to_python(const filter& f) { return f.empty() ? py::none() : py::cast(f); }
inline py::object to_python(bool value) { return py::bool_(value); }
inline py::object to_python(std::int64_t value) { return py::int_(value); }
inline py::object to_python(sort_order order) {
    return to_python(sort_order_names[static_cast<std::size_t>(order)]);
}
inline py::object to_python(interval preset) { return to_python(to_string(preset)); }
inline py::object to_python(const time_zone& zone) { return to_python(zone.name()); }
inline py::object to_python(api::event_kind kind) {
    return to_python(api::event_kind_names[static_cast<std::size_t>(kind)]);
}
inline py::object to_python(api::event_sort field) {
    return to_python(api::event_sort_names[static_cast<std::size_t>(field)]);
}
inline py::object to_python(api::sale_type type) {
    return to_python(api::sale_type_names[static_cast<std::size_t>(type)]);
}
inline py::object to_python(api::tag_sort field) {
    return to_python(api::tag_sort_names[static_cast<std::size_t>(field)]);
}
inline py::object to_python(const std::vector<std::string>& texts) {
    py::list items;
    for (const std::string& text : texts) items.append(to_python(text));
    return py::tuple(items);
}
template <class T>
py::object to_python(const std::optional<T>& value) {
    return value ? to_python(*value) : py::none();
}

}  // namespace sluice::bindings

#endif
