// SPDX-License-Identifier: MIT
#include "declared_values.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <sluice/filters/filter.hpp>
#include <sluice/metadata/query.hpp>

#include "convert.hpp"
#include "window_object.hpp"

namespace sluice::bindings {

namespace {

/// Converts the value of a declared parameter to Python.
struct value_maker {
    const declared_param& param;

    py::object operator()(std::monostate) const { return py::none(); }
    py::object operator()(const single<filter>& own) const { return py::cast(own.value); }
    py::object operator()(const single<std::vector<std::string>>& own) const {
        py::list items;
        for (const std::string& item : own.value) items.append(to_python(item));
        return py::tuple(items);
    }
    py::object operator()(const single<std::optional<std::string>>& own) const {
        return to_python(own.value ? std::optional<std::string_view>(*own.value) : std::nullopt);
    }
    py::object operator()(const single<std::optional<choice_index>>& own) const {
        if (!own.value) return py::none();
        return to_python(param.choices[static_cast<std::size_t>(*own.value)]);
    }
    py::object operator()(const single<std::optional<bool>>& own) const {
        return own.value ? py::object(py::bool_(*own.value)) : py::none();
    }
    py::object operator()(const single<std::optional<std::int64_t>>& own) const {
        return own.value ? py::object(py::int_(*own.value)) : py::none();
    }
    py::object operator()(const single<std::optional<decimal_number>>& own) const {
        if (!own.value) return py::none();
        return py::module_::import("decimal").attr("Decimal")(to_python(own.value->text()));
    }
    py::object operator()(const single<std::optional<uuid>>& own) const {
        if (!own.value) return py::none();
        return py::module_::import("uuid").attr("UUID")(to_python(own.value->text()));
    }
    py::object operator()(const single<std::optional<instant>>& own) const {
        return own.value ? to_datetime(*own.value) : py::none();
    }
    py::object operator()(const single<metadata_query>& own) const {
        return own.value.empty() ? py::none() : py::cast(own.value);
    }
    py::object operator()(const single<std::optional<custom_value>>& own) const {
        if (!own.value) return py::none();
        return *static_cast<const py::object*>(own.value->object.get());
    }
    py::object operator()(const single<sort_choices>& own) const {
        py::list keys;
        for (const sort_choice& key : own.value) {
            keys.append(py::make_tuple(to_python(param.choices[key.column]),
                                       key.direction == sort_order::descending));
        }
        return py::tuple(keys);
    }
    py::object operator()(const list_window& own) const { return to_window(own); }
    py::object operator()(const list_page& own) const {
        const auto cursor = own.cursor ? to_string(*own.cursor) : std::nullopt;
        return py::make_tuple(own.page, own.limit, to_python(cursor), own.count);
    }
};

}  // namespace

py::object to_python_value(const declared_request& request, std::size_t place) {
    const auto params = request.table->params();
    if (place >= params.size()) throw py::index_error("place: no declaration has it");
    const declared_param& param = *params[place];
    const auto& values = request.query.values;
    const bool is_given = !values.empty() && values[place].index() != 0;
    return std::visit(value_maker{param}, is_given ? values[place] : param.unset);
}

}  // namespace sluice::bindings
