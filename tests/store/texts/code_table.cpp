// SPDX-License-Identifier: MIT
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/texts/code_table.hpp>

namespace {

/// Knows how many of its kind there are.
struct counted {
    explicit counted(std::atomic<int>& all) : alive(all) { ++alive; }
    ~counted() { --alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;

    std::atomic<int>& alive;
};
using epochs = sluice::store::reader_epochs<counted>;

void retire(epochs& readers, std::atomic<int>& alive) {
    auto replaced = std::make_unique<counted>(alive);
    readers.prepare();
    readers.retire(std::move(replaced));
}

}  // namespace

TEST_CASE("what was replaced goes with the second that is replaced after it") {
    std::atomic<int> alive = 0;
    {
        epochs readers;
        for (int replaced = 1; replaced <= 10; ++replaced) {
            retire(readers, alive);
            CHECK(alive == 1);
        }
    }
    CHECK(alive == 0);
}

TEST_CASE("what was replaced during a visit, or just before, stays until its end") {
    std::atomic<int> alive = 0;
    epochs readers;
    retire(readers, alive);
    {
        const auto visit = readers.enter();
        for (int replaced = 1; replaced <= 10; ++replaced) retire(readers, alive);
        CHECK(alive == 10);  // all but the one that was replaced before
        const auto later = readers.enter();
        retire(readers, alive);
        CHECK(alive == 11);
    }
    retire(readers, alive);
    retire(readers, alive);
    CHECK(alive == 1);
}

TEST_CASE("later visits keep nothing that was replaced before an earlier epoch's end") {
    std::atomic<int> alive = 0;
    epochs readers;
    struct reading {
        explicit reading(const epochs& of) : visit(of.enter()) {}
        epochs::visit visit;
    };
    std::optional<reading> visits[2];
    visits[0].emplace(readers);
    for (int epoch = 0; epoch < 20; ++epoch) {
        retire(readers, alive);
        visits[(epoch + 1) % 2].emplace(readers);
        visits[epoch % 2].reset();
        CHECK(alive <= 3);
    }
}

TEST_CASE("no reader sees what has been freed") {
    struct value {
        explicit value(int of) : first(of), second(of) {}
        ~value() { second = first - 1; }
        int first, second;
    };
    sluice::store::reader_epochs<value> readers;
    std::unique_ptr<value> owned = std::make_unique<value>(0);
    std::atomic<const value*> shown = owned.get();
    std::atomic<bool> is_done = false;
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
            while (!is_done) {
                const auto visit = readers.enter();
                const value* const seen = shown.load(std::memory_order_acquire);
                if (seen->first != seen->second) ++wrong;
            }
        });
    }
    for (int i = 1; i <= 20'000; ++i) {
        auto next = std::make_unique<value>(i);
        readers.prepare();
        shown.store(next.get(), std::memory_order_release);
        std::swap(owned, next);
        readers.retire(std::move(next));
    }
    is_done = true;
    threads.clear();
    CHECK(wrong == 0);
}
