// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_HPP
#define SLUICE_PARAMS_HPP

// The parameters of rows, by type of value. Those of lists are in list_params.hpp.

#include <sluice/text_params.hpp>
#include <sluice/time_params.hpp>
#include <sluice/value_params.hpp>

#endif
