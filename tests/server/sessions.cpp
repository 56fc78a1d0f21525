// SPDX-License-Identifier: MIT
#include "../../examples/server/sessions.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

using server::activity;

namespace {

/// Sessions a, b, c, d that note when they are cut off.
struct crowd {
    class session final : public server::listed_session {
    public:
        session(char name, std::string& cut) : name_(name), cut_(cut) {}
        void cut_off() override { cut_ += name_; }
        void notice_stop() override {}

    private:
        char name_;
        std::string& cut_;
    };

    server::session_lists lists{100};
    std::string cut;
    std::array<session, 4> all{session{'a', cut}, session{'b', cut}, session{'c', cut},
                               session{'d', cut}};
};

}  // namespace

TEST_CASE("who waits longest is cut off first, and who has a key after all others") {
    crowd waiting;
    auto& [a, b, c, d] = waiting.all;
    CHECK(waiting.lists.empty());
    CHECK(!waiting.lists.cut_off_longest_waiting());
    waiting.lists.put(a, activity::waiting_known);
    waiting.lists.put(b, activity::waiting);
    waiting.lists.put(c, activity::waiting);
    waiting.lists.put(d, activity::working);
    waiting.lists.put(b, activity::waiting);  // it has been answered meanwhile
    CHECK(waiting.lists.any_waits());
    while (waiting.lists.cut_off_longest_waiting()) continue;
    CHECK(waiting.cut == "cba");
    CHECK(!waiting.lists.any_waits());
    CHECK(!waiting.lists.empty());  // they are still to end
    for (auto& session : waiting.all) waiting.lists.remove(session);
    CHECK(waiting.lists.empty());
}

TEST_CASE("the oldest answers are cut off while more bytes are unread than may be") {
    const struct {
        std::array<std::size_t, 4> bytes;
        std::string_view cut;
        std::size_t unread;
    } cases[]{
        {{25, 25, 25, 25}, "", 100},  {{25, 25, 25, 26}, "a", 76}, {{1, 1, 90, 100}, "abc", 100},
        {{0, 0, 0, 200}, "abc", 200}, {{200, 0, 0, 0}, "a", 0},    {{60, 60, 60, 10}, "ab", 70},
        {{50, 50, 0, 1}, "a", 51},
    };
    for (const auto& [bytes, cut, unread] : cases) {
        CAPTURE(cut);
        crowd sending;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            sending.lists.put_sending(sending.all[i], bytes[i]);
        }
        CHECK(sending.cut == cut);
        CHECK(sending.lists.unread() == unread);
        for (auto& session : sending.all) sending.lists.put(session, activity::waiting);
        CHECK(sending.lists.unread() == 0);
    }
}
