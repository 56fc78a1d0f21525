// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_QUERY_MAKE_TESTS_HPP
#define SLUICE_TESTS_QUERY_MAKE_TESTS_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/query/where.hpp>

// A schema with a column of each type, rows of hostile values, and random tests of every kind, each
// beside a naive function that says which rows meet it.

namespace test_samples {

using namespace sluice;

inline constexpr std::array<std::string_view, 4> sizes{"small", "medium", "Large", "an 'XL'"};

inline constexpr schema line_columns{
    column{.name = "sku", .how = collation::ignore_case},
    column{.name = "count", .type = column_type::integer, .is_nullable = true}};

inline constexpr schema columns{
    column{.name = "id"},
    column{.name = "name", .is_nullable = true},
    column{.name = "city", .is_nullable = true, .how = collation::ignore_case},
    column{.name = "region", .is_nullable = true, .how = collation::subdivision},
    column{.name = "tags", .is_list = true, .is_nullable = true, .how = collation::ignore_case},
    column{.name = "seats", .type = column_type::integer, .is_nullable = true},
    column{.name = "ports", .type = column_type::integer, .is_list = true, .is_nullable = true},
    column{.name = "total", .type = column_type::decimal, .is_nullable = true},
    column{.name = "score", .type = column_type::real, .is_nullable = true},
    column{.name = "created", .type = column_type::time},
    column{.name = "due", .type = column_type::date, .is_nullable = true},
    column{.name = "token", .type = column_type::uuid, .is_nullable = true},
    column{.name = "tokens", .type = column_type::uuid, .is_list = true, .is_nullable = true},
    column{.name = "size", .type = column_type::choice, .is_nullable = true, .choices = sizes},
    column{.name = "sizes",
           .type = column_type::choice,
           .is_list = true,
           .is_nullable = true,
           .choices = sizes},
    column{.name = "open", .type = column_type::boolean, .is_nullable = true},
    column{.name = "data", .type = column_type::json, .is_nullable = true},
    column{.name = "lines",
           .type = column_type::records,
           .is_nullable = true,
           .records = line_columns}};

inline column named(std::string_view name) { return *columns.find(name); }

struct line {
    std::string sku{};
    std::optional<std::int64_t> count{};

    [[nodiscard]] cell operator()(const column& of) const {
        if (of.name == "sku") return std::string_view(sku);
        return count ? cell(*count) : cell();
    }
};

/// A row as a user has it. Lists view static texts.
struct row {
    std::string id{};
    std::optional<std::string> name{}, city{}, region{};
    std::optional<std::vector<std::string_view>> tags{};
    std::optional<std::int64_t> seats{};
    std::optional<std::vector<std::int64_t>> ports{};
    std::optional<std::string> total{};
    std::optional<double> score{};
    instant created{};
    std::optional<calendar_day> due{};
    std::optional<std::string> token{};
    std::optional<std::vector<std::string_view>> tokens{};
    std::optional<std::string> size{};
    std::optional<std::vector<std::string_view>> sizes{};
    std::optional<bool> open{};
    std::optional<std::string> data{};  ///< {"plan":text} or none
    std::optional<std::vector<line>> lines{};

    template <class T>
    static cell cell_of(const std::optional<T>& value) {
        return value ? cell(*value) : cell();
    }
    static cell cell_of(const std::optional<std::vector<std::string_view>>& items) {
        return items ? cell(std::span<const std::string_view>(*items)) : cell();
    }
    /// Returns the cell of a column; JSON is a lookup of the path `plan`.
    [[nodiscard]] cell operator()(const column& of) const {
        const std::string_view by = of.name;
        if (by == "id") return std::string_view(id);
        if (by == "name") return cell_of(name);
        if (by == "city") return cell_of(city);
        if (by == "region") return cell_of(region);
        if (by == "tags") return cell_of(tags);
        if (by == "seats") return cell_of(seats);
        if (by == "ports") {
            return ports ? cell(std::span<const std::int64_t>(*ports)) : cell();
        }
        if (by == "total") return cell_of(total);
        if (by == "score") return cell_of(score);
        if (by == "created") return created;
        if (by == "due") return cell_of(due);
        if (by == "token") return cell_of(token);
        if (by == "tokens") return cell_of(tokens);
        if (by == "size") return cell_of(size);
        if (by == "sizes") return cell_of(sizes);
        if (by == "open") return cell_of(open);
        if (by == "data" && data) {
            return scalar_lookup(
                [this](std::span<const std::string> path) -> std::optional<scalar> {
                    if (path.size() != 1 || path[0] != "plan") return std::nullopt;
                    return scalar::string(std::string_view(*data).substr(9, data->size() - 11));
                });
        }
        if (by == "lines" && lines) {
            return records_cell(
                *lines, [](const line& of_line, const column& tested) { return of_line(tested); });
        }
        return std::monostate();
    }
};

/// A condition, and a function that says from a row's members which rows meet it.
struct sample {
    leaf condition;
    std::function<bool(const row&)> meets;
};

inline std::string lower(std::string text) {
    for (char& byte : text) {
        if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
    }
    return text;
}

class random_tests {
public:
    explicit random_tests(unsigned seed) : random_(seed) {}

    [[nodiscard]] std::size_t below(std::size_t size) { return random_() % size; }
    template <class T, std::size_t Size>
    [[nodiscard]] T any_of(const std::array<T, Size>& all) {
        return all[below(Size)];
    }

    [[nodiscard]] row make_row() {
        row added;  // NOLINT(*-init)
        added.id = "r" + std::to_string(count_++);
        const auto text = [&] { return std::string(any_of(texts)); };
        added.name = maybe<std::string>(text);
        added.city = maybe<std::string>(text);
        added.region = maybe<std::string>(text);
        added.tags = maybe_list<std::string_view>([&] { return any_of(texts); });
        added.seats = maybe<std::int64_t>([&] { return any_of(numbers); });
        added.ports = maybe_list<std::int64_t>([&] { return any_of(numbers); });
        added.total = maybe<std::string>([&] { return std::string(any_of(decimals)); });
        added.score = maybe<double>([&] { return any_of(reals); });
        added.created = at(any_of(numbers));
        added.due = maybe<calendar_day>([&] { return day(); });
        added.token = maybe<std::string>([&] { return std::string(any_of(tokens)); });
        added.tokens = maybe_list<std::string_view>([&] { return any_of(tokens); });
        added.size = maybe<std::string>([&] { return std::string(any_of(sizes)); });
        added.sizes = maybe_list<std::string_view>([&] { return any_of(sizes); });
        added.open = maybe<bool>([&] { return below(2) == 0; });
        added.data = maybe<std::string>(
            [&] { return R"({"plan":")" + std::string(below(2) == 0 ? "pro" : "free") + R"("})"; });
        added.lines = maybe_list<line>(
            [&] { return line{text(), maybe<std::int64_t>([&] { return any_of(numbers); })}; });
        return added;
    }

    /// Returns a test of any kind and column.
    [[nodiscard]] sample make_test() {
        switch (below(12)) {
            case 0: return parts("name", false, [](const row& of) { return one(of.name); });
            case 1: return parts("city", true, [](const row& of) { return one(of.city); });
            case 2: return parts("tags", true, [](const row& of) { return all(of.tags); });
            case 3: return named_values();
            case 4: return all_of();
            case 5: return bounds_of_text();
            case 6: return bounds_of_choice();
            case 7: return range<double>("score", &row::score, [&] { return any_of(reals); });
            case 8: return range<calendar_day>("due", &row::due, [&] { return day(); });
            case 9:
                return range<std::int64_t>("seats", &row::seats, [&] { return any_of(numbers); });
            case 10: return records();
            default: return nulls();
        }
    }
    /// Returns a tree of tests, and its oracle.
    [[nodiscard]] std::pair<where, std::function<bool(const row&)>> make_tree(int depth) {
        if (depth == 0 || below(3) == 0) {
            auto [condition, meets] = make_test();
            return {where(std::move(condition)), std::move(meets)};
        }
        if (below(4) == 0) {
            auto [tree, meets] = make_tree(depth - 1);
            return {where::negation(std::move(tree)),
                    [inner = std::move(meets)](const row& of) { return !inner(of); }};
        }
        auto [left, meets_left] = make_tree(depth - 1);
        auto [right, meets_right] = make_tree(depth - 1);
        const bool is_all = below(2) == 0;
        const auto meets = [=](const row& of) {
            return is_all ? meets_left(of) && meets_right(of) : meets_left(of) || meets_right(of);
        };
        return {is_all ? where::all({left, right}) : where::any({left, right}), meets};
    }

    // Case pairs beyond ASCII, and a letter composed and decomposed.
    static constexpr std::array<std::string_view, 23> texts{
        "",      "a",      "A",     "ab", "aB",     "Ünï",    "ünï",    "a%b_",
        "[a]*?", "\\'\"",  "US-CA", "ca", "b",      "abab",   "k",      "\u212A",
        "s",     "\u017F", "ß",     "i",  "\u0130", "\u00E9", "e\u0301"};
    static constexpr std::array<std::int64_t, 6> numbers{
        std::numeric_limits<std::int64_t>::min(), -5, 0, 7, 80,
        std::numeric_limits<std::int64_t>::max()};
    static constexpr std::array<std::string_view, 4> decimals{"10", "10.0", "-3", "1e400"};
    static constexpr std::array<double, 8> reals{-1.5,
                                                 -0.0,
                                                 0.0,
                                                 0.1,
                                                 1e300,
                                                 5e-324,
                                                 std::numeric_limits<double>::quiet_NaN(),
                                                 std::numeric_limits<double>::max()};
    static constexpr std::array<std::string_view, 3> tokens{"0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e",
                                                            "0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E",
                                                            "00000000-0000-0000-0000-000000000000"};

private:
    using values = std::optional<std::vector<std::string>>;

    static values one(const std::optional<std::string>& text) {
        return text ? values({*text}) : values();
    }
    template <class Item>
    static values all(const std::optional<std::vector<Item>>& items) {
        if (!items) return {};
        std::vector<std::string> texts_of;
        for (const Item& item : *items) texts_of.push_back(text_of(item));
        return texts_of;
    }
    static std::string text_of(std::string_view text) { return std::string(text); }
    static std::string text_of(std::int64_t number) { return std::to_string(number); }

    static instant at(std::int64_t count) { return instant(std::chrono::milliseconds(count % 9)); }
    [[nodiscard]] calendar_day day() {
        constexpr std::array<int, 5> days{-719528, -1, 0, 20'000, 2'932'896};  // 0000 to 9999
        return calendar_day(std::chrono::days(any_of(days)));
    }
    template <class T, class Make>
    [[nodiscard]] std::optional<T> maybe(Make make) {
        if (below(5) == 0) return std::nullopt;
        return make();
    }
    template <class T, class Make>
    [[nodiscard]] std::optional<std::vector<T>> maybe_list(Make make) {
        if (below(5) == 0) return std::nullopt;
        std::vector<T> items;
        for (std::size_t left = below(4); left > 0; --left) items.push_back(make());
        return items;
    }
    [[nodiscard]] std::vector<std::string> some_texts() {
        std::vector<std::string> some(1 + below(2));
        for (std::string& text : some) text = any_of(texts);
        return some;
    }

    [[nodiscard]] sample parts(std::string_view name, bool folds, values (*of)(const row&)) {
        const part_test test{static_cast<part_place>(below(3)), some_texts()};
        return {{named(name), test, "p"}, [=](const row& tested) {
                    const values there = of(tested);
                    if (!there) return false;
                    for (std::string text : *there) {
                        for (std::string part : test.parts) {
                            if (folds) text = lower(text), part = lower(part);
                            const bool is_start = text.substr(0, part.size()) == part;
                            const bool is_end = text.size() >= part.size() &&
                                                text.substr(text.size() - part.size()) == part;
                            if (test.place == part_place::at_start ? is_start
                                : test.place == part_place::at_end ? is_end
                                                                   : text.find(part) != text.npos) {
                                return true;
                            }
                        }
                    }
                    return false;
                }};
    }
    /// Returns the texts of a row in one of the columns that are tested by name, folded for those
    /// that ignore case.
    struct named_column {
        std::string_view name;
        bool folds;
        values (*of)(const row&);
    };
    static constexpr std::size_t lists = 4;
    static const std::array<named_column, 8>& named_columns() {
        static const std::array<named_column, 8> all_named{{
            {"tags", true, [](const row& of) { return all(of.tags); }},
            {"ports", false, [](const row& of) { return all(of.ports); }},
            {"tokens", true, [](const row& of) { return all(of.tokens); }},
            {"sizes", false, [](const row& of) { return all(of.sizes); }},
            {"due", false,
             [](const row& of) { return of.due ? values({format_day(*of.due)}) : values(); }},
            {"token", true, [](const row& of) { return one(of.token); }},
            {"size", false, [](const row& of) { return one(of.size); }},
            {"seats", false,
             [](const row& of) {
                 return of.seats ? values({std::to_string(*of.seats)}) : values();
             }},
        }};
        return all_named;
    }
    /// Returns a text that a column may have.
    [[nodiscard]] std::string value_of(const column& of) {
        switch (of.type) {
            case column_type::integer: return std::to_string(any_of(numbers));
            case column_type::date: return format_day(day());
            case column_type::uuid: return lower(std::string(any_of(tokens)));
            case column_type::choice: return std::string(any_of(sizes));
            default: return std::string(any_of(texts));
        }
    }
    [[nodiscard]] std::vector<std::string> some_values(const column& of) {
        std::vector<std::string> some(1 + below(2));
        for (std::string& text : some) {
            do text = value_of(of);
            while (text.empty());  // no filter has it
        }
        return some;
    }
    static bool shares(const named_column& of, const std::vector<std::string>& texts_of,
                       std::string wanted) {
        return std::ranges::any_of(texts_of, [&](const std::string& text) {
            return of.folds ? lower(text) == lower(wanted) : text == wanted;
        });
    }
    [[nodiscard]] sample named_values() {
        const named_column& of = any_of(named_columns());
        const auto wanted = some_values(named(of.name));
        const bool excludes = below(2) == 0;
        return {{named(of.name), text_test{filter(wanted, excludes)}, "p"}, [=](const row& tested) {
                    const values there = of.of(tested);
                    const bool is_any =
                        there && std::ranges::any_of(wanted, [&](const std::string& text) {
                            return shares(of, *there, text);
                        });
                    return is_any != excludes;
                }};
    }
    [[nodiscard]] sample all_of() {
        const named_column& of = named_columns()[below(lists)];
        auto wanted = some_values(named(of.name));
        if (named(of.name).type == column_type::text && below(3) == 0) wanted.emplace_back();
        return {{named(of.name), all_of_test{wanted}, "p"}, [=](const row& tested) {
                    const values there = of.of(tested);
                    return there && std::ranges::all_of(wanted, [&](const std::string& text) {
                               return shares(of, *there, text);
                           });
                }};
    }
    /// Returns bounds with none, one or both of two values.
    template <class T, class Make>
    [[nodiscard]] bounds<T> between(Make make) {
        bounds<T> within{.excludes_least = below(2) == 0, .excludes_most = below(2) == 0};
        if (below(4) != 0) within.least = make();
        if (below(4) != 0) within.most = make();
        within.excludes_least = within.excludes_least && within.least;
        within.excludes_most = within.excludes_most && within.most;
        return within;
    }
    template <class T>
    static bool is_within(const bounds<T>& within, const T& value) {
        if (within.least &&
            !(within.excludes_least ? value > *within.least : value >= *within.least)) {
            return false;
        }
        return !within.most ||
               (within.excludes_most ? value < *within.most : value <= *within.most);
    }
    template <class T, class Make>
    [[nodiscard]] sample range(std::string_view name, std::optional<T> row::* of, Make make) {
        bounds<T> within = between<T>([&] {
            T value = make();
            while (value != value) value = make();  // NaN is no bound
            return value;
        });
        return {{named(name), within, "p"}, [=](const row& tested) {
                    const std::optional<T>& value = tested.*of;
                    return value && *value == *value && is_within(within, *value);
                }};
    }
    [[nodiscard]] sample bounds_of_text() {
        bounds<std::string> within =
            between<std::string>([&] { return std::string(any_of(texts)); });
        if (within.empty()) within.least = "";  // JSON has no bounds of texts without any
        return {{named("name"), within, "p"},
                [=](const row& of) { return of.name && is_within(within, *of.name); }};
    }
    [[nodiscard]] sample bounds_of_choice() {
        bounds<std::string> within =
            between<std::string>([&] { return std::string(any_of(sizes)); });
        if (within.empty()) within.most = "medium";
        const auto place = [](std::string_view text) {
            return static_cast<int>(std::ranges::find(sizes, text) - sizes.begin());
        };
        bounds<int> places{.excludes_least = within.excludes_least,
                           .excludes_most = within.excludes_most};
        if (within.least) places.least = place(*within.least);
        if (within.most) places.most = place(*within.most);
        return {{named("size"), within, "p"},
                [=](const row& of) { return of.size && is_within(places, place(*of.size)); }};
    }
    [[nodiscard]] sample records() {
        const auto sku = std::string(any_of(texts)) + "a";
        const std::int64_t least = any_of(numbers);
        const bool is_same = below(2) == 0;  // one record meets both, or each some
        const where by_sku(leaf{*line_columns.find("sku"), text_test{filter({sku})}, {}});
        const where by_count(
            leaf{*line_columns.find("count"), bounds<std::int64_t>{.least = least}, {}});
        const where wanted = is_same ? where::all({by_sku, where::negation(by_count)}) : by_count;
        return {{named("lines"), record_test(wanted), "p"}, [=](const row& of) {
                    return of.lines && std::ranges::any_of(*of.lines, [&](const line& tested) {
                               const bool has_count = tested.count && *tested.count >= least;
                               if (!is_same) return has_count;
                               return lower(tested.sku) == lower(sku) && !has_count;
                           });
                }};
    }
    [[nodiscard]] sample nulls() {
        std::vector<column> nullable;
        for (const column& of : columns) {
            if (allows_test(of, test_kind::is_null)) nullable.push_back(of);
        }
        const column of = nullable[below(nullable.size())];
        const bool wanted = below(2) == 0;
        return {{of, null_test{wanted}, "p"}, [=](const row& tested) {
                    const bool is_nan = of.name == "score" && tested.score != tested.score;
                    const cell value = tested(of);
                    return (is_nan || value.index() == 0) == wanted;
                }};
    }

    std::mt19937 random_;
    std::size_t count_ = 0;
};

}  // namespace test_samples

#endif
