// SPDX-License-Identifier: MIT
#include "parameter_attributes.hpp"

#include <sluice/detail/ascii.hpp>

namespace sluice::bindings {

namespace {

std::string_view type_in_words(const param_info& info) {
    const bool has_default = !info.default_text.empty();
    switch (info.type) {
        case param_type::filter: return "A Filter, or None where it was not given";
        case param_type::list: return "A tuple of str";
        case param_type::choice: return has_default ? "A str" : "A str, or None";
        case param_type::boolean: return has_default ? "A bool" : "A bool, or None";
        case param_type::integer: return "An int";
        case param_type::time: return "An aware datetime in UTC, or None where there is no bound";
        case param_type::time_zone: return "A str, the zone's own spelling";
        case param_type::expression: return "A str, the canonical text, or None";
        case param_type::text: break;
    }
    return "A str, or None where it was not given";
}

}  // namespace

std::string to_attribute_name(std::string_view parameter) {
    std::string name;
    for (const char c : parameter) {
        const char lower = sluice::detail::to_lower(c);
        if (lower != c) name.push_back('_');
        name.push_back(lower);
    }
    return name;
}

std::string to_attribute_doc(const param_info& info) {
    std::string doc = "The parameter " + std::string(info.name) + ".\n\nMeaning: ";
    doc.append(info.help).append(".\n\nValue: ").append(type_in_words(info));
    if (!info.accepts.empty()) doc.append("; ").append(info.accepts);
    if (!info.default_text.empty())
        doc.append("; ").append(info.default_text).append(" by default");
    doc.append(info.deprecated ? ". Deprecated." : ".");
    return doc;
}

}  // namespace sluice::bindings
