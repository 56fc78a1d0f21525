// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_METADATA_MATCHER_HPP
#define SLUICE_STORE_METADATA_MATCHER_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/metadata/query.hpp>
#include <sluice/store/metadata/detail/document_sieve.hpp>
#include <sluice/store/metadata/lookup.hpp>

namespace sluice::store {

/// Tells which JSON documents match a metadata expression. A document is walked over once, however
/// many conditions there are, see metadata_lookup, and not at all where it lacks a text that they
/// need. For one thread.
///
/// ```
/// metadata_matcher pro(*parse_metadata_query("metadata['plan']:pro AND metadata['seats']>5"));
/// pro.matches(R"({"plan":"pro","seats":12})");  // true
/// ```
class metadata_matcher {
public:
    explicit metadata_matcher(metadata_query query)
        : query_(std::move(query)),
          lookup_(paths_of(query_)),
          sieve_(query_),
          asked_(query_.conditions().size()),
          matches_nothing_(query_.matches([](json_path) { return std::optional<scalar>(); })) {}

    [[nodiscard]] bool matches(std::string_view json) {
        if (sieve_.rejects(json) || !lookup_.read(json)) return matches_nothing_;
        return query_.matches_if([this](std::size_t condition) {
            ++asked_[condition];
            const metadata_lookup::found& left = lookup_.at(condition);
            return query_.conditions()[condition].matches(left.value, left.number);
        });
    }

    /// Whether a document matches that has nothing at any path of the expression.
    [[nodiscard]] bool matches_nothing() const noexcept { return matches_nothing_; }
    /// With how many documents each condition was compared so far, by its number.
    [[nodiscard]] std::span<const std::size_t> asked() const noexcept { return asked_; }

private:
    static std::vector<json_path> paths_of(const metadata_query& query) {
        std::vector<json_path> paths;
        for (const metadata_condition& each : query.conditions()) paths.push_back(each.path);
        return paths;
    }

    metadata_query query_;
    metadata_lookup lookup_;
    sluice::detail::document_sieve sieve_;
    std::vector<std::size_t> asked_;  // by condition
    bool matches_nothing_;
};

}  // namespace sluice::store

#endif
