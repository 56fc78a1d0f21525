// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_SESSIONS_HPP
#define SLUICE_EXAMPLES_SERVER_SESSIONS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <boost/intrusive/list.hpp>

/// Lists of all sessions, by which the server chooses the ones to cut off.
namespace server {

/// The state of a session.
enum class activity : std::uint8_t {
    waiting,        ///< for its client, which has sent no accepted key
    waiting_known,  ///< for its client, which has sent an accepted key
    working,        ///< on an answer, or ending
    sending,        ///< an answer to its client
};

/// A session within the lists of sessions; it is in exactly one while it exists.
class listed_session : public boost::intrusive::list_base_hook<
                           boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    listed_session() = default;
    listed_session(const listed_session&) = delete;
    listed_session& operator=(const listed_session&) = delete;
    virtual ~listed_session() = default;

    /// Closes the connection immediately.
    virtual void cut_off() = 0;
    /// Ends idle waiting for a request, because the server stops.
    virtual void notice_stop() = 0;

private:
    friend class session_lists;
    std::size_t unread_ = 0;  // bytes of the answer being sent
};

/// All sessions of a server by activity, in the order in which they began it. Limits the bytes of
/// unread answers:
///
/// ```
/// waiting        [longest] ... [shortest]   <- cut off for new connections, in this order
/// waiting_known  [longest] ... [shortest]   <- then these
/// working
/// sending        [longest] ... [shortest]   <- cut off while there are more bytes than may be
/// ```
class session_lists {
public:
    /// `max_unread` is the maximum number of bytes of answers being sent.
    explicit session_lists(std::size_t max_unread) : max_unread_(max_unread) {}

    /// Moves a session to the end of the list of its new activity. Stops counting its bytes.
    void put(listed_session& session, activity what) {
        remove(session);
        list_of(what).push_back(session);
    }
    /// Moves a session to the sending ones and counts the bytes of its answer until its activity
    /// changes. Cuts off longer senders if there are too many bytes.
    void put_sending(listed_session& session, std::size_t bytes) {
        put(session, activity::sending);
        session.unread_ = bytes;
        unread_ += bytes;
        list& sending = list_of(activity::sending);
        while (unread_ > max_unread_ && &sending.front() != &session) cut_off(sending.front());
    }
    /// Removes a session from its list, if it is in one, and stops counting its bytes.
    void remove(listed_session& session) {
        unread_ -= std::exchange(session.unread_, 0);
        if (session.is_linked()) session.unlink();
    }

    /// Cuts off the session that has waited longest, preferring those without a key. Returns false
    /// if none waits.
    bool cut_off_longest_waiting() {
        for (const activity idle : {activity::waiting, activity::waiting_known}) {
            if (list_of(idle).empty()) continue;
            cut_off(list_of(idle).front());
            return true;
        }
        return false;
    }
    /// Returns true if cut_off_longest_waiting() can cut off a session.
    [[nodiscard]] bool any_waits() const noexcept {
        return !list_of(activity::waiting).empty() || !list_of(activity::waiting_known).empty();
    }
    /// Returns true if there are no sessions.
    [[nodiscard]] bool empty() const noexcept {
        return std::ranges::all_of(lists_, [](const list& sessions) { return sessions.empty(); });
    }
    /// Bytes of answers being sent.
    [[nodiscard]] std::size_t unread() const noexcept { return unread_; }

    /// Calls notice_stop() of all sessions.
    void notice_stop() {
        for (list& sessions : lists_) {
            for (listed_session& session : sessions) session.notice_stop();
        }
    }

private:
    using list =
        boost::intrusive::list<listed_session, boost::intrusive::constant_time_size<false>>;

    [[nodiscard]] list& list_of(activity what) noexcept {
        return lists_[static_cast<std::size_t>(what)];
    }
    [[nodiscard]] const list& list_of(activity what) const noexcept {
        return lists_[static_cast<std::size_t>(what)];
    }
    /// Closes a session's connection; its coroutine ends soon, so that it counts as working.
    void cut_off(listed_session& session) {
        put(session, activity::working);
        session.cut_off();
    }

    std::array<list, 4> lists_;
    std::size_t max_unread_;
    std::size_t unread_ = 0;
};

}  // namespace server

#endif
