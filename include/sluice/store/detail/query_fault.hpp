// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DETAIL_QUERY_FAULT_HPP
#define SLUICE_STORE_DETAIL_QUERY_FAULT_HPP

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/store/detail/json_members.hpp>

namespace sluice::store::detail {

/// Where a query's JSON is at fault, as far as it is known while it is read.
struct query_fault {
    std::string place;    ///< the way to it, such as .all[1].gte, from where its reader is
    std::string column;   ///< that a condition is about
    std::string accepts;  ///< what would be accepted, where only the text or the schema tells

    using names = std::initializer_list<std::string_view>;

    /// The same; where it has failed, it did below `step`.
    template <class T>
    result<T> at(std::string_view step, result<T> read) {
        if (!read) place.insert(0, step);
        return read;
    }
    /// What `read(element)` makes of each element of an array.
    template <class T, class Read>
    result<std::vector<T>> each_of(const std::optional<dom::element>& json, std::string_view name,
                                   const Read& read) {
        std::size_t index = 0;
        return list_of<T>(json, name, [&](const dom::element& item) {
            return at("[" + std::to_string(index++) + "]", result<T>(read(item)));
        });
    }
    result<void> check(const dom::object& of, std::string_view name, names known) {
        auto checked = check_members(of, name, known);
        if (checked) return checked;
        for (const std::string_view each : known) {
            accepts.append(accepts.empty() ? "expected no members but " : ", ").append(each);
        }
        return checked;
    }
    result<dom::object> with_members(const std::optional<dom::element>& json, std::string_view name,
                                     names known) {
        return object_of(json, name).and_then([&](const dom::object& object) {
            return check(object, name, known).map([&] { return object; });
        });
    }
};

}  // namespace sluice::store::detail

#endif
