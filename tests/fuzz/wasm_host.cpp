// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

// The functions that JavaScript gives the WebAssembly module: two zones, the second an hour ahead,
// numbers, and types whose values are any texts.

extern "C" {

char* sluice_zone_names() {
    constexpr std::string_view names("UTC\nEurope/Paris\n\0", 18);
    char* const copied = new char[names.size()];
    std::memcpy(copied, names.data(), names.size());
    return copied;
}
double sluice_parse_real(const char* text, std::size_t size) {
    return std::strtod(std::string(text, size).c_str(), nullptr);
}
char* sluice_read_value(std::uint32_t /*place*/, const char* text, std::size_t size) {
    const std::uint32_t head[] = {static_cast<std::uint32_t>(size), 0xFFFF'FFFF, 0};
    char* const reply = new char[sizeof(head) + size];
    std::memcpy(reply, head, sizeof(head));
    std::memcpy(reply + sizeof(head), text, size);
    return reply;
}
std::int32_t sluice_zone_offset(std::uint32_t zone, double /*at*/) { return zone == 0 ? 0 : 3'600; }
}
