// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_CLICKHOUSE_TAG_QUERIES_HPP
#define SLUICE_REFERENCE_CLICKHOUSE_TAG_QUERIES_HPP

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/reference/clickhouse/answer.hpp>
#include <sluice/reference/search/tag_page.hpp>

namespace sluice::reference::clickhouse {

namespace detail {

[[nodiscard]] inline result<stored_tag> read_tag(answer_row& row) {
    const auto created = parse_int64(row[2]);
    if (!created) return fail(rule::store_unavailable);
    std::string folded = sluice::detail::fold_case(row[1]);
    return stored_tag{std::move(row[0]), std::move(row[1]), std::move(folded), std::move(row[3]),
                      instant(std::chrono::milliseconds(*created))};
}

}  // namespace detail

/// Reads all tags of a workspace.
[[nodiscard]] inline result<std::vector<stored_tag>> find_tags(const statement_runner& run,
                                                               std::string_view workspace) {
    auto rows = ask(run,
                    {"SELECT id, name, created, json FROM tags FINAL "
                     "WHERE workspace = {p1:String}",
                     {std::string(workspace)}},
                    4);
    if (!rows) return tl::unexpected(rows.error());
    std::vector<stored_tag> tags;
    for (answer_row& row : *rows) {
        auto read = detail::read_tag(row);
        if (!read) return tl::unexpected(read.error());
        tags.push_back(*std::move(read));
    }
    return tags;
}

/// Returns a page of a workspace's tags, equal to the page of an in-memory store. It reads all
/// tags, which are few, and filters them here: databases don't ignore the case of all Unicode
/// letters.
[[nodiscard]] inline result<json_page> list_tags(const statement_runner& run,
                                                 std::string_view workspace,
                                                 const tags_query& query) {
    const auto tags = find_tags(run, workspace);
    if (!tags) return tl::unexpected(tags.error());
    std::vector<const stored_tag*> all;
    for (const stored_tag& tag : *tags) all.push_back(&tag);
    return reference::list_tags(std::move(all), query);
}

/// A text that changes whenever the tags of a workspace do; part of a query's canonical text.
[[nodiscard]] inline result<std::string> version_of_tags(const statement_runner& run,
                                                         std::string_view workspace) {
    const auto state = ask_one(run,
                               {"SELECT count(), sum(added) FROM tags "
                                "WHERE workspace = {p1:String}",
                                {std::string(workspace)}},
                               2);
    if (!state) return tl::unexpected(state.error());
    return (*state)[0] + " " + (*state)[1] + " " + std::string(workspace);
}

}  // namespace sluice::reference::clickhouse

#endif
