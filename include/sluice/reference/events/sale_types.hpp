// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_SALE_TYPES_HPP
#define SLUICE_REFERENCE_EVENTS_SALE_TYPES_HPP

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include <sluice/base/random.hpp>
#include <sluice/base/text_hasher.hpp>
#include <sluice/reference/events/event_columns.hpp>
#include <sluice/reference/events/events_query.hpp>
#include <sluice/store/blocks/snapshot.hpp>

namespace sluice::reference {

/// Distinguishes a customer's first sale on a link from later ones. mark() is called for all rows
/// of the sales table in order. A sale with an earlier time than published ones moves their rows;
/// then mark() is called again for all rows from the first moved one. The first sales in an archive
/// (a snapshot file) are stored sorted, and are valid for rows that haven't moved.
class sale_types {
public:
    explicit sale_types(hash_seed seed) : first_sales_(0, pair_hash{seed.value}) {}

    /// Returns the type of the sale in a row: the next row, or an earlier one to restart at.
    sale_type mark(std::size_t row, store::code customer, store::code link) {
        if (row < marked_) {
            std::erase_if(first_sales_, [&](const auto& first) { return first.second >= row; });
        }
        marked_ = row + 1;
        unmoved_ = std::min(unmoved_, row);
        const std::uint64_t pair = pair_of(customer, link);
        const bool is_first = !has_stored(pair) && first_sales_.try_emplace(pair, row).second;
        return is_first ? sale_type::first : sale_type::recurring;
    }

    /// Writes the first sales of a table.
    static void save(store::archive_writer& archive, const store::snapshot& sales) {
        std::vector<first_sale> all;
        all.reserve(sales.size());
        for (std::size_t row = 0; row < sales.size(); ++row) {
            const store::code customer = sales.code_at(row, index_of(column::customer));
            const store::code link = sales.code_at(row, index_of(column::link));
            all.push_back({pair_of(customer, link), row});
        }
        std::ranges::sort(all);
        const auto same_pair = [](const auto& a, const auto& b) { return a.pair == b.pair; };
        all.erase(std::ranges::unique(all, same_pair).begin(), all.end());
        archive.array(std::span<const first_sale>(all));
    }
    /// Reads the first sales of `sales` rows from an archive into this empty object.
    void open(store::archive_reader& archive, std::size_t sales) {
        stored_ = archive.view<first_sale>();
        mapped_ = archive.keeper();
        marked_ = unmoved_ = sales;
    }

private:
    /// The row of the first sale of a customer on a link: see pair_of().
    struct first_sale {
        std::uint64_t pair;
        std::uint64_t row;

        friend auto operator<=>(const first_sale&, const first_sale&) = default;
    };

    /// A customer and a link as one number.
    static constexpr std::uint64_t pair_of(store::code customer, store::code link) noexcept {
        return std::uint64_t{customer} << 32 | link;
    }
    /// Returns true if the archive has a first sale of the pair in a row that hasn't moved.
    [[nodiscard]] bool has_stored(std::uint64_t pair) const noexcept {
        const auto position = std::ranges::lower_bound(stored_, pair, {}, &first_sale::pair);
        return position != stored_.end() && position->pair == pair && position->row < unmoved_;
    }

    /// A seeded hash, because clients choose which customers and links meet in sales.
    struct pair_hash {
        std::uint64_t seed;

        std::size_t operator()(std::uint64_t pair) const noexcept {
            return static_cast<std::size_t>(sluice::detail::mix64(pair ^ seed));
        }
    };

    std::unordered_map<std::uint64_t, std::size_t, pair_hash> first_sales_;  // rows, by pair
    std::size_t marked_ = 0;              // number of marked rows
    std::span<const first_sale> stored_;  // mapped from an archive, sorted
    std::size_t unmoved_ = 0;             // rows that haven't moved since it was opened
    std::shared_ptr<const void> mapped_;  // the archive
};

}  // namespace sluice::reference

#endif
