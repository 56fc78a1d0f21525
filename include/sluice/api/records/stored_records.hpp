// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_RECORDS_STORED_RECORDS_HPP
#define SLUICE_API_RECORDS_STORED_RECORDS_HPP

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <sluice/api/records/records.hpp>
#include <sluice/detail/case_folding.hpp>
#include <sluice/detail/json_writer.hpp>

namespace sluice::api {

namespace detail {

inline std::optional<std::string> owned(const std::optional<std::string_view>& text) {
    return text ? std::optional<std::string>(*text) : std::nullopt;
}

}  // namespace detail

/// What the store keeps of a link beside its JSON and the index of its fields.
struct stored_link {
    std::string domain, key;
    std::array<std::optional<std::string>, 5> utm;  ///< in the order of utm_names

    static stored_link of(const link& kept) {
        using detail::owned;
        return {std::string(kept.domain),
                std::string(kept.key),
                {owned(kept.utm_source), owned(kept.utm_medium), owned(kept.utm_campaign),
                 owned(kept.utm_term), owned(kept.utm_content)}};
    }
};

/// What the store keeps of a tag.
struct stored_tag {
    std::string id, name, folded_name, json;
    instant created_at;
};

}  // namespace sluice::api

#endif
