// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_DETAIL_CONDITION_READER_HPP
#define SLUICE_QUERY_DETAIL_CONDITION_READER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
        auto keys = fault_.each_of<std::string>(member(members, "path"), "path", key_of);
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

/// Reads the conditions of a query's JSON. The recursion is as deep as the JSON: at most
/// json_max_depth.
class condition_reader {
public:
    condition_reader(columns_view columns, query_fault& fault) : columns_(columns), fault_(fault) {}

    /// Reads a tree of conditions: an object with a column and a test, or with all, any or not.
    [[nodiscard]] result<where> read(const std::optional<dom::element>& json) {
        const auto object = object_of(json, "where");
        if (!object) return tl::unexpected(object.error());
        if (member(*object, "column")) {
            return read_leaf(*object).map([](leaf&& only) { return where(std::move(only)); });
        }
        const std::string_view name = group_name(*object);
        const auto operand = member(*object, name);
        if (!operand) {
            const rule broken = object->size() == 0 ? rule::field_missing : rule::field_unknown;
            return refuse_member(broken, "where",
                                 "expected a column and a test, or all, any or not");
        }
        if (auto known = fault_.check(*object, "where", {name}); !known) {
            return tl::unexpected(known.error());
        }
        return fault_.at("." + std::string(name), read_group(name, operand));
    }

    /// Returns the column of the schema that an object names.
    [[nodiscard]] result<column> read_column(const dom::object& object) {
        const auto name = text_of(member(object, "column"), "column");
        if (!name) return fault_.at<column>(".column", tl::unexpected(name.error()));
        if (const column* const match = find_column(columns_, *name)) return *match;
        std::vector<std::string_view> names;
        for (const column& known : columns_) names.push_back(known.name);
        if (!names.empty()) fault_.sentence = to_unknown("no column", *name, "", names);
        return refuse_member(rule::field_value, "column",
                             "expected a column, of which the schema has none");
    }

private:
    result<where> read_group(std::string_view name, const std::optional<dom::element>& operand) {
        if (name == "not") return read(operand).map(where::negation);
        const auto read_each = [this](const dom::element& item) { return read(item); };
        return fault_.each_of<where>(operand, "where", read_each)
            .map(name == "all" ? where::all : where::any);
    }
    result<leaf> read_leaf(const dom::object& members) {
        const auto subject = read_column(members);
        if (!subject) return tl::unexpected(subject.error());
        fault_.column = subject->name;
        auto test = check_collation(*subject, members).and_then([&] {
            return read_test(*subject, members);
        });
        if (test) {
            fault_.column.clear();
            return leaf{*subject, *std::move(test), {}, read_window(members).value_or(false)};
        }
        // Puts the faulty member into the place, unless a reader has done it or the message names
        // it.
        const std::string_view at_fault = test.error().param;
        const bool is_located =
            at_fault == "where" || fault_.place.starts_with('.') || !fault_.sentence.empty();
        if (!is_located) fault_.place.insert(0, "." + std::string(at_fault));
        return tl::unexpected(test.error());
    }
    /// Returns true if a time condition is marked as the list's window.
    static result<bool> read_window(const dom::object& members) {
        const auto json = member(members, "window");
        return json ? flag_of(*json, "window") : result<bool>(false);
    }
    /// Checks that a condition names the collation of its column, or none. The advice of the error
    /// is static text; the one in `accepts`, which replaces it, has the collation's name.
    result<void> check_collation(const column& subject, const dom::object& members) {
        const std::string_view expected = record_of(subject.how).name;
        const auto json = member(members, "collation");
        if (!json || text_of(json, "collation").value_or("") == expected) return {};
        fault_.accepts = "expected the column's, " + std::string(expected);
        return refuse_member(rule::field_value, "collation", "expected the column's collation");
    }
    result<column_test> read_test(const column& subject, const dom::object& members) {
        switch (subject.type) {
            case column_type::boolean: return read_boolean_test(members);
            case column_type::json: return read_metadata_test(members);
            case column_type::time: return read_time_test(members);
            case column_type::decimal:
                return read_bounds<decimal_number>(
                    members, [this](const dom::element& json, std::string_view name) {
                        return read_decimal(json, name);
                    });
            case column_type::text: return read_text_test(members);
            case column_type::integer: {
                const bool has_texts = member(members, "any_of") || member(members, "none_of");
                if (has_texts) return read_text_test(members);
                return read_bounds<std::int64_t>(members, whole_number_of);
            }
        }
        return fail_in(rule::field_value, "column");
    }
    result<column_test> read_text_test(const dom::object& members) {
        const bool excludes = member(members, "none_of").has_value();
        const std::string_view name = excludes ? "none_of" : "any_of";
        const auto known = fault_.check_tests(members, {name}, {"any_of", "none_of"});
        if (!known) return tl::unexpected(known.error());
        const auto json = member(members, name);
        if (!json) return refuse_member(rule::field_missing, name, "expected a list of texts");
        const auto text = [&](const dom::element& item) {
            return text_of(item, name).map([](std::string_view value) {
                return std::string(value);
            });
        };
        return fault_.each_of<std::string>(json, name, text)
            .map([&](const std::vector<std::string>& texts) {
                return column_test(text_test{filter(texts, excludes)});
            });
    }
    result<column_test> read_boolean_test(const dom::object& members) {
        const auto known = fault_.check_tests(members, {"is"}, {"is"});
        if (!known) return tl::unexpected(known.error());
        const auto json = member(members, "is");
        if (!json) return refuse_member(rule::field_missing, "is", "expected true or false");
        return flag_of(*json, "is").map([](bool wanted) {
            return column_test(boolean_test{wanted});
        });
    }

    static result<std::int64_t> whole_number_of(const dom::element& json, std::string_view name) {
        return integer_of(json, name);
    }
    result<decimal_number> read_decimal(const dom::element& json, std::string_view name) {
        if (!json.is_string()) {
            fault_.sentence = std::string(name) + " of decimal column " + fault_.column +
                              " must be text, such as \"1.5\", not " + type_name_of(json);
        }
        return text_of(json, name).and_then(parse_decimal_number).map_error([&](error why) {
            why.param = name;
            return why;
        });
    }
    /// Names the type of a JSON value, for a message.
    static std::string type_name_of(const dom::element& json) {
        switch (json.type()) {
            case dom::element_type::ARRAY: return "an array";
            case dom::element_type::OBJECT: return "an object";
            case dom::element_type::BOOL: return "a boolean";
            case dom::element_type::NULL_VALUE: return "null";
            case dom::element_type::DOUBLE:
                return sign_beyond_int64(json) == 0 ? "a float" : "an integer";
            case dom::element_type::INT64:
            case dom::element_type::UINT64: return "an integer";
            case dom::element_type::STRING: break;
        }
        return "a text";
    }
    static result<instant> time_of(const dom::element& json, std::string_view name) {
        const auto text = text_of(json, name);
        const auto at = parse_timestamp(text.value_or(""));
        if (at) return *at;
        return refuse_member(rule::field_value, name,
                             "expected a time such as 2026-08-21T02:30:15Z");
    }
    result<column_test> read_time_test(const dom::object& members) {
        return read_window(members).and_then([&](bool) {
            return read_bounds<instant>(members, time_of, {"gt", "gte", "lt", "lte", "window"});
        });
    }
    template <class T, class Read>
    result<column_test> read_bounds(const dom::object& members, const Read& read,
                                    query_fault::names names = {"gt", "gte", "lt", "lte"}) {
        const auto known = fault_.check_tests(members, names, {"gt", "gte", "lt", "lte"});
        if (!known) return tl::unexpected(known.error());
        bounds<T> range;
        for (const comparison op : {comparison::more_than, comparison::at_least,
                                    comparison::less_than, comparison::at_most}) {
            const std::string_view name = to_string(op);
            const auto json = member(members, name);
            if (!json) continue;
            const bool is_upper = op == comparison::less_than || op == comparison::at_most;
            if (is_upper ? range.most : range.least) {
                return refuse_member(rule::field_value, name, "expected one bound on each side");
            }
            result<T> bound = read(*json, name);
            if (!bound) return tl::unexpected(bound.error());
            range.narrow(op, *std::move(bound));
        }
        return column_test(std::move(range));
    }

    result<column_test> read_metadata_test(const dom::object& members) {
        if (auto known = fault_.check_tests(members, {"matches"}, {"matches"}); !known) {
            return tl::unexpected(known.error());
        }
        return fault_.at(".matches", metadata_reader(fault_).read(member(members, "matches")))
            .map([](metadata_query&& query) { return column_test(std::move(query)); });
    }

    columns_view columns_;
    query_fault& fault_;
};

}  // namespace sluice::detail

#endif
