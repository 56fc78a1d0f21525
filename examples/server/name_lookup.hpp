// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_NAME_LOOKUP_HPP
#define SLUICE_EXAMPLES_SERVER_NAME_LOOKUP_HPP

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <tl/expected.hpp>

#include "deadline.hpp"
#include "store_place.hpp"

namespace server {

/// Looks up the addresses of a host with a timeout. The system's lookup can't be cancelled: it
/// continues on its own thread, and concurrent callers wait for the same one.
///
/// ```
/// find() --+--> thread: the system's lookup ---> addresses, for all callers
///          '--> deadline or stop request: no answer in time
/// ```
class name_lookup {
public:
    using addresses = boost::asio::ip::tcp::resolver::results_type;
    using answer = tl::expected<addresses, boost::system::error_code>;
    using function = std::function<answer(const store_host&)>;

    explicit name_lookup(store_host host, function look_up = ask_system)
        : shared_(std::make_shared<state>(std::move(host), std::move(look_up))) {}

    /// Waits for the lookup in progress, or starts one. Returns its addresses or its error;
    /// timed_out if it takes longer than `limit` or is no longer needed.
    [[nodiscard]] answer find(const deadline& limit) {
        std::unique_lock lock(shared_->mutex);
        // The lookup in progress, or else the one that starts here.
        const std::uint64_t awaited = shared_->finished + 1;
        if (!std::exchange(shared_->is_running, true)) std::thread(run, shared_).detach();
        const auto is_known = [&] { return shared_->finished >= awaited; };
        if (shared_->known.wait_until(lock, limit.stop, limit.end, is_known)) return shared_->last;
        return tl::unexpected(boost::system::error_code(
            boost::asio::error::make_error_code(boost::asio::error::timed_out)));
    }

private:
    /// The state that callers share with the lookup's thread, which may outlive them.
    struct state {
        state(store_host of, function how) : host(std::move(of)), look_up(std::move(how)) {}

        const store_host host;
        const function look_up;
        std::mutex mutex;  // guards the members below
        std::condition_variable_any known;
        bool is_running = false;
        std::uint64_t finished = 0;  // number of finished lookups
        answer last{};               // the result of the last one
    };

    /// Looks a host up by the system's resolver, and blocks meanwhile.
    static answer ask_system(const store_host& host) {
        boost::asio::io_context io;
        boost::system::error_code failed;
        auto resolved = boost::asio::ip::tcp::resolver(io).resolve(
            host.name, std::to_string(host.port), failed);
        if (failed) return tl::unexpected(failed);
        return resolved;
    }
    /// Does one lookup, on a thread of its own.
    static void run(const std::shared_ptr<state>& shared) {
        answer outcome = shared->look_up(shared->host);
        {
            const std::lock_guard lock(shared->mutex);
            shared->last = std::move(outcome);
            shared->is_running = false;
            ++shared->finished;
        }
        shared->known.notify_all();
    }

    std::shared_ptr<state> shared_;
};

}  // namespace server

#endif
