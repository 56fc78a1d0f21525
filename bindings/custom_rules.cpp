// SPDX-License-Identifier: MIT
#include "custom_rules.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include <sluice/params/runtime/declaration.hpp>

#include "convert.hpp"
#include "members.hpp"
#include "package.hpp"
#include "raise.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* declare_rule =
    R"(declare_rule(name: str, code: str, problem: str, advice: str) -> None
--

Keeps a rule of the program until the process ends.

Args:
    name: As programs compare it.
    code: The error code.
    problem: The first half of a message.
    advice: The second half.

Raises:
    ValueError: A text is invalid, or another rule has this name.)";

constexpr const char* rule_error =
    R"(rule_error(rule: str, param: str | None, offset: int, length: int) -> ApiError
--

The error of a rule that was declared.

Args:
    rule: Its name.
    param: The parameter at fault, or None.
    offset: The first byte at fault in its value.
    length: The number of bytes at fault.)";

}  // namespace doc

/// A rule that the program declared, and the texts that it views.
struct declared_rule {
    std::string name, problem, advice;
    rule_info info{};
};

/// The declared rules, which errors view; never destroyed.
std::deque<declared_rule>& declared_rules() {
    static auto& all = *new std::deque<declared_rule>();
    return all;
}

/// The declared rule of a name; null if there is none.
const rule_info* find_declared(std::string_view name) {
    const auto& all = declared_rules();
    const auto row = std::ranges::find(all, name, &declared_rule::name);
    return row == all.end() ? nullptr : &row->info;
}

/// The rule of a name, declared or one of the library's; nullopt if there is none.
std::optional<any_rule> find_rule(std::string_view name) {
    if (const rule_info* const known = find_declared(name)) return any_rule::kept(*known);
    const auto listed = std::ranges::find(sluice::detail::rules, name, &rule_info::name);
    if (listed == sluice::detail::rules.end()) return std::nullopt;
    return static_cast<rule>(listed - sluice::detail::rules.begin());
}

/// The error code of a name. ValueError for other names.
error_code to_code(std::string_view name) {
    const auto& codes = sluice::detail::error_codes;
    const auto row = std::ranges::find(codes, name, &sluice::detail::error_code_row::name);
    if (row == codes.end()) {
        throw py::value_error("code: expected an error code such as unprocessable_entity");
    }
    return static_cast<error_code>(row - codes.begin());
}

/// Implements declare_rule. Declaring the same rule again does nothing, as when a module is
/// reloaded.
void declare_rule(py::handle name, py::handle code, py::handle problem, py::handle advice) {
    declared_rule custom{to_text(name, "name"), to_text(problem, "problem"),
                         to_text(advice, "advice")};
    custom.info = {custom.name, to_code(to_text(code, "code")), custom.problem, custom.advice};
    if (const rule_info* const known = find_declared(custom.name)) {
        if (*known == custom.info) return;
        throw py::value_error(custom.name + ": another rule has this name: rename one");
    }
    const std::string what = sluice::detail::mistake_in(custom.info);
    if (!what.empty()) throw py::value_error(custom.name + ": " + what);
    declared_rule& declared = declared_rules().emplace_back(std::move(custom));
    declared.info.name = declared.name;
    declared.info.problem = declared.problem;
    declared.info.advice = declared.advice;
}

py::object rule_error(py::handle rule, py::handle param, py::handle offset, py::handle length) {
    const auto broken = find_rule(to_text(rule, "rule"));
    if (!broken) throw py::value_error("rule: expected one that was declared");
    error why = make_error(*broken, to_unsigned(offset, "offset"), to_unsigned(length, "length"));
    const std::string name = param.is_none() ? std::string() : to_text(param, "param");
    why.param = name;
    return to_api_error(why);
}

}  // namespace

error to_own_error(const py::object& raised, std::size_t size) {
    const error malformed = make_error(rule::value_malformed, 0, size);
    const py::object type = package_object("ApiError");
    if (!py::isinstance(raised, type)) return malformed;
    const auto broken = find_rule(py::cast<std::string>(raised.attr("rule")));
    if (!broken) return malformed;
    return make_error(*broken, py::cast<std::size_t>(raised.attr("offset")),
                      py::cast<std::size_t>(raised.attr("length")));
}

void register_custom_rules(py::module_& m) {
    def(m, "declare_rule", declare_rule, doc::declare_rule, py::arg("name"), py::arg("code"),
        py::arg("problem"), py::arg("advice"));
    def(m, "rule_error", rule_error, doc::rule_error, py::arg("rule"), py::arg("param"),
        py::arg("offset"), py::arg("length"));
}

}  // namespace sluice::bindings
