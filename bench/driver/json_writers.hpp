// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_JSON_WRITERS_HPP
#define SLUICE_BENCH_DRIVER_JSON_WRITERS_HPP

#include <memory>

#if __has_include(<rapidjson/writer.h>)
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#endif
#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#endif
#if __has_include(<yyjson.h>)
#include <yyjson.h>
#endif

#include "listing.hpp"
#include "operation.hpp"

namespace sluice_bench {

struct text_rows {
    std::vector<std::string> names;
    std::vector<text_row> rows;
};

[[nodiscard]] inline text_rows texts_of(const listing& data, std::string_view query) {
    text_rows all;
    for (std::size_t i = 0; i < data.dimensions(); ++i) all.names.emplace_back(data.name(i));
    for (const store::stored_row& row : data.find(parse_listing_query(query)).rows()) {
        all.rows.push_back(data.texts_of(row));
    }
    return all;
}

#ifdef RAPIDJSON_WRITER_H_
template <class Writer>
void rapidjson_text(Writer& json, std::string_view text) {
    json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

/// Writes rows with RapidJSON's writer, value by value, without a document.
[[nodiscard]] inline std::string write_rapidjson(const text_rows& all) {
    rapidjson::StringBuffer out;
    rapidjson::Writer<rapidjson::StringBuffer> json(out);
    json.StartArray();
    for (const text_row& row : all.rows) {
        json.StartObject();
        rapidjson_text(json, "id");
        rapidjson_text(json, row.id);
        rapidjson_text(json, "time");
        json.Int64(row.time);
        for (std::size_t i = 0; i < all.names.size(); ++i) {
            rapidjson_text(json, all.names[i]);
            if (row.values[i]) {
                rapidjson_text(json, *row.values[i]);
            } else {
                json.Null();
            }
        }
        rapidjson_text(json, "metadata");
        json.RawValue(row.metadata.data(), row.metadata.size(), rapidjson::kObjectType);
        json.EndObject();
    }
    json.EndArray();
    return {out.GetString(), out.GetSize()};
}
#endif

#ifdef NLOHMANN_JSON_VERSION_MAJOR
/// Builds an nlohmann::json document of the rows, before the measurement.
[[nodiscard]] inline nlohmann::ordered_json nlohmann_document(const text_rows& all) {
    auto rows = nlohmann::ordered_json::array();
    for (const text_row& row : all.rows) {
        nlohmann::ordered_json object{{"id", row.id}, {"time", row.time}};
        for (std::size_t i = 0; i < all.names.size(); ++i) {
            object[all.names[i]] = row.values[i] ? nlohmann::ordered_json(*row.values[i]) : nullptr;
        }
        object["metadata"] = nlohmann::ordered_json::parse(row.metadata);
        rows.push_back(std::move(object));
    }
    return rows;
}
#endif

#ifdef YYJSON_H
/// Builds a yyjson document of the rows, before the measurement; it views their texts.
[[nodiscard]] inline std::shared_ptr<yyjson_mut_doc> yyjson_document(const text_rows& all) {
    std::shared_ptr<yyjson_mut_doc> document(yyjson_mut_doc_new(nullptr), yyjson_mut_doc_free);
    yyjson_mut_doc* const doc = document.get();
    const auto text = [doc](std::string_view t) {
        return yyjson_mut_strn(doc, t.data(), t.size());
    };
    yyjson_mut_val* const rows = yyjson_mut_arr(doc);
    yyjson_mut_doc_set_root(doc, rows);
    for (const text_row& row : all.rows) {
        yyjson_mut_val* const object = yyjson_mut_arr_add_obj(doc, rows);
        yyjson_mut_obj_add(object, text("id"), text(row.id));
        yyjson_mut_obj_add(object, text("time"), yyjson_mut_sint(doc, row.time));
        for (std::size_t i = 0; i < all.names.size(); ++i) {
            const auto value = row.values[i] ? text(*row.values[i]) : yyjson_mut_null(doc);
            yyjson_mut_obj_add(
                object, yyjson_mut_strncpy(doc, all.names[i].data(), all.names[i].size()), value);
        }
        yyjson_mut_obj_add(object, text("metadata"),
                           yyjson_mut_rawn(doc, row.metadata.data(), row.metadata.size()));
    }
    return document;
}
#endif

/// Adds `json_PEER QUERY`: writes a query's page with a general JSON writer, from rows found in
/// advance.
inline void add_json_writers([[maybe_unused]] operation_table& operations,
                             [[maybe_unused]] const std::unique_ptr<listing>& data) {
#ifdef RAPIDJSON_WRITER_H_
    operations["json_rapidjson"] = [&data](std::string_view query) {
        const auto run = [rows = texts_of(*data, query)] { return write_rapidjson(rows); };
        return repeated(run, run);
    };
#endif
#ifdef NLOHMANN_JSON_VERSION_MAJOR
    operations["json_nlohmann"] = [&data](std::string_view query) {
        const auto run = [rows = nlohmann_document(texts_of(*data, query))] { return rows.dump(); };
        return repeated(run, run);
    };
#endif
#ifdef YYJSON_H
    operations["json_yyjson"] = [&data](std::string_view query) {
        const auto run = [rows = yyjson_document(texts_of(*data, query))] {
            std::size_t size = 0;
            const std::unique_ptr<char, decltype(&std::free)> text(
                yyjson_mut_write(rows.get(), YYJSON_WRITE_NOFLAG, &size), std::free);
            return std::string(text.get(), size);
        };
        return repeated(run, run);
    };
#endif
}

}  // namespace sluice_bench

#endif
