// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_CONDITIONS_SCAN_BUDGET_HPP
#define SLUICE_STORE_CONDITIONS_SCAN_BUDGET_HPP

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include <sluice/errors/error.hpp>
#include <sluice/store/conditions/explanation.hpp>

/// Limits of scans, and the budget of a scan under them.
namespace sluice::store {

/// Limits of a scan: CPU time and a stop token. Unlimited by default. A scan that meets one fails
/// with query_too_costly or request_cancelled.
///
/// ```
/// const scan_limits limits{.cpu_time = thread_cpu_time,
///                          .deadline = thread_cpu_time() + std::chrono::seconds(1)};
/// ```
struct scan_limits {
    /// The CPU time that the calling thread has used so far; null for no deadline.
    std::function<std::chrono::nanoseconds()> cpu_time{};
    std::chrono::nanoseconds deadline{};  ///< the value of cpu_time() at which the scan ends
    std::stop_token stop{};               ///< ends the scan when a stop is requested
};

/// Options of a scan; none of them changes its result.
struct scan_options {
    /// The access path of all blocks, or the code scan for blocks that it can't answer; nullopt for
    /// the cheapest path of each block.
    std::optional<access_path> forced{};
    scan_limits limits{};
};

/// The budget of a scan under its limits. The scan charges its work; after each share of work, the
/// clock and the stop token are checked:
///
/// ```
/// work    row: a call of a row test; chunk: 4,096 rows evaluated at once; block: 65,536 rows
/// share   64 units of work: some tens of microseconds, of which the clock takes less than one
/// ```
///
/// The first check comes before any work and skips the clock, so that a page from one block never
/// pays for it. A spent budget stays spent.
class scan_budget {
public:
    static constexpr std::size_t row = 1;
    static constexpr std::size_t chunk = 16;
    static constexpr std::size_t block = 64;

    /// Views the limits.
    explicit scan_budget(const scan_limits& limits) noexcept : limits_(limits) {}
    explicit scan_budget(const scan_limits&& limits) = delete;

    /// Charges work that is about to be done. Returns false once the budget is spent: the scan must
    /// end.
    [[nodiscard]] bool charge(std::size_t work) {
        work_ += work;
        if (work_ >= share) {
            work_ = 0;
            if (!broken_) broken_ = check_limits();
        }
        return !broken_;
    }
    [[nodiscard]] bool is_spent() const noexcept { return broken_.has_value(); }
    /// Returns query_too_costly or request_cancelled if the budget is spent; else nullopt.
    [[nodiscard]] std::optional<rule> broken() const noexcept { return broken_; }

private:
    static constexpr std::size_t share = block;

    /// Returns the limit that was met; nullopt if none.
    [[nodiscard]] std::optional<rule> check_limits() {
        if (limits_.stop.stop_requested()) return rule::request_cancelled;
        const bool has_worked = std::exchange(has_worked_, true);
        if (has_worked && limits_.cpu_time && limits_.cpu_time() >= limits_.deadline) {
            return rule::query_too_costly;
        }
        return std::nullopt;
    }

    const scan_limits& limits_;
    std::size_t work_ = 0;
    bool has_worked_ = false;
    std::optional<rule> broken_;
};

/// Returns the error of a spent budget, pointing at the costliest condition so far if it is
/// query_too_costly.
[[nodiscard]] inline error spent_error(const scan_budget& budget,
                                       const condition_source& costliest) noexcept {
    error why = make_error(budget.broken().value_or(rule::unexpected_failure));
    if (why.broken != rule::query_too_costly) return why;
    why.param = costliest.param;
    why.offset = costliest.offset;
    why.length = costliest.length;
    return why;
}

}  // namespace sluice::store

#endif
