// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_HPP
#define SLUICE_GRAMMARS_HPP

/// Conditions in the grammars of API guidelines: OData, AIP-160, RSQL, CQL2, SCIM and PostgREST.
/// Each is read to the tree of a list query, and written from it.
#include <sluice/grammars/grammar.hpp>

#endif
