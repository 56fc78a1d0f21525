// SPDX-License-Identifier: MIT
#include "parameter_attributes.hpp"

#include <sluice/base/ascii.hpp>
#include <sluice/filters/filter.hpp>
#include <sluice/params.hpp>

#include "raise.hpp"

namespace sluice::bindings {

namespace {

// Conversions of a parameter's canonical text to its value in Python; see value_form::read.

py::object read_text(std::string_view text) { return to_python(text); }

py::object read_filter(std::string_view text) { return py::cast(unwrap(parse_filter(text), text)); }

py::object read_list(std::string_view text) {
    py::list items;
    for (const std::string& item : unwrap(parse_list(text), text)) items.append(to_python(item));
    return py::tuple(items);
}

py::object read_boolean(std::string_view text) { return py::bool_(text == "true"); }

py::object read_integer(std::string_view text) { return py::int_(py::str(to_python(text))); }

/// Returns true if the attribute is never None: the parameter is required, a list, or has a
/// default.
bool is_always_there(const param_info& info, std::string_view default_text) {
    return info.required || !default_text.empty() || info.type == param_type::list;
}

/// The form of a parameter's value in a request that has it.
value_form form_when_set(const param_info& info) {
    switch (info.type) {
        case param_type::filter: return {"Filter", "A Filter", read_filter};
        case param_type::list: return {"tuple[str, ...]", "A tuple of str", read_list};
        case param_type::choice: return {to_literal(info.choices), "A str", read_text};
        case param_type::boolean: return {"bool", "A bool", read_boolean};
        case param_type::integer: return {"int", "An int", read_integer};
        default: return {"str", "A str", read_text};
    }
}

/// The attribute name of a parameter: `utm_source` for `utm_source`, `sort_by` for `sortBy`,
/// `asn_gte` for `asn[gte]`.
std::string to_attribute_name(std::string_view parameter) {
    std::string name;
    for (const char c : parameter) {
        if (c == '[') name.push_back('_');
        if (c == '[' || c == ']') continue;
        const char lower = sluice::detail::to_lower(c);
        if (lower != c) name.push_back('_');
        name.push_back(lower);
    }
    return name;
}

}  // namespace

value_form form_of(const param_info& info, std::string_view default_text) {
    value_form form = form_when_set(info);
    if (is_always_there(info, default_text)) return form;
    return {form.type + " | None", form.words + ", or None if it is absent", form.read};
}

py::object to_python_value(const param_info& info, std::string_view default_text,
                           const std::optional<std::string>& text) {
    if (!text && !is_always_there(info, default_text)) return py::none();
    std::string_view value = text ? std::string_view(*text) : default_text;
    if (text) value.remove_prefix(info.prefix.size());
    return form_when_set(info).read(value);
}

std::string to_declaration(const param_info& info, const value_form& form) {
    return to_attribute_name(info.name) + ": " + form.type;
}

std::string to_attribute_doc(const param_info& info, std::string_view default_text,
                             const value_form& form) {
    std::string doc = "The parameter " + std::string(info.name) + ".\n\nMeaning: ";
    doc.append(info.help).append(".\n\nValue: ").append(form.words);
    if (!info.accepts.empty()) doc.append("; ").append(info.accepts);
    if (!default_text.empty()) doc.append("; ").append(default_text).append(" by default");
    doc.append(info.deprecated ? ". Deprecated." : ".");
    return doc;
}

}  // namespace sluice::bindings
