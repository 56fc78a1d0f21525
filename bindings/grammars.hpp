// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_GRAMMARS_HPP
#define SLUICE_BINDINGS_GRAMMARS_HPP

#include <string>

#include <sluice/grammars/grammar.hpp>

namespace sluice::bindings {

/// Returns the record of a grammar by its name. ValueError if there is none.
[[nodiscard]] const grammar_record& to_grammar(const std::string& name);

}  // namespace sluice::bindings

#endif
