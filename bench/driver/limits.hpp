// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_LIMITS_HPP
#define SLUICE_BENCH_DRIVER_LIMITS_HPP

#include <array>
#include <charconv>
#include <memory>

#include <sluice/base/random.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>

#include "operation.hpp"

namespace sluice_bench {

/// A limiter with known keys, and a stream of random ones among them. Each key's text is written
/// just before its check, so that it is in the nearest cache, as in a request.
class limiter_load {
public:
    explicit limiter_load(std::uint32_t keys) : keys_(keys), limiter_(keys + 1) {
        for (std::uint32_t i = 0; i < keys; ++i) static_cast<void>(check(i));
    }
    sluice::decision check_random() { return check(random_.below(keys_)); }

    /// Returns how many of 1,000 requests pass a limit of 600.
    std::int64_t passing() {
        std::int64_t passed = 0;
        for (int i = 0; i < 1'000; ++i) {
            passed += limiter_.check("checked", {600, minute}, time).allowed ? 1 : 0;
        }
        limiter_.forget("checked");
        return passed;
    }

private:
    static constexpr std::chrono::minutes minute{1};
    static constexpr sluice::instant time{std::chrono::milliseconds{1'787'279'415'123}};

    sluice::decision check(std::uint32_t number) {
        if (number != written_) {
            end_ = std::to_chars(text_.data() + 4, text_.data() + text_.size(), number).ptr;
            written_ = number;
        }
        return limiter_.check({text_.data(), end_}, {100'000'000, minute}, time);
    }

    std::uint32_t keys_;
    std::array<char, 16> text_{'k', 'e', 'y', '_'};
    char* end_ = nullptr;
    std::uint32_t written_ = ~std::uint32_t{0};  // the number in the text
    sluice::keyed_limiter<> limiter_;
    sluice::detail::random_source random_{1};
};

/// Adds `limit KEYS`: decisions on that many keys in random order.
inline void add_limits(operation_table& operations) {
    operations["limit"] = [](const std::string& keys) {
        const auto number = static_cast<std::uint32_t>(std::stoul(keys));
        const auto load = std::make_shared<limiter_load>(number);
        return repeated([load] { return std::to_string(load->passing()); },
                        [load] { return load->check_random(); });
    };
}

}  // namespace sluice_bench

#endif
