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
    py::object operator()(const single<filter>& parsed) const { return py::cast(parsed.value); }
    py::object operator()(const single<std::vector<std::string>>& parsed) const {
        py::list items;
        for (const std::string& item : parsed.value) items.append(to_python(item));
        return py::tuple(items);
    }
    py::object operator()(const single<std::optional<std::string>>& parsed) const {
        return to_python(parsed.value ? std::optional<std::string_view>(*parsed.value)
                                      : std::nullopt);
    }
    py::object operator()(const single<std::optional<choice_index>>& parsed) const {
        if (!parsed.value) return py::none();
        return to_python(param.choices[static_cast<std::size_t>(*parsed.value)]);
    }
    py::object operator()(const single<std::optional<bool>>& parsed) const {
        return parsed.value ? py::object(py::bool_(*parsed.value)) : py::none();
    }
    py::object operator()(const single<std::optional<std::int64_t>>& parsed) const {
        return parsed.value ? py::object(py::int_(*parsed.value)) : py::none();
    }
    py::object operator()(const single<std::optional<decimal_number>>& parsed) const {
        if (!parsed.value) return py::none();
        return py::module_::import("decimal").attr("Decimal")(to_python(parsed.value->text()));
    }
    py::object operator()(const single<std::optional<uuid>>& parsed) const {
        if (!parsed.value) return py::none();
        return py::module_::import("uuid").attr("UUID")(to_python(parsed.value->text()));
    }
    py::object operator()(const single<std::optional<instant>>& parsed) const {
        return parsed.value ? to_datetime(*parsed.value) : py::none();
    }
    py::object operator()(const single<metadata_query>& parsed) const {
        return parsed.value.empty() ? py::none() : py::cast(parsed.value);
    }
    py::object operator()(const single<std::optional<custom_value>>& parsed) const {
        if (!parsed.value) return py::none();
        return *static_cast<const py::object*>(parsed.value->object.get());
    }
    /// Pairs of a choice and True if it is descending.
    py::object operator()(const single<sort_choices>& parsed) const {
        py::list keys;
        for (const sort_choice& key : parsed.value) {
            keys.append(py::make_tuple(to_python(param.choices[key.column]),
                                       key.direction == sort_order::descending));
        }
        return py::tuple(keys);
    }
    py::object operator()(const single<std::optional<double>>& parsed) const {
        return parsed.value ? py::object(py::float_(*parsed.value)) : py::none();
    }
    py::object operator()(const single<std::optional<calendar_day>>& parsed) const {
        if (!parsed.value) return py::none();
        const py::object date = py::module_::import("datetime").attr("date");
        return date.attr("fromisoformat")(to_python(format_day(*parsed.value)));
    }
    py::object operator()(const single<expression>& parsed) const {
        return parsed.value.text.empty() ? py::none() : to_python(parsed.value.text);
    }
    /// Pairs of a column and True if it is descending.
    py::object operator()(const single<ordering>& parsed) const {
        py::list keys;
        for (const sort_key& key : parsed.value.keys) {
            keys.append(
                py::make_tuple(to_python(key.by.name), key.direction == sort_order::descending));
        }
        return py::tuple(keys);
    }
    py::object operator()(const list_window& window) const { return to_window(window); }
    /// The page's number, the limit, the cursor's text or None, True if the total is wanted, and
    /// the offset.
    py::object operator()(const list_page& page) const {
        const auto cursor = page.cursor ? to_string(*page.cursor) : std::nullopt;
        return py::make_tuple(page.page, page.limit, to_python(cursor), page.count, page.offset);
    }
};

}  // namespace

py::object to_python_value(const declared_request& request, std::size_t place) {
    const auto params = request.table->params();
    if (place >= params.size()) throw py::index_error("place: no declaration has it");
    const declared_param& param = *params[place];
    const auto& values = request.query.values;
    const bool has_value = !values.empty() && values[place].index() != 0;
    return std::visit(value_maker{param}, has_value ? values[place] : param.unset);
}

}  // namespace sluice::bindings
