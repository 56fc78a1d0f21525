// SPDX-License-Identifier: MIT
#include <simdjson.h>

#include <sluice/api/events_query.hpp>

int main() {}
