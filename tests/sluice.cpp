// SPDX-License-Identifier: MIT
// The umbrella comes first: what is defined here, it has brought along.
#include <sluice/sluice.hpp>

namespace {

constexpr const char* heavy_headers[] = {
    "",
#if defined(TZ_H) || defined(DATE_H)
    "date/tz.h: a second of its own; only who loads the zones includes system_time_zones.hpp",
#endif
#if defined(_GLIBCXX_REGEX) || defined(_LIBCPP_REGEX)
    "regex: the parsers are written out",
#endif
#if defined(_GLIBCXX_IOSTREAM) || defined(_LIBCPP_IOSTREAM)
    "iostream: the primitives do no I/O, and it adds a static constructor to each file",
#endif
#if defined(_GLIBCXX_FSTREAM) || defined(_LIBCPP_FSTREAM)
    "fstream: the primitives do no I/O",
#endif
#if defined(_GLIBCXX_FILESYSTEM) || defined(_LIBCPP_FILESYSTEM)
    "filesystem: the primitives do no I/O",
#endif
#if defined(_GLIBCXX_LOCALE) || defined(_LIBCPP_LOCALE)
    "locale: no text depends on one",
#endif
#if defined(_GLIBCXX_RANDOM) || defined(_LIBCPP_RANDOM)
    "random: randomness is an argument",
#endif
#if defined(_GLIBCXX_FUTURE) || defined(_LIBCPP_FUTURE)
    "future: the primitives start no threads",
#endif
#if defined(_GLIBCXX_IOMANIP) || defined(_LIBCPP_IOMANIP)
    "iomanip: numbers are written by table",
#endif
#if defined(_GLIBCXX_MAP) || defined(_LIBCPP_MAP) || defined(_GLIBCXX_SET) || defined(_LIBCPP_SET)
    "map, set: tables are sorted arrays",
#endif
#if defined(_GLIBCXX_LIST) || defined(_LIBCPP_LIST)
    "list: the limiter's table holds its entries",
#endif
#if _GLIBCXX_RELEASE == 12  // of later ones <chrono> may include these itself
#if defined(_GLIBCXX_THREAD) || defined(_GLIBCXX_MUTEX)
    "thread, mutex: the limiter has a mutex of its own",
#endif
#if defined(_GLIBCXX_ATOMIC)
    "atomic: the compiler's own atomics do",
#endif
#if defined(_GLIBCXX_MEMORY)
    "memory: what is owned is in vectors, or in a block of its own",
#endif
#endif
};

}  // namespace

#include <iterator>

#include <doctest/doctest.h>

TEST_CASE("the umbrella brings no header along that takes long to compile") {
    for (const char* header : heavy_headers) CHECK(header == doctest::String(""));
    CHECK(std::size(heavy_headers) == 1);
}
