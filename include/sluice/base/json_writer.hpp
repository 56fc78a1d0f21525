// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_JSON_WRITER_HPP
#define SLUICE_BASE_JSON_WRITER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/word.hpp>

/// JSON written to a string: documents, and texts with their escapes.
namespace sluice::detail {

/// Returns the form of each byte in a JSON string: 0 if it stays, 'u' for \u00XX, otherwise the
/// byte after the backslash.
constexpr std::array<char, 256> make_json_escapes() noexcept {
    std::array<char, 256> escapes{};
    for (std::size_t byte = 0; byte < 0x20; ++byte) escapes[byte] = 'u';
    escapes['\b'] = 'b';
    escapes['\t'] = 't';
    escapes['\n'] = 'n';
    escapes['\f'] = 'f';
    escapes['\r'] = 'r';
    escapes['"'] = '"';
    escapes['\\'] = '\\';
    return escapes;
}

inline constexpr std::array<char, 256> json_escapes = make_json_escapes();

/// Appends one byte that JSON strings have to escape; `escape` is its entry in json_escapes.
inline void append_json_escape(std::string& out, char byte, char escape) {
    out.push_back('\\');
    out.push_back(escape);
    if (escape != 'u') return;
    append_hex(out.append("00"), byte);
}

/// Marks, in bit 7 of each byte, the bytes of a word that JSON strings have to escape. The lowest
/// mark is exact; a borrow may set marks above it.
constexpr std::uint64_t mark_escapes(std::uint64_t word) noexcept {
    const std::uint64_t quote = word ^ repeated('"');
    const std::uint64_t backslash = word ^ repeated('\\');
    const std::uint64_t control = (word - repeated(0x20)) & ~word;
    return (control | ((quote - repeated(1)) & ~quote) | ((backslash - repeated(1)) & ~backslash)) &
           repeated(0x80);
}

/// Returns the position of the first byte, from `from` on, that JSON strings have to escape, or the
/// size of the text. Reads eight bytes at a time.
inline std::size_t find_json_escape(std::string_view text, std::size_t from) noexcept {
    for (; from + 8 <= text.size(); from += 8) {
        if (mark_escapes(load_word<std::uint64_t>(text.data() + from)) != 0) break;
    }
    while (from < text.size() && json_escapes[static_cast<unsigned char>(text[from])] == 0) ++from;
    return from;
}

/// Appends `text` (valid UTF-8) with the escapes of a JSON string.
inline void append_json_text(std::string& out, std::string_view text) {
    std::size_t copied = 0;
    for (std::size_t at = find_json_escape(text, 0); at < text.size();) {
        out.append(text, copied, at - copied);
        append_json_escape(out, text[at], json_escapes[static_cast<unsigned char>(text[at])]);
        copied = at + 1;
        at = find_json_escape(text, copied);
    }
    out.append(text, copied);
}

/// Appends `text` (valid UTF-8) as a JSON string with its quotes.
inline void append_json_string(std::string& out, std::string_view text) {
    out.push_back('"');
    append_json_text(out, text);
    out.push_back('"');
}

/// Writes one JSON document to a string, commas included. Members and elements come in call order.
/// It doesn't check that the calls make a document. The string must outlive the writer.
///
/// ```
/// std::string out;
/// json_writer json(out);
/// json.begin_object().member("id", "a").member("n", std::int64_t{1}).end_object();
/// // {"id":"a","n":1}
/// ```
class json_writer {
public:
    explicit json_writer(std::string& out) noexcept : out_(out) {}

    json_writer& begin_object() { return open('{'); }
    json_writer& end_object() { return close('}'); }
    json_writer& begin_array() { return open('['); }
    json_writer& end_array() { return close(']'); }

    /// Writes the name of a member, whose value comes next.
    json_writer& key(std::string_view name) {
        separate();
        append_json_string(out_, name);
        out_.push_back(':');
        is_first_ = true;
        return *this;
    }

    json_writer& value(std::string_view text) {
        separate();
        append_json_string(out_, text);
        return *this;
    }
    json_writer& value(const char* text) { return value(std::string_view(text)); }
    json_writer& value(bool flag) { return raw(flag ? "true" : "false"); }
    json_writer& value(std::nullptr_t) { return raw("null"); }
    json_writer& value(std::int64_t number) { return raw(std::to_string(number)); }

    /// Writes a value that is JSON already.
    json_writer& raw(std::string_view json) {
        separate();
        out_.append(json);
        return *this;
    }

    template <class T>
    json_writer& member(std::string_view name, const T& content) {
        return key(name).value(content);
    }
    json_writer& raw_member(std::string_view name, std::string_view json) {
        return key(name).raw(json);
    }

private:
    /// Writes the comma before an element, a member's name or a bracket, where there has to be one.
    void separate() {
        if (!is_first_) out_.push_back(',');
        is_first_ = false;
    }
    json_writer& open(char bracket) {
        separate();
        out_.push_back(bracket);
        is_first_ = true;
        return *this;
    }
    json_writer& close(char bracket) {
        out_.push_back(bracket);
        is_first_ = false;
        return *this;
    }

    std::string& out_;
    bool is_first_ = true;  // the next token needs no comma before it
};

}  // namespace sluice::detail

#endif
