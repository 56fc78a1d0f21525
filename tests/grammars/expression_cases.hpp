// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_GRAMMARS_EXPRESSION_CASES_HPP
#define SLUICE_TESTS_GRAMMARS_EXPRESSION_CASES_HPP

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/query/json_writer.hpp>

// Columns of an order, and tables of expressions on them: each beside its tree as JSON, or beside
// the rule that it breaks and the place.

namespace expression_samples {

using namespace sluice;

inline constexpr std::array<std::string_view, 3> colors{"Red", "Green", "Yellow"};
inline constexpr schema line_columns{column{.name = "sku"},
                                     column{.name = "qty", .type = column_type::integer}};
inline constexpr schema order_columns{
    column{.name = "id"},
    column{.name = "name", .is_nullable = true},
    column{.name = "customer.country", .how = collation::ignore_case},
    column{.name = "price", .type = column_type::decimal, .is_nullable = true},
    column{.name = "weight", .type = column_type::real, .is_nullable = true},
    column{.name = "size", .type = column_type::integer},
    column{.name = "tags", .is_list = true},
    column{.name = "lines", .type = column_type::records, .records = line_columns},
    column{.name = "paid", .type = column_type::boolean},
    column{.name = "created", .type = column_type::time},
    column{.name = "due", .type = column_type::date, .is_nullable = true},
    column{.name = "token", .type = column_type::uuid, .is_nullable = true},
    column{.name = "color", .type = column_type::choice, .choices = colors},
    column{.name = "meta", .type = column_type::json},
    column{.name = "secret"}};

/// The columns of orders but `secret`, `createTime` for `created`, and `state` without bounds for
/// `name`. Words by themselves are searched in `name` and `id`.
inline const expression_columns& orders() {
    static const expression_columns columns = [] {
        std::vector<expression_column> some;
        for (const column& of : order_columns) {
            if (of.name != "secret") some.push_back({of.name, of});
        }
        some.push_back({"createTime", *order_columns.find("created")});
        some.push_back(
            {"state", *order_columns.find("name"), set_of(test_kind::any_of, test_kind::none_of)});
        return expression_columns(std::move(some));
    }();
    return columns;
}
inline expression_columns searched_orders() {
    static constexpr std::array searched{*order_columns.find("name"), *order_columns.find("id")};
    return expression_columns(orders()).searching(searched);
}

struct accepted {
    std::string_view text;
    std::string_view tree;     ///< JSON
    std::string_view written;  ///< canonical; empty for the text itself
};
struct refused {
    std::string_view text;
    rule broken;
    std::size_t offset;
    std::size_t length;
};

inline std::string tree_of(const where& rows) {
    std::string json;
    detail::json_writer writer(json);
    detail::query_writer(writer).write(rows);
    return json;
}

template <class Parse, class Write>
void check_accepted(std::span<const accepted> cases, Parse parse, Write write,
                    const expression_columns& columns = orders()) {
    for (const auto& [text, tree, written] : cases) {
        CAPTURE(text);
        const auto read = parse(text, columns);
        REQUIRE_MESSAGE(read, message(read.error()));
        CHECK(tree_of(*read) == tree);
        CHECK(write(*read, columns).value_or("inexpressible") ==
              (written.empty() ? text : written));
    }
}
template <class Parse>
void check_refused(std::span<const refused> cases, Parse parse) {
    for (const auto& [text, broken, offset, length] : cases) {
        CAPTURE(text);
        const auto read = parse(text, orders());
        REQUIRE_FALSE(read.has_value());
        CHECK(message(read.error()) == message([&] {
                  error expected = read.error();
                  expected.broken = broken;
                  expected.offset = static_cast<std::uint32_t>(offset);
                  expected.length = static_cast<std::uint32_t>(length);
                  return expected;
              }()));
        CHECK(read.error().length == length);
    }
}

}  // namespace expression_samples

#endif
