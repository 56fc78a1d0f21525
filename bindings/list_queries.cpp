// SPDX-License-Identifier: MIT
#include "list_queries.hpp"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/errors/choice.hpp>
#include <sluice/query/json_writer.hpp>

#include "convert.hpp"
#include "package.hpp"
#include "raise.hpp"

namespace sluice::bindings {

py::dict tree_of(const list_query& query) {
    return py::module_::import("json").attr("loads")(to_json(query));
}

py::tuple columns_of(const list_query& query) {
    py::list names;
    const auto add = [&](const column& each) {
        const py::object name = to_python(each.name);
        if (!names.contains(name)) names.append(name);
    };
    for (const leaf& each : query.rows.leaves()) add(each.subject);
    for (const sort_key& each : query.order) add(each.by);
    return py::tuple(names);
}

py::tuple schema_of(columns_view columns) {
    const py::object type = package_object("Column");
    py::list all;
    for (const column& each : columns) {
        all.append(type(each.name, to_string(each.type), each.is_list, each.is_nullable,
                        record_of(each.how).name));
    }
    return py::tuple(all);
}

namespace {

template <class Enumerator, const auto& Names>
Enumerator enumerator_of(const py::object& column, const char* attribute) {
    const auto name = py::cast<std::string>(column.attr(attribute));
    return static_cast<Enumerator>(unwrap_argument(parse_choice<Names>(name), attribute, name));
}

column to_column(const py::object& given) {
    return {.type = enumerator_of<column_type, column_type_names>(given, "type"),
            .is_list = py::cast<bool>(given.attr("is_list")),
            .is_nullable = py::cast<bool>(given.attr("is_nullable")),
            .how = enumerator_of<collation, collation_names>(given, "collation")};
}

}  // namespace

std::shared_ptr<const own_schema> to_schema(py::handle given, std::string resource) {
    const py::object type = package_object("Column");
    auto made = std::make_shared<own_schema>();
    made->resource = std::move(resource);
    if (!py::isinstance<py::iterable>(given)) refuse_type("schema", "columns", given);
    for (const py::handle each : given) {
        if (!py::type::handle_of(each).is(type)) refuse_type("schema", "columns", each);
        made->columns.push_back(to_column(py::reinterpret_borrow<py::object>(each)));
        made->names.push_back(py::cast<std::string>(each.attr("name")));
    }
    for (std::size_t at = 0; at < made->names.size(); ++at) {
        const std::string& name = made->names[at];
        made->columns[at].name = name;
        if (std::ranges::count(made->names, name) == 1) continue;
        throw py::value_error("schema: more than one column '" + name + "'");
    }
    return made;
}

}  // namespace sluice::bindings
