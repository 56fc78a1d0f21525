// SPDX-License-Identifier: MIT
// Prints the tables of parameters of docs/reference/parameters.md, from the tables that bind
// requests.
#include <iostream>

#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/tags/tags_query.hpp>

namespace {

std::string_view name_of(sluice::param_type type) {
    switch (type) {
        case sluice::param_type::filter: return "filter";
        case sluice::param_type::list: return "list";
        case sluice::param_type::text: return "text";
        case sluice::param_type::choice: return "choice";
        case sluice::param_type::boolean: return "boolean";
        case sluice::param_type::integer: return "number";
        case sluice::param_type::real: return "number";
        case sluice::param_type::time: return "time";
        case sluice::param_type::time_zone: return "time zone";
        case sluice::param_type::expression: return "expression";
        case sluice::param_type::condition: return "condition";
        case sluice::param_type::order:
        case sluice::param_type::sort: return "columns";
        case sluice::param_type::cursor: return "cursor";
        case sluice::param_type::value: return "value";
    }
    return "";
}

void print(const sluice::param_info& info, const std::string& default_text) {
    std::string accepts(info.accepts);
    if (accepts.starts_with("expected ")) accepts.erase(0, std::string_view("expected ").size());
    std::cout << "| `" << info.name << "` | " << name_of(info.type) << " | "
              << (info.deprecated ? "deprecated: " : "") << info.help;
    if (!accepts.empty()) std::cout << " (" << accepts << ")";
    std::cout << " | " << default_text << " |\n";
}

template <class Table>
void print_table(std::string_view title, const Table& table) {
    std::cout << title << "\n\n| parameter | type | meaning | default |\n|---|---|---|---|\n";
    for (const auto& row : table) print(row.info, row.default_text());
}

}  // namespace

int main() {
    print_table("`GET /events`:", sluice::reference::events_params);
    std::cout << '\n';
    print_table("`GET /tags`:", sluice::reference::tags_params);
}
