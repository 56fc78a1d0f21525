// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_PREPARE_HPP
#define SLUICE_SQL_PREPARE_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/base/decimal.hpp>
#include <sluice/base/json_cursor.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/metadata/json_text.hpp>

/// Preparing decimals and JSON for databases that compare texts.
namespace sluice::sql {

namespace detail {

using sluice::detail::decimal;

/// Exponents of order keys with up to this many digits are computed as 64-bit numbers.
inline constexpr std::size_t plain_exponent_digits = 17;

/// The exponent of 0.d1d2… * 10^e.
struct exponent_text {
    bool negative = false;
    std::string digits{};  ///< of its absolute value, without leading zeros; "0" for 0
};

/// Adds `addend` to a number in digits, which is larger than any addend.
inline std::string add_to_digits(std::string digits, std::int64_t addend) {
    for (std::size_t at = digits.size(); at-- > 0 && addend != 0;) {
        const std::int64_t sum = digits[at] - '0' + addend;
        const std::int64_t digit = (sum % 10 + 10) % 10;
        digits[at] = static_cast<char>('0' + digit);
        addend = (sum - digit) / 10;
    }
    if (addend > 0) digits.insert(0, std::to_string(addend));
    return digits.substr(digits.find_first_not_of('0'));
}

inline exponent_text exponent_of(const decimal& number) {
    std::string_view written = number.exponent;
    while (written.starts_with('0')) written.remove_prefix(1);
    if (written.size() > plain_exponent_digits) {
        const std::int64_t addend = number.exponent_negative ? -number.point : number.point;
        return {number.exponent_negative, add_to_digits(std::string(written), addend)};
    }
    const std::int64_t exponent = count_whole_digits(number);
    return {exponent < 0, std::to_string(exponent < 0 ? -exponent : exponent)};
}

/// Encodes how many digits follow, so that more of them sort later and the count's end is
/// unambiguous.
///
/// ```
/// count = %x30-38 / "9" count digits       ; up to 8; else how many digits the count has, and they
/// ```
inline std::string count_text(std::size_t count) {
    const std::string digits = std::to_string(count);
    return count < 9 ? digits : "9" + count_text(digits.size()) + digits;
}

/// Returns the nine's complement of each digit.
inline std::string complement(std::string digits) {
    for (char& digit : digits) digit = static_cast<char>('0' + '9' - digit);
    return digits;
}

inline std::string key_of_exponent(const exponent_text& exponent) {
    const std::string counted = count_text(exponent.digits.size()) + exponent.digits;
    return exponent.negative ? "0" + complement(counted) : "1" + counted;
}

/// Returns the significant digits, the first and the last of which are not 0.
inline std::string digits_of(const decimal& number) {
    std::string digits;
    for (std::size_t at = 0; at < number.digit_count(); ++at) {
        digits.push_back(static_cast<char>('0' + number.digit(at)));
    }
    return digits;
}

inline std::string order_key_of(const decimal& number) {
    if (number.digit_count() == 0) return "1";
    const std::string magnitude = key_of_exponent(exponent_of(number)) + digits_of(number);
    return number.negative ? "0" + complement(magnitude) + "~" : "2" + magnitude;
}

/// Parses what order_key_of() writes. The parts return nullopt if the key is malformed.
class order_key_reader {
public:
    [[nodiscard]] static std::optional<std::string> read(std::string_view key) {
        if (key == "1") return "0";
        if (key.starts_with('2')) return order_key_reader(std::string(key.substr(1))).magnitude();
        if (!key.starts_with('0') || !key.ends_with('~')) return std::nullopt;
        const auto read =
            order_key_reader(complement(std::string(key.substr(1, key.size() - 2)))).magnitude();
        return read ? std::optional("-" + *read) : std::nullopt;
    }

private:
    explicit order_key_reader(std::string magnitude) : left_(std::move(magnitude)) {}

    [[nodiscard]] std::optional<std::string> magnitude() {
        const bool is_negative = left_.starts_with('0');
        if (!take(1)) return std::nullopt;
        const auto exponent = take_counted(is_negative);
        if (!exponent || left_.empty()) return std::nullopt;
        return "0." + left_ + (is_negative ? "e-" : "e") + *exponent;
    }
    /// count digits
    std::optional<std::string> take_counted(bool is_complement) {
        const auto first = take_digits(1, is_complement);
        if (!first || *first != "9") return first ? take_digits(*first, is_complement) : first;
        const auto count = take_counted(is_complement);
        return count ? take_digits(*count, is_complement) : count;
    }
    std::optional<std::string> take_digits(const std::string& count, bool is_complement) {
        std::size_t number = 0;
        const char* const end = count.data() + count.size();
        if (std::from_chars(count.data(), end, number).ptr != end) return std::nullopt;
        return take_digits(number, is_complement);
    }
    std::optional<std::string> take_digits(std::size_t count, bool is_complement) {
        auto taken = take(count);
        return taken && is_complement ? complement(*std::move(taken)) : taken;
    }
    std::optional<std::string> take(std::size_t count) {
        if (count > left_.size()) return std::nullopt;
        std::string taken = left_.substr(0, count);
        left_.erase(0, count);
        return taken;
    }

    std::string left_;
};

}  // namespace detail

/// Returns a text for a JSON number, such that keys are ordered by their bytes like the numbers by
/// value, and equal if those are, whatever their digits and exponents. Any database compares such
/// texts exactly, but may round the numbers. nullopt for a text that isn't a JSON number.
///
/// ```
/// key       = "1" / positive / negative           ; zero, or 0.d1d2… * 10^e with d1 != 0
/// positive  = "2" exponent digits                 ; no zeros at the end
/// negative  = "0" complement(exponent digits) "~" ; each digit's difference from 9
/// exponent  = "1" count digits                    ; e >= 0, after how many digits it has
///           / "0" complement(count digits)        ; e < 0, of its absolute value
/// ```
///
/// ```
/// order_key("10.50"), order_key("1050e-2")  // 2112105
/// order_key("-0.001")                       // 09128~
/// ```
[[nodiscard]] inline std::optional<std::string> order_key(std::string_view number) {
    const auto read = sluice::detail::parse_decimal(number);
    if (!read) return std::nullopt;
    return detail::order_key_of(*read);
}

/// Returns a JSON number with an order key; nullopt for a text that isn't an order key.
///
/// ```
/// number_of("2112105")  // 0.105e2
/// ```
[[nodiscard]] inline std::optional<std::string> number_of(std::string_view order_key) {
    auto read = detail::order_key_reader::read(order_key);
    if (!read || sql::order_key(*read) != order_key) return std::nullopt;
    return read;
}

/// The values of a JSON text that conditions compare, prepared by path; see json_pointer().
struct prepared_json {
    /// Strings and booleans, as prepared_text(). Numbers as the JSON has them, for groups: at
    /// number_entry() of their path.
    std::map<std::string, std::string> texts{};
    std::map<std::string, std::string> numbers{};  ///< order keys of numbers and numeric strings

    friend bool operator==(const prepared_json&, const prepared_json&) = default;
};

/// Escapes a text for the maps: without NUL, which not every database can hold.
///
/// ```
/// NUL  %x01 "0"        %x01  %x01 "1"        all else  as it is
/// ```
[[nodiscard]] inline std::string prepared_text(std::string_view text) {
    std::string held;
    for (const char byte : text) {
        if (byte != '\0' && byte != '\1') {
            held.push_back(byte);
        } else {
            held.append(byte == '\0' ? "\1"
                                       "0"
                                     : "\1"
                                       "1");
        }
    }
    return held;
}

/// Returns a path as a JSON pointer (RFC 6901), with `~2` for NUL, for which that has no escape.
[[nodiscard]] inline std::string json_pointer(std::span<const std::string> path) {
    std::string pointer;
    for (const std::string& key : path) {
        pointer.push_back('/');
        for (const char byte : key) {
            switch (byte) {
                case '~': pointer.append("~0"); break;
                case '/': pointer.append("~1"); break;
                case '\0': pointer.append("~2"); break;
                default: pointer.push_back(byte);
            }
        }
    }
    return pointer;
}

/// Returns the key of a number's text in the map of texts: no JSON pointer, so that no condition
/// takes the number for a string.
///
/// ```
/// number_entry("/seats/used")  // =/seats/used
/// ```
[[nodiscard]] inline std::string number_entry(std::string_view pointer) {
    return std::string("=").append(pointer);
}

namespace detail {

/// Fills the maps from a valid JSON text, without values deeper than json_max_depth. Recurses no
/// deeper.
class json_preparer {
public:
    explicit json_preparer(std::string_view json) : json_(json) {}

    [[nodiscard]] prepared_json prepare() {
        read_value();
        return std::move(made_);
    }

private:
    void read_value() {
        if (depth_ > json_max_depth) return json_.skip_value();
        switch (json_.peek()) {
            case '{': return read_object();
            case '[': return read_array();
            case '"': return put(read_string());
            default: return put_word(json_.take_word());
        }
    }
    void read_object() {
        json_.take('{');
        while (!json_.take('}')) {
            const std::string key = read_string();
            json_.take(':');
            read_child(key);
            json_.take(',');
        }
    }
    void read_array() {
        json_.take('[');
        for (std::size_t index = 0; !json_.take(']'); ++index) {
            read_child(std::to_string(index));
            json_.take(',');
        }
    }
    void read_child(const std::string& key) {
        const std::size_t parent = path_.size();
        path_.append(json_pointer({&key, 1}));
        forget(made_.texts, path_);
        forget(made_.texts, number_entry(path_));
        forget(made_.numbers, path_);
        ++depth_;
        read_value();
        --depth_;
        path_.resize(parent);
    }
    /// Removes earlier entries of a path and below it: the last member of a repeated key counts.
    static void forget(std::map<std::string, std::string>& entries, const std::string& path) {
        entries.erase(path);
        entries.erase(entries.lower_bound(path + '/'), entries.lower_bound(path + '0'));
    }

    std::string read_string() {
        std::string text;
        const auto token = json_.take_string();
        if (token) static_cast<void>(sluice::detail::json_unescaper(text).append(token->spelled));
        return text;
    }
    void put(const std::string& text) {
        if (path_.empty()) return;  // conditions test values below the top only
        made_.texts[path_] = prepared_text(text);
        put_number(text);
    }
    void put_word(std::string_view word) {
        if (path_.empty() || word == "null") return;
        if (word == "true" || word == "false") {
            made_.texts[path_] = word;
        } else {
            put_number(word);
            made_.texts[number_entry(path_)] = word;
        }
    }
    void put_number(std::string_view text) {
        if (auto key = order_key(text)) made_.numbers[path_] = *std::move(key);
    }

    sluice::detail::json_cursor json_;
    std::string path_;       // of the current value, as a JSON pointer
    std::size_t depth_ = 0;  // keys on the path
    prepared_json made_;
};

}  // namespace detail

/// Prepares the two maps that a table stores beside a JSON text. Errors: json_malformed,
/// text_encoding. A database's own JSON functions round numbers, take the first of a repeated key
/// or can't read the text at all; maps are compared exactly.
///
/// ```
/// prepare(R"({"plan":"pro","seats":{"used":12}})");
/// // texts    /plan        pro, =/seats/used  12
/// // numbers  /seats/used  211212
/// ```
[[nodiscard]] inline result<prepared_json> prepare(std::string_view json) {
    const auto checked = sluice::detail::check_json(json);
    if (!checked) return tl::unexpected(checked.error());
    return detail::json_preparer(json).prepare();
}

}  // namespace sluice::sql

#endif
