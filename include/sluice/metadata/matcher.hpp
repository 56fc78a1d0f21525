// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_MATCHER_HPP
#define SLUICE_METADATA_MATCHER_HPP

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <sluice/base/simd/kernels.hpp>
#include <sluice/metadata/json_text.hpp>
#include <sluice/metadata/lookup.hpp>
#include <sluice/metadata/query.hpp>

/// Matchers of metadata expressions, and the prefilter of documents.
namespace sluice {

namespace detail {

/// A prefilter of documents that spares most of them the walk of document_lookup. It searches the
/// JSON text for the quoted texts that the expression's conditions depend on. A document without
/// any of them is rejected: for it the expression has the same result as for an empty document.
///
/// ```
/// expression                  texts
/// metadata['plan']:pro        "pro"      only strings equal a value that isn't a number or boolean
/// metadata['ref']['n'] > 5    "n"        the last key on the path that can't be an array's index
/// a AND b                     a's alone if a fails for an empty document, or b's likewise;
///                             those of both if both hold for it
/// a OR b                      a's alone if a holds for an empty document, or b's likewise;
///                             those of both if both fail for it
/// ```
///
/// A document with a backslash is never rejected, as its names and values may be escaped. The
/// prefilter turns itself off if it rejects too few documents: a search takes a sixth of the time
/// of a walk. Not safe for several threads.
class document_prefilter {
public:
    /// Collects the texts of a query. Without any, the prefilter is off.
    explicit document_prefilter(const metadata_query& query) {
        if (query.empty()) return;
        need whole = need_of(query, 0);
        if (whole.common >= unknown) return;
        texts_ = std::move(whole.texts);
        for (const std::string& text : texts_) wanted_.bytes[wanted_.count++] = text[1];  // after "
    }

    /// Returns true if the document lacks all needed texts. False if unsure.
    [[nodiscard]] bool rejects(std::string_view json) noexcept {
        if (texts_.empty()) return false;
        if (looks_ >= enough_looks && rejected_ * worth_one_in < looks_) return false;
        ++looks_;
        const bool is_rejected = lacks_all(json);
        rejected_ += is_rejected ? 1 : 0;
        return is_rejected;
    }

private:
    static constexpr std::size_t enough_looks = 256;  // documents before it may turn itself off
    static constexpr std::size_t worth_one_in = 6;    // of them it has to reject one in 6
    static constexpr std::size_t most_texts = std::tuple_size_v<decltype(simd::after_quote::bytes)>;
    static constexpr std::size_t unknown = 1'000;  // as need::common: no search is possible

    /// The quoted texts that matter to a part of an expression: without any of them in a document,
    /// the part has the result that it has for an empty document.
    struct need {
        bool holds_when_empty;             // result for an empty document
        std::vector<std::string> texts{};  // in quotes; at least one unless `common` is unknown
        std::size_t common = 0;            // how many documents may have them: a rank, or unknown
    };

    /// Returns the texts of the subtree at a node. An operand that decides the result of an AND or
    /// OR for an empty document does so for any document without its texts: its texts are enough,
    /// and of several such operands the rarest is chosen. Recurses as deep as the tree, 131 at
    /// most.
    [[nodiscard]] static need need_of(const metadata_query& query, std::size_t at) {
        const metadata_node node = query.nodes()[at];
        if (node.kind == metadata_node_kind::condition) {
            return need_of(query.conditions()[node.condition]);
        }
        const bool deciding = node.kind == metadata_node_kind::disjunction;
        need all{!deciding};
        std::optional<need> enough;  // the rarest operand that decides the result
        for (std::size_t part = at + 1; part < at + node.size; part += query.nodes()[part].size) {
            need operand = need_of(query, part);
            if (node.kind == metadata_node_kind::negation) {
                operand.holds_when_empty = !operand.holds_when_empty;
                return operand;
            }
            if (operand.holds_when_empty == deciding &&
                (!enough || operand.common < enough->common))
                enough = operand;
            std::ranges::move(operand.texts, std::back_inserter(all.texts));
            all.common += operand.common;
        }
        if (enough) return *std::move(enough);
        if (all.texts.size() > most_texts) return {all.holds_when_empty, {}, unknown};
        return all;
    }
    /// Returns the text of a condition; none for an ordering, or a number or boolean, at a path of
    /// indices only.
    [[nodiscard]] static need need_of(const metadata_condition& condition) {
        need needed{condition.matches(std::nullopt)};
        const bool is_boolean = condition.value == "true" || condition.value == "false";
        const bool is_text = !is_ordering(condition.op) && !condition.number && !is_boolean;
        const auto name = std::find_if(condition.path.rbegin(), condition.path.rend(),
                                       [](const auto& key) { return !parse_array_index(key); });
        if (!is_text && name == condition.path.rend())
            return {needed.holds_when_empty, {}, unknown};
        needed.texts.push_back('"' + std::string(is_text ? condition.value : *name) + '"');
        needed.common = is_text ? 1 : 10;  // names are often in all documents
        return needed;
    }

    /// Returns true if a document has none of the texts and no backslash.
    [[nodiscard]] bool lacks_all(std::string_view json) const noexcept {
        for (std::size_t at = 0;; ++at) {
            at = kernels_->find_quoted(json.data(), at, json.size(), wanted_);
            if (at >= json.size()) return true;
            const std::string_view rest = json.substr(at);
            const auto begins = [&](const std::string& text) { return rest.starts_with(text); };
            if (rest.front() == '\\' || std::ranges::any_of(texts_, begins)) return false;
        }
    }

    const simd::kernels* kernels_ = &simd::active_kernels();
    std::vector<std::string> texts_;        // empty: the prefilter is off
    simd::after_quote wanted_;              // the byte after the quote of each text
    std::size_t looks_ = 0, rejected_ = 0;  // documents searched, and rejected
};

}  // namespace detail

/// Matches JSON documents against a metadata expression. It walks over a document at most once, for
/// any number of conditions (see document_lookup), and skips documents that a prefilter rejects.
/// Not safe for several threads.
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

    /// Returns true if the expression holds for a document. Expects JSON; see matches_unchecked().
    [[nodiscard]] bool matches(std::string_view json) {
        if (prefilter_.rejects(json) || !lookup_.read(json)) return matches_empty_document_;
        return query_.matches_if([this](std::size_t condition) {
            ++comparisons_[condition];
            const document_lookup::path_value& value = lookup_.at(condition);
            return query_.conditions()[condition].matches(value.value, value.number);
        });
    }

    /// Like matches(), for text that may not be JSON: then it counts as an empty document. Checks
    /// the text only if the result depends on that.
    [[nodiscard]] bool matches_unchecked(std::string_view text) {
        const bool holds = matches(text);
        const bool is_decided = holds == matches_empty_document_ || detail::check_json(text);
        return is_decided ? holds : matches_empty_document_;
    }

    /// Returns true if a document without values at the expression's paths matches.
    [[nodiscard]] bool matches_empty_document() const noexcept { return matches_empty_document_; }
    /// Returns the number of documents that each condition was compared with so far; the rest were
    /// decided by other conditions or by the prefilter.
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
