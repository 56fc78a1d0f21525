// SPDX-License-Identifier: MIT
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/filter_mask.hpp>

#include "make_array.hpp"

using namespace arrow_test;
using namespace sluice::arrow;
using sluice::collation;
using sluice::collations;
using sluice::filter;

namespace {

const std::vector<std::string> text_formats{"u", "z", "U", "Z", "vu", "vz"};
const std::vector<std::string> code_formats{"c", "C", "s", "S", "i", "I", "l", "L"};

/// Texts of each telling length, and their near misses: another case, another first, middle or
/// last byte, bytes beyond ASCII that differ in the bit of ASCII's case.
std::vector<std::string> text_pool() {
    std::vector<std::string> pool{"", "US-CA", "us-ca", "CA", "a?b", "a?c", "a", "\xC1x", "\xE1x"};
    for (const std::size_t size : {1U, 4U, 7U, 8U, 9U, 12U, 13U, 64U, 300U}) {
        std::string text;
        for (std::size_t i = 0; i < size; ++i) text.push_back(static_cast<char>('a' + i % 26));
        pool.push_back(text);
        for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
            for (const char other : {'A', '@', '[', '{', '\0', '\xFF'}) {
                pool.push_back(text);
                pool.back()[at] = other == 'A' ? static_cast<char>(text[at] - 32) : other;
            }
        }
    }
    return pool;
}

class random_rows {
public:
    explicit random_rows(unsigned seed) : random_(seed) {}

    std::size_t below(std::size_t end) { return random_() % end; }
    cells rows(const std::vector<std::string>& pool, std::size_t count, bool nulls) {
        cells all;
        for (std::size_t i = 0; i < count; ++i) {
            const bool absent = nulls && below(5) == 0;
            all.push_back(absent ? cell() : cell(pool[below(pool.size())]));
        }
        return all;
    }
    filter wanted(const std::vector<std::string>& pool, std::size_t count, bool excludes) {
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < count; ++i) {
            texts.push_back(i % 8 == 0 ? pool[below(pool.size())] : "no row " + std::to_string(i));
        }
        const std::vector<std::string_view> views(texts.begin(), texts.end());
        return filter(std::span<const std::string_view>(views), excludes);
    }

private:
    std::mt19937 random_;
};

std::vector<bool> row_by_row(const cells& rows, const filter& wanted, collation how) {
    std::vector<bool> passes;
    for (const cell& row : rows) {
        passes.push_back(
            wanted.matches(row ? std::optional<std::string_view>(*row) : std::nullopt, how));
    }
    return passes;
}

void check_mask(const column& texts, const filter& wanted, collation how,
                const std::vector<bool>& expected) {
    const row_filter ready(wanted, how);
    const auto type = texts.type();
    at_every_level([&] {
        const auto mask = filter_mask(type, texts.array, ready);
        REQUIRE_MESSAGE(mask, mask.error().what);
        CHECK(to_bools(*mask) == expected);
    });
}

/// The mask is refused at every level with this text.
void check_refused(const column& texts, fault kind, const std::string& what,
                   const filter& wanted = filter({"a", "abcdefghijklm"})) {
    CAPTURE(what);
    const auto type = read_type(texts.schema);
    REQUIRE(type);
    at_every_level([&] {
        for (const collation how : collations) {
            const auto mask = filter_mask(*type, texts.array, row_filter(wanted, how));
            REQUIRE_FALSE(mask);
            CHECK(mask.error().kind == kind);
            CHECK(mask.error().what == what);
        }
    });
}

template <class T>
T* buffer_of(column& texts, std::size_t index) {
    return reinterpret_cast<T*>(const_cast<void*>(texts.buffers[index]));
}

/// The codes of texts in a dictionary that has each of them once, and a null as its last.
codes codes_of(const cells& rows, const std::vector<std::string>& values, random_rows& random) {
    codes picked;
    for (const cell& row : rows) {
        const auto at = row ? std::ranges::find(values, *row) - values.begin() : 0;
        const auto absent = static_cast<std::int64_t>(values.size());
        if (row) {
            picked.push_back(at);
        } else {
            picked.push_back(random.below(2) == 0 ? std::optional(absent) : std::nullopt);
        }
    }
    return picked;
}

}  // namespace

TEST_CASE("masks of every text type are what filter::matches says row by row") {
    const auto pool = text_pool();
    random_rows random(1);
    for (const std::size_t values : {1U, 2U, 4U, 16U, 17U, 70U, 1'000U}) {
        for (const collation how : collations) {
            const bool excludes = random.below(2) == 0;
            const filter wanted = random.wanted(pool, values, excludes);
            const std::size_t count = std::vector<std::size_t>{1, 63, 129, 1'100}[random.below(4)];
            const cells rows = random.rows(pool, count, random.below(2) == 0);
            const auto expected = row_by_row(rows, wanted, how);
            for (const std::string& format : text_formats) {
                CAPTURE(values);
                CAPTURE(format);
                check_mask(*make_text(format, rows, random.below(3) * 7), wanted, how, expected);
            }
        }
    }
}

TEST_CASE("a text at the very end of its buffer is read and nothing after it") {
    const auto pool = text_pool();
    for (const std::string& last : pool) {
        for (const std::size_t before : {0U, 1U, 15U, 16U, 31U}) {
            cells rows(before, "abcdefghijklm");
            rows.push_back(last);
            const filter wanted({last.empty() ? "x" : std::string_view(last), "abcdefgh"});
            for (const collation how : {collation::exact, collation::ignore_case}) {
                const auto expected = row_by_row(rows, wanted, how);
                for (const std::string& format : text_formats) {
                    check_mask(*make_text(format, rows), wanted, how, expected);
                }
            }
        }
    }
}

TEST_CASE("masks of dictionaries with codes of every width are what filter::matches says") {
    std::vector<std::string> values = text_pool();
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    values.resize(120);  // with the null still within the codes of a signed byte
    random_rows random(2);
    for (const std::size_t count : {1U, 2U, 16U, 17U, 500U}) {
        for (const std::string& format : code_formats) {
            const collation how = collations[random.below(collations.size())];
            const filter wanted = random.wanted(values, count, random.below(2) == 0);
            const cells rows = random.rows(values, 1 + random.below(5'300), true);
            cells all(values.begin(), values.end());
            all.push_back(std::nullopt);
            const std::string inner = text_formats[random.below(6)];
            const std::size_t offset = random.below(70);
            const auto coded = make_coded(format, codes_of(rows, values, random),
                                          make_text(inner, all, random.below(3)), offset);
            CAPTURE(format);
            check_mask(*coded, wanted, how, row_by_row(rows, wanted, how));
        }
    }
}

TEST_CASE("large dictionaries use their highest codes") {
    for (const std::string format : {"s", "S", "i", "I", "l", "L"}) {
        const std::size_t size = format == "s" ? 32'768 : 65'536;
        cells values;
        codes all;
        for (std::size_t i = 0; i < size; ++i) {
            values.push_back("value " + std::to_string(i));
            all.push_back(static_cast<std::int64_t>(size - 1 - i));
        }
        const filter wanted({*values.front(), *values.back(), "value 7"});
        std::vector<bool> expected(size);
        expected[0] = expected[size - 1] = expected[size - 8] = true;
        CAPTURE(format);
        check_mask(*make_coded(format, all, make_text("u", values)), wanted, collation::exact,
                   expected);
    }
}

TEST_CASE("dictionaries of any size have the masks of their codes") {
    random_rows random(7);
    for (const std::size_t size : {2U, 3U, 64U, 100U, 127U, 128U, 511U, 512U, 513U, 5'000U}) {
        cells values;
        for (std::size_t i = 0; i < size; ++i) values.push_back("value " + std::to_string(i));
        for (const std::size_t wanted_count : {1U, 4U, 12U, 16U, 17U, 200U}) {
            std::vector<bool> is_wanted(size);
            std::vector<std::string> texts;
            for (std::size_t i = 0; i < wanted_count; ++i) {
                const std::size_t value = i < 2 ? (size - 1) * i : random.below(size);
                is_wanted[value] = true;
                texts.push_back(*values[value]);
            }
            const std::vector<std::string_view> views(texts.begin(), texts.end());
            const filter wanted(std::span<const std::string_view>(views), false);
            for (const std::string format : {"C", "S", "i", "l"}) {
                codes rows;
                std::vector<bool> expected;
                const std::size_t last =
                    std::min<std::size_t>(size, format == "C" ? 256 : size) - 1;
                const std::size_t count = 4'000 + random.below(200);
                for (std::size_t row = 0; row < count; ++row) {
                    const std::size_t code = random.below(4) == 0 ? last : random.below(last + 1);
                    rows.push_back(static_cast<std::int64_t>(code));
                    expected.push_back(is_wanted[code]);
                }
                CAPTURE(size);
                CAPTURE(wanted_count);
                CAPTURE(format);
                const auto coded = make_coded(format, rows, make_text("u", values));
                check_mask(*coded, wanted, collation::exact, expected);
            }
        }
    }
}

TEST_CASE("lists are named where any of their items is") {
    random_rows random(3);
    const auto pool = text_pool();
    for (int round = 0; round < 40; ++round) {
        const filter wanted = random.wanted(pool, 1 + random.below(20), round % 2 == 0);
        const auto lead = static_cast<std::int32_t>(random.below(4));
        cells items(static_cast<std::size_t>(lead), pool[1]);
        codes sizes;
        std::vector<bool> expected;
        for (std::size_t row = 0; row < 200; ++row) {
            const bool absent = random.below(6) == 0;
            const cells added = random.rows(pool, absent ? 0 : random.below(4), true);
            std::vector<std::string> present;
            for (const cell& item : added) {
                if (item) present.push_back(*item);
            }
            items.insert(items.end(), added.begin(), added.end());
            sizes.push_back(absent ? std::nullopt
                                   : std::optional(static_cast<std::int64_t>(added.size())));
            expected.push_back(wanted.matches_any(present));
        }
        auto child = make_text(text_formats[random.below(6)], items, random.below(3));
        const auto texts = round % 3 == 0
                               ? make_lists<std::int64_t>("+L", sizes, std::move(child), lead)
                               : make_lists<std::int32_t>("+l", sizes, std::move(child), lead);
        check_mask(*texts, wanted, collation::exact, expected);
    }
}

TEST_CASE("null arrays, empty arrays and empty filters have their masks") {
    const std::vector<bool> none(70, false), all(70, true);
    check_mask(*make_nulls(70), filter({"a"}), collation::exact, none);
    check_mask(*make_nulls(70), filter({"a"}, true), collation::exact, all);
    check_mask(*make_nulls(70), filter(), collation::exact, all);
    const auto nulls = make_coded("i", codes(70), make_nulls(3));
    check_mask(*nulls, filter({"a"}, true), collation::exact, all);
    check_mask(*make_coded("s", codes(70), make_text("u", {})), filter({"a"}), collation::exact,
               none);
    check_mask(*make_coded("c", codes(70), make_text("u", {})), filter({"a"}), collation::exact,
               none);
    for (const std::string& format : text_formats) {
        check_mask(*make_text(format, cells(70)), filter({"a"}), collation::exact, none);
        check_mask(*make_text(format, cells(70, "a")), filter(), collation::exact, all);
        const auto texts = make_text(format, {});
        for (std::size_t i = 0; i < texts->buffers.size(); ++i) texts->buffers[i] = nullptr;
        check_mask(*texts, filter({"a"}), collation::exact, {});
    }
}

TEST_CASE("a known null count of 0 makes the validity bitmap moot") {
    const auto texts = make_text("u", {"a", std::nullopt, "a"});
    texts->array.null_count = 0;
    check_mask(*texts, filter({"a"}), collation::exact, {true, false, true});
    check_mask(*texts, filter({"a"}, true), collation::exact, {false, true, false});
}

TEST_CASE("offsets that fall or are negative are refused wherever they stand") {
    for (const std::string format : {"u", "U"}) {
        for (std::size_t bad = 0; bad < 40; ++bad) {
            for (const std::int32_t value : {-1, -2'000'000'000, 1'000'000, 2'147'483'647}) {
                const auto texts = make_text(format, cells(40, "abc"));
                if (format == "u") buffer_of<std::int32_t>(*texts, 1)[bad] = value;
                if (format == "U") buffer_of<std::int64_t>(*texts, 1)[bad] = value;
                check_refused(*texts, fault::malformed, "offsets that fall");
            }
        }
        const auto texts = make_text(format, {"abc"});
        if (format == "u") buffer_of<std::int32_t>(*texts, 1)[1] = -1;
        if (format == "U") buffer_of<std::int64_t>(*texts, 1)[1] = -1;
        check_refused(*texts, fault::malformed, "offsets that fall");
    }
    for (const std::int32_t value : {-1, 99}) {
        const auto lists = make_lists<std::int32_t>("+l", {1, 1, 1}, make_text("u", cells(3, "a")));
        buffer_of<std::int32_t>(*lists, 1)[1] = value;
        check_refused(*lists, fault::malformed, "offsets that fall");
    }
}

TEST_CASE("codes outside of their dictionary are refused, but for rows without a value") {
    for (const std::string& format : code_formats) {
        for (const std::int64_t code : {2, 3, 100, 127, -1, -128}) {
            for (const std::size_t at : {0U, 39U, 4'100U}) {
                codes rows(4'200, 1);
                rows[at] = code;
                const auto coded_texts = make_coded(format, rows, make_text("u", {"a", "b"}));
                check_refused(*coded_texts, fault::malformed, "a code outside of its dictionary");
                coded_texts->buffers[0] = nullptr;
                rows[at] = std::nullopt;  // holds -1
                check_mask(*make_coded(format, rows, make_text("u", {"a", "b"})), filter({"a"}),
                           collation::exact, std::vector<bool>(4'200, false));
            }
        }
    }
}

TEST_CASE("views outside of their buffers are refused alike at every level") {
    struct broken {
        std::size_t at;  // of the view's second half or its length
        std::int32_t value;
    };
    for (const broken change :
         {broken{8, 2}, {8, -1}, {12, -1}, {12, 10'000}, {12, 2'147'483'647}}) {
        for (std::size_t row = 0; row < 20; ++row) {
            const auto texts = make_text("vu", cells(20, "abcdefghijklm"));
            std::memcpy(buffer_of<char>(*texts, 1) + row * 16 + change.at, &change.value, 4);
            check_refused(*texts, fault::malformed, "a text view outside of its buffers");
        }
    }
    // A view that can't be a value is not followed, whatever the level and the place.
    for (std::size_t row = 0; row < 20; ++row) {
        for (const std::int32_t size : {-1, 14, 2'147'483'647}) {
            const auto texts = make_text("vu", cells(20, "abcdefghijklm"));
            std::memcpy(buffer_of<char>(*texts, 1) + row * 16, &size, 4);
            std::vector<bool> expected(20, true);
            expected[row] = false;
            check_mask(*texts, filter({"abcdefghijklm"}), collation::exact, expected);
        }
    }
}

TEST_CASE("codes of 8 bits reach any value of a dictionary that they can count, and no further") {
    for (const std::size_t values : {127U, 128U, 129U, 200U, 255U, 256U, 300U}) {
        cells texts(values, "b");
        for (std::size_t value = 0; value < values; value += 3) texts[value] = "a";
        for (const std::string format : {"c", "C"}) {
            CAPTURE(values);
            CAPTURE(format);
            const std::size_t countable = std::min<std::size_t>(values, format == "c" ? 128 : 256);
            codes rows;
            std::vector<bool> expected;
            for (std::size_t code = 0; code < countable; ++code) {
                rows.push_back(static_cast<std::int64_t>(code));
                expected.push_back(code % 3 == 0);
            }
            check_mask(*make_coded(format, rows, make_text("u", texts)), filter({"a"}),
                       collation::exact, expected);
            for (std::size_t code = countable; code < 256; ++code) {
                rows.back() = static_cast<std::int64_t>(code);
                check_refused(*make_coded(format, rows, make_text("u", texts)), fault::malformed,
                              "a code outside of its dictionary");
            }
        }
    }
}

TEST_CASE("a view is as long as its buffer, and not a byte longer") {
    const std::string text = "abcdefghijklm";
    const auto changed = [&](std::int64_t size, std::int32_t offset) {
        auto texts = make_text("vu", {text});
        std::memcpy(buffer_of<char>(*texts, 1) + 12, &offset, 4);
        buffer_of<std::int64_t>(*texts, 4)[0] = size;
        return texts;
    };
    const auto fits = changed(static_cast<std::int64_t>(text.size()), 0);
    check_mask(*fits, filter({text}), collation::exact, {true});
    check_refused(*changed(static_cast<std::int64_t>(text.size()), 1), fault::malformed,
                  "a text view outside of its buffers");
    for (const std::int64_t size : {std::int64_t{12}, std::int64_t{0}, std::int64_t{-1}, INT64_MIN,
                                    INT64_MIN + 1, INT64_MIN + 12, INT64_MIN + 13}) {
        for (const std::int32_t offset : {0, 1, INT32_MAX}) {
            check_refused(*changed(size, offset), fault::malformed,
                          "a text view outside of its buffers");
        }
    }
}

TEST_CASE("a dictionary without values has any type, and no row that has one") {
    for (const std::string format : {"g", "l", "n", "u"}) {
        auto empty = make_integers("l", {});
        if (format == "n") empty = make_nulls(0);
        if (format == "u") empty = make_text("u", {});
        empty->format = format;
        empty->wire();
        const auto coded_texts = make_coded("c", {std::nullopt, std::nullopt}, std::move(empty));
        check_mask(*coded_texts, filter({"a"}), collation::exact, {false, false});
        check_mask(*coded_texts, filter({"a"}, true), collation::exact, {true, true});
    }
    check_refused(
        *make_coded("c", {0}, make_integers("g", {1})), fault::unsupported,
        "expected text, a dictionary of text or lists of text, not dictionary of float64");
}

TEST_CASE("lists of one length match by any item") {
    const auto make = [](const codes& rows, const cells& items, const std::string& format) {
        auto field = make_integers("l", rows);
        field->format = format;
        field->buffers.resize(1);
        field->children.push_back(make_text("u", items));
        field->wire();
        return field;
    };
    const cells items{"a", "b", "b", "b", std::nullopt, "a", "a", "a"};
    const auto pairs = make({0, 0, 0, std::nullopt}, items, "+w:2");
    check_mask(*pairs, filter({"a"}), collation::exact, {true, false, true, false});
    check_mask(*pairs, filter({"a"}, true), collation::exact, {false, true, false, true});
    check_mask(*make({0, 0}, {}, "+w:0"), filter({"a"}), collation::exact, {false, false});
    check_refused(*make({0, 0, 0}, items, "+w:3"), fault::malformed,
                  "a child array that is too short");
    auto bare = make({0}, items, "+w:2");
    bare->array.n_children = 0;
    check_refused(*bare, fault::malformed, "lists without their items");
}

TEST_CASE("arrays that break the interface's rules are refused with what is wrong") {
    const auto text = [](auto change) {
        auto texts = make_text("u", {"a", std::nullopt, "b"});
        change(*texts);
        return texts;
    };
    const auto no = fault::malformed;
    check_refused(*text([](column& c) { c.array.release = nullptr; }), no,
                  "an array that was released");
    for (const std::int64_t length : {std::int64_t{-1}, INT64_MIN, INT64_MAX, array_max_rows + 1}) {
        check_refused(*text([&](column& c) { c.array.length = length; }), no,
                      "an array of an impossible length");
        check_refused(*text([&](column& c) { c.array.offset = length; }), no,
                      "an array of an impossible length");
        const auto nulls = make_nulls(1);
        nulls->array.length = length;
        check_refused(*nulls, no, "an array of an impossible length");
    }
    for (const std::int64_t buffers : {-1, 0, 2, 4}) {
        check_refused(*text([&](column& c) { c.array.n_buffers = buffers; }), no,
                      "an array with the wrong number of buffers");
    }
    check_refused(*text([](column& c) { c.array.buffers = nullptr; }), no,
                  "an array without buffers");
    check_refused(*text([](column& c) { c.buffers[1] = nullptr; }), no, "a null buffer");
    check_refused(*text([](column& c) { c.buffers[2] = nullptr; }), no, "text without its bytes");
    check_refused(*text([](column& c) { c.buffers[1] = c.heap[1].get() + 1; }), no,
                  "a buffer that is not aligned");
    auto views = make_text("vu", {"abcdefghijklm"});
    views->buffers[1] = nullptr;
    check_refused(*views, no, "a null buffer");
    views = make_text("vu", {"abcdefghijklm"});
    views->buffers[2] = nullptr;
    check_refused(*views, no, "a text view outside of its buffers");
    views = make_text("vu", {"abcdefghijklm"});
    views->buffers.back() = nullptr;
    check_refused(*views, no, "a null buffer");
}

TEST_CASE("dictionaries and items that are missing, released or too short are refused") {
    const auto no = fault::malformed;
    const auto coded = [](const std::string& format = "i") {
        return make_coded(format, {0, 1}, make_text("u", {"a", "b"}));
    };
    auto field = coded();
    field->array.dictionary = nullptr;
    check_refused(*field, no, "codes without their dictionary");
    field = coded();
    field->dictionary->array.release = nullptr;
    check_refused(*field, no, "codes without their dictionary");
    for (const std::string& format : code_formats) {
        field = coded(format);
        field->buffers[1] = nullptr;
        check_refused(*field, no, "a null buffer");
    }
    const auto lists = [] {
        return make_lists<std::int32_t>("+l", {1, 2}, make_text("u", {"a", "b", "c"}));
    };
    field = lists();
    field->array.n_children = 0;
    check_refused(*field, no, "lists without their items");
    field = lists();
    field->array.children = nullptr;
    check_refused(*field, no, "lists without their items");
    field = lists();
    field->child_arrays[0] = nullptr;
    check_refused(*field, no, "lists without their items");
    field = lists();
    field->children[0]->array.release = nullptr;
    check_refused(*field, no, "an array that was released");
    field = lists();
    field->children[0]->array.length = 2;
    check_refused(*field, no, "a child array that is too short");
    field = make_lists<std::int32_t>("+l", {1, 2}, make_nulls(2));
    check_refused(*field, no, "a child array that is too short");
}

TEST_CASE("types without text are refused by their name") {
    const std::string before = "expected text, a dictionary of text or lists of text, not ";
    for (const auto& [format, name] : {std::pair<std::string, std::string>{"l", "int64"},
                                       {"C", "uint8"},
                                       {"g", "float64"},
                                       {"b", "bool"},
                                       {"d:10,2", "decimal of 10,2"},
                                       {"w:16", "fixed-size bytes of 16"},
                                       {"tdD", "date32"},
                                       {"tss:", "timestamp[s]"},
                                       {"+m", "map"},
                                       {"+w:", "fixed-size list of "},
                                       {"+w:-1", "fixed-size list of -1"},
                                       {"+w:9999999", "fixed-size list of 9999999"},
                                       {"no such format", "an unknown type"},
                                       {"", "an unknown type"}}) {
        auto field = make_integers("l", {1, 2});
        field->format = format;
        field->wire();
        check_refused(*field, fault::unsupported, before + name);
    }
    auto of_codes = make_coded("i", {0}, make_coded("i", {0}, make_text("u", {"a"})));
    check_refused(*of_codes, fault::unsupported, before + "dictionary of dictionary of text");
}
