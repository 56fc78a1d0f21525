// SPDX-License-Identifier: MIT
// Every header twice in one program: a definition that is not inline fails to link.
#include "all_headers.hpp"

int second_unit();

int main() { return sluice::parse_filter("US") && second_unit() == 0 ? 0 : 1; }
