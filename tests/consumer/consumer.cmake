# SPDX-License-Identifier: MIT
# What users link brings no warnings, sanitizers or hardening of this project's own.
foreach(library IN ITEMS sluice::sluice sluice::precompiled sluice::api)
    foreach(property IN ITEMS INTERFACE_COMPILE_OPTIONS INTERFACE_COMPILE_DEFINITIONS INTERFACE_LINK_OPTIONS)
        get_target_property(value ${library} ${property})
        if(value)
            message(FATAL_ERROR "${library} has ${property} ${value}")
        endif()
    endforeach()
endforeach()
