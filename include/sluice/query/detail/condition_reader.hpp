// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_DETAIL_CONDITION_READER_HPP
#define SLUICE_QUERY_DETAIL_CONDITION_READER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/query/detail/json_members.hpp>
#include <sluice/query/detail/metadata_reader.hpp>
#include <sluice/query/uuid.hpp>
#include <sluice/query/where.hpp>

namespace sluice::detail {

/// Reads the conditions of a query's JSON. The recursion is as deep as the JSON: at most
/// json_max_depth.
class condition_reader {
public:
    condition_reader(columns_view columns, query_fault& fault) : columns_(columns), fault_(fault) {}

    /// Reads a tree of conditions: an object with a column and a test, or with all, any or not.
    [[nodiscard]] result<where> read(const std::optional<dom::element>& json) {
        const auto object = object_of(json, "where");
        if (!object) return tl::unexpected(object.error());
        if (member(*object, "column")) {
            if (++tests_ > where_max_tests) {
                return refuse_member(rule::query_too_many, "where",
                                     at_most<where_max_tests, " tests">());
            }
            return read_leaf(*object).map([](leaf&& only) { return where(std::move(only)); });
        }
        const std::string_view name = group_name(*object);
        const auto operand = member(*object, name);
        if (!operand) {
            const rule broken = object->size() == 0 ? rule::field_missing : rule::field_unknown;
            return refuse_member(broken, "where",
                                 "expected a column and a test, or all, any or not");
        }
        if (auto known = fault_.check(*object, "where", {name}); !known) {
            return tl::unexpected(known.error());
        }
        return fault_.at("." + std::string(name),
                         read_inner([&] { return read_group(name, operand); }));
    }

    /// Returns the column of a name; null if the schema has none.
    [[nodiscard]] const column* find(std::string_view name) const {
        return find_column(columns_, name);
    }
    [[nodiscard]] result<column> read_column(const dom::object& object) {
        const auto name = text_of(member(object, "column"), "column");
        if (!name) return fault_.at<column>(".column", tl::unexpected(name.error()));
        if (const column* const match = find_column(columns_, *name)) return *match;
        std::vector<std::string_view> names;
        for (const column& known : columns_) names.push_back(known.name);
        if (!names.empty()) fault_.sentence = to_unknown("no column", *name, "", names);
        return refuse_member(rule::field_value, "column",
                             "expected a column, but the schema has none");
    }

private:
    result<where> read_group(std::string_view name, const std::optional<dom::element>& operand) {
        if (name == "not") return read(operand).map(where::negation);
        const auto read_operand = [this](const dom::element& item) { return read(item); };
        return fault_.list_at<where>(operand, "where", read_operand)
            .map(name == "all" ? where::all : where::any);
    }
    result<leaf> read_leaf(const dom::object& members) {
        const auto subject = read_column(members);
        if (!subject) return tl::unexpected(subject.error());
        fault_.column = subject->name;
        auto test = check_collation(*subject, members).and_then([&] {
            return read_test(*subject, members);
        });
        if (test) {
            fault_.column.clear();
            return leaf{*subject, *std::move(test), {}, read_window(members).value_or(false)};
        }
        // Puts the faulty member into the place, unless a reader has done it or the message names
        // it.
        const std::string_view at_fault = test.error().param;
        const bool is_located =
            at_fault == "where" || fault_.place.starts_with('.') || !fault_.sentence.empty();
        if (!is_located) fault_.place.insert(0, "." + std::string(at_fault));
        return tl::unexpected(test.error());
    }
    /// Returns true if a time condition is marked as the list's window.
    static result<bool> read_window(const dom::object& members) {
        const auto json = member(members, "window");
        return json ? flag_of(*json, "window") : result<bool>(false);
    }
    /// Checks that a condition names the collation of its column, or none. The advice of the error
    /// is static text; the one in `accepts`, which replaces it, has the collation's name.
    result<void> check_collation(const column& subject, const dom::object& members) {
        const std::string_view expected = record_of(subject.how).name;
        const auto json = member(members, "collation");
        if (!json || text_of(json, "collation").value_or("") == expected) return {};
        fault_.accepts = "expected the column's, " + std::string(expected);
        return refuse_member(rule::field_value, "collation", "expected the column's collation");
    }
    /// Calls `read()` one level deeper in the tree of conditions. Error: query_too_deep.
    template <class Read>
    result<where> read_inner(const Read& read) {
        if (depth_ == where_max_depth) {
            return refuse_member(rule::query_too_deep, "where",
                                 at_most<where_max_depth, " levels of all, any and not">());
        }
        ++depth_;
        result<where> rows = read();
        --depth_;
        return rows;
    }

    // --- Tests -----------------------------------------------------------------------------

    /// Reads the test that the members name, the first of several. Without any it is the test that
    /// needs no member (open bounds); for a column without such a test, reading the first one
    /// fails.
    result<column_test> read_test(const column& subject, const dom::object& members) {
        std::optional<test_kind> written;
        std::vector<std::string_view> accepted;
        for (const test_record& record : test_records) {
            if (!allows_test(subject, record.kind)) continue;
            accepted.insert(accepted.end(), record.members.begin(), record.members.end());
            const auto is_there = [&](std::string_view name) {
                return member(members, name).has_value();
            };
            if (!written && std::ranges::any_of(record.members, is_there)) written = record.kind;
        }
        const test_kind kind = written.value_or(kind_without_members(subject));
        std::vector<std::string_view> known(record_of(kind).members.begin(),
                                            record_of(kind).members.end());
        if (kind == test_kind::bounds && subject.type == column_type::time) {
            if (auto flag = read_window(members); !flag) return tl::unexpected(flag.error());
            known.push_back("window");
        }
        if (auto checked = fault_.check_tests(members, known, accepted); !checked) {
            return tl::unexpected(checked.error());
        }
        return read_test(kind, subject, members);
    }
    static test_kind kind_without_members(const column& subject) noexcept {
        constexpr column_types unbounded =
            set_of(column_type::integer, column_type::decimal, column_type::real, column_type::time,
                   column_type::date);
        if (!subject.is_list && (set_of(subject.type) & unbounded) != 0) return test_kind::bounds;
        const auto is_allowed = [&](const test_record& record) {
            return allows_test(subject, record.kind);
        };
        const auto first = std::ranges::find_if(test_records, is_allowed);
        return first == test_records.end() ? test_kind::any_of : first->kind;
    }
    result<column_test> read_test(test_kind kind, const column& subject,
                                  const dom::object& members) {
        switch (kind) {
            case test_kind::any_of:
            case test_kind::none_of:
                return read_values(kind, subject, members)
                    .map([&](const std::vector<std::string>& texts) {
                        return column_test(text_test{filter(texts, kind == test_kind::none_of)});
                    });
            case test_kind::all_of:
                return read_values(kind, subject, members)
                    .and_then([&](std::vector<std::string>&& texts) {
                        return not_empty(kind, std::move(texts));
                    })
                    .map([](std::vector<std::string>&& texts) {
                        return column_test(all_of_test{std::move(texts)});
                    });
            case test_kind::contains: return read_parts(part_place::anywhere, kind, members);
            case test_kind::starts_with: return read_parts(part_place::at_start, kind, members);
            case test_kind::ends_with: return read_parts(part_place::at_end, kind, members);
            case test_kind::bounds: return read_bounds(subject, members);
            case test_kind::is:
                return read_flag(kind, members).map([](bool wanted) {
                    return column_test(boolean_test{wanted});
                });
            case test_kind::is_null:
                return read_flag(kind, members).map([](bool wanted) {
                    return column_test(null_test{wanted});
                });
            case test_kind::any: return read_record_test(subject, members);
            case test_kind::matches:
                return fault_
                    .at(".matches", metadata_reader(fault_).read(member(members, "matches")))
                    .map([](metadata_query&& query) { return column_test(std::move(query)); });
        }
        return fail_in(rule::field_value, "column");
    }

    /// Reads the texts of a test.
    result<std::vector<std::string>> read_texts(test_kind kind, const dom::object& members) {
        const std::string_view name = to_string(kind);
        const auto json = member(members, name);
        if (!json) return refuse_member(rule::field_missing, name, "expected a list of texts");
        return fault_.list_at<std::string>(json, name, [&](const dom::element& item) {
            return text_of(item, name).map([](std::string_view text) { return std::string(text); });
        });
    }
    static result<std::vector<std::string>> not_empty(test_kind kind,
                                                      std::vector<std::string> texts) {
        if (!texts.empty()) return texts;
        return refuse_member(rule::field_value, to_string(kind), "expected at least one text");
    }
    /// Like read_texts(), for values of the column: UUIDs in lower case, days and choices.
    result<std::vector<std::string>> read_values(test_kind kind, const column& subject,
                                                 const dom::object& members) {
        return read_texts(kind, members)
            .and_then([&](std::vector<std::string>&& texts) -> result<std::vector<std::string>> {
                for (std::size_t at = 0; at < texts.size(); ++at) {
                    auto value = value_of(subject, texts[at], to_string(kind));
                    if (!value) {
                        return fault_.at<std::vector<std::string>>("[" + std::to_string(at) + "]",
                                                                   tl::unexpected(value.error()));
                    }
                    texts[at] = *std::move(value);
                }
                return std::move(texts);
            });
    }
    /// Checks a text and converts it to a value of the column: UUIDs to lower case. `name` is the
    /// member at fault.
    result<std::string> value_of(const column& subject, const std::string& text,
                                 std::string_view name) {
        switch (subject.type) {
            case column_type::uuid: {
                const auto id = parse_uuid(text);
                if (id) return id->text();
                return refuse_member(rule::value_malformed, name,
                                     "expected a UUID such as "
                                     "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e");
            }
            case column_type::date:
                if (parse_day(text)) return text;
                return refuse_member(rule::field_value, name, "expected a day such as 2026-08-21");
            case column_type::choice:
                if (place_of_choice(subject, text) < subject.choices.size()) return text;
                fault_.accepts = "expected " + to_alternatives(subject.choices);
                return refuse_member(rule::choice_unknown, name, "expected a choice of the column");
            case column_type::text:
            case column_type::integer:
            case column_type::decimal:
            case column_type::time:
            case column_type::boolean:
            case column_type::json:
            case column_type::real:
            case column_type::records: break;
        }
        return text;
    }
    result<column_test> read_parts(part_place place, test_kind kind, const dom::object& members) {
        return read_texts(kind, members)
            .and_then(
                [&](std::vector<std::string>&& texts) { return not_empty(kind, std::move(texts)); })
            .map([&](std::vector<std::string>&& texts) {
                return column_test(part_test{place, std::move(texts)});
            });
    }
    static result<bool> read_flag(test_kind kind, const dom::object& members) {
        const std::string_view name = to_string(kind);
        const auto json = member(members, name);
        if (!json) return refuse_member(rule::field_missing, name, "expected true or false");
        return flag_of(*json, name);
    }
    /// Reads a condition on the columns of records.
    result<column_test> read_record_test(const column& subject, const dom::object& members) {
        const columns_view outer =
            std::exchange(columns_, columns_view(subject.records.begin(), subject.records.size()));
        auto rows = fault_.at(".any", read_inner([&] { return read(member(members, "any")); }));
        columns_ = outer;
        if (!rows) return tl::unexpected(rows.error());
        return column_test(record_test(*std::move(rows)));
    }

    // --- Bounds ----------------------------------------------------------------------------

    result<column_test> read_bounds(const column& subject, const dom::object& members) {
        switch (subject.type) {
            case column_type::integer: return read_bounds<std::int64_t>(members, whole_number_of);
            case column_type::decimal:
                return read_bounds<decimal_number>(
                    members, [this](const dom::element& json, std::string_view name) {
                        return read_decimal(json, name);
                    });
            case column_type::real:
                return read_bounds<double>(members,
                                           [](const dom::element& json, std::string_view name) {
                                               return real_of(json, name);
                                           });
            case column_type::time: return read_bounds<instant>(members, time_of);
            case column_type::date: return read_bounds<calendar_day>(members, day_of);
            case column_type::text:
            case column_type::choice:
                return read_bounds<std::string>(
                    members, [&](const dom::element& json, std::string_view name) {
                        return text_of(json, name).and_then([&](std::string_view text) {
                            return value_of(subject, std::string(text), name);
                        });
                    });
            case column_type::boolean:
            case column_type::json:
            case column_type::uuid:
            case column_type::records: break;
        }
        return fail_in(rule::field_value, "column");
    }
    static result<std::int64_t> whole_number_of(const dom::element& json, std::string_view name) {
        return integer_of(json, name);
    }
    result<decimal_number> read_decimal(const dom::element& json, std::string_view name) {
        if (!json.is_string()) {
            fault_.sentence = std::string(name) + " of decimal column " + fault_.column +
                              " must be text, such as \"1.5\", not " + type_name_of(json);
        }
        return text_of(json, name).and_then(parse_decimal_number).map_error([&](error why) {
            why.param = name;
            return why;
        });
    }
    /// Names the type of a JSON value, for a message.
    static std::string type_name_of(const dom::element& json) {
        switch (json.type()) {
            case dom::element_type::ARRAY: return "an array";
            case dom::element_type::OBJECT: return "an object";
            case dom::element_type::BOOL: return "a boolean";
            case dom::element_type::NULL_VALUE: return "null";
            case dom::element_type::DOUBLE:
                return sign_beyond_int64(json) == 0 ? "a float" : "an integer";
            case dom::element_type::INT64:
            case dom::element_type::UINT64: return "an integer";
            case dom::element_type::STRING: break;
        }
        return "a text";
    }
    static result<instant> time_of(const dom::element& json, std::string_view name) {
        const auto text = text_of(json, name);
        const auto at = parse_timestamp(text.value_or(""));
        if (at) return *at;
        return refuse_member(rule::field_value, name,
                             "expected a time such as 2026-08-21T02:30:15Z");
    }
    static result<calendar_day> day_of(const dom::element& json, std::string_view name) {
        const auto text = text_of(json, name);
        const auto day = parse_day(text.value_or(""));
        if (day) return *day;
        return refuse_member(rule::field_value, name, "expected a day such as 2026-08-21");
    }
    template <class T, class Read>
    static result<column_test> read_bounds(const dom::object& members, const Read& read) {
        bounds<T> range;
        for (const comparison op : {comparison::more_than, comparison::at_least,
                                    comparison::less_than, comparison::at_most}) {
            const std::string_view name = to_string(op);
            const auto json = member(members, name);
            if (!json) continue;
            const bool is_upper = op == comparison::less_than || op == comparison::at_most;
            if (is_upper ? range.most : range.least) {
                return refuse_member(rule::field_value, name, "expected one bound on each side");
            }
            result<T> bound = read(*json, name);
            if (!bound) return tl::unexpected(bound.error());
            range.narrow(op, *std::move(bound));
        }
        return column_test(std::move(range));
    }

    columns_view columns_;  // those of records, while their condition is read
    query_fault& fault_;
    std::size_t tests_ = 0;  // read so far
    std::size_t depth_ = 0;
};

}  // namespace sluice::detail

#endif
