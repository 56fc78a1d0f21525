// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_HPP
#define SLUICE_PARAMS_HPP

/// Parameter tables: declare an endpoint's parameters, bind query strings to a struct, and describe
/// them in OpenAPI. Tables made while a program runs are in `<sluice/params/runtime/table.hpp>`.
#include <sluice/base/query_string.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/params/list.hpp>
#include <sluice/params/named_values.hpp>
#include <sluice/params/openapi.hpp>
#include <sluice/params/param.hpp>
#include <sluice/params/table.hpp>
#include <sluice/params/table_tests.hpp>
#include <sluice/params/text.hpp>
#include <sluice/params/uuid.hpp>
#include <sluice/params/value.hpp>
#include <sluice/params/values.hpp>

#endif
