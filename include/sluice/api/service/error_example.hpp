// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_ERROR_EXAMPLE_HPP
#define SLUICE_API_SERVICE_ERROR_EXAMPLE_HPP

#include <optional>
#include <string>
#include <string_view>

#include <sluice/message.hpp>

namespace sluice::api {

/// What an input of an example was refused with.
struct refused_example {
    any_rule broken;
    std::string message;
};

/// Whatever reads the input of an example: how that is written, and what becomes of it.
struct example_source {
    std::string_view before{}, after{};  ///< what stands around the input
    /// Why an input is refused; nothing where it is accepted. Null: a gate of the handler, which
    /// says no more than its rule does.
    std::optional<refused_example> (*read)(std::string_view input) = nullptr;
};

/// How a rule is broken, and what to do about it.
struct error_example {
    rule broken;
    const example_source* from;
    std::string_view given;    ///< an input that breaks the rule
    std::string_view instead;  ///< one that doesn't; empty where the fix is no other input
    std::string_view fix;      ///< what to do, in whole sentences
    std::string_view more{};   ///< what follows the given text, so many times
    int times = 0;

    /// The whole input.
    [[nodiscard]] std::string input() const {
        std::string text(given);
        for (int i = 0; i < times; ++i) text.append(more);
        return text;
    }
    /// What the input is refused with.
    [[nodiscard]] std::optional<refused_example> refusal() const {
        if (from->read != nullptr) return from->read(input());
        return refused_example{broken, message(make_error(broken))};
    }
};

}  // namespace sluice::api

#endif
