// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_UTM_CODES_HPP
#define SLUICE_REFERENCE_EVENTS_UTM_CODES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <sluice/base/query_string.hpp>
#include <sluice/reference/events/event_columns.hpp>
#include <sluice/reference/events/link_list.hpp>
#include <sluice/store/texts/dictionary.hpp>

namespace sluice::reference {

namespace detail {

/// The decoded value of the first UTM parameter of this name in a URL's query, if there is one.
inline std::optional<std::string_view> find_value(std::span<const name_value> pairs,
                                                  std::string_view name) noexcept {
    const auto position = std::ranges::find(pairs, name, &name_value::name);
    return position == pairs.end() ? std::nullopt : std::optional(position->value);
}

/// The query of a URL including its `?` and without the fragment.
constexpr std::string_view url_query(std::string_view url) noexcept {
    url = url.substr(0, url.find('#'));
    const std::size_t mark = url.find('?');
    return mark == std::string_view::npos ? std::string_view{} : url.substr(mark);
}

/// Returns true if a query may have a UTM parameter, whose name may be percent-encoded.
constexpr bool may_name_utm(std::string_view query) noexcept {
    return query.find("utm_") != std::string_view::npos ||
           query.find('%') != std::string_view::npos;
}

}  // namespace detail

/// The codes of a click's UTM fields: each is the parameter of the click's URL, or else the field
/// of its link. The codes of each URL and each link are computed once. For one thread.
class utm_codes {
public:
    /// One code for each number of utm_column().
    using codes = std::array<store::code, utm_count>;

    /// `texts` are the dictionaries of the workspace's columns, which must outlive this.
    explicit utm_codes(std::array<store::dictionary, column_count>& texts) noexcept
        : texts_(texts) {}

    /// The UTM codes of a click with this URL and link; `source` are the fields of the link.
    [[nodiscard]] codes find(store::code url, store::code link, const stored_link& source) {
        codes utm = of_url(url);
        if (std::ranges::find(utm, not_there) == utm.end()) return utm;
        const codes& fallback = of_link(link, source);
        for (std::size_t i = 0; i < utm.size(); ++i) {
            if (utm[i] == not_there) utm[i] = fallback[i];
        }
        return utm;
    }
    /// Forgets the links from this code on, which may be assigned again.
    void shrink(std::size_t links) noexcept { links_.forget_from(links); }

private:
    static constexpr store::code unread = std::numeric_limits<store::code>::max();  // not computed
    static constexpr store::code not_there = unread - 1;  // the URL lacks the field

    static codes all(store::code same) noexcept {
        codes filled;
        filled.fill(same);
        return filled;
    }
    /// Cached results by code. Grows in chunks, each on the first access to one of its codes, so
    /// that a high code costs no more than a low one.
    class read_codes {
    public:
        codes& operator[](store::code code) {
            const std::size_t at = code / part_codes;
            if (at >= parts_.size()) parts_.resize(at + 1);
            if (parts_[at].empty()) parts_[at].assign(part_codes, all(unread));
            return parts_[at][code % part_codes];
        }
        void forget_from(std::size_t code) noexcept {
            const std::size_t part = code / part_codes;
            if (part >= parts_.size()) return;
            parts_.resize(part + 1);
            if (parts_[part].empty()) return;
            std::fill(parts_[part].begin() + static_cast<std::ptrdiff_t>(code % part_codes),
                      parts_[part].end(), all(unread));
        }

    private:
        static constexpr std::size_t part_codes = 64;

        std::vector<std::vector<codes>> parts_;
    };
    store::dictionary& texts_of(column wanted) noexcept { return texts_[index_of(wanted)]; }

    /// The UTM codes in a URL, or `not_there`; parsed on the first call.
    const codes& of_url(store::code url) {
        codes& known = urls_[url];
        if (known[0] == unread) known = read(texts_of(column::url).text(url));
        return known;
    }
    /// Parses the UTM parameters of a URL and encodes their values.
    codes read(std::string_view url) {
        codes utm = all(not_there);
        const std::string_view text = detail::url_query(url);
        if (!detail::may_name_utm(text)) return utm;
        const query_string query = parse_query_string(text);
        for (std::size_t i = 0; i < utm_count; ++i) {
            const auto value = detail::find_value(query.pairs(), utm_column(i).info().name);
            if (value) utm[i] = texts_of(utm_column(i)).encode(*value);
        }
        return utm;
    }
    /// The UTM codes of a link's fields; encoded on the first call.
    const codes& of_link(store::code link, const stored_link& source) {
        codes& known = links_[link];
        if (known[0] != unread) return known;
        for (std::size_t i = 0; i < source.utm.size(); ++i) {
            const std::optional<std::string_view> text = source.utm[i];
            known[i] = texts_of(utm_column(i)).encode(text);
        }
        return known;
    }

    std::array<store::dictionary, column_count>& texts_;
    read_codes urls_;   // by code of column::url
    read_codes links_;  // by code of column::link
};

}  // namespace sluice::reference

#endif
