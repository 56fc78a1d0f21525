// SPDX-License-Identifier: MIT
#include "abi.hpp"

#include <cstring>

#include <sluice/errors/message.hpp>
#include <sluice/query/page.hpp>

namespace sluice::wasm {

namespace {

/// The largest integer that a double, and so JSON.parse, represents exactly.
constexpr std::int64_t largest_exact = (std::int64_t{1} << 53) - 1;

}  // namespace

std::optional<std::string_view> arguments::optional_text() {
    constexpr std::uint32_t absent = 0xFFFF'FFFF;
    std::uint32_t size = absent;
    const std::string_view head = rest_.substr(0, sizeof(size));
    rest_.remove_prefix(head.size());
    if (head.size() == sizeof(size)) std::memcpy(&size, head.data(), sizeof(size));
    if (size == absent) return std::nullopt;
    const std::string_view next = rest_.substr(0, size);
    rest_.remove_prefix(next.size());
    return next;
}

std::int64_t arguments::integer() { return parse_int64(text()).value_or(0); }

object* arguments::address() {
    return reinterpret_cast<wasm::object*>(static_cast<std::uintptr_t>(integer()));
}

const answer* keep_answer(std::string json) {
    static std::string kept;
    static answer kept_answer{};
    kept = std::move(json);
    kept_answer = {kept.data(), kept.size()};
    return &kept_answer;
}

void write_integer(json_writer& json, std::int64_t number) {
    if (number >= -largest_exact && number <= largest_exact) {
        json.value(number);
        return;
    }
    json.begin_object().member("$integer", std::string_view(std::to_string(number))).end_object();
}

void write_time(json_writer& json, instant at) {
    json.begin_object().member("$time", std::int64_t{at.time_since_epoch().count()}).end_object();
}

void write_filter(json_writer& json, const filter& wanted) {
    json.begin_object().key("$filter").begin_object();
    json.member("text", std::string_view(to_string(wanted)));
    json.member("excludes", wanted.excludes()).key("values").begin_array();
    for (const std::string_view value : wanted.values()) json.value(value);
    json.end_array().end_object().end_object();
}

namespace {

/// Writes an error with its message, and the text that its offset refers to, if any.
void write_members(json_writer& json, const error& e, std::string_view why,
                   std::optional<std::string_view> text) {
    const bool is_unknown = e.broken == rule::parameter_unknown;
    const std::string_view param = is_unknown ? text.value_or(std::string_view()) : e.param;
    json.begin_object().member("code", to_string(e.code));
    json.member("status", std::int64_t{http_status(e.code)});
    json.member("rule", to_string(e.broken));
    if (!param.empty()) json.member("param", param);
    json.member("offset", std::int64_t{e.offset}).member("length", std::int64_t{e.length});
    json.member("message", why);
    if (text) json.member("text", *text);
    json.end_object();
}

}  // namespace

void write_errors(json_writer& json, std::span<const error> all,
                  std::span<const name_value> pairs) {
    json.key("errors").begin_array();
    for (const error& e : all) {
        const bool is_in_pair = e.pair != error::no_pair;
        const auto text = is_in_pair ? std::optional(text_at_fault(pairs, e)) : std::nullopt;
        write_members(json, e, message(e, text.value_or(std::string_view())), text);
    }
    json.end_array();
}

void write_error(json_writer& json, const error& e, std::string_view text) {
    json.key("errors").begin_array();
    write_members(json, e, message(e, text), text);
    json.end_array();
}

void write_refusal(json_writer& json, const error& e, std::string_view why) {
    json.key("errors").begin_array();
    write_members(json, e, why, std::nullopt);
    json.end_array();
}

void write_mistake(json_writer& json, std::string_view what) { json.member("mistake", what); }

}  // namespace sluice::wasm

// --- Memory functions, which have no answer -------------------------------------------------

/// Allocates memory for the arguments of a call, or for a text of the host; the function that
/// receives it owns it.
extern "C" __attribute__((export_name("allocate"))) char* sluice_allocate(std::size_t size) {
    return new char[size];
}

/// Destroys an object; JavaScript must not use its address afterwards.
extern "C" __attribute__((export_name("release"))) void sluice_release(sluice::wasm::object* held) {
    delete held;
}
