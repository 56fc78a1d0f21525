// SPDX-License-Identifier: MIT
#ifndef SLUICE_FILTERS_VALUES_HPP
#define SLUICE_FILTERS_VALUES_HPP

// <span> and <vector> include the parts of <ranges> and <iterator> that are used here. The whole
// headers would take a fifth of the compile time of <sluice/filters/filter.hpp>.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/packed_texts.hpp>

namespace sluice {

namespace detail {

/// A pointer to texts, such as the values of a filter, that are stored in one of three forms.
struct text_source {
    enum class form : std::uint8_t {
        packed,   ///< a packed_texts
        strings,  ///< an array of std::string
        views,    ///< an array of std::string_view
    };

    form held_as = form::views;
    const void* texts = nullptr;  ///< of the type that `held_as` says

    [[nodiscard]] std::string_view operator[](std::size_t at) const noexcept {
        switch (held_as) {
            case form::packed: return (*static_cast<const packed_texts*>(texts))[at];
            case form::strings: return static_cast<const std::string*>(texts)[at];
            case form::views: return static_cast<const std::string_view*>(texts)[at];
        }
        return {};
    }
};

/// A random-access iterator over texts, by index.
class text_iterator {
public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using reference = std::string_view;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;  // for algorithms of C++17
    using iterator_concept = std::random_access_iterator_tag;

    constexpr text_iterator() noexcept = default;
    constexpr text_iterator(text_source texts, std::size_t at) noexcept
        : texts_(texts), at_(static_cast<std::ptrdiff_t>(at)) {}

    std::string_view operator*() const noexcept { return (*this)[0]; }
    std::string_view operator[](std::ptrdiff_t ahead) const noexcept {
        return texts_[static_cast<std::size_t>(at_ + ahead)];
    }

    constexpr text_iterator& operator+=(std::ptrdiff_t by) noexcept {
        at_ += by;
        return *this;
    }
    constexpr text_iterator& operator-=(std::ptrdiff_t by) noexcept { return *this += -by; }
    constexpr text_iterator& operator++() noexcept { return *this += 1; }
    constexpr text_iterator& operator--() noexcept { return *this -= 1; }
    constexpr text_iterator operator++(int) noexcept { return ++*this - 1; }
    constexpr text_iterator operator--(int) noexcept { return --*this + 1; }

    friend constexpr text_iterator operator+(text_iterator i, std::ptrdiff_t by) noexcept {
        return i += by;
    }
    friend constexpr text_iterator operator+(std::ptrdiff_t by, text_iterator i) noexcept {
        return i += by;
    }
    friend constexpr text_iterator operator-(text_iterator i, std::ptrdiff_t by) noexcept {
        return i -= by;
    }
    friend constexpr std::ptrdiff_t operator-(text_iterator a, text_iterator b) noexcept {
        return a.at_ - b.at_;
    }
    friend constexpr bool operator==(text_iterator a, text_iterator b) noexcept {
        return a.at_ == b.at_;
    }
    friend constexpr auto operator<=>(text_iterator a, text_iterator b) noexcept {
        return a.at_ <=> b.at_;
    }

private:
    text_source texts_{};
    std::ptrdiff_t at_ = 0;
};

}  // namespace detail

/// A view of the values of a filter, or of any list of texts: a random-access range of
/// `std::string_view` that must not outlive the texts. Small and cheap to copy.
class filter_values {
public:
    constexpr filter_values() noexcept = default;
    constexpr filter_values(std::span<const std::string> texts) noexcept
        : texts_{form::strings, texts.data()}, size_(texts.size()) {}
    constexpr filter_values(std::span<const std::string_view> texts) noexcept
        : texts_{form::views, texts.data()}, size_(texts.size()) {}
    constexpr filter_values(const std::string* texts, std::size_t count) noexcept
        : texts_{form::strings, texts}, size_(count) {}
    constexpr filter_values(const std::string_view* texts, std::size_t count) noexcept
        : texts_{form::views, texts}, size_(count) {}
    constexpr filter_values(const std::vector<std::string>& texts) noexcept
        : filter_values(texts.data(), texts.size()) {}
    filter_values(const detail::packed_texts& texts) noexcept
        : texts_{form::packed, &texts}, size_(texts.size()) {}

    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }

    /// Returns the value at an index below `size()`.
    [[nodiscard]] std::string_view operator[](std::size_t at) const noexcept { return texts_[at]; }
    /// Returns the first value. Expects !empty().
    [[nodiscard]] std::string_view front() const noexcept { return texts_[0]; }

    [[nodiscard]] constexpr detail::text_iterator begin() const noexcept { return {texts_, 0}; }
    [[nodiscard]] constexpr detail::text_iterator end() const noexcept { return {texts_, size_}; }

private:
    using form = detail::text_source::form;

    detail::text_source texts_{};
    std::size_t size_ = 0;
};

}  // namespace sluice

/// @cond
template <>
inline constexpr bool std::ranges::enable_borrowed_range<sluice::filter_values> = true;
/// @endcond

#endif
