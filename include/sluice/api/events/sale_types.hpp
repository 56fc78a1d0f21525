// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENTS_SALE_TYPES_HPP
#define SLUICE_API_EVENTS_SALE_TYPES_HPP

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include <sluice/api/events/events_query.hpp>
#include <sluice/detail/random.hpp>
#include <sluice/hash_seed.hpp>
#include <sluice/store/dictionary.hpp>

namespace sluice::api {

/// Tells first sales of a customer on a link from later ones. Sales come in table order; where late
/// ones move others, it starts again from the first row that is not where it was.
class sale_types {
public:
    explicit sale_types(hash_seed seed) : first_sales_(0, pair_hash{seed.value}) {}

    /// The type of the sale that takes a row, the next one or one that was taken before.
    sale_type mark(std::size_t row, store::code customer, store::code link) {
        if (row < marked_) {
            std::erase_if(first_sales_, [&](const auto& first) { return first.second >= row; });
        }
        marked_ = row + 1;
        const std::uint64_t pair = std::uint64_t{customer} << 32 | link;
        const bool is_first = first_sales_.try_emplace(pair, row).second;
        return is_first ? sale_type::first : sale_type::recurring;
    }

private:
    /// Who adds sales chooses which customers and links meet in them.
    struct pair_hash {
        std::uint64_t seed;

        std::size_t operator()(std::uint64_t pair) const noexcept {
            return static_cast<std::size_t>(sluice::detail::mix64(pair ^ seed));
        }
    };

    std::unordered_map<std::uint64_t, std::size_t, pair_hash> first_sales_;  // rows, by pair
    std::size_t marked_ = 0;                                                 // rows seen so far
};

}  // namespace sluice::api

#endif
