// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_RECORDS_RECORD_FIELDS_HPP
#define SLUICE_API_RECORDS_RECORD_FIELDS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <sluice/api/records/field_reader.hpp>

namespace sluice::api::detail {

/// A field of a record: how its value is read into the record, and what errors call it.
template <class Record>
struct field {
    using record = Record;

    std::string_view name;
    std::string_view param;
    bool required = false;
    result<void> (*read)(json_source& in, Record& record) = nullptr;
};

template <class Record, class Value>
Record record_of(Value Record::*);

/// The record that a member belongs to.
template <auto Member>
using record_type = decltype(record_of(Member));

/// Reads a value and keeps it in a member of the record.
template <auto Member, auto Read>
result<void> read_member(json_source& in, record_type<Member>& record) {
    const auto value = Read(in);
    if (!value) return tl::unexpected(value.error());
    record.*Member = *value;
    return {};
}

/// A field that a stored record has to have. `param` tells a nested field from its like.
template <auto Member, auto Read>
constexpr field<record_type<Member>> required(std::string_view name, std::string_view param = {}) {
    return {name, param.empty() ? name : param, true, &read_member<Member, Read>};
}

/// A field that a stored record may leave out.
template <auto Member, auto Read>
constexpr field<record_type<Member>> omissible(std::string_view name, std::string_view param = {}) {
    return {name, param.empty() ? name : param, false, &read_member<Member, Read>};
}

/// The record that a table of fields describes.
template <const auto& Fields>
using record_of_fields = typename std::remove_cvref_t<decltype(Fields)>::value_type::record;

/// Where a field stands in its table; the table's size where it doesn't.
template <const auto& Fields>
constexpr std::size_t find_field(std::string_view name) noexcept {
    std::size_t at = 0;
    while (at < Fields.size() && Fields[at].name != name) ++at;
    return at;
}

/// Whether a member's name, as it is spelled from `spelled` on, is `name`, which has nothing to
/// escape. The padding behind the line is longer than any name.
constexpr bool is_spelled(const char* spelled, std::string_view name) noexcept {
    return std::string_view(spelled, name.size()) == name && spelled[name.size()] == '"';
}

/// Where the field of a member stands in its table; the table's size where it has none. `next` is
/// tried first: the records of a file have their fields in one order.
template <const auto& Fields>
result<std::size_t> find_field(ondemand::field& member, std::size_t next) {
    const char* const spelled = member.key().raw();
    for (const std::size_t at : {next, next + 1}) {
        if (at < Fields.size() && is_spelled(spelled, Fields[at].name)) return at;
    }
    std::string_view name;
    if (member.unescaped_key().get(name) != simdjson::SUCCESS) return refuse_json();
    return find_field<Fields>(name);
}

/// Which fields of a table have been seen, a bit each.
using field_set = std::uint64_t;

/// field_missing for the first field of the table that is required and has not been seen.
template <const auto& Fields>
result<void> check_required(field_set seen) noexcept {
    static_assert(Fields.size() <= 64, "a field_set has 64 bits");
    static_assert(std::ranges::all_of(
        Fields, [](const auto& each) { return each.name.size() < simdjson::SIMDJSON_PADDING; }));
    for (std::size_t at = 0; at < Fields.size(); ++at) {
        if (!Fields[at].required || ((seen >> at) & 1) != 0) continue;
        error e = make_error(rule::field_missing);
        e.param = Fields[at].param;
        return tl::unexpected<error>(e);
    }
    return {};
}

/// Reads the value of a field; an error names the field.
template <class Record>
result<void> read_field(const field<Record>& known, json_source& in, Record& record) {
    auto read = known.read(in, record);
    if (!read && read.error().param.empty()) read.error().param = known.param;
    return read;
}

/// Reads the members of an object. Of a field that is there twice the last value counts, but each
/// has to be valid. The value of an unknown name has to be JSON.
template <const auto& Fields>
[[nodiscard]] result<record_of_fields<Fields>> read_members(record_buffers& buffers,
                                                            ondemand::object& members) {
    record_of_fields<Fields> record;
    field_set seen = 0;
    std::size_t next = 0;
    for (auto each : members) {
        ondemand::field member;
        if (std::move(each).get(member) != simdjson::SUCCESS) return refuse_json();
        const auto at = find_field<Fields>(member, next);
        if (!at) return tl::unexpected<error>(at.error());
        json_source in{buffers, member.value(), member.value().raw_json_token()};
        if (*at == Fields.size()) {
            if (const auto skipped = read_json(in); !skipped) return refuse_json();
            continue;
        }
        seen |= field_set{1} << *at;
        next = *at + 1;
        const auto read = read_field(Fields[*at], in, record);
        if (!read) return tl::unexpected(read.error());
    }
    const auto complete = check_required<Fields>(seen);
    if (!complete) return tl::unexpected(complete.error());
    return record;
}

/// Reads an object within a record. A field that it lacks is missing at the object's first byte.
template <const auto& Fields>
[[nodiscard]] result<record_of_fields<Fields>> read_nested(json_source& in) {
    ondemand::object members;
    if (in.value.get_object().get(members) != simdjson::SUCCESS) {
        return refuse(in, rule::field_type, "expected an object");
    }
    return read_members<Fields>(in.buffers, members).map_error([&in](error e) {
        if (e.broken == rule::field_missing) e.offset = static_cast<std::uint32_t>(in.offset());
        return e;
    });
}

}  // namespace sluice::api::detail

#endif
