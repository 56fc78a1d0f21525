// SPDX-License-Identifier: MIT
#include <optional>
#include <span>
#include <string>

#include <sluice/detail/json_text.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/parse_limits.hpp>
#include <sluice/store/metadata/matcher.hpp>

#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* type = R"(A filter by metadata: an expression over nested keys.

Made by parse().)";

constexpr const char* parse = R"(parse(text: str) -> MetadataQuery
--

Reads an expression such as metadata['plan']:pro AND metadata['seats'] > 5.

Args:
    text: str of at most 10,000 UTF-16 code units. A blank one matches everything.

Raises:
    ApiError: The text isn't an expression; the error says where.

Example:
    >>> sluice.MetadataQuery.parse("metadata['plan']=pro")
    MetadataQuery.parse("metadata['plan']:pro"))";

constexpr const char* matches = R"(matches($self, metadata: object) -> bool
--

Whether the expression holds for a row's metadata.

Args:
    metadata: JSON as json.loads gives it, or a whole JSON document as str or bytes; None is a row
        without metadata. Numbers may also be Decimal or NumPy's. NaN, pandas.NA and NaT are
        values that are missing.

Returns:
    bool.

Raises:
    ApiError: A document isn't JSON.
    TypeError: A value that the expression asks about is nothing that JSON has.
    ValueError: A number that the expression asks about is infinite.

Example:
    >>> seats = sluice.MetadataQuery.parse("metadata['seats'] > 5")
    >>> seats.matches({"seats": 12}), seats.matches('{"seats": 3}')
    (True, False))";

}  // namespace doc

metadata_query parse(py::handle text) {
    const utf8_text utf8(text, "text");
    return unwrap(parse_metadata_query(utf8.view()), utf8.view());
}

/// Looks paths up in JSON as json.loads gives it: dicts and other mappings, lists and tuples. It
/// keeps what it found alive until the next call.
class json_lookup {
public:
    explicit json_lookup(py::handle metadata)
        : metadata_(metadata), found_(py::reinterpret_borrow<py::object>(metadata)) {}

    std::optional<scalar> operator()(std::span<const std::string> path) {
        found_ = py::reinterpret_borrow<py::object>(metadata_);
        for (const std::string& key : path) {
            found_ = child(found_, key);
            if (found_.is_none()) return std::nullopt;
        }
        return to_scalar();
    }

private:
    /// A member, an element, or None.
    [[nodiscard]] static py::object child(const py::object& parent, const std::string& key) {
        if (PyDict_CheckExact(parent.ptr())) return member(parent, key);
        if (is_array(parent)) {
            const auto index = parse_array_index(key);
            const auto elements = py::reinterpret_borrow<py::sequence>(parent);
            if (!index || *index >= elements.size()) return py::none();
            return elements[*index];
        }
        if (is_mapping(parent)) return parent.attr("get")(key);
        static_cast<void>(json_lookup(parent).to_scalar());  // refuses what isn't JSON
        return py::none();
    }
    [[nodiscard]] static py::object member(const py::object& parent, const std::string& key) {
        const py::str name(key);
        PyObject* const found = PyDict_GetItemWithError(parent.ptr(), name.ptr());
        if (found == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
        return found == nullptr ? py::none() : py::reinterpret_borrow<py::object>(found);
    }

    /// A scalar whose text holds until the next call; nothing for null, arrays and objects.
    std::optional<scalar> to_scalar() {
        if (is_missing(found_)) return std::nullopt;
        found_ = to_plain_scalar(found_);
        PyObject* const value = found_.ptr();
        if (PyBool_Check(value)) return scalar::boolean(value == Py_True);
        if (PyUnicode_Check(value)) {
            text_.emplace(found_, "metadata");
            return scalar::string(text_->view());
        }
        if (is_number(found_)) {
            number_ = to_number_text(found_, "metadata");
            return scalar::number(number_);
        }
        if (is_array(found_) || is_mapping(found_)) return std::nullopt;
        refuse_type("metadata", "JSON: str, bool, a number, None, a mapping or a list", found_);
    }

    py::handle metadata_;
    py::object found_;
    std::optional<utf8_text> text_;
    std::string number_;
};

bool matches_document(const metadata_query& query, std::string_view json) {
    const auto checked = sluice::detail::check_json(json);
    if (!checked) raise(checked.error(), {.text = json});
    return store::metadata_matcher(query).matches(json);
}

bool matches_value(const metadata_query& query, py::handle metadata) {
    if (PyBytes_Check(metadata.ptr()) || PyUnicode_Check(metadata.ptr())) {
        return matches_document(query, to_bytes(metadata, "metadata"));
    }
    return query.matches(json_lookup(metadata));
}

PyObject* parse_fast(PyObject*, const raw_call& call) {
    const auto [text] = bind_arguments<1>("parse", {"text"}, 1, call);
    return to_new_object(parse(text));
}

PyObject* matches(PyObject* self, const raw_call& call) {
    const auto& query = held_by<metadata_query>(self);
    const auto [metadata] = bind_arguments<1>("matches", {"metadata"}, 1, call);
    return PyBool_FromLong(matches_value(query, metadata) ? 1 : 0);
}

py::object text_of(const metadata_query& query) { return to_python(to_string(query)); }

py::tuple arguments(const metadata_query& query) { return py::make_tuple(text_of(query)); }

py::object repr(const metadata_query& query) {
    return py::str("MetadataQuery.parse({!r})").format(text_of(query));
}

bool are_equal(const metadata_query& a, const metadata_query& b) { return a == b; }

py::ssize_t hash(const metadata_query& query) { return py::hash(text_of(query)); }

}  // namespace

void register_metadata(py::module_& m) {
    m.attr("QUERY_MAX_LENGTH") = metadata_query_max_length;
    auto c = make_class<metadata_query>(m, "MetadataQuery", doc::type);
    def_static_fast<parse_fast>(c, "parse", doc::parse);
    def_fast<matches>(c, "matches", doc::matches);
    def_equal<are_equal>(c);
    def_method<hash>(c, "__hash__", hash_doc);
    def_method<text_of>(c, "__str__", str_doc);
    def_method<repr>(c, "__repr__", repr_doc);
    def_reduce<arguments>(c);
}

}  // namespace sluice::bindings
