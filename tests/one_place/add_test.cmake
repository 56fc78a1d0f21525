# SPDX-License-Identifier: MIT
# Copies the headers to COPY and adds a test `longer_than` to them: a text has more bytes than a
# number. That takes its struct, its kind and its record in one header, its meaning in another, the
# ways to and from JSON, its text in cursors' marks, and a line in each visitor. Fails where a line
# finds no place, where a step before the last compiles, or where it would take more headers.
#
#   cmake -DHEADERS=include -DCOPY=build/copy -DCXX=g++ -P add_test.cmake
include(${CMAKE_CURRENT_LIST_DIR}/insert.cmake)

set(tests query/column_test.hpp)
insert(${tests} "/// A test in a where: a row has no value in the column"
       [=[
/// A test in a where: a text has more bytes than a number.
struct length_test {
    std::int64_t least = 0;
    friend bool operator==(const length_test&, const length_test&) = default;
};
]=])
replace(${tests} "null_test, record_test>;" "null_test, length_test, record_test>;")
expect_error(query/cell.hpp "length_test")
insert(query/cell.hpp "bool operator()(const null_test& test)"
       "bool operator()(const length_test& test) const noexcept {
        const auto* const text = std::get_if<std::string_view>(&value);
        return text != nullptr && static_cast<std::int64_t>(text->size()) > test.least;
    }")
expect_error(query/where.hpp "length_test")
insert(${tests} "test_kind operator()(const null_test&)"
       "test_kind operator()(const length_test&) const noexcept { return test_kind::longer_than; }")
replace(${tests} "    is_null,\n};" "    is_null,\n    longer_than,\n};")
replace(${tests} "test_kind_count = 11;" "test_kind_count = 12;")
expect_error(${tests} "the records are in the order of the enumeration")
replace(${tests} "any_members{\"any\"}," "longer_members{\"longer_than\"}, any_members{\"any\"},")
replace(${tests} "}};\n\nstatic_assert("
        "    {.kind = test_kind::longer_than,
     .name = \"longer_than\",
     .members = detail::longer_members,
     .help = \"the value has more bytes than a number\",
     .on = detail::text_type,
     .refused = \"leave longer_than of this column out: the engine has no such test\"},
}};\n\nstatic_assert(")

expect_error(query/list_query.hpp "length_test")
insert(query/list_query.hpp "std::string operator()(const null_test& test) const"
       "std::string operator()(const length_test& test) const {
        return \"longer_than \" + std::to_string(test.least);
    }")
expect_error(query/json_writer.hpp "length_test")
insert(query/json_writer.hpp "void operator()(const null_test& test)"
       "void operator()(const length_test& test) { json_.member(\"longer_than\", test.least); }")
expect_error(query/json_reader.hpp "longer_than")
insert(query/detail/condition_reader.hpp "case test_kind::any: return"
       "case test_kind::longer_than:
                return integer_of(member(members, \"longer_than\"), \"longer_than\")
                    .map([](std::int64_t least) { return column_test(length_test{least}); });")
expect_error(params/openapi.hpp "longer_than")
insert(params/openapi.hpp "case test_kind::any:" "case test_kind::longer_than:")

# The engines: statements refuse it, and masks test each text by its meaning.
expect_error(sql.hpp "length_test")
insert(sql/detail/condition_writer.hpp "result<condition> write(const place& at, const metadata_query& query)"
       "static result<condition> write(const place& at, const length_test&) {
        return sluice::detail::unanswered(at.leaf);
    }")
expect_error(arrow.hpp "length_test")
insert(arrow/list_mask.hpp "wanted operator()(const boolean_test& test)"
       "wanted operator()(const length_test&) const { return held_by_texts(); }")

list(LENGTH touched files)
if(files GREATER 8)
    message(FATAL_ERROR "a test takes ${files} headers")
endif()
file(TOUCH ${COPY}/added)
