// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_DETAIL_JSON_PATH_TREE_HPP
#define SLUICE_METADATA_DETAIL_JSON_PATH_TREE_HPP

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/metadata/expression.hpp>
#include <sluice/metadata/json_text.hpp>

namespace sluice::detail {

/// The keys from the top of a document to a value, outermost first.
using json_path = std::span<const std::string>;

/// A tree of paths to look up in JSON documents, with common prefixes merged:
///
/// ```
/// ['plan'], ['ref']['id'], ['ref']['at']          nodes:  0 the document
///                                                         |- 1 "ref"
/// The children of a node lie side by side,                |  |- 3 "at"
/// in the order of their keys' size and bytes.             |  '- 4 "id"
///                                                         '- 2 "plan"
/// ```
class json_path_tree {
public:
    static constexpr std::uint32_t document = 0;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    /// Views the keys. Paths may repeat.
    explicit json_path_tree(std::span<const json_path> paths) : ends_(paths.size(), none) {
        std::vector<std::uint32_t> order(paths.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
            return std::ranges::lexicographical_compare(paths[a], paths[b], is_before);
        });
        nodes_.push_back({});
        std::vector<branch> branches{{order, 0}};
        for (std::uint32_t at = 0; at < nodes_.size(); ++at) grow(paths, at, branches);
    }

    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
    /// Returns the last node of a path; none if the path is empty or deeper than json_max_depth.
    [[nodiscard]] std::uint32_t end_of(std::size_t path) const noexcept { return ends_[path]; }
    [[nodiscard]] std::uint32_t parent_of(std::uint32_t node) const noexcept {
        return nodes_[node].parent;
    }
    [[nodiscard]] bool has_children(std::uint32_t node) const noexcept {
        return nodes_[node].children > 0;
    }

    /// Returns the child of a node by key, or none.
    [[nodiscard]] std::uint32_t child_of(std::uint32_t node, std::string_view key) const noexcept {
        const place& parent = nodes_[node];
        if ((parent.key_sizes >> (key.size() % 64) & 1) == 0) return none;
        if (parent.children == 1) {
            return equal_bytes(nodes_[parent.first_child].key, key) ? parent.first_child : none;
        }
        const auto children = std::span(nodes_).subspan(parent.first_child, parent.children);
        const auto child = std::ranges::lower_bound(children, key, is_before, &place::key);
        if (child == children.end() || !equal_bytes(child->key, key)) return none;
        return parent.first_child + static_cast<std::uint32_t>(child - children.begin());
    }
    /// Returns the child of a node by array index, or none.
    [[nodiscard]] std::uint32_t element_of(std::uint32_t node, std::size_t index) const noexcept {
        if (index >= nodes_[node].indices_end) return none;
        std::array<char, 20> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), index).ptr;
        return child_of(node, {digits.data(), static_cast<std::size_t>(end - digits.data())});
    }

private:
    struct place {
        std::string_view key{};
        std::uint32_t parent = none;
        std::uint32_t first_child = 0;
        std::uint32_t children = 0;
        std::uint64_t key_sizes = 0;  // bit set of the children's key sizes modulo 64
        std::size_t indices_end = 0;  // all array indices among the children's keys are below
    };
    /// Sorted paths that share their first `depth` keys.
    struct branch {
        std::span<const std::uint32_t> paths;
        std::size_t depth;
    };

    static bool is_before(std::string_view a, std::string_view b) noexcept {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    }

    /// Adds the children of a node; `branches[node]` holds the paths through it.
    void grow(std::span<const json_path> paths, std::uint32_t node, std::vector<branch>& branches) {
        auto [rest, depth] = branches[node];
        for (; !rest.empty() && paths[rest.front()].size() == depth; rest = rest.subspan(1)) {
            if (depth > 0) ends_[rest.front()] = node;
        }
        if (depth == json_max_depth) return;
        nodes_[node].first_child = static_cast<std::uint32_t>(nodes_.size());
        while (!rest.empty()) {
            const std::string& key = paths[rest.front()][depth];
            const auto end = std::ranges::find_if(
                rest, [&](std::uint32_t path) { return paths[path][depth] != key; });
            const auto sharing = static_cast<std::size_t>(end - rest.begin());
            branches.push_back({rest.first(sharing), depth + 1});
            add_child(node, key);
            rest = rest.subspan(sharing);
        }
    }
    void add_child(std::uint32_t parent, std::string_view key) {
        place& node = nodes_[parent];
        ++node.children;
        node.key_sizes |= std::uint64_t{1} << (key.size() % 64);
        if (const auto index = parse_array_index(key)) {
            node.indices_end =
                std::max(node.indices_end, *index == ~std::size_t{0} ? 0 : *index + 1);
        }
        nodes_.push_back({.key = key, .parent = parent});
    }

    std::vector<place> nodes_;
    std::vector<std::uint32_t> ends_;  // by path
};

}  // namespace sluice::detail

#endif
