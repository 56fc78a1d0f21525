// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_ANALYTICS_ANALYTICS_JSON_HPP
#define SLUICE_REFERENCE_ANALYTICS_ANALYTICS_JSON_HPP

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include <sluice/base/json_writer.hpp>
#include <sluice/reference/analytics/analytics_rows.hpp>
#include <sluice/reference/lists/record_rows.hpp>

/// Rows of `GET /analytics` as JSON.
namespace sluice::reference {

/// The JSON of records by their IDs: links, tags or folders.
using records_by_id = std::map<std::string, std::string, std::less<>>;

namespace detail {

/// Returns the JSON of a list's row as groups show it: a tag as a whole, of a folder its ID and
/// name.
[[nodiscard]] inline std::string shown_json(const tag*, packed_row row) {
    return std::string(json_in<tag>(row));
}
[[nodiscard]] inline std::string shown_json(const folder*, packed_row row) {
    std::string shown;
    sluice::detail::json_writer json(shown);
    json.begin_object();
    json.member("id", id_in<folder>(row));
    json.member("name", value_in<folder, 1>(row));
    json.end_object();
    return shown;
}
static_assert(folders_schema.begin()[1].name == "name");

/// Returns the records in the rows of a list.
template <class Record, class Rows>
[[nodiscard]] records_by_id listed_records(const Rows& rows) {
    records_by_id known;
    for (const packed_row row : rows)
        known.emplace(id_in<Record>(row), shown_json(static_cast<const Record*>(nullptr), row));
    return known;
}

/// Writes the fields of rows beside the measures.
class analytics_writer {
public:
    /// Borrows the arguments. `known` has the records that groups name.
    analytics_writer(sluice::detail::json_writer& json, const analytics_record& record,
                     const records_by_id& known)
        : json_(json), record_(record), known_(known) {}

    void write(const analytics_row& row) {
        json_.begin_object();
        read_link(row);
        for (const analytics_field& field : record_.fields) write(field, row);
        for (std::size_t at = 0; at < row.measures.size(); ++at)
            json_.member(analytics_measures[at], row.measures[at]);
        json_.end_object();
    }

private:
    /// Parses the link of a row, if its fields are shown.
    void read_link(const analytics_row& row) {
        link_ = simdjson::dom::element();
        has_link_ = false;
        if (record_.fields.data() != link_fields.data()) return;
        const auto position = known_.find(row.group.front());
        if (position == known_.end()) return;
        has_link_ = parser_.parse(position->second).get(link_) == simdjson::SUCCESS;
    }
    void write(const analytics_field& field, const analytics_row& row) {
        switch (field.part) {
            case analytics_part::group:
                json_.member(field.name, std::string_view(row.group[field.column]));
                break;
            case analytics_part::bucket:
                json_.member(field.name, std::string_view(format_timestamp(row.start)));
                break;
            case analytics_part::any: json_.member(field.name, "*"); break;
            case analytics_part::id:
                json_.member(field.name, std::string_view(row.group.front()));
                break;
            case analytics_part::link: write_of_link(field.name); break;
            case analytics_part::object: {
                const auto position = known_.find(row.group.front());
                json_.raw_member(field.name, position == known_.end() ? "null" : position->second);
                break;
            }
        }
    }
    void write_of_link(std::string_view name) {
        std::string_view text;
        if (has_link_ && link_[name].get(text) == simdjson::SUCCESS) {
            json_.member(name, text);
        } else {
            json_.key(name).value(nullptr);
        }
    }

    sluice::detail::json_writer& json_;
    const analytics_record& record_;
    const records_by_id& known_;
    simdjson::dom::parser parser_;
    simdjson::dom::element link_;
    bool has_link_ = false;
};

}  // namespace detail

/// Returns the body of an answer: an array of rows, or the object of `count`. `known` has the links
/// of top_links, and the records that other groups name; the field of a record that it lacks is
/// null.
[[nodiscard]] inline std::string analytics_json(analytics_group group,
                                                std::span<const analytics_row> rows,
                                                const records_by_id& known) {
    std::string body;
    sluice::detail::json_writer json(body);
    detail::analytics_writer writer(json, record_of(group), known);
    const bool is_list = group != analytics_group::count;
    if (is_list) json.begin_array();
    for (const analytics_row& row : rows) writer.write(row);
    if (is_list) json.end_array();
    return body;
}

}  // namespace sluice::reference

#endif
