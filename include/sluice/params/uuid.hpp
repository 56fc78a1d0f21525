// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_UUID_HPP
#define SLUICE_PARAMS_UUID_HPP

#include <string>
#include <string_view>

#include <sluice/errors/error.hpp>
#include <sluice/params/values.hpp>
#include <sluice/query/uuid.hpp>

namespace sluice {

/// UUIDs as parameters: a column of UUIDs, or of texts, which are compared with the lower-case
/// form.
template <>
struct param_traits<uuid> {
    static result<uuid> parse(std::string_view text) { return parse_uuid(text); }
    static std::string format(const uuid& id) { return id.text(); }
    static constexpr column_type also_with = column_type::uuid;
    static constexpr std::string_view form = "uuid";
    static constexpr std::string_view accepts =
        "expected a UUID such as 0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e";
};

}  // namespace sluice

#endif
