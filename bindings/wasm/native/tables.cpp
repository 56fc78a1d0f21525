// SPDX-License-Identifier: MIT
#include <algorithm>
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
#include <sluice/query/json_reader.hpp>

#include "custom_types.hpp"
#include "queries.hpp"
#include "request.hpp"
#include "times.hpp"

// Endpoints that a program declares: tables created at run time, and their requests.

namespace sluice::wasm {

namespace {

/// A table, shared with its queries, which view its names.
struct table_object : object {
    table_object(declared_table built, bool has_empty)
        : table(std::make_shared<const declared_table>(std::move(built))), wants_empty(has_empty) {}
    std::shared_ptr<const declared_table> table;
    bool wants_empty;  ///< see bind_options
};

/// Reads texts up to an absent argument.
std::vector<std::string> read_texts(arguments& args) {
    std::vector<std::string> texts;
    while (const auto text = args.optional_text()) texts.emplace_back(*text);
    return texts;
}

std::string read_text(arguments& args) { return std::string(args.text()); }

/// Reads the names of a condition's columns up to an absent one: each with its column, and its
/// tests up to an absent one; without tests all.
std::vector<declared_name> read_names(arguments& args) {
    std::vector<declared_name> names;
    while (const auto name = args.optional_text()) {
        declared_name& added = names.emplace_back();
        added.name = *name;
        added.column = read_text(args);
        test_kinds allowed = 0;
        while (const auto test = args.optional_text()) {
            const auto record = std::ranges::find(test_records, *test, &test_record::name);
            if (record != test_records.end()) allowed |= set_of(record->kind);
        }
        if (allowed != 0) added.allowed = allowed;
    }
    return names;
}

/// Reads a declaration, in the order of fieldsOf() in src/params.ts.
declaration read_declaration(arguments& args) {
    declaration spec;
    spec.kind = args.choice<declared_kind>(declared_kind_names);
    spec.name = read_text(args);
    spec.names = read_texts(args);
    spec.column = read_text(args);
    spec.op = args.choice<comparison>(comparison_names);
    if (args.flag()) spec.naming = args.choice<name_style>(name_style_names);
    spec.lists = args.choice<list_form>(list_form_names);
    spec.excludes = args.choice<exclusion>(exclusion_names);
    spec.sorts = args.choice<sort_form>(sort_form_names);
    spec.words = args.choice<search_form>(search_form_names);
    spec.help = read_text(args);
    spec.accepts = read_text(args);
    if (const auto absent = args.optional_text()) spec.absent = std::string(*absent);
    spec.required = args.flag();
    spec.deprecated = args.flag();
    spec.prefix = read_text(args);
    spec.choices = read_texts(args);
    spec.sorted_by = read_texts(args);
    spec.searched = read_texts(args);
    spec.grammar = args.choice<grammar>(grammar_names);
    spec.named = read_names(args);
    spec.style = args.choice<page_style>(page_style_names);
    spec.minimum = args.integer();
    spec.maximum = args.integer();
    spec.form = read_text(args);
    spec.parse = host_type{static_cast<std::uint32_t>(args.integer())};
    return spec;
}

/// Reads columns, in the order of columnFields() in src/define_params.ts, and owns what they view
/// beside the arguments; the table copies them.
class column_reader {
public:
    /// Reads a column after its name.
    column read(arguments& args, std::string_view name) {
        column read{.name = name};
        read.type = args.choice<column_type>(column_type_names);
        read.is_list = args.flag();
        read.is_nullable = args.flag();
        read.how = args.choice<collation>(collation_names);
        std::vector<std::string_view>& choices = choices_.emplace_back();
        while (const auto choice = args.optional_text()) choices.push_back(*choice);
        read.choices = choices;
        const std::vector<column>& records = records_.emplace_back(read_all(args));
        read.records = {records.data(), records.size()};
        return read;
    }
    /// Reads columns up to an absent name.
    std::vector<column> read_all(arguments& args) {
        std::vector<column> columns;
        while (const auto name = args.optional_text()) columns.push_back(read(args, *name));
        return columns;
    }

private:
    std::deque<std::vector<std::string_view>> choices_;
    std::deque<std::vector<column>> records_;
};

/// Writes the value of a declared parameter for src/params.ts; nothing without one. A sort is a
/// list of sort keys, an order a list of its text and these.
struct value_writer {
    answer_writer& out;
    const declared_param& param;

    void operator()(std::monostate) const { out.value(nullptr); }
    void operator()(const single<filter>& parsed) const { out.value(parsed.value); }
    void operator()(const single<std::vector<std::string>>& parsed) const {
        out.texts(parsed.value);
    }
    void operator()(const single<metadata_query>& parsed) const {
        if (parsed.value.empty()) {
            out.value(nullptr);
        } else {
            out.begin(tag::metadata).value(std::string_view(to_string(parsed.value)));
        }
    }
    void operator()(const single<sort_choices>& parsed) const {
        out.begin_array();
        for (const sort_choice& key : parsed.value) {
            write_key(param.choices[key.column], key.direction);
        }
        out.end_array();
    }
    void operator()(const single<expression>& parsed) const {
        const std::string& text = parsed.value.text;
        out.value(text.empty() ? std::nullopt : std::optional(std::string_view(text)));
    }
    void operator()(const single<ordering>& parsed) const {
        out.begin_array().value(std::string_view(parsed.value.text)).begin_array();
        for (const sort_key& key : parsed.value.keys) write_key(key.by.name, key.direction);
        out.end_array().end_array();
    }
    void operator()(const list_window& window) const { write_window(out, window); }
    void operator()(const list_page& page) const {
        out.begin(tag::page);
        write(page.page);
        write(sluice::page{page.page, page.limit, page.offset}.offset());
        write(page.limit);
        const auto text = page.cursor ? to_string(*page.cursor) : std::nullopt;
        out.value(text ? std::optional(std::string_view(*text)) : std::nullopt);
        out.value(page.count);
    }
    template <class T>
    void operator()(const single<std::optional<T>>& parsed) const {
        if (parsed.value) {
            write(*parsed.value);
        } else {
            out.value(nullptr);
        }
    }

private:
    void write_key(std::string_view name, sort_order direction) const {
        out.begin(tag::sort_key).value(name).value(direction == sort_order::descending);
    }
    void write(const std::string& text) const { out.value(std::string_view(text)); }
    void write(choice_index choice) const {
        out.value(param.choices[static_cast<std::size_t>(choice)]);
    }
    void write(bool flag) const { out.value(flag); }
    /// Integers beyond those of JavaScript are rounded; see docs/typescript.md.
    void write(std::int64_t number) const { out.value(static_cast<double>(number)); }
    void write(double number) const { out.value(number); }
    void write(const calendar_day& day) const { write(format_day(day)); }
    void write(const decimal_number& number) const { write(number.text()); }
    void write(const uuid& id) const { out.value(std::string_view(id.text())); }
    void write(instant at) const { out.value(at); }
    void write(const custom_value& value) const {
        const auto index = reinterpret_cast<std::uintptr_t>(value.object.get());
        out.begin(tag::custom).value(std::string_view(value.text));
        out.value(static_cast<double>(index));
    }
};

/// Writes the names of the parameters of all declarations, in order, by the parts of groups:
/// `{"page": "p", "limit": "size"}`, or `{"": "status"}` of a single parameter.
void write_names(answer_writer& out, const declared_table& table) {
    out.begin_array();
    std::size_t row = 0;
    for (const auto& param : table.params()) {
        out.begin_object();
        for (; row < table.size() && table[row].info.declared == param.get(); ++row) {
            out.member(table[row].info.part, table[row].info.name);
        }
        out.end_object();
    }
    out.end_array();
}

/// Writes the values of all declared parameters, in order.
void write_values(answer_writer& out, const declared_table& table, const declared_query& query) {
    out.begin_array();
    for (const auto& param : table.params()) {
        const bool has_value = !query.values.empty() && query.values[param->place].index() != 0;
        std::visit(value_writer{out, *param},
                   has_value ? query.values[param->place] : param->unset);
    }
    out.end_array();
}

}  // namespace

/// Arguments: the name of the unique column; true if empty values count; columns, up to an absent
/// name; the number of declarations, and these. Answer: the table.
SLUICE_WASM_FUNCTION(table_make) {
    const std::string_view unique = args.text();
    const bool wants_empty = args.flag();
    column_reader reader;
    const std::vector<column> columns = reader.read_all(args);
    std::vector<declaration> specs;
    for (std::int64_t left = args.integer(); left > 0; --left) {
        specs.push_back(read_declaration(args));
    }
    auto table = declared_table::make(std::move(specs), columns, unique);
    if (!table) return out.mistake(table.error().name + ": " + table.error().what);
    out.begin_object().key("parameters").begin_array();
    for (const auto& row : *table) out.value(row.info.name);
    out.end_array().key("names");
    write_names(out, *table);
    out.key("openapi").json(openapi_parameters(*table));
    out.key("handle").object(std::make_unique<table_object>(*std::move(table), wants_empty));
    out.end_object();
}

/// Arguments: a table, and a query's tree as JSON. Answer: the query.
SLUICE_WASM_FUNCTION(table_from_tree) {
    const auto table = args.object<table_object>().table;
    auto read = parse_list_query(args.text(), table->columns());
    if (!read) return out.refusal(read.error().why, message(read.error()));
    out.object(std::make_unique<query_object>(*std::move(read), table->columns(), table));
}

/// Arguments: a part, a table, and a request. Answer: this part of it; see write_part().
SLUICE_WASM_FUNCTION(table_parse) {
    const auto part = args.number<request_part>();
    const table_object& owner = args.object<table_object>();
    const auto table = owner.table;
    const request received(args, *table);
    if (!received.problem().empty()) return out.mistake(received.problem());
    bind_options options = received.options();
    options.wants_empty = owner.wants_empty;
    const auto query = bind_all(*table, received.pairs(), options);
    if (!query) return out.errors(query.error(), received.pairs());
    write_part(
        out, part, *table, *query, table, [&] { write_values(out, *table, *query); }, options);
}

}  // namespace sluice::wasm
