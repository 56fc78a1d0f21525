// SPDX-License-Identifier: MIT
#ifndef SLUICE_ERRORS_HPP
#define SLUICE_ERRORS_HPP

/// Errors: codes, rules, messages and envelopes; lists of choices.
///
/// ```
/// const auto filter = sluice::parse_filter("US,");
/// sluice::message(filter.error());  // what is wrong, and what to write instead
/// ```
#include <sluice/errors/choice.hpp>
#include <sluice/errors/envelope.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/errors/rules.hpp>

#endif
