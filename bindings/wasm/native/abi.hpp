// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_ABI_HPP
#define SLUICE_WASM_ABI_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/errors/error.hpp>
#include <sluice/params/bind.hpp>

// The calling convention between JavaScript and C++. The arguments of a function and its answer are
// lists of values in the same form:
//
//     numbers   doubles: the tag of a value, then what its tag says
//     text      UTF-8: all texts, one after another
//
// JavaScript writes arguments into memory that it has allocated, where they stay until the function
// returns the address of its answer, which is valid until the next call. An answer is one value: a
// refusal, a mistake, or what the function says. src/module.ts is the JavaScript side.

namespace sluice::wasm {

/// The tags of values, in the order of the readers in src/module.ts.
enum class tag : std::uint8_t {
    nothing,
    no,
    yes,
    number,  ///< the number
    text,    ///< its size: of arguments in bytes, of answers in UTF-16 code units
    digits,  ///< like text: an integer that a double would round
    json,    ///< like text: a value as JSON
    list,    ///< values up to an end
    object,  ///< names, which are texts, and values, up to an end
    end,
    time,      ///< milliseconds since 1970
    filter,    ///< text, excludes, list of values
    metadata,  ///< text
    window,    ///< start, end, interval, zone
    page,      ///< number, offset, limit, cursor, count
    sort_key,  ///< name, true if descending
    refusal,   ///< list of errors
    error,     ///< code, status, rule, parameter, offset, length, message, text at fault
    mistake,   ///< text: what the program should do
    custom,    ///< text, the index of the value among those that the call has read
};

/// An object that JavaScript refers to by its address until it releases it.
class object {
public:
    object() = default;
    object(const object&) = delete;
    object& operator=(const object&) = delete;
    virtual ~object() = default;
};

/// The arguments of a call, read one after another. The texts are views of JavaScript's bytes.
class arguments {
public:
    arguments(std::span<const double> numbers, std::string_view text)
        : numbers_(numbers), text_(text) {}

    /// The next argument, or nullopt if it is absent or no text.
    [[nodiscard]] std::optional<std::string_view> optional_text();
    /// The next argument; empty if it is absent.
    [[nodiscard]] std::string_view text() { return optional_text().value_or(std::string_view()); }
    /// The next argument as a whole number; 0 for other texts, which JavaScript never passes.
    [[nodiscard]] std::int64_t integer();
    [[nodiscard]] double real();
    [[nodiscard]] bool flag() { return is_next(tag::yes); }
    /// Skips the next argument if it is absent; returns true if it was.
    [[nodiscard]] bool skips_absent();
    /// The next argument as an instant, from milliseconds since 1970.
    [[nodiscard]] instant time() { return instant{std::chrono::milliseconds{integer()}}; }

    /// The next argument as the enumerator with the index of its name; the first enumerator for
    /// unknown names, which JavaScript rules out.
    template <class Enumerator, class Names>
    [[nodiscard]] Enumerator choice(const Names& names) {
        const auto place = std::ranges::find(names, text());
        return static_cast<Enumerator>(place == names.end() ? 0 : place - names.begin());
    }
    /// The next argument as the enumerator of this number.
    template <class Enumerator>
    [[nodiscard]] Enumerator number() {
        return static_cast<Enumerator>(integer());
    }
    /// The next argument as the object at an address from answer_writer::object(). Expects an
    /// `Object` that JavaScript has not released: only JavaScript keeps account of both.
    template <class Object>
    [[nodiscard]] Object& object() {
        return *static_cast<Object*>(address());
    }

private:
    /// Returns the next number; that of `nothing` after the last.
    [[nodiscard]] double take();
    [[nodiscard]] tag next() { return static_cast<tag>(static_cast<std::uint8_t>(take())); }
    /// Returns true if the next argument has a tag; skips one of another, which JavaScript rules
    /// out.
    [[nodiscard]] bool is_next(tag wanted);
    [[nodiscard]] std::string_view take_text();
    [[nodiscard]] wasm::object* address();

    std::span<const double> numbers_;
    std::string_view text_;
};

/// Writes the answer of a call: a value, whose parts come in the order of their tag.
class answer_writer {
public:
    answer_writer& value(std::nullptr_t) { return add(tag::nothing); }
    answer_writer& value(bool flag) { return add(flag ? tag::yes : tag::no); }
    answer_writer& value(double number) { return add(tag::number, number); }
    /// Writes an integer exactly.
    answer_writer& value(std::int64_t number);
    answer_writer& value(std::string_view text) { return add_text(tag::text, text); }
    answer_writer& value(const char* text) = delete;  // would be a flag
    answer_writer& value(instant at);
    answer_writer& value(const filter& wanted);
    /// Writes a value, or `nothing` without one.
    template <class T>
    answer_writer& value(const std::optional<T>& content) {
        return content ? value(*content) : value(nullptr);
    }
    /// Writes a list of texts.
    template <class Texts>
    answer_writer& texts(const Texts& all) {
        begin_array();
        for (const std::string_view text : all) value(text);
        return end_array();
    }
    /// Writes an integer of any size.
    answer_writer& digits(std::string_view number) { return add_text(tag::digits, number); }
    answer_writer& json(std::string_view document) { return add_text(tag::json, document); }

    // Lists and objects are written like those of a json_writer.
    answer_writer& begin_object() { return add(tag::object); }
    answer_writer& end_object() { return add(tag::end); }
    answer_writer& begin_array() { return add(tag::list); }
    answer_writer& end_array() { return add(tag::end); }
    /// Writes the tag of a value whose parts come next.
    answer_writer& begin(tag kind) { return add(kind); }
    template <class T>
    answer_writer& member(std::string_view name, const T& content) {
        return key(name).value(content);
    }
    answer_writer& key(std::string_view name) { return value(name); }

    /// Writes the address of an object. Its ownership passes to JavaScript, which passes the
    /// address to `release`.
    template <class Object>
    void object(std::unique_ptr<Object> content) {
        wasm::object* const released = content.release();
        value(static_cast<double>(reinterpret_cast<std::uintptr_t>(released)));
    }

    /// Writes a refusal; the errors' offsets refer to the values of `pairs`.
    void errors(std::span<const error> all, std::span<const name_value> pairs = {});
    /// Writes the refusal of an error in a single text.
    void error_in(const error& e, std::string_view text);
    /// Writes the refusal of an error with a message of its own, and no text.
    void refusal(const error& e, std::string_view why);
    /// Writes a mistake of the program, which JavaScript throws as a TypeError.
    void mistake(std::string_view what) { begin(tag::mistake).value(what); }

    [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }
    [[nodiscard]] const std::string& text() const { return text_; }
    void clear();

private:
    answer_writer& add(tag kind);
    answer_writer& add(tag kind, double number);
    answer_writer& add_text(tag kind, std::string_view text);
    void add_error(const error& e, std::string_view why, std::optional<std::string_view> text);

    std::vector<double> numbers_;
    std::string text_;
};

/// The place of an answer, as JavaScript reads it.
struct answer {
    const double* numbers;
    std::size_t count;
    const char* text;
    std::size_t size;
};

using function = void(arguments& args, answer_writer& out);

/// Calls a function; its answer stays until the next call.
[[nodiscard]] const answer* answer_of(function& called, arguments args);

/// Defines a function that JavaScript calls by its name; its body writes the answer to `out`.
#define SLUICE_WASM_FUNCTION(name)                                                               \
    static void name(sluice::wasm::arguments& args, sluice::wasm::answer_writer& out);           \
    extern "C" __attribute__((export_name(#name))) const sluice::wasm::answer* sluice_##name(    \
        const double* numbers, std::size_t count, const char* text, std::size_t size) {          \
        return sluice::wasm::answer_of(name,                                                     \
                                       sluice::wasm::arguments({numbers, count}, {text, size})); \
    }                                                                                            \
    static void name([[maybe_unused]] sluice::wasm::arguments& args,                             \
                     sluice::wasm::answer_writer& out)

}  // namespace sluice::wasm

#endif
