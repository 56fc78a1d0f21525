// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_MATCHER_HPP
#define SLUICE_METADATA_MATCHER_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/metadata/detail/document_sieve.hpp>
#include <sluice/metadata/lookup.hpp>
#include <sluice/metadata/query.hpp>

namespace sluice {

/// Matches JSON documents against a metadata expression. It walks over a document at most once, for
/// any number of conditions (see document_lookup), and skips documents that a prefilter rejects.
/// For one thread.
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
            const document_lookup::found& left = lookup_.at(condition);
            return query_.conditions()[condition].matches(left.value, left.number);
        });
    }

    /// Returns true if a document without values at the expression's paths matches.
    [[nodiscard]] bool matches_nothing() const noexcept { return matches_nothing_; }
    /// Returns how many documents each condition was compared with so far.
    [[nodiscard]] std::span<const std::size_t> asked() const noexcept { return asked_; }

private:
    static std::vector<json_path> paths_of(const metadata_query& query) {
        std::vector<json_path> paths;
        for (const metadata_condition& each : query.conditions()) paths.push_back(each.path);
        return paths;
    }

    metadata_query query_;
    document_lookup lookup_;
    detail::document_sieve sieve_;
    std::vector<std::size_t> asked_;  // by condition
    bool matches_nothing_;
};

}  // namespace sluice

#endif
