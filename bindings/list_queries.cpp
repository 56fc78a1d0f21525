// SPDX-License-Identifier: MIT
#include "list_queries.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include <sluice/errors/choice.hpp>
#include <sluice/query/json_writer.hpp>

#include "convert.hpp"
#include "json_text.hpp"
#include "package.hpp"
#include "raise.hpp"

namespace sluice::bindings {

py::dict tree_of(const list_query& query) { return from_json_text(to_json(query)); }

py::tuple columns_of(const list_query& query) {
    py::list names;
    const auto add = [&](const column& subject) {
        const py::object name = to_python(subject.name);
        if (!names.contains(name)) names.append(name);
    };
    for (const leaf& condition : query.rows.leaves()) add(condition.subject);
    for (const sort_key& key : query.order) add(key.by);
    return py::tuple(names);
}

py::tuple schema_of(columns_view columns) {
    const py::object type = package_object("Column");
    py::list all;
    for (const column& member : columns) {
        py::list choices;
        for (const std::string_view choice : member.choices) choices.append(to_python(choice));
        const columns_view records(member.records.begin(), member.records.size());
        all.append(type(member.name, to_string(member.type), member.is_list, member.is_nullable,
                        record_of(member.how).name, py::tuple(choices), schema_of(records)));
    }
    return py::tuple(all);
}

namespace {

/// The enumerator that an attribute of a sluice.Column names. ApiError for other names.
template <class Enumerator, const auto& Names>
Enumerator enumerator_of(const py::object& column, const char* attribute) {
    const auto name = py::cast<std::string>(column.attr(attribute));
    return static_cast<Enumerator>(unwrap_argument(parse_choice<Names>(name), attribute, name));
}

/// Converts a Column; the copies have its texts.
column to_column(const py::object& source, column_copies& copies) {
    const auto name = py::cast<std::string>(source.attr("name"));
    const auto texts = py::cast<std::vector<std::string>>(source.attr("choices"));
    const std::vector<std::string_view> choices(texts.begin(), texts.end());
    std::vector<column> records;
    for (const py::handle member : source.attr("columns")) {
        records.push_back(to_column(py::reinterpret_borrow<py::object>(member), copies));
    }
    return copies.add({.name = name,
                       .type = enumerator_of<column_type, column_type_names>(source, "type"),
                       .is_list = py::cast<bool>(source.attr("is_list")),
                       .is_nullable = py::cast<bool>(source.attr("is_nullable")),
                       .how = enumerator_of<collation, collation_names>(source, "collation"),
                       .choices = choices,
                       .records = {records.data(), records.size()}});
}

/// The schemas of the columns that came last: programs read many queries on few. An instance of
/// sluice.Column is immutable, so that the same ones are the same columns.
class schema_cache {
public:
    using members = std::span<PyObject* const>;

    /// Returns the schema of some columns; null if it isn't kept.
    [[nodiscard]] std::shared_ptr<const python_schema> find(members all,
                                                            std::string_view resource) const {
        const auto is_same = [](PyObject* member, const py::object& kept) {
            return kept.ptr() == member;
        };
        for (const entry& kept : entries_) {
            if (!kept.schema || kept.schema->resource != resource) continue;
            if (std::ranges::equal(all, kept.all, is_same)) return kept.schema;
        }
        return nullptr;
    }
    /// Keeps a schema in the place of the oldest one.
    void add(members all, std::shared_ptr<const python_schema> schema) {
        entry latest{{}, std::move(schema)};
        for (PyObject* const member : all) {
            latest.all.push_back(py::reinterpret_borrow<py::object>(member));
        }
        std::swap(entries_[next_], latest);
        next_ = (next_ + 1) % entries_.size();
    }

private:
    struct entry {
        std::vector<py::object> all;
        std::shared_ptr<const python_schema> schema;
    };
    std::array<entry, 16> entries_{};
    std::size_t next_ = 0;
};

}  // namespace

std::shared_ptr<const python_schema> to_schema(py::handle iterable, std::string resource) {
    static schema_cache& cache = *new schema_cache;  // lives longer than the interpreter
    if (!py::isinstance<py::iterable>(iterable)) refuse_type("schema", "columns", iterable);
    const auto sequence = py::reinterpret_steal<py::object>(PySequence_Fast(iterable.ptr(), ""));
    if (!sequence) throw py::error_already_set();
    const schema_cache::members members(
        PySequence_Fast_ITEMS(sequence.ptr()),
        static_cast<std::size_t>(PySequence_Fast_GET_SIZE(sequence.ptr())));
    if (auto known = cache.find(members, resource)) return known;
    const py::object type = package_object("Column");
    auto schema = std::make_shared<python_schema>();
    schema->resource = std::move(resource);
    for (const py::handle member : members) {
        if (!py::type::handle_of(member).is(type)) refuse_type("schema", "columns", member);
        const auto source = py::reinterpret_borrow<py::object>(member);
        schema->columns.push_back(to_column(source, schema->copies));
    }
    for (const column& known : schema->columns) {
        if (std::ranges::count(schema->columns, known.name, &column::name) == 1) continue;
        throw py::value_error("schema: more than one column '" + std::string(known.name) + "'");
    }
    cache.add(members, schema);
    return schema;
}

}  // namespace sluice::bindings
