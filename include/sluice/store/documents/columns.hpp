// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DOCUMENTS_COLUMNS_HPP
#define SLUICE_STORE_DOCUMENTS_COLUMNS_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/decimal.hpp>
#include <sluice/base/word.hpp>
#include <sluice/metadata/expression.hpp>
#include <sluice/store/conditions/code_set.hpp>
#include <sluice/store/numbers/number_ranges.hpp>
#include <sluice/store/texts/chunked_list.hpp>
#include <sluice/store/texts/dictionary.hpp>

/// Columns of metadata: by path, the codes of its scalars.
namespace sluice::store {

namespace detail {

/// Spells a number as most JSON scalars are: without exponent and needless zeros. nullopt if that
/// takes more than `longest` bytes.
[[nodiscard]] inline std::optional<std::string> plain_spelling(
    const sluice::detail::decimal& number, std::size_t longest) {
    const std::size_t digits = number.digit_count();
    if (digits == 0) return "0";
    const std::int64_t point = sluice::detail::count_whole_digits(number);
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
    chunked_list<code> odd_numbers_;  // codes of numbers that aren't in plain spelling: 1e2, 1.0
    std::string key_;                 // buffer for a text of texts_
};

/// The most metadata paths of a table that get a column.
inline constexpr std::size_t metadata_paths_max = 32;

/// A metadata path as one text: for each key, its length in four bytes and its bytes.
class metadata_path {
public:
    metadata_path() = default;
    explicit metadata_path(std::span<const std::string> keys) {
        for (const std::string& key : keys) push(key);
    }

    /// Appends a key.
    void push(std::string_view key) {
        const auto size = static_cast<std::uint32_t>(key.size());
        std::array<char, sizeof(size)> length;
        std::memcpy(length.data(), &size, sizeof(size));
        text_.append(length.data(), length.size()).append(key);
        ++depth_;
    }
    /// Removes the last key. `size` is the size() before it was pushed.
    void pop(std::size_t size) {
        text_.resize(size);
        --depth_;
    }
    void clear() noexcept {
        text_.clear();
        depth_ = 0;
    }
    /// Splits a path's text into keys, as views of the text.
    [[nodiscard]] static std::vector<std::string_view> keys_of(std::string_view text) {
        std::vector<std::string_view> keys;
        while (!text.empty()) {
            const std::size_t size = sluice::detail::load_word<std::uint32_t>(text.data());
            keys.push_back(text.substr(sizeof(std::uint32_t), size));
            text.remove_prefix(sizeof(std::uint32_t) + size);
        }
        return keys;
    }
    /// Returns the size of the text in bytes; depth() is the number of keys.
    [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }
    [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
    std::size_t depth_ = 0;
};

/// The metadata columns of a table, by path. The first metadata_paths_max paths to arrive get a
/// column; other paths are looked up in the JSON.
///
/// ```
/// {"plan":"pro","seats":9}       metadata['plan']  -> place 0: "pro"
/// {"plan":"free","trial":true}   metadata['seats'] -> place 1: 9
///                                metadata['trial'] -> place 2: true
/// ```
///
/// One thread adds paths; any number look them up. If find() doesn't know a path, no row of a
/// snapshot taken before has it, unless has_others(). The values of some rows can't be in columns:
/// they are unshredded, see documents/shredder.hpp.
class metadata_columns {
public:
    /// The path and the scalars of a column.
    struct path_column {
        path_column(std::string_view text, hash_seed seed) : path(text), scalars(seed) {}

        std::string path;  ///< see metadata_path
        metadata_scalars scalars;
    };

    explicit metadata_columns(hash_seed seed) noexcept : seed_(seed) {}

    /// Returns the column of a path, adding one if needed; nullopt if all are taken.
    [[nodiscard]] std::optional<std::size_t> obtain(const metadata_path& path) {
        if (const auto known = find_after(path.text())) return known;
        if (columns_.size() == metadata_paths_max) return std::nullopt;
        columns_.push_back(std::make_unique<path_column>(path.text(), seed_));
        return last_ = columns_.size() - 1;
    }
    /// Writes the current paths and scalars; others may be added meanwhile. Any thread.
    void save(archive_writer& archive) const {
        archive.number(has_others() ? 1 : 0);
        archive.number(has_unshredded() ? 1 : 0);
        const std::size_t paths = columns_.size();
        archive.number(paths);
        for (std::size_t place = 0; place < paths; ++place) {
            archive.text(columns_[place]->path);
            columns_[place]->scalars.save(archive);
        }
    }
    /// Reads paths and scalars from an archive. Expects no columns yet.
    void open(archive_reader& archive) {
        if (archive.number(1) != 0) record_other();
        if (archive.number(1) != 0) record_unshredded();
        for (std::size_t left = archive.number(metadata_paths_max); left > 0; --left) {
            columns_.push_back(std::make_unique<path_column>(archive.text(), seed_));
            columns_[columns_.size() - 1]->scalars.open(archive);
        }
    }

    /// Records that a row has a path without a column.
    void record_other() noexcept { has_others_.store(true, std::memory_order_relaxed); }
    /// Records that a row's metadata is not in the columns.
    void record_unshredded() noexcept { has_unshredded_.store(true, std::memory_order_relaxed); }

    [[nodiscard]] std::size_t size() const noexcept { return columns_.size(); }
    [[nodiscard]] const path_column& at(std::size_t place) const noexcept {
        return *columns_[place];
    }
    [[nodiscard]] metadata_scalars& scalars(std::size_t place) noexcept {
        return columns_[place]->scalars;
    }

    /// Returns the place of a path's column; nullopt if it has none.
    [[nodiscard]] std::optional<std::size_t> find(const metadata_path& path) const noexcept {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i]->path == path.text()) return i;
        }
        return std::nullopt;
    }
    /// Returns true if rows may have values at paths without a column.
    [[nodiscard]] bool has_others() const noexcept {
        return has_others_.load(std::memory_order_relaxed);
    }
    /// Returns true if the metadata of some rows may not be in the columns.
    [[nodiscard]] bool has_unshredded() const noexcept {
        return has_unshredded_.load(std::memory_order_relaxed);
    }

private:
    /// Finds the column of a path. Tries the one after the last result first, as documents have
    /// their members in one order.
    std::optional<std::size_t> find_after(std::string_view path) noexcept {
        const std::size_t count = columns_.size();
        for (std::size_t i = 1; i <= count; ++i) {
            const std::size_t place = (last_ + i) % count;
            if (columns_[place]->path == path) return last_ = place;
        }
        return std::nullopt;
    }

    hash_seed seed_;
    chunked_list<std::unique_ptr<path_column>> columns_;
    std::size_t last_ = 0;  // last result of obtain()
    std::atomic<bool> has_others_ = false;
    std::atomic<bool> has_unshredded_ = false;
};

}  // namespace sluice::store

#endif
