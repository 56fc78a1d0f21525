// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_SERVICE_CASTERS_HPP
#define SLUICE_BINDINGS_SERVICE_CASTERS_HPP

#include <sluice/api/event_store.hpp>
#include <sluice/api/handler.hpp>

#include "checked_caster.hpp"

namespace pybind11::detail {

template <>
struct type_caster<sluice::api::event_store>
    : sluice::bindings::checked_caster<sluice::api::event_store> {};
template <>
struct type_caster<sluice::api::handler> : sluice::bindings::checked_caster<sluice::api::handler> {
};
template <>
struct type_caster<sluice::response> : sluice::bindings::checked_caster<sluice::response> {};

}  // namespace pybind11::detail

#endif
