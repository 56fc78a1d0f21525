// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DOCUMENTS_SCALARS_HPP
#define SLUICE_STORE_DOCUMENTS_SCALARS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/decimal.hpp>
#include <sluice/metadata/expression.hpp>
#include <sluice/store/conditions/code_set.hpp>
#include <sluice/store/numbers/number_ranges.hpp>
#include <sluice/store/texts/chunked_list.hpp>
#include <sluice/store/texts/dictionary.hpp>

namespace sluice::store {

namespace detail {

/// Spells a number as most JSON scalars are: without exponent and needless zeros. nullopt if that
/// takes more than `longest` bytes.
[[nodiscard]] inline std::optional<std::string> plain_spelling(
    const sluice::detail::decimal& number, std::size_t longest) {
    const std::size_t digits = number.digit_count();
    if (digits == 0) return "0";
    const std::int64_t point = sluice::detail::whole_digits(number);
    const auto bound = static_cast<std::int64_t>(longest);
    if (point > bound || point < -bound || digits > longest) return std::nullopt;
    std::string text(number.negative ? "-" : "");
    if (point <= 0) text.append("0.").append(static_cast<std::size_t>(-point), '0');
    for (std::size_t at = 0; at < digits; ++at) {
        if (point > 0 && at == static_cast<std::size_t>(point)) text.push_back('.');
        text.push_back(static_cast<char>('0' + number.digit(at)));
    }
    if (point > 0)
        text.append(std::max<std::size_t>(static_cast<std::size_t>(point), digits) - digits, '0');
    return text.size() <= longest ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace detail

/// A dictionary of the distinct scalars at one metadata path; a string, a number and a boolean of
/// the same text are different. A condition on the path is a set of their codes. One thread adds
/// scalars while any number look codes up.
class metadata_scalars {
public:
    /// The longest text of a scalar, in bytes.
    static constexpr std::size_t longest_text = 255;

    explicit metadata_scalars(hash_seed seed) : texts_(seed) { numbers_.push_back(no_number); }

    /// Returns the code of a scalar, adding it if needed.
    code encode(const scalar& value) {
        key_.assign(1, letter_of(value.type)).append(value.text);
        const code encoded = texts_.encode(std::string_view(key_));
        if (encoded == numbers_.size()) add(value, encoded);
        return encoded;
    }
    /// Returns the number of codes, including `absent`.
    [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }

    /// Returns the scalar of a code. Expects a code in use other than `absent`.
    [[nodiscard]] scalar at(code of) const noexcept {
        const std::string_view text = texts_.text(of);
        return {type_of(text.front()), text.substr(1)};
    }

    /// Returns the codes of the scalars that meet a condition, and `absent` if that does. The
    /// result views this and the condition's value.
    [[nodiscard]] code_set meeting(const metadata_condition& wanted) const {
        if (!is_ordering(wanted.op)) {
            return code_set(equal(wanted), wanted.op == metadata_operator::not_equal);
        }
        return wanted.number ? code_set(in_order(wanted.op, *wanted.number)) : code_set();
    }

    /// Writes the current codes; others may be added meanwhile. Any thread.
    void save(archive_writer& archive) const {
        const std::size_t codes = size();
        std::vector<code> odd;
        for (std::size_t i = 0; i < odd_numbers_.size(); ++i) {
            if (odd_numbers_[i] < codes) odd.push_back(odd_numbers_[i]);
        }
        texts_.save(archive, codes);
        archive.array(std::span(numbers_.data(), codes));
        archive.array(std::span<const code>(odd));
    }
    /// Reads the codes of an archive. Expects none yet.
    void open(archive_reader& archive) {
        texts_.open(archive);
        numbers_.shrink(0);
        for (const double number : archive.view<double>(texts_.size())) numbers_.push_back(number);
        for (const code odd : archive.view<code>()) {
            if (odd < texts_.size()) {
                odd_numbers_.push_back(odd);
            } else {
                archive.fail();
            }
        }
    }

    /// Returns the size of everything but texts(), in bytes.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return numbers_.bytes() + odd_numbers_.size() * sizeof(code);
    }
    [[nodiscard]] const dictionary& texts() const noexcept { return texts_; }

private:
    static constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

    /// Returns the letter before the text of a scalar in texts_; type_of() is the inverse.
    static constexpr char letter_of(scalar::kind type) noexcept {
        switch (type) {
            case scalar::kind::string: return 's';
            case scalar::kind::number: return 'n';
            case scalar::kind::boolean: return 'b';
        }
        return 's';
    }
    static constexpr scalar::kind type_of(char letter) noexcept {
        return letter == 's'   ? scalar::kind::string
               : letter == 'n' ? scalar::kind::number
                               : scalar::kind::boolean;
    }

    /// Adds the number of a new scalar.
    void add(const scalar& value, code as) {
        const auto number = sluice::detail::parse_decimal(value.text);
        const bool is_odd = number && value.type == scalar::kind::number &&
                            detail::plain_spelling(*number, longest_text) != value.text;
        if (is_odd) odd_numbers_.push_back(as);
        numbers_.push_back(number ? approximate(*number) : no_number);
    }

    /// Returns the code of a scalar; nullopt for an unknown one.
    [[nodiscard]] std::optional<code> find(scalar::kind type, std::string_view text) const {
        const code known = texts_.find(std::string(1, letter_of(type)).append(text));
        // A code that another thread is adding may have no number yet.
        if (known == absent || known >= size()) return std::nullopt;
        return known;
    }

    /// Finds scalars of any type with the same text, and numbers with the same value.
    [[nodiscard]] std::vector<code> equal(const metadata_condition& wanted) const {
        std::vector<code> codes;
        const auto take = [&](std::optional<code> same_text) {
            if (same_text) codes.push_back(*same_text);
        };
        take(find(scalar::kind::string, wanted.value));
        take(find(scalar::kind::number, wanted.value));
        take(find(scalar::kind::boolean, wanted.value));
        if (!wanted.number) return codes;
        const auto plain = detail::plain_spelling(*wanted.number, longest_text);
        if (plain) take(find(scalar::kind::number, *plain));
        const std::size_t odd = odd_numbers_.size();
        auto same = in_order(metadata_operator::greater_equal, *wanted.number);
        same.intersect(in_order(metadata_operator::less_equal, *wanted.number));
        for (std::size_t i = 0; i < odd; ++i) {
            if (same.contains(odd_numbers_[i])) codes.push_back(odd_numbers_[i]);
        }
        return codes;
    }

    /// Returns the numbers, and strings that read as numbers, on one side of `right`.
    [[nodiscard]] number_ranges in_order(metadata_operator op,
                                         const sluice::detail::decimal& right) const {
        const bool takes_above =
            op == metadata_operator::greater || op == metadata_operator::greater_equal;
        const bool is_after =
            op == metadata_operator::greater || op == metadata_operator::less_equal;
        return {numbers(), right, is_after, takes_above};
    }
    /// Returns the numbers of the current codes. Views this.
    [[nodiscard]] code_numbers numbers() const {
        const std::size_t codes = size();
        return {{numbers_.data(), codes},
                [this](code of) { return *sluice::detail::parse_decimal(at(of).text); }};
    }

    dictionary texts_;                // a letter for the type, then the text
    flat_list<double> numbers_;       // by code: its approximate value, or NaN
    chunked_list<code> odd_numbers_;  // numbers that aren't in plain spelling
    std::string key_;                 // buffer for a text of texts_
};

}  // namespace sluice::store

#endif
