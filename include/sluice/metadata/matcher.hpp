// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_MATCHER_HPP
#define SLUICE_METADATA_MATCHER_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/metadata/detail/document_prefilter.hpp>
#include <sluice/metadata/json_text.hpp>
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
          prefilter_(query_),
          comparisons_(query_.conditions().size()),
          matches_empty_document_(
              query_.matches([](json_path) { return std::optional<scalar>(); })) {}

    [[nodiscard]] bool matches(std::string_view json) {
        if (prefilter_.rejects(json) || !lookup_.read(json)) return matches_empty_document_;
        return query_.matches_if([this](std::size_t condition) {
            ++comparisons_[condition];
            const document_lookup::path_value& value = lookup_.at(condition);
            return query_.conditions()[condition].matches(value.value, value.number);
        });
    }

    /// Like matches(), for text that may not be JSON: then it counts as an empty document.
    [[nodiscard]] bool matches_unchecked(std::string_view text) {
        const bool holds = matches(text);
        const bool is_decided = holds == matches_empty_document_ || detail::check_json(text);
        return is_decided ? holds : matches_empty_document_;
    }

    /// Returns true if a document without values at the expression's paths matches.
    [[nodiscard]] bool matches_empty_document() const noexcept { return matches_empty_document_; }
    /// Returns how many documents each condition was compared with so far.
    [[nodiscard]] std::span<const std::size_t> comparisons() const noexcept { return comparisons_; }

private:
    static std::vector<json_path> paths_of(const metadata_query& query) {
        std::vector<json_path> paths;
        for (const metadata_condition& condition : query.conditions())
            paths.push_back(condition.path);
        return paths;
    }

    metadata_query query_;
    document_lookup lookup_;
    detail::document_prefilter prefilter_;
    std::vector<std::size_t> comparisons_;  // by condition
    bool matches_empty_document_;
};

}  // namespace sluice

#endif
