// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_AS_RESULT_HPP
#define SLUICE_EXAMPLES_SERVER_AS_RESULT_HPP

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace server {

/// Completion token of coroutines: `co_await` gives the error code and the results in a tuple, and
/// doesn't throw.
inline constexpr auto as_result = boost::asio::as_tuple(boost::asio::use_awaitable);

}  // namespace server

#endif
