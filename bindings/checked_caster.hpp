// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_CHECKED_CASTER_HPP
#define SLUICE_BINDINGS_CHECKED_CASTER_HPP

#include <pybind11/pybind11.h>

#include "fast_method.hpp"

namespace sluice::bindings {

/// Refuses instances that were made by `__new__` alone. pybind11 would give methods the memory of a
/// value that nobody constructed.
template <class T>
struct checked_caster : pybind11::detail::type_caster_base<T> {
    bool load(pybind11::handle source, bool convert) {
        const auto* const known = pybind11::detail::get_type_info(typeid(T));
        if (known != nullptr && Py_TYPE(source.ptr()) == known->type) {
            static_cast<void>(held_by<T>(source.ptr()));
        }
        return pybind11::detail::type_caster_base<T>::load(source, convert);
    }
};

}  // namespace sluice::bindings

#endif
