// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_REQUEST_HPP
#define SLUICE_WASM_REQUEST_HPP

#include <forward_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/query_string.hpp>
#include <sluice/filters/filter.hpp>
#include <sluice/params/bind.hpp>

#include "abi.hpp"
#include "zones.hpp"

namespace sluice::wasm {

/// A request: its parameters and the options for binding them, from these arguments:
///
///     query string; current time; true if unknown parameters are errors; *( name, item )
///
/// An item is one value of a list, in which no character has a special meaning: a comma or a
/// leading dash is part of it.
class request {
public:
    template <class Table>
    request(arguments& args, const Table& table) : text_(parse_query_string(args.text())) {
        options_.now = args.time();
        options_.strict = args.flag();
        pairs_.assign(text_.pairs().begin(), text_.pairs().end());
        while (const auto name = args.optional_text()) {
            add_value(*name, args.text(), type_of(*name, table));
        }
        options_.zones = zones_for(table, pairs_);
    }

    [[nodiscard]] std::span<const name_value> pairs() const { return pairs_; }
    [[nodiscard]] const bind_options& options() const { return options_; }
    /// The problem of a value that can't be written as a parameter; empty if there is none.
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    /// Returns the type of a parameter, of a repeated list that of its values; nullopt if the table
    /// lacks it.
    template <class Table>
    static std::optional<param_type> type_of(std::string_view name, const Table& table) {
        const std::size_t row = table.find(name);
        if (row == table.size()) return std::nullopt;
        const param_info& info = table[row].info;
        return info.lists == list_form::repeated ? param_type::text : info.type;
    }

    /// Adds a parameter with an item as its value, escaped for a filter. Items of other lists can't
    /// be escaped; one with a comma is a problem.
    void add_value(std::string_view name, std::string_view value, std::optional<param_type> type) {
        if (type == param_type::filter) {
            pairs_.push_back({name, texts_.emplace_front(to_string(filter({value})))});
            return;
        }
        if (type == param_type::list && value.find(',') != std::string_view::npos) {
            problem_ = std::string(name) + ": expected items without a comma";
        }
        pairs_.push_back({name, value});
    }

    query_string text_;
    std::forward_list<std::string> texts_;  // viewed by some pairs
    std::vector<name_value> pairs_;
    bind_options options_;
    std::string problem_;
};

}  // namespace sluice::wasm

#endif
