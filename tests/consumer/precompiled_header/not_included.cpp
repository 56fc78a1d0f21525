// SPDX-License-Identifier: MIT
// Includes nothing: what it uses is in the precompiled header.
bool is_parsed() { return sluice::parse_filter("-US,CA").has_value(); }
