// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_SPARE_RESPONSE_HPP
#define SLUICE_REFERENCE_SERVICE_SPARE_RESPONSE_HPP

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <sluice/errors/envelope.hpp>
#include <sluice/rate_limit/headers.hpp>

namespace sluice::reference {

/// The response to an unexpected failure, prepared in advance, so that sending it needs no memory
/// even if memory has run out:
///
/// ```
/// 500, nothing else --prepare--> with body and headers --tell--> with the key's quota too
/// ```
class spare_response {
public:
    spare_response() noexcept = default;

    void prepare(response failure) {
        rates_ = rate_limit_headers({});
        for (header& rate : rates_) rate.value.reserve(longest_number);
        failure.headers.reserve(failure.headers.size() + rates_.size());
        failure_ = std::move(failure);
    }

    /// Sets the rate-limit headers; the last call counts. Call after prepare().
    void tell(const decision& counted) noexcept { told_ = counted; }

    [[nodiscard]] response take() && noexcept {
        if (told_) add_rates(sluice::detail::rate_limit_values(*told_));
        return std::move(failure_);
    }

private:
    static constexpr std::size_t longest_number = 20;  // digits of a 64-bit number, with sign

    void add_rates(const std::array<std::int64_t, 3>& values) noexcept {
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::array<char, longest_number> digits;
            const auto end = std::to_chars(digits.begin(), digits.end(), values[i]).ptr;
            rates_[i].value.assign(digits.data(), end);
        }
        std::ranges::move(rates_, std::back_inserter(failure_.headers));
    }

    response failure_{.status = 500};
    std::vector<header> rates_;
    std::optional<decision> told_;
};

}  // namespace sluice::reference

#endif
