// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_WASM_CALLS_HPP
#define SLUICE_TESTS_FUZZ_WASM_CALLS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <simdjson.h>

#include <sluice/base/unicode.hpp>

#include "../../bindings/wasm/native/abi.hpp"
#include "byte_source.hpp"

// The functions of the WebAssembly module, called as JavaScript calls them, with strangers' texts.

extern "C" {
#define SLUICE_WASM_CALL(name)                                                          \
    const sluice::wasm::answer* sluice_##name(const double* numbers, std::size_t count, \
                                              const char* text, std::size_t size)
SLUICE_WASM_CALL(filter_parse);
SLUICE_WASM_CALL(metadata_parse);
SLUICE_WASM_CALL(metadata_tree);
SLUICE_WASM_CALL(metadata_matches);
SLUICE_WASM_CALL(table_make);
SLUICE_WASM_CALL(table_parse);
SLUICE_WASM_CALL(events_parse);
SLUICE_WASM_CALL(tags_parse);
SLUICE_WASM_CALL(query_tree);
SLUICE_WASM_CALL(query_conditions);
SLUICE_WASM_CALL(query_sql);
SLUICE_WASM_CALL(query_cursor);
SLUICE_WASM_CALL(time_resolve);
SLUICE_WASM_CALL(window_resolve);
SLUICE_WASM_CALL(limit_policy);
SLUICE_WASM_CALL(decimal_order);
SLUICE_WASM_CALL(timestamp_parse);
#undef SLUICE_WASM_CALL
void sluice_release(sluice::wasm::object* held);
}

namespace sluice_fuzz {

using wasm_function = decltype(&sluice_filter_parse);
using wasm_argument = std::variant<std::nullopt_t, bool, double, std::string_view>;
using sluice::wasm::tag;

/// Arguments in the form in which JavaScript writes them.
class wasm_arguments {
public:
    explicit wasm_arguments(std::initializer_list<wasm_argument> arguments) {
        for (const wasm_argument& argument : arguments) std::visit(*this, argument);
    }

    void operator()(std::nullopt_t) { add(tag::nothing); }
    void operator()(bool flag) { add(flag ? tag::yes : tag::no); }
    void operator()(double number) {
        add(tag::number);
        numbers.push_back(number);
    }
    void operator()(std::string_view argument) {
        add(tag::text);
        numbers.push_back(static_cast<double>(argument.size()));
        text.append(argument);
    }

    std::vector<double> numbers{};
    std::string text{};

private:
    void add(tag kind) { numbers.push_back(static_cast<double>(kind)); }
};

/// Reads an answer as JavaScript does; one that is malformed ends the program.
class wasm_answer {
public:
    explicit wasm_answer(const sluice::wasm::answer& read)
        : numbers_(read.numbers, read.numbers + read.count), text_(read.text, read.size) {
        const tag first = next_tag();
        is_value_ = first != tag::refusal && first != tag::mistake;
        skip(first);
        require(at_ == numbers_.size() && text_.empty());
    }

    /// The address of the object at the end of the answer, 0 without one.
    [[nodiscard]] double handle() const noexcept { return is_value_ ? last_number_ : 0; }

private:
    [[nodiscard]] double next() {
        require(at_ < numbers_.size());
        return numbers_[at_++];
    }
    [[nodiscard]] tag next_tag() { return static_cast<tag>(static_cast<int>(next())); }

    void skip() { skip(next_tag()); }
    void skip(tag kind) {
        last_number_ = 0;
        switch (kind) {
            case tag::nothing:
            case tag::no:
            case tag::yes: return;
            case tag::time: static_cast<void>(next()); return;
            case tag::number: last_number_ = next(); return;
            case tag::text:
            case tag::digits: skip_text(); return;
            case tag::json: return check_json(skip_text());
            case tag::list:
            case tag::object: return skip_to_end();
            case tag::filter: return skip_parts(3);
            case tag::window: return skip_parts(4);
            case tag::page: return skip_parts(5);
            case tag::custom:
            case tag::sort_key: return skip_parts(2);
            case tag::error: return skip_parts(8);
            case tag::metadata:
            case tag::refusal:
            case tag::mistake: return skip_parts(1);
            case tag::end: break;
        }
        require(false);
    }
    void skip_parts(int count) {
        for (; count > 0; --count) skip();
    }
    void skip_to_end() {
        double last = 0;
        for (tag kind = next_tag(); kind != tag::end; kind = next_tag()) {
            skip(kind);
            last = last_number_;
        }
        last_number_ = last;
    }
    /// Skips a text, whose size is in UTF-16 code units.
    std::string_view skip_text() {
        std::size_t bytes = 0;
        for (double units = next(); units > 0; --units) {
            require(bytes < text_.size());
            const auto first = static_cast<unsigned char>(text_[bytes]);
            bytes += first < 0x80 ? 1U : first < 0xE0 ? 2U : first < 0xF0 ? 3U : 4U;
            if (first >= 0xF0) --units;
        }
        const std::string_view skipped = text_.substr(0, bytes);
        text_.remove_prefix(bytes);
        return skipped;
    }
    static void check_json(std::string_view text) {
        static simdjson::dom::parser parser;
        require(parser.parse(text.data(), text.size()).error() == simdjson::SUCCESS);
    }

    std::vector<double> numbers_;
    std::string_view text_;
    std::size_t at_ = 0;
    bool is_value_ = false;
    double last_number_ = 0;
};

/// Calls a function; returns the address of the object that it made, or 0.
inline double call(wasm_function function, std::initializer_list<wasm_argument> arguments) {
    const wasm_arguments args(arguments);
    return wasm_answer(*function(args.numbers.data(), args.numbers.size(), args.text.data(),
                                 args.text.size()))
        .handle();
}

/// An object of the module, released at the end.
class wasm_object {
public:
    wasm_object(wasm_function function, std::initializer_list<wasm_argument> arguments)
        : handle_(call(function, arguments)) {}
    wasm_object(const wasm_object&) = delete;
    wasm_object& operator=(const wasm_object&) = delete;
    ~wasm_object() {
        if (handle_ != 0) {
            sluice_release(
                reinterpret_cast<sluice::wasm::object*>(static_cast<std::uintptr_t>(handle_)));
        }
    }

    [[nodiscard]] bool has_value() const noexcept { return handle_ != 0; }
    [[nodiscard]] double handle() const noexcept { return handle_; }

private:
    double handle_;
};

inline constexpr double wasm_now = 1'787'279'415'123;
/// The parts of a request, in the order of request_part.
inline constexpr double wasm_values = 0, wasm_query = 1, wasm_text = 2;

inline void ask_of_query(const wasm_object& query, std::string_view text) {
    if (!query.has_value()) return;
    call(sluice_query_tree, {query.handle()});
    call(sluice_query_conditions, {query.handle()});
    for (double dialect = 0; dialect < sluice::sql::dialect_names.size(); ++dialect) {
        call(sluice_query_sql, {query.handle(), dialect, 0.0, 0.0, text, false, "*", 0.0});
    }
    call(sluice_query_cursor, {query.handle(), 0.0, false, 2.0, "t", text, "t", text});
}

/// Lines: a filter, an expression, a time with its zone, a window, requests; each parses or is
/// refused, and what parses can be asked.
inline void fuzz_wasm_calls(std::string_view input) {
    if (!sluice::detail::is_valid_utf8(input)) return;  // JavaScript encodes its texts so
    byte_source bytes(input);
    const std::string_view first = bytes.line(), second = bytes.line(), rest = bytes.rest();
    call(sluice_filter_parse, {first});
    call(sluice_decimal_order, {first, second});
    call(sluice_timestamp_parse, {first});
    if (const wasm_object query(sluice_metadata_parse, {first}); query.has_value()) {
        call(sluice_metadata_tree, {query.handle()});
        call(sluice_metadata_matches, {query.handle(), rest, false});
        call(sluice_metadata_matches, {query.handle(), rest, true});
    }
    call(sluice_time_resolve, {first, wasm_now, "end", second});
    call(sluice_window_resolve, {wasm_now, "start", first, "timezone", second});
    call(sluice_limit_policy, {first, 5.0, 1'000.0});
    for (const double part : {wasm_values, wasm_text}) {
        call(sluice_events_parse, {part, rest, wasm_now, true});
        call(sluice_tags_parse, {part, rest, wasm_now, false});
    }
    ask_of_query(wasm_object(sluice_events_parse, {wasm_query, rest, wasm_now, true}), second);
    ask_of_query(wasm_object(sluice_tags_parse, {wasm_query, rest, wasm_now, false}), second);
    constexpr std::nullopt_t none = std::nullopt;
    // The fields of a column and of a filter `q`, as src/define_params.ts and params.ts have them.
    const wasm_object table(
        sluice_table_make,
        {"id",     true,    "id",  "text",  false,         false, "exact",  none,   none,
         first,    "text",  false, true,    "ignore_case", none,  none,     none,   1.0,
         "filter", "q",     none,  first,   "eq",          false, "commas", "dash", "dash",
         "any",    second,  "",    none,    false,         false, "",       none,   none,
         none,     "odata", none,  "plain", 0.0,           0.0});
    if (!table.has_value()) return;
    call(sluice_table_parse, {wasm_values, table.handle(), rest, wasm_now, true});
    ask_of_query(
        wasm_object(sluice_table_parse, {wasm_query, table.handle(), rest, wasm_now, true}),
        second);
}

}  // namespace sluice_fuzz

#endif
