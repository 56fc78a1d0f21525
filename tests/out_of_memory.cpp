// SPDX-License-Identifier: MIT
// The handler and a store where memory runs out. A program of its own, since it fails for the whole
// program.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/select.hpp>

#include "reference/make_service.hpp"
#include "store/make_archive.hpp"

namespace {

constexpr std::size_t endless = std::numeric_limits<std::size_t>::max();

std::size_t left = endless;  ///< allocations that will still work
bool recovers = false;       ///< whether those after the failing one work again
bool failed = false;

void* allocate(std::size_t size, std::size_t alignment) {
    if (left == 0) {
        failed = true;
        if (recovers) left = endless;
        throw std::bad_alloc();
    }
    if (left != endless) --left;
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    if (void* const block = std::aligned_alloc(alignment, whole == 0 ? alignment : whole))
        return block;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
// That of the address sanitizer, which simdjson would take, wants a delete of its own.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
    try {
        return operator new(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }

using namespace sluice_tests;

namespace {

constexpr std::size_t most_allocations = 2'000;

struct expectation {
    std::string_view target, token;
    int status;
    bool is_counted;
};

/// The answer to a request for which the allocation of a number fails.
response answer_without_memory(const expectation& entry, std::size_t number) {
    service api;
    if (entry.status == 429) {
        while (api.get(entry.target, entry.token).status != 429) {
        }
    }
    const std::string credentials = "Bearer " + std::string(entry.token);
    const std::vector<name_value> headers{{"authorization", credentials}, {"host", "a.example"}};
    const request question{.target = entry.target, .headers = headers};
    failed = false;
    left = number;
    response answer = api.handle(question);
    left = endless;
    CHECK(api.handle(question).status == entry.status);  // once there is memory again
    return answer;
}

void check_failure(const expectation& entry, const response& answer) {
    CHECK(answer.status == 500);
    CHECK(answer.body.find("internal_server_error") != std::string::npos);
    CHECK(answer.header_value("content-length") == std::to_string(answer.body.size()));
    CHECK(answer.header_value("cache-control") == "private");
    for (const auto name : sluice::detail::rate_limit_names) {
        CHECK(answer.header_value(name).empty() != entry.is_counted);
    }
}

}  // namespace

TEST_CASE("a request for which there is no memory is answered 500, with its key's quota") {
    for (const expectation& entry :
         {expectation{"/events?limit=2&country=US", "all", 200, true},
          expectation{"/events?country=US,-CA", "all", 400, true},
          expectation{"/events", "free", 403, true}, expectation{"/events", "business", 429, true},
          expectation{"/tags", "all", 200, true}, expectation{"/tags", "unknown", 401, false},
          expectation{"/nowhere", "all", 404, false}, expectation{"/openapi.json", "", 200, false},
          expectation{"/api-reference/errors", "", 200, false}}) {
        CAPTURE(entry.target);
        CAPTURE(entry.token);
        for (const bool only_once : {false, true}) {
            recovers = only_once;
            std::size_t number = 0;
            for (; number < most_allocations; ++number) {
                CAPTURE(number);
                const response answer = answer_without_memory(entry, number);
                if (!failed) break;
                if (answer.status != entry.status) check_failure(entry, answer);
            }
            CHECK(number > 2);
            CHECK(number < most_allocations);
        }
    }
}

namespace {

constexpr sluice::schema stock_schema{
    sluice::column{.name = "id"},
    sluice::column{.name = "price", .type = sluice::column_type::decimal},
    sluice::column{.name = "tags", .is_list = true},
};
constexpr sluice::schema shelved_schema{sluice::column{.name = "id"},
                                        sluice::column{.name = "shelf.id"},
                                        sluice::column{.name = "shelf.row"}};
constexpr sluice::store::storable_columns shelved{shelved_schema, "shelf.id"};
constexpr std::size_t stock_size = 150;  // more than lists have room for at first

/// Calls `add` while `allowed` allocations will work, and subtracts those it made. If it needs
/// more, returns false, and the next call may make any number.
template <class Add>
bool adds_within(std::size_t& allowed, const Add& add) {
    bool added = false;
    left = allowed;
    try {
        added = add().has_value();
        allowed = left;
    } catch (const std::bad_alloc&) {
        allowed = endless;
    }
    left = endless;
    REQUIRE((added || failed));
    return added;
}
/// Adds rows, of which the allocation of a number fails; the row is added again.
void add_stock(sluice::store::column_store& store, std::size_t number) {
    std::size_t allowed = number;
    for (std::size_t at = 0; at < stock_size;) {
        const std::string id = "id_" + std::to_string(at), price = std::to_string(at) + ".50";
        const std::array<std::string_view, 2> tags{"all", id};
        const bool added = adds_within(allowed, [&] {
            return store.add({std::string_view(id), std::string_view(price),
                              std::span<const std::string_view>(tags)});
        });
        if (added) ++at;
    }
    store.publish();
}
/// Counts the rows that meet a test.
std::int64_t count_stock(const sluice::store::column_store& store, const sluice::column& of,
                         sluice::column_test test) {
    sluice::list_query query;
    query.rows = sluice::where::all_of({{of, std::move(test)}});
    return sluice::store::count(store.current(), query).value();
}

/// Checks that a store is the same after it was saved and opened.
void check_archive(const sluice::store::column_store& store) {
    const std::string bytes = archived([&](auto& archive) { store.save(archive); });
    auto archive = reader_of(bytes);
    const auto opened = sluice::store::column_store::open(store.storable(), archive);
    REQUIRE(opened);
    const auto rows = store.current(), others = opened->current();
    REQUIRE(others.size() == rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) CHECK(others.json(row) == rows.json(row));
}

}  // namespace

TEST_CASE("a store whose memory ran out for a row has the others, each once, with their values") {
    std::size_t number = 0;
    for (failed = true; failed; ++number) {
        CAPTURE(number);
        failed = false;
        sluice::store::column_store store(stock_schema);
        add_stock(store, number);
        CHECK(store.current().size() == stock_size);
        for (const std::string_view bound : {"0.5", "63.50", "64", "127.50", "149.5", "150"}) {
            const auto least = sluice::parse_decimal_number(bound).value();
            std::int64_t expected = 0;
            for (std::size_t at = 0; at < stock_size; ++at) {
                expected += static_cast<double>(at) + 0.5 >= std::stod(std::string(bound));
            }
            CHECK(count_stock(store, stock_schema.begin()[1],
                              sluice::bounds<sluice::decimal_number>{.least = least}) == expected);
        }
        for (const std::string_view tag : {"id_0", "id_63", "id_64", "id_149"}) {
            CHECK(count_stock(store, stock_schema.begin()[2],
                              sluice::text_test{sluice::filter({tag})}) == 1);
        }
        CHECK(count_stock(store, stock_schema.begin()[2],
                          sluice::text_test{sluice::filter({"all"})}) == stock_size);
        if (number % 16 == 0) check_archive(store);
    }
    CHECK(number > 100);
}

TEST_CASE("a referenced row for which memory ran out is added once, with its values") {
    std::size_t number = 0;
    for (failed = true; failed; ++number) {
        CAPTURE(number);
        failed = false;
        sluice::store::column_store store(shelved);
        std::size_t allowed = number;
        for (std::size_t at = 0; at < stock_size;) {
            const std::string id = "id_" + std::to_string(at), row = "row " + std::to_string(at);
            const bool added = adds_within(allowed, [&] {
                return store.add_referenced("shelf.id",
                                            {std::string_view(id), std::string_view(row)});
            });
            if (!added) continue;
            REQUIRE(store.add({std::string_view(id), std::string_view(id)}));
            ++at;
        }
        store.publish();
        for (const std::string_view row : {"row 0", "row 63", "row 64", "row 149"}) {
            CHECK(count_stock(store, shelved_schema.begin()[2],
                              sluice::text_test{sluice::filter({row})}) == 1);
        }
        CHECK(count_stock(store, shelved_schema.begin()[2],
                          sluice::text_test{sluice::filter({"row 64"}, true)}) == stock_size - 1);
        if (number % 16 == 0) check_archive(store);
    }
    CHECK(number > 100);
}

TEST_CASE("a store for which memory runs out when it is opened or saved is opened the next time") {
    sluice::store::column_store store(shelved);
    for (std::size_t at = 0; at < stock_size; ++at) {
        const std::string id = std::to_string(at);
        REQUIRE(store.add_referenced("shelf.id", {std::string_view(id), std::string_view(id)}));
        REQUIRE(store.add({std::string_view(id), std::string_view(id)}));
    }
    store.publish();
    const std::string bytes = archived([&](auto& archive) { store.save(archive); });
    std::size_t number = 0;
    for (failed = true; failed; ++number) {
        CAPTURE(number);
        failed = false;
        auto archive = reader_of(bytes);
        left = number;
        std::unique_ptr<sluice::store::column_store> opened;
        std::string again;
        try {
            opened = sluice::store::column_store::open(shelved, archive);
            again = archived([&](auto& output) { opened->save(output); });
        } catch (const std::bad_alloc&) {
            CHECK(failed);
        }
        left = endless;
        if (!failed) CHECK((again == bytes));
        if (opened) CHECK(opened->current().size() == stock_size);
    }
    CHECK(number > 100);
}

TEST_CASE("the last answer tells the quota that is left") {
    recovers = false;
    const expectation entry{"/events?limit=2", "business", 200, true};
    constexpr std::size_t charged = 16;  // allocations: more than until the quota is charged
    const response answer = answer_without_memory(entry, charged);
    REQUIRE(failed);
    CHECK(answer.header_value("x-ratelimit-limit") == "4");
    CHECK(answer.header_value("x-ratelimit-remaining") == "3");
    CHECK(answer.header_value("x-ratelimit-reset").size() == 10);
}
