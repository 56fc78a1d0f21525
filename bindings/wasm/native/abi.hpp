// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_ABI_HPP
#define SLUICE_WASM_ABI_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/base/json_writer.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/params/bind.hpp>

// The calling convention between JavaScript and C++. A function receives the bytes of its
// arguments, which the caller has allocated, and returns the address of an answer, valid until the
// next call:
//
//     arguments   *( size, 4 bytes, little-endian; bytes )     size 0xFFFFFFFF: absent, no bytes
//     answer      address, 4 bytes; size, 4 bytes              a JSON text:
//
//     { "value": … }   { "errors": [ error … ] }   { "mistake": "what the program should do" }
//
// Values without a JSON form are objects with one member: { "$time": milliseconds }, { "$integer":
// "digits" }, { "$filter": … }, { "$metadata": "text" }. src/module.ts is the JavaScript side.

namespace sluice::wasm {

using sluice::detail::json_writer;

/// An object that JavaScript refers to by its address until it releases it.
class object {
public:
    object() = default;
    object(const object&) = delete;
    object& operator=(const object&) = delete;
    virtual ~object() = default;
};

/// The arguments of a call, read one after another. Owns the bytes that the texts view.
class arguments {
public:
    /// Takes over `bytes`, allocated by sluice_allocate().
    arguments(const char* bytes, std::size_t size) : owned_(bytes), rest_(bytes, size) {}

    /// Returns true if all arguments have been read.
    [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
    /// The next argument, or nullopt if it is absent.
    [[nodiscard]] std::optional<std::string_view> optional_text();
    /// The next argument; empty if it is absent.
    [[nodiscard]] std::string_view text() { return optional_text().value_or(std::string_view()); }
    /// The next argument as a whole number; 0 for other texts, which JavaScript never passes.
    [[nodiscard]] std::int64_t integer();
    [[nodiscard]] bool flag() { return text() == "true"; }
    /// The next argument as an instant, from milliseconds since 1970.
    [[nodiscard]] instant time() { return instant{std::chrono::milliseconds{integer()}}; }

    /// The next argument as the enumerator with the index of its name; the first enumerator for
    /// unknown names, which JavaScript rules out.
    template <class Enumerator, class Names>
    [[nodiscard]] Enumerator choice(const Names& names) {
        const auto place = std::ranges::find(names, text());
        return static_cast<Enumerator>(place == names.end() ? 0 : place - names.begin());
    }
    /// The next argument as the object at an address from write_object(). Expects an `Object` that
    /// JavaScript has not released: only JavaScript keeps account of both.
    template <class Object>
    [[nodiscard]] Object& object() {
        return *static_cast<Object*>(address());
    }

private:
    [[nodiscard]] wasm::object* address();

    std::unique_ptr<const char[]> owned_;
    std::string_view rest_;
};

/// The bytes of an answer, as JavaScript reads them.
struct answer {
    const char* text;
    std::size_t size;
};

/// Stores a text until the next call, and returns its place for JavaScript.
[[nodiscard]] const answer* keep_answer(std::string json);

/// Defines a function that JavaScript calls by its name; its body writes the answer.
#define SLUICE_WASM_FUNCTION(name)                                                    \
    static void name(sluice::wasm::arguments& args, sluice::wasm::json_writer& json); \
    extern "C" __attribute__((export_name(#name)))                                    \
    const sluice::wasm::answer* sluice_##name(const char* bytes, std::size_t size) {  \
        sluice::wasm::arguments args(bytes, size);                                    \
        std::string text;                                                             \
        sluice::wasm::json_writer json(text);                                         \
        json.begin_object();                                                          \
        name(args, json);                                                             \
        json.end_object();                                                            \
        return sluice::wasm::keep_answer(std::move(text));                            \
    }                                                                                 \
    static void name(sluice::wasm::arguments& args, sluice::wasm::json_writer& json)

/// Writes the address of an object as member `name`. Its ownership passes to JavaScript, which
/// passes the address to sluice_release().
template <class Object>
void write_object(json_writer& json, std::string_view name, std::unique_ptr<Object> content) {
    object* const released = content.release();
    json.member(name, static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(released)));
}

/// Writes an integer as JSON, or as `$integer` if a double would round it.
void write_integer(json_writer& json, std::int64_t number);
void write_time(json_writer& json, instant at);
/// Writes a text, or null without one.
inline void write_text(json_writer& json, const std::optional<std::string>& text) {
    if (text) {
        json.value(std::string_view(*text));
    } else {
        json.value(nullptr);
    }
}
/// Writes a filter as { "$filter": { "text", "excludes", "values" } }.
void write_filter(json_writer& json, const filter& wanted);

/// Writes the answer of a refusal; the errors' offsets refer to the values of `pairs`.
void write_errors(json_writer& json, std::span<const error> all,
                  std::span<const name_value> pairs = {});
/// Writes the answer of an error in a single text.
void write_error(json_writer& json, const error& e, std::string_view text);
/// Writes the answer of an error with a message of its own, and no text.
void write_refusal(json_writer& json, const error& e, std::string_view why);
/// Writes the answer of a mistake of the program, which JavaScript throws as a TypeError.
void write_mistake(json_writer& json, std::string_view what);

}  // namespace sluice::wasm

#endif
