// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_WORK_QUEUES_HPP
#define SLUICE_EXAMPLES_SERVER_WORK_QUEUES_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <sluice/errors/envelope.hpp>

namespace server {

namespace asio = boost::asio;

/// A thread pool that answers requests, with one queue per key, so that no client takes all
/// threads. A queue whose clients leave answers unread is suspended until they have read some:
///
/// ```
///                    waiting, in order           running       unread
/// queue 17  full <- [64] ... [3] [2] [1] -> [ ] [ ] |        | 31 MB of 32
/// queue 23  full <-                  [1]            | threads| 32 MB of 32
/// ```
/// Call from one thread; only the work itself runs on the pool.
class work_queues {
public:
    static constexpr std::size_t max_running = 2;   ///< requests of a queue
    static constexpr std::size_t max_waiting = 64;  ///< requests of a queue
    /// The queue of expensive requests that need no key.
    static constexpr std::uint64_t keyless = std::numeric_limits<std::uint64_t>::max();

    static constexpr std::size_t default_unread = std::size_t{32} << 20;  ///< bytes per queue

    class unread_bytes;
    struct answer;

    /// Starts the threads. `max_unread` is the maximum of a queue's unread bytes at which it may
    /// begin further requests.
    explicit work_queues(std::size_t threads, std::size_t max_unread = default_unread)
        : threads_(threads), table_(std::make_shared<table>(max_unread)) {}

    /// Runs `work` on a thread once its queue allows it and returns the answer; nullopt if the
    /// queue is full. `number` names the queue: the number of the key, or `keyless`.
    [[nodiscard]] asio::awaitable<std::optional<answer>> run(
        std::uint64_t number, std::function<sluice::response()> work);

    /// Runs `work` here instead of on a thread; nullopt, without running it, if its queue would
    /// have it wait. For work that takes a fraction of a millisecond.
    template <std::invocable Work>
    [[nodiscard]] std::optional<answer> run_here(std::uint64_t number, Work&& work);

    /// Waits for the running work.
    void join() { threads_.join(); }

private:
    /// The requests of one key.
    struct queue {
        std::size_t running = 0;                  ///< requests that run, or were just allowed to
        std::size_t unread = 0;                   ///< bytes
        std::deque<asio::steady_timer*> waiting;  ///< cancelled when the work may begin
    };

    /// The queues that aren't empty.
    class table {
    public:
        explicit table(std::size_t max_unread) : max_unread_(max_unread) {}

        /// Returns a queue, which it creates if there is none.
        [[nodiscard]] queue& of(std::uint64_t number) { return queues_[number]; }
        [[nodiscard]] bool may_begin(const queue& waited) const noexcept {
            return waited.running < max_running && waited.unread < max_unread_;
        }
        /// Stops counting bytes that a queue's client has read.
        void release(std::uint64_t number, std::size_t bytes);
        /// Starts waiting requests of a queue as far as it may.
        void advance(std::uint64_t number);

    private:
        std::size_t max_unread_;
        std::unordered_map<std::uint64_t, queue> queues_;
    };

    /// Counts a request as running until its destructor, even if the work throws. The caller has
    /// added it to the count.
    class running_work {
    public:
        running_work(table& counted, std::uint64_t number) : counted_(counted), number_(number) {}
        running_work(const running_work&) = delete;
        running_work& operator=(const running_work&) = delete;
        ~running_work() {
            --counted_.of(number_).running;
            counted_.advance(number_);
        }

    private:
        table& counted_;
        std::uint64_t number_;
    };

    /// An answer whose bytes count as unread.
    [[nodiscard]] answer unread(std::uint64_t number, sluice::response done) const;
    /// Waits until advance() allows the request to begin, which also counts it as running.
    [[nodiscard]] static asio::awaitable<void> await_permit(queue& waited);

    asio::thread_pool threads_;
    std::shared_ptr<table> table_;
};

/// Bytes of an answer that count against its queue until they are released or the pool is
/// destroyed.
class work_queues::unread_bytes {
public:
    unread_bytes() = default;
    unread_bytes(const std::shared_ptr<table>& counted, std::uint64_t number, std::size_t bytes)
        : counted_(counted), number_(number), bytes_(bytes) {}
    unread_bytes(unread_bytes&&) = default;
    unread_bytes& operator=(unread_bytes&&) = default;
    ~unread_bytes() { release(); }

    void release() {
        const auto counted = std::exchange(counted_, {}).lock();
        if (counted) counted->release(number_, bytes_);
    }

private:
    std::weak_ptr<table> counted_;
    std::uint64_t number_ = 0;
    std::size_t bytes_ = 0;
};

/// A response, and its count of unread bytes, which the caller releases once it is sent.
struct work_queues::answer {
    sluice::response response;
    unread_bytes unread{};
};

template <std::invocable Work>
std::optional<work_queues::answer> work_queues::run_here(std::uint64_t number, Work&& work) {
    queue& local = table_->of(number);
    if (!local.waiting.empty() || !table_->may_begin(local)) return std::nullopt;
    ++local.running;
    sluice::response done;
    {
        const running_work counted(*table_, number);
        done = work();
        local.unread += done.body.size();
    }
    return unread(number, std::move(done));
}

}  // namespace server

#endif
