// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_ERROR_EXAMPLE_HPP
#define SLUICE_API_SERVICE_ERROR_EXAMPLE_HPP

#include <optional>
#include <string>
#include <string_view>

#include <sluice/message.hpp>

namespace sluice::api {

/// The error of an example's input.
struct refused_example {
    any_rule broken;
    std::string message;
};

/// A reader of example inputs.
struct example_source {
    std::string_view before{}, after{};  ///< text around the input when it is shown
    /// Returns the error of an input; nullopt if it is accepted. Null: the error has no details
    /// beyond its rule.
    std::optional<refused_example> (*read)(std::string_view input) = nullptr;
};

/// An example that breaks a rule, and its fix.
struct error_example {
    rule broken;
    const example_source* from;
    std::string_view given;    ///< an input that breaks the rule
    std::string_view instead;  ///< an input that is accepted; empty if no other input is the fix
    std::string_view fix;      ///< instructions, in whole sentences
    std::string_view more{};   ///< appended to `given`, `times` times
    int times = 0;

    /// The complete input.
    [[nodiscard]] std::string input() const {
        std::string text(given);
        for (int i = 0; i < times; ++i) text.append(more);
        return text;
    }
    /// The error of the input.
    [[nodiscard]] std::optional<refused_example> refusal() const {
        if (from->read != nullptr) return from->read(input());
        return refused_example{broken, message(make_error(broken))};
    }
};

}  // namespace sluice::api

#endif
