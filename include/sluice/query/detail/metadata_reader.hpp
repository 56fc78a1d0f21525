// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_DETAIL_METADATA_READER_HPP
#define SLUICE_QUERY_DETAIL_METADATA_READER_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/metadata/query.hpp>
#include <sluice/query/detail/json_members.hpp>
#include <sluice/query/json_writer.hpp>

namespace sluice::detail {

/// Reads the JSON of a metadata expression: converts its tree to text and parses that, under the
/// same limits as any other text. Only the blank expression may have an empty group. The recursion
/// is as deep as the JSON: at most json_max_depth.
class metadata_reader {
public:
    explicit metadata_reader(query_fault& fault) : fault_(fault) {}

    [[nodiscard]] result<metadata_query> read(const std::optional<dom::element>& json) {
        if (auto tree = read_paths(json); !tree) return tl::unexpected(tree.error());
        for (std::size_t at = 0; at < paths_.size(); ++at) conditions_[at].path = paths_[at];
        const auto compact = metadata_spacing::compact;
        const std::string text = metadata_writer(nodes_, conditions_, compact).write();
        return parse_metadata_query(text).map_error([](error why) {
            why.param = "matches";
            return why;
        });
    }

private:
    result<void> read_paths(const std::optional<dom::element>& json) {
        const auto object = object_of(json, "matches");
        if (!object) return tl::unexpected(object.error());
        if (member(*object, "path")) return read_path(*object);
        const std::string_view name = group_name(*object);
        if (auto known = fault_.check(*object, "matches", {name}); !known) return known;
        const std::size_t at = nodes_.size();
        nodes_.push_back({.kind = kind_of_group(name)});
        auto read = name == "not" ? read_paths(member(*object, name))
                                  : read_operands(member(*object, name));
        nodes_[at].size = static_cast<std::uint32_t>(nodes_.size() - at);
        return fault_.at("." + std::string(name), read);
    }
    result<void> read_operands(const std::optional<dom::element>& json) {
        dom::array operands;
        const bool is_list = json && json->get(operands) == simdjson::SUCCESS;
        const bool is_blank =
            nodes_.size() == 1 && nodes_[0].kind == metadata_node_kind::conjunction;
        if (!is_list || (operands.size() == 0 && !is_blank)) {
            return refuse_member(rule::field_value, "matches",
                                 "expected an array that isn't empty");
        }
        std::size_t index = 0;
        for (const dom::element operand : operands) {
            const std::string step = "[" + std::to_string(index++) + "]";
            if (auto read = fault_.at(step, read_paths(operand)); !read) return read;
        }
        return {};
    }
    result<void> read_path(const dom::object& members) {
        const auto path = fault_.at(".path", read_keys(members));
        if (!path) return tl::unexpected(path.error());
        for (std::size_t op = 0; op < metadata_operator_names.size(); ++op) {
            const std::string_view name = metadata_operator_names[op];
            const auto json = member(members, name);
            if (!json) continue;
            const auto value = fault_.at("." + std::string(name), text_of(json, name));
            if (!value) return tl::unexpected(value.error());
            nodes_.push_back({.condition = static_cast<std::uint32_t>(paths_.size())});
            paths_.push_back(*path);
            conditions_.push_back({{}, static_cast<metadata_operator>(op), *value});
            return fault_.check(members, "matches", {"path", name});
        }
        return refuse_member(rule::field_missing, "matches", "expected an operator such as equal");
    }
    result<std::vector<std::string>> read_keys(const dom::object& members) {
        auto keys = fault_.list_at<std::string>(member(members, "path"), "path", key_of);
        if (!keys || !keys->empty()) return keys;
        return refuse_member(rule::field_value, "path", "expected a key");
    }
    static result<std::string> key_of(const dom::element& json) {
        return text_of(json, "path").map([](std::string_view key) { return std::string(key); });
    }
    /// Returns the kind of a node by its group_name(), which is `not`, `all` or `any`.
    static metadata_node_kind kind_of_group(std::string_view name) noexcept {
        if (name == "not") return metadata_node_kind::negation;
        return name == "all" ? metadata_node_kind::conjunction : metadata_node_kind::disjunction;
    }

    query_fault& fault_;
    std::vector<metadata_node> nodes_{};             // in preorder
    std::vector<std::vector<std::string>> paths_{};  // by condition
    std::vector<metadata_condition> conditions_;
};

}  // namespace sluice::detail

#endif
