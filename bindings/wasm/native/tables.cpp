// SPDX-License-Identifier: MIT
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/params/openapi.hpp>
#include <sluice/params/runtime/table.hpp>

#include "queries.hpp"
#include "request.hpp"
#include "times.hpp"

// Endpoints that a program declares: tables created at run time, and their requests.

namespace sluice::wasm {

namespace {

struct table_object : object {
    explicit table_object(declared_table made)
        : table(std::make_shared<const declared_table>(std::move(made))) {}
    std::shared_ptr<const declared_table> table;
};

std::vector<std::string> read_texts(arguments& given) {
    std::vector<std::string> texts;
    while (const auto text = given.optional_text()) texts.emplace_back(*text);
    return texts;
}

std::string read_text(arguments& given) { return std::string(given.text()); }

/// Reads a declaration, in the order of src/params.ts.
declaration read_declaration(arguments& given) {
    declaration told;
    told.kind = given.choice<declared_kind>(declared_kind_names);
    told.name = read_text(given);
    told.column = read_text(given);
    told.op = given.choice<comparison>(comparison_names);
    told.help = read_text(given);
    told.accepts = read_text(given);
    if (const auto absent = given.optional_text()) told.absent = std::string(*absent);
    told.required = given.flag();
    told.deprecated = given.flag();
    told.prefix = read_text(given);
    told.choices = read_texts(given);
    told.sorted_by = read_texts(given);
    told.minimum = given.integer();
    told.maximum = given.integer();
    return told;
}

/// Reads a column; the table copies its name.
column read_column(arguments& given, std::string_view name) {
    column made{.name = name};
    made.type = given.choice<column_type>(column_type_names);
    made.is_list = given.flag();
    made.is_nullable = given.flag();
    made.how = given.choice<collation>(collation_names);
    return made;
}

/// Writes the value of a declared parameter.
struct value_writer {
    json_writer& json;
    const declared_param& param;

    void operator()(std::monostate) const { json.value(nullptr); }
    void operator()(const single<filter>& own) const { write_filter(json, own.value); }
    void operator()(const single<std::vector<std::string>>& own) const {
        json.begin_array();
        for (const std::string& item : own.value) json.value(std::string_view(item));
        json.end_array();
    }
    void operator()(const single<metadata_query>& own) const {
        if (own.value.empty()) return static_cast<void>(json.value(nullptr));
        json.begin_object().member("$metadata", std::string_view(to_string(own.value)));
        json.end_object();
    }
    void operator()(const single<sort_choices>& own) const {
        json.begin_array();
        for (const sort_choice& key : own.value) {
            json.begin_object().member("name", param.choices[key.column]);
            json.member("descending", key.direction == sort_order::descending).end_object();
        }
        json.end_array();
    }
    void operator()(const list_window& own) const { write_window(json, own); }
    void operator()(const list_page& own) const {
        json.begin_object().member("number", own.page).member("limit", own.limit).key("cursor");
        write_text(json, own.cursor ? to_string(*own.cursor) : std::nullopt);
        json.member("count", own.count).end_object();
    }
    template <class T>
    void operator()(const single<std::optional<T>>& own) const {
        if (!own.value) return static_cast<void>(json.value(nullptr));
        write(*own.value);
    }

private:
    void write(const std::string& text) const { json.value(std::string_view(text)); }
    void write(choice_index choice) const {
        json.value(param.choices[static_cast<std::size_t>(choice)]);
    }
    void write(bool flag) const { json.value(flag); }
    void write(std::int64_t number) const { json.value(number); }
    void write(const decimal_number& number) const { json.value(std::string_view(number.text())); }
    void write(const uuid& id) const { json.value(std::string_view(id.text())); }
    void write(instant at) const { write_time(json, at); }
    void write(const custom_value& own) const { write(own.text); }
};

/// Writes the values of all declared parameters, in order.
void write_values(json_writer& json, const declared_table& table, const declared_query& query) {
    json.begin_array();
    for (const auto& param : table.params()) {
        const bool is_given = !query.values.empty() && query.values[param->place].index() != 0;
        std::visit(value_writer{json, *param},
                   is_given ? query.values[param->place] : param->unset);
    }
    json.end_array();
}

}  // namespace

/// Arguments: the name of the unique column; columns, each by its name, up to an absent one;
/// declarations.
SLUICE_WASM_FUNCTION(table_make) {
    const std::string_view unique = given.text();
    std::vector<column> columns;
    while (const auto name = given.optional_text()) columns.push_back(read_column(given, *name));
    std::vector<declaration> told;
    for (std::int64_t left = given.integer(); left > 0; --left) {
        told.push_back(read_declaration(given));
    }
    auto made = declared_table::make(std::move(told), columns, unique);
    if (!made) return write_mistake(json, made.error().name + ": " + made.error().what);
    json.key("value").begin_object().key("parameters").begin_array();
    for (const auto& row : *made) json.value(row.info.name);
    json.end_array().raw_member("openapi", openapi_parameters(*made));
    write_object(json, "handle", std::make_unique<table_object>(*std::move(made)));
    json.end_object();
}

/// Arguments: a table and a request.
SLUICE_WASM_FUNCTION(table_parse) {
    const auto table = given.object<table_object>().table;
    const request asked(given, *table);
    if (!asked.problem().empty()) return write_mistake(json, asked.problem());
    const auto query = bind_all(*table, asked.pairs(), asked.options());
    if (!query) return write_errors(json, query.error(), asked.pairs());
    write_query(
        json,
        std::make_unique<query_object>(to_list_query(*table, *query), table->columns(), table),
        to_query_string(*table, *query), [&] { write_values(json, *table, *query); });
}

}  // namespace sluice::wasm
