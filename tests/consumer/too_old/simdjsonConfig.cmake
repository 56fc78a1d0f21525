# An old simdjson, as CMake would find it.
