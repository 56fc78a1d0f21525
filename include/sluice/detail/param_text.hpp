// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_PARAM_TEXT_HPP
#define SLUICE_DETAIL_PARAM_TEXT_HPP

#include <string>
#include <type_traits>
#include <vector>

#include <sluice/metadata/query.hpp>
#include <sluice/param_info.hpp>
#include <sluice/time_expression.hpp>
#include <sluice/time_zone.hpp>

namespace sluice::detail {

// The canonical text of a parameter's value, which reads as the same value. Empty filters, lists
// and expressions have an empty text.

inline std::string param_text(const param_info&, const filter& value) { return to_string(value); }
inline std::string param_text(const param_info&, const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) {
        if (!text.empty()) text.push_back(',');
        text.append(item);
    }
    return text;
}
inline std::string param_text(const param_info& info, const std::string& value) {
    return std::string(info.prefix) + value;
}
template <class Choice>
    requires std::is_enum_v<Choice>
std::string param_text(const param_info& info, Choice value) {
    return std::string(info.choices[static_cast<std::size_t>(value)]);
}
inline std::string param_text(const param_info&, bool value) { return value ? "true" : "false"; }
inline std::string param_text(const param_info&, std::int64_t value) {
    return std::to_string(value);
}
inline std::string param_text(const param_info&, const time_expression& value) {
    return to_string(value);
}
inline std::string param_text(const param_info&, const time_zone& value) {
    return std::string(value.name());
}
inline std::string param_text(const param_info&, const metadata_query& value) {
    return to_string(value);
}

}  // namespace sluice::detail

#endif
