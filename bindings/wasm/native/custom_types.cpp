// SPDX-License-Identifier: MIT
#include "custom_types.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <forward_list>
#include <memory>
#include <optional>
#include <string>

#include <sluice/errors/message.hpp>
#include <sluice/errors/rules.hpp>

#include "abi.hpp"

/// Reads a text by a function of the call. The caller owns the reply:
///
///     size, offset, length    4 bytes each; an offset of 0xFFFFFFFF: the text is accepted, and the
///                             length is the index of its value among those of the call
///     text                    the canonical text of the value, or the name of the broken rule
extern "C" __attribute__((import_module("host"), import_name("read_value"))) char*
sluice_read_value(std::uint32_t place, const char* text, std::size_t size);

namespace sluice::wasm {

namespace {

/// A rule of the program, whose texts its info views.
struct declared_rule {
    std::string name, problem, advice;
    rule_info info;
};

/// The rules of the program; they are never removed, since errors refer to them.
std::forward_list<declared_rule>& declared_rules() {
    static std::forward_list<declared_rule> rules;
    return rules;
}

/// Finds a rule of the program or of the library; nullopt for other names.
std::optional<any_rule> find_rule(std::string_view name) {
    for (const declared_rule& declared : declared_rules()) {
        if (declared.name == name) return any_rule::kept(declared.info);
    }
    const auto listed = std::ranges::find(sluice::detail::rules, name, &rule_info::name);
    if (listed == sluice::detail::rules.end()) return std::nullopt;
    return any_rule::kept(*listed);
}

/// Declares a rule, unless the same one is declared already. Returns the program's mistake.
std::string declare(std::string_view name, error_code code, std::string_view problem,
                    std::string_view advice) {
    const rule_info info{name, code, problem, advice};
    for (const declared_rule& declared : declared_rules()) {
        if (declared.name != name) continue;
        return declared.info == info ? "" : "another rule has this name: rename one";
    }
    std::string mistake = sluice::detail::mistake_in(info);
    if (!mistake.empty()) return mistake;
    declared_rule& added = declared_rules().emplace_front(
        declared_rule{std::string(name), std::string(problem), std::string(advice), {}});
    added.info = {added.name, code, added.problem, added.advice};
    return mistake;
}

}  // namespace

result<custom_value> host_type::operator()(std::string_view text) const {
    constexpr std::uint32_t accepted = 0xFFFF'FFFF;
    const std::unique_ptr<const char[]> reply(sluice_read_value(place, text.data(), text.size()));
    std::array<std::uint32_t, 3> head{};
    std::memcpy(head.data(), reply.get(), sizeof(head));
    const auto [size, offset, length] = head;
    const std::string_view written(reply.get() + sizeof(head), size);
    if (offset == accepted) {
        const auto* const index =
            reinterpret_cast<const void*>(static_cast<std::uintptr_t>(length));
        return custom_value{std::string(written), {std::shared_ptr<const void>(), index}};
    }
    const auto broken = find_rule(written);
    if (!broken) return fail(rule::value_malformed, 0, text.size());
    const std::size_t begin = std::min<std::size_t>(offset, text.size());
    return tl::unexpected(
        make_error(*broken, begin, std::min<std::size_t>(length, text.size() - begin)));
}

/// Arguments: the name of a rule, its code, its problem and its advice; a parameter, which may be
/// absent, an offset and a length. Answer: the refusal of a text that breaks it.
SLUICE_WASM_FUNCTION(rule_error) {
    const std::string_view name = args.text(), code_name = args.text();
    const std::string_view problem = args.text(), advice = args.text();
    const auto& codes = sluice::detail::error_codes;
    const auto code = std::ranges::find(codes, code_name, &sluice::detail::error_code_row::name);
    if (code == codes.end()) {
        return out.mistake("code: expected an error code such as unprocessable_entity");
    }
    const auto mistake =
        declare(name, static_cast<error_code>(code - codes.begin()), problem, advice);
    if (!mistake.empty()) return out.mistake(std::string(name) + ": " + mistake);
    const std::string_view param = args.text();
    const auto offset = static_cast<std::size_t>(args.integer());
    error broken = make_error(*find_rule(name), offset, static_cast<std::size_t>(args.integer()));
    broken.param = param;
    out.refusal(broken, message(broken, std::string_view()));
}

}  // namespace sluice::wasm
