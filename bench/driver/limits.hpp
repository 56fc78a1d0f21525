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
        const sluice::policy few{600, std::chrono::minutes{1}};
        std::int64_t passed = 0;
        for (int i = 0; i < 1'000; ++i) {
            passed += limiter_.check("checked", few, time).allowed ? 1 : 0;
        }
        limiter_.forget("checked");
        return passed;
    }

private:
    static constexpr sluice::instant time{std::chrono::milliseconds{1'787'279'415'123}};

    sluice::decision check(std::uint32_t number) {
        if (number != written_) write(number);
        const sluice::policy many{100'000'000, std::chrono::minutes{1}};
        return limiter_.check({text_.data(), size_}, many, time);
    }
    void write(std::uint32_t number) {
        char* const end = std::to_chars(text_.data() + 4, text_.data() + text_.size(), number).ptr;
        size_ = static_cast<std::size_t>(end - text_.data());
        written_ = number;
    }

    std::uint32_t keys_;
    std::array<char, 16> text_{'k', 'e', 'y', '_'};
    std::size_t size_ = 0;
    std::uint32_t written_ = ~std::uint32_t{0};  // the number in the text
    sluice::keyed_limiter<> limiter_;
    sluice::detail::random_source random_{1};
};

/// Adds `limit KEYS`: decisions on that many keys in random order.
inline void add_limits(operation_table& operations) {
    operations["limit"] = [](std::string_view argument) {
        const auto keys = static_cast<std::uint32_t>(std::stoul(std::string(argument)));
        const auto load = std::make_shared<limiter_load>(keys);
        return repeated([load] { return std::to_string(load->passing()); },
                        [load] { return load->check_random(); });
    };
}

}  // namespace sluice_bench

#endif
