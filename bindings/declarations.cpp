// SPDX-License-Identifier: MIT
#include "declarations.hpp"

namespace sluice::bindings {

namespace {

constexpr const char* attribute = "_declarations";
constexpr std::string_view end_mark = "\n--\n";  // after the signatures of a docstring

/// The first signature of a docstring, without types:
///
///     page($self, query: EventsQuery, workspace_id: str | None = None) -> bytes
///     page($self, query, workspace_id=None)
std::string without_types(std::string_view typed) {
    std::string plain;
    int depth = 0;
    bool is_type = false;
    for (const char c : typed) {
        if (depth == 1 && (c == ',' || c == '=' || c == ')')) is_type = false;
        if (depth == 1 && c == ':') is_type = true;
        if (!is_type && !(c == ' ' && plain.ends_with('='))) plain.push_back(c);
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || c == ']') --depth;
        if (c == ')' && depth == 0) break;
    }
    return plain;
}

}  // namespace

void declare(py::handle owner, std::string_view name, std::string_view declaration) {
    const bool is_first = !py::cast<py::dict>(owner.attr("__dict__")).contains(attribute);
    if (is_first) owner.attr(attribute) = py::dict();
    owner.attr(attribute)[py::cast(name)] = declaration;
}

std::string declare_attribute(py::handle owner, std::string_view declaration) {
    const std::string_view name = declaration.substr(0, declaration.find(':'));
    declare(owner, name, declaration);
    return std::string(name);
}

std::string declare_function(py::handle owner, std::string_view name, std::string_view doc) {
    declare(owner, name, to_signature(doc));
    return to_plain_doc(doc);
}

std::string declare_method(py::handle owner, std::string_view name, std::string_view doc) {
    std::string plain = declare_function(owner, name, doc);
    const std::size_t self = plain.find("($self");
    return self == plain.npos ? plain : plain.erase(self + 1, 1);
}

std::string_view to_signature(std::string_view doc) { return doc.substr(0, doc.find(end_mark)); }

// Docstrings begin with a typed signature, up to end_mark: Python shows it without the types.
std::string to_plain_doc(std::string_view doc) {
    return without_types(doc).append(doc.substr(doc.find(end_mark)));
}

std::string to_literal(std::span<const std::string_view> choices) {
    std::string type;
    for (const std::string_view choice : choices) {
        type.append(type.empty() ? "Literal[\"" : ", \"").append(choice).push_back('"');
    }
    return type + ']';
}

std::string to_alternatives(std::span<const std::string_view> choices) {
    std::string list;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (i > 0) list.append(i + 1 < choices.size() ? ", " : " or ");
        list.append("'").append(choices[i]).append("'");
    }
    return list;
}

}  // namespace sluice::bindings
