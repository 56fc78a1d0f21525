// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_OPERATION_HPP
#define SLUICE_BENCH_DRIVER_OPERATION_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <type_traits>

namespace sluice_bench {

/// An operation to measure, prepared for one argument.
struct operation {
    std::function<std::string()> answer;               ///< its result, to compare with others
    std::function<std::uint64_t(std::size_t)> time{};  ///< nanoseconds for that many repetitions
};

/// Functions by name that prepare an operation for an argument.
using operation_table = std::map<std::string, std::function<operation(const std::string&)>>;

/// Keeps the compiler from removing the computation of a value.
template <class T>
void keep(const T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

/// Returns an operation that repeats `body` in a compiled loop.
template <class Answer, class Body>
[[nodiscard]] operation repeated(Answer answer, Body body) {
    return {answer, [body](std::size_t repetitions) mutable {
                const auto begin = std::chrono::steady_clock::now();
                for (std::size_t i = 0; i < repetitions; ++i) keep(body());
                const auto spent = std::chrono::steady_clock::now() - begin;
                return static_cast<std::uint64_t>(std::chrono::nanoseconds(spent).count());
            }};
}

/// Returns an operation whose answer is its result: a text, or a number as text.
template <class Body>
[[nodiscard]] operation measured(Body body) {
    if constexpr (std::is_arithmetic_v<decltype(body())>) {
        return repeated([body] { return std::to_string(body()); }, body);
    } else {
        return repeated(body, body);
    }
}

}  // namespace sluice_bench

#endif
