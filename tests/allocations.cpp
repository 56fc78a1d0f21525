// SPDX-License-Identifier: MIT
// What reading a request allocates. A program of its own, since it counts for the whole program.
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/errors/envelope.hpp>
#include <sluice/filters/matcher.hpp>
#include <sluice/rate_limit/headers.hpp>
#include <sluice/reference/events/events_query.hpp>
#include <sluice/store/documents/conditions.hpp>
#include <sluice/store/plan/scan.hpp>

namespace {

std::size_t allocations = 0;
std::size_t bytes_allocated = 0;  // in all, whether they were freed since or not

}  // namespace

#if defined(__GNUC__) && !defined(__clang__)
// False where g++ puts only one of the two in its place: both are of malloc.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

void* operator new(std::size_t size) {
    ++allocations;
    bytes_allocated += size;
    if (void* const block = std::malloc(size == 0 ? 1 : size)) return block;
    throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

using namespace sluice;

namespace {

/// Returns the number of allocations that `work` makes.
template <class Work>
std::size_t allocations_of(Work work) {
    const std::size_t before = allocations;
    work();
    return allocations - before;
}

constexpr instant now{std::chrono::milliseconds{1'787'279'415'123}};

/// Returns the allocations of reading a valid request for events.
std::size_t allocations_of_request(std::string_view text) {
    const time_zone_database zones({time_zone::utc()});
    bool valid = false;
    const std::size_t count = allocations_of([&] {
        const query_string pairs = parse_query_string(text);
        valid = reference::parse_events_query(pairs.pairs(), {.zones = &zones}, now).has_value();
    });
    CHECK(valid);
    return count;
}

/// Every parameter but `query`, which holds a tree.
constexpr std::string_view every_parameter =
    "event=sales&domain=smcp.link&key=W-q_3t4&linkId=link_1,link_2&externalId=ext_1&tenantId=t_1"
    "&tagId=tag_1,tag_2&folderId=f_1&partnerTagId=p_1&groupId=g_1&partnerId=pn_1&customerId=c_1"
    "&interval=30d&start=2026-08-01&end=2026-08-20T12:00:00Z&timezone=UTC&country=-US,CA"
    "&city=Paris&region=US-CA&continent=EU&device=Desktop&browser=Chrome&os=iOS&trigger=qr"
    "&referer=example.com&refererUrl=https://example.com/a&url=https://example.com/b"
    "&utm_source=google&utm_medium=cpc&utm_campaign=launch&utm_term=shoes&utm_content=a&root=false"
    "&saleType=new&page=2&limit=50&sortOrder=asc&sortBy=timestamp&programId=pr_1&tagIds=t&qr=true"
    "&order=desc";

}  // namespace

TEST_CASE("a request allocates nothing, whatever its parameters") {
    CHECK(allocations_of_request("") == 0);
    CHECK(allocations_of_request(
              "event=clicks&country=US,CA&device=-Mobile&interval=7d&limit=50&page=2") == 0);
    CHECK(allocations_of_request(every_parameter) == 0);
}

TEST_CASE("parameters that were encoded are decoded without allocations") {
    CHECK(allocations_of_request("city=S%C3%A3o+Paulo&country=US%2CCA&start=3+days+ago") == 0);
    CHECK(allocations_of_request("city=Washington%5C%2C+D.C.") == 0);
}

TEST_CASE("a long value allocates once, where it is held") {
    const std::string id(60, 'x');
    CHECK(allocations_of_request("linkId=" + id) == 1);
    CHECK(allocations_of_request("customerId=" + id) == 1);
    CHECK(allocations_of_request("linkId=" + id + "&tenantId=" + id + "&key=k&domain=d") == 2);
    CHECK(allocations_of_request("country=US,CA,FR,DE,IT,ES,PT,NL,BE,LU,AT,CH,PL,CZ,SK,HU") == 1);
}

TEST_CASE("a metadata expression allocates its tree") {
    CHECK(allocations_of_request("event=leads&query=metadata['plan']:'pro'") == 1);
    CHECK(allocations_of_request(
              "event=leads&query=metadata['plan']:'pro' AND NOT (metadata['seats']>=10 OR "
              "metadata['a']['b']:'a longer value than any that is held in place')") == 1);
    const metadata_query query = *parse_metadata_query("metadata['plan']:pro");
    CHECK(allocations_of([&] { static_cast<void>(metadata_query(query)); }) == 0);
}

TEST_CASE("what is refused allocates its error alone") {
    const query_string pairs = parse_query_string("limit=x&country=US");
    CHECK(allocations_of([&] {
              static_cast<void>(reference::parse_events_query(pairs.pairs(), {}, now));
          }) == 1);
}

TEST_CASE("an id of ordinary length, and some of them, make a filter without allocations") {
    const std::string id = "link_1KAP4CDPBSVMMBMH9XX3YZZ0Z";
    CHECK(allocations_of([&] { static_cast<void>(parse_filter(id)); }) == 0);
    CHECK(allocations_of([&] { static_cast<void>(parse_filter("-a,b,c,d,e,f,g,h,i,j")); }) == 0);
}

TEST_CASE("a long filter is given room for its texts and for each one's end, and for no more") {
    const auto bytes_of = [](const std::string& text) {
        const std::size_t before = bytes_allocated;
        CHECK(parse_filter(text).has_value());
        return bytes_allocated - before;
    };
    const std::size_t head = 8, end = 4;
    CHECK(bytes_of("US,CA,FR,DE,IT,ES,PT,NL,BE,LU,AT,CH,PL,CZ,SK,HU") == head + 16 * (end + 2));
    CHECK(bytes_of(std::string(60, 'x')) == head + end + 60);
    CHECK(bytes_of("a" + std::string(2'000, ',')) == head + 1'001 * end + 1);
}

TEST_CASE("an error's body allocates once, however long its message and the address of its page") {
    const std::string text(1'000, 'x'), docs_url(1'000, 'y');
    const auto write = [&] {
        static_cast<void>(error_body(error_code::unprocessable_entity, text, docs_url));
    };
    CHECK(allocations_of(write) == 1);
}

TEST_CASE("an error's response has room for the headers that a service adds") {
    response refusal = error_response(error{}, "https://example.com");
    const auto add = [&] { refusal.headers.push_back({"vary", "origin"}); };
    for (int added = 1; added <= 11; ++added) CHECK(allocations_of(add) == 0);
}

TEST_CASE("rate headers allocate their list once, and the names too long to be held in place") {
    const decision refused{.limit = 600, .retry_after = std::chrono::seconds(5)};
    CHECK(allocations_of([&] { static_cast<void>(rate_limit_headers(refused)); }) == 1 + 3);
}

TEST_CASE("rows are matched without allocations") {
    const std::string row(100, 'R');
    const filter few = *parse_filter("US,ca," + row);
    const filter_matcher names(few.values(), collation::ignore_case);
    CHECK(allocations_of([&] {
              CHECK(few.matches(row));
              CHECK(few.matches("CA", collation::ignore_case));
              CHECK(names.contains(row));
              CHECK(!names.contains("FR"));
          }) == 0);
}

TEST_CASE("more than 64 pairs and 512 decoded bytes are read all the same") {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "&utm_" + std::to_string(i) + "=a%20value";
    const std::size_t count = allocations_of([&] {
        const query_string pairs = parse_query_string(text);
        CHECK(pairs.pairs().size() == 200);
    });
    CHECK(count > 0);
}

namespace {

/// A table of rows whose metadata is a number at `n`, each another one.
class numbered_rows {
public:
    explicit numbered_rows(std::size_t size) {
        sluice::store::row_buffer added(table_.columns());
        const sluice::store::code id = ids_.encode(std::string_view("row"));
        store::metadata_path path;
        path.push("n");
        store::metadata_scalars& scalars = columns_.scalars(*columns_.obtain(path));
        for (std::size_t i = 0; i < size; ++i) {
            const auto codes = added.codes(added.add(static_cast<std::int64_t>(i)));
            codes[0] = id;
            codes[2] = scalars.encode(scalar::number(std::to_string(i)));
        }
        table_.append(std::move(added), [](std::size_t, std::span<sluice::store::code>) {});
    }

    /// Counts the rows that match an expression, and the bytes allocated for the count.
    struct count {
        std::int64_t rows;
        std::size_t bytes;
    };
    [[nodiscard]] count matching(const std::string& expression) const {
        const metadata_query query = parse_metadata_query(expression).value();
        const sluice::store::snapshot view = table_.current();
        const std::size_t before = bytes_allocated;
        const store::metadata_conditions conditions(columns_, 1, "query", {}, query);
        sluice::store::selection wanted;
        wanted.where = conditions.rows();
        const std::int64_t rows = sluice::store::scan(view, wanted).count().value();
        return {rows, bytes_allocated - before};
    }

private:
    sluice::store::dictionary ids_;
    store::metadata_columns columns_{hash_seed{1}};
    sluice::store::table table_{sluice::store::schema{3, 0, 0, &ids_}};
};

/// Returns as many ranges of one or of many numbers as an expression may have.
std::string ranges(std::int64_t width, std::string_view joint) {
    std::string text;
    for (std::int64_t i = 0; i < 128; ++i) {
        if (i > 0) text.append(joint);
        text += "(metadata['n']>=" + std::to_string(i * 1'000) + " AND metadata['n']<" +
                std::to_string(i * 1'000 + width) + ")";
    }
    return text;
}

}  // namespace

TEST_CASE("256 ranges allocate less than 6 MB in all, however many values there are") {
    constexpr std::size_t most = 6'000'000;
    const numbered_rows few(1'000), many(1'000'000);
    const std::string narrow = ranges(1, " OR "), wide = ranges(2'000, " OR ");
    for (const numbered_rows* rows : {&few, &many}) {
        CHECK(rows->matching(narrow).bytes < most);
        CHECK(rows->matching(wide).bytes < most);
        CHECK(rows->matching("NOT (" + ranges(500'000, ") AND NOT (") + ")").bytes < most);
    }
    CHECK(many.matching(narrow).rows == 128);
    CHECK(many.matching(wide).rows == 129'000);
    CHECK(few.matching(narrow).rows == 1);
}
