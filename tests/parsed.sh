#!/usr/bin/env bash
# A launcher of g++ for a source that ends with static_assert(false, "the end"): passes if that is its first
# error. The compiler then stops before it instantiates what the source uses, which takes it half of its time.
#   parsed.sh COMPILER ARGUMENT...
errors=$(LC_ALL=C "$@" -Wfatal-errors 2>&1)
[[ $(grep -m 1 'error: ' <<<"$errors") == *'static assertion failed: the end' ]] || { echo "$errors" && exit 1; }
