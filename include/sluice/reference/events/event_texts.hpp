// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_EVENT_TEXTS_HPP
#define SLUICE_REFERENCE_EVENTS_EVENT_TEXTS_HPP

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <sluice/reference/events/event_columns.hpp>
#include <sluice/reference/events/event_fragments.hpp>
#include <sluice/reference/events/utm_codes.hpp>
#include <sluice/store/texts/code_cache.hpp>
#include <sluice/store/texts/dictionary.hpp>

namespace sluice::reference {

/// The dictionaries of a workspace's event columns, and the encoding of records into codes. One
/// thread adds; any thread may read the texts of codes that it has seen.
class event_texts {
public:
    using columns = std::array<store::dictionary, column_count>;

    explicit event_texts(hash_seed seed)
        : columns_(store::make_dictionaries<column_count>(seed)), sale_ids_(seed) {}
    event_texts(const event_texts&) = delete;
    event_texts& operator=(const event_texts&) = delete;

    [[nodiscard]] const columns& all() const noexcept { return columns_; }
    [[nodiscard]] const store::dictionary& of(column wanted) const noexcept {
        return columns_[index_of(wanted)];
    }
    [[nodiscard]] store::dictionary& of(column wanted) noexcept {
        return columns_[index_of(wanted)];
    }
    /// The ids of sales. They have a dictionary of their own, because a lead and a sale may share
    /// an id.
    [[nodiscard]] const store::dictionary& sale_ids() const noexcept { return sale_ids_; }
    [[nodiscard]] store::dictionary& sale_ids() noexcept { return sale_ids_; }
    [[nodiscard]] const event_fragments& fragments() const noexcept { return fragments_; }
    [[nodiscard]] event_fragments& fragments() noexcept { return fragments_; }

    /// Starts the lookup of a text; see dictionary::seek().
    template <column Column>
    [[nodiscard]] store::sought_text seek(std::string_view text) const noexcept {
        return of(Column).seek(text);
    }
    /// Sets a row's code of a column to that of a text whose lookup was started by seek().
    template <column Column>
    void encode(std::span<store::code> codes, const store::sought_text& sought) {
        codes[index_of(Column)] = of(Column).encode(sought);
    }
    /// Sets a row's code of a column to that of a text; nullopt leaves it absent.
    template <column Column>
    void encode(std::span<store::code> codes, std::optional<std::string_view> text) {
        if (!text) return;
        constexpr std::size_t at = index_of(Column);
        constexpr bool is_cached = has_use(Column, field_use::repeated | field_use::recurring);
        codes[at] =
            is_cached ? caches_[at].encode(columns_[at], *text) : columns_[at].encode(*text);
        fragments_.extend<Column>(codes[at], columns_[at]);
    }
    template <column Column>
    void encode(std::span<store::code> codes, std::optional<std::int64_t> number) {
        if (!number) return;
        std::array<char, 20> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *number).ptr;
        encode<Column>(codes,
                       std::string_view(digits.data(), static_cast<std::size_t>(end - &digits[0])));
    }
    /// Sets a row's code of a boolean column: 1 is true, absent (0) is false.
    template <column Column>
    void encode(std::span<store::code> codes, bool flag) {
        codes[index_of(Column)] = flag ? 1 : 0;
    }

    /// Encodes a click's fields except for `id`, `url` and `ip`, which are new in nearly every row
    /// and whose lookup starts earlier.
    void encode_click(std::span<store::code> codes, const click& added) {
        for_each_click_column([&]<column Column>(const auto& row) {
            constexpr bool is_sought =
                Column == column::click_id || Column == column::url || Column == column::ip;
            if constexpr (!is_sought) encode<Column>(codes, added.*row.member);
        });
    }

    /// Encodes the UTM fields of a row, which come from its URL or its link. Requires the codes of
    /// column::url and column::link.
    void encode_utm(std::span<store::code> codes, const link_list& links) {
        const store::code link = codes[index_of(column::link)];
        const auto utm = utm_.find(codes[index_of(column::url)], link, links[link]);
        for (std::size_t i = 0; i < utm.size(); ++i) codes[index_of(utm_column(i))] = utm[i];
    }

    /// Sizes of the dictionaries of ids, which get a text with each record. shrink() removes the
    /// ids added later. The texts of other columns stay, unused until a record has them again.
    struct sizes {
        std::size_t customers, links, clicks, lead_ids, sale_ids;

        friend bool operator==(const sizes&, const sizes&) = default;
    };
    [[nodiscard]] sizes size() const noexcept {
        return {of(column::customer).size(), of(column::link).size(), of(column::click_id).size(),
                of(column::event_id).size(), sale_ids_.size()};
    }
    void shrink(const sizes& to) noexcept {
        of(column::customer).shrink(to.customers);
        of(column::link).shrink(to.links);
        of(column::click_id).shrink(to.clicks);
        of(column::event_id).shrink(to.lead_ids);
        sale_ids_.shrink(to.sale_ids);
        utm_.shrink(to.links);
        fragments_.shrink(to.links, to.customers);
    }

    /// Writes the current texts, those of ids up to these codes. Texts may be added meanwhile. Safe
    /// on any thread.
    void save(store::archive_writer& archive, const sizes& kept) const {
        fragments_.save(archive, kept.links, kept.customers);
        for (const column wanted : all_columns) of(wanted).save(archive, saved_size(wanted, kept));
        sale_ids_.save(archive, kept.sale_ids);
    }
    /// Reads the texts of an archive into this empty object.
    void open(store::archive_reader& archive) {
        fragments_.open(archive);
        for (store::dictionary& texts : columns_) texts.open(archive);
        sale_ids_.open(archive);
    }
    /// The number of bytes mapped from an archive.
    [[nodiscard]] std::size_t mapped_bytes() const noexcept {
        std::size_t all = fragments_.mapped_bytes() + sale_ids_.mapped_bytes();
        for (const store::dictionary& texts : columns_) all += texts.mapped_bytes();
        return all;
    }

private:
    /// The number of codes of a column to save: for ids those in `kept`, for other texts all.
    [[nodiscard]] std::size_t saved_size(column wanted, const sizes& kept) const noexcept {
        if (wanted == column::customer) return kept.customers;
        if (wanted == column::link) return kept.links;
        if (wanted == column::click_id) return kept.clicks;
        if (wanted == column::event_id) return kept.lead_ids;
        return of(wanted).size();
    }

    columns columns_;
    store::dictionary sale_ids_;
    std::array<store::code_cache, column_count> caches_;
    utm_codes utm_{columns_};
    event_fragments fragments_;
};

}  // namespace sluice::reference

#endif
