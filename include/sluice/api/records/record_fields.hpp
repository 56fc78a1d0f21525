// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_RECORDS_RECORD_FIELDS_HPP
#define SLUICE_API_RECORDS_RECORD_FIELDS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <sluice/api/records/field_reader.hpp>
#include <sluice/detail/word.hpp>

namespace sluice::api::detail {

/// A field of a record: how its value is read into the record, and what errors call it.
template <class Record>
struct field {
    std::string_view name;
    std::string_view param;  ///< within another field it has both names: `tags.id`
    bool required = false;
    result<void> (*read)(json_source& in, Record& record) = nullptr;
};

template <class Record, class Row>
result<void> read_member(json_source& in, Record& record) {
    const auto value = read_value(typename Row::kind{}, in);
    if (!value) return tl::unexpected(value.error());
    record.*Row::member = *value;
    if constexpr (std::is_same_v<typename Row::kind, kinds::variant_list>) {
        record.has_test_variants = true;
    }
    return {};
}

/// The name of a field within another, such as `tags.id`.
template <sluice::detail::text_literal Within, class Record, std::size_t Row>
inline constexpr auto param_text = [] {
    constexpr std::string_view name = std::get<Row>(rows<Record>).name;
    constexpr std::string_view dot = Within.view().empty() ? "" : ".";
    sluice::detail::static_text<Within.view().size() + 1 + name.size()> text;
    return text.add(Within.view()).add(dot).add(name);
}();

/// Whether a stored record, or one within another, may have a field.
template <sluice::detail::text_literal Within, class Record, std::size_t Row>
consteval bool is_read() noexcept {
    using row = std::tuple_element_t<Row, std::remove_const_t<decltype(rows<Record>)>>;
    const bool is_within = !Within.view().empty();
    return stored_row<row> && !(is_within && std::get<Row>(rows<Record>).has(field_use::hidden));
}

template <sluice::detail::text_literal Within, class Record, std::size_t Row>
constexpr void add_field(auto& fields, std::size_t& next) {
    if constexpr (is_read<Within, Record, Row>()) {
        constexpr auto row = std::get<Row>(rows<Record>);
        fields[next++] = {row.name, param_text<Within, Record, Row>.view(),
                          row.has(field_use::required), &read_member<Record, decltype(row)>};
    }
}

template <sluice::detail::text_literal Within, class Record, std::size_t... Row>
consteval auto make_fields(std::index_sequence<Row...>) noexcept {
    std::array<field<Record>, (std::size_t{is_read<Within, Record, Row>()} + ...)> fields;
    std::size_t next = 0;
    (add_field<Within, Record, Row>(fields, next), ...);
    return fields;
}

/// The fields of a stored record, or of one within another's field, in the order of its rows.
template <class Record, sluice::detail::text_literal Within = "">
inline constexpr auto fields_of =
    make_fields<Within, Record>(std::make_index_sequence<row_lines<Record>.size()>());

/// Where a field is in its table; the table's size where it isn't.
template <class Record>
constexpr std::size_t find_field(std::span<const field<Record>> fields,
                                 std::string_view name) noexcept {
    std::size_t at = 0;
    while (at < fields.size() && fields[at].name != name) ++at;
    return at;
}

/// Whether a member's name, as it is spelled from `spelled` on, is `name`, which has nothing to
/// escape. The padding after the line is longer than any name.
inline bool is_spelled(const char* spelled, std::string_view name) noexcept {
    if (spelled[name.size()] != '"') return false;
    if (name.size() > 16) return std::string_view(spelled, name.size()) == name;
    return sluice::detail::same_words(spelled, name.data(), name.size(),
                                      [](std::uint64_t word) { return word; });
}

/// Where the field of a member is in its table, which isn't `next`; the table's size where it has
/// none. Those around `next` are tried first.
template <class Record>
[[gnu::noinline]] result<std::size_t> find_field(std::span<const field<Record>> fields,
                                                 ondemand::field& member, std::size_t next) {
    const char* const spelled = member.key().raw();
    const auto is_at = [&](std::size_t at) {
        return at < fields.size() && is_spelled(spelled, fields[at].name);
    };
    if (is_at(next + 1)) return next + 1;
    if (is_at(next - 2)) return next - 2;
    std::string_view name;
    if (member.unescaped_key().get(name) != simdjson::SUCCESS) return refuse_json();
    return find_field(fields, name);
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
        if (Fields[at].required && ((seen >> at) & 1) == 0) {
            return fail_in(rule::field_missing, Fields[at].param);
        }
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
template <class Record, sluice::detail::text_literal Within = "">
[[nodiscard]] result<Record> read_members(record_buffers& buffers, ondemand::object& members) {
    constexpr const auto& fields = fields_of<Record, Within>;
    Record record;
    field_set seen = 0;
    std::size_t next = 0;
    for (auto each : members) {
        ondemand::field member;
        if (std::move(each).get(member) != simdjson::SUCCESS) return refuse_json();
        // The records of a file have their fields in one order, mostly ours.
        std::size_t at = next;
        if (at == fields.size() || !is_spelled(member.key().raw(), fields[at].name)) {
            const auto found = find_field<Record>(fields, member, next);
            if (!found) return tl::unexpected<error>(found.error());
            at = *found;
        }
        json_source in{buffers, member.value(), member.value().raw_json_token()};
        if (at == fields.size()) {
            if (const auto skipped = read_value(kinds::json{}, in); !skipped) return refuse_json();
            continue;
        }
        seen |= field_set{1} << at;
        next = at + 1;
        const auto read = read_field(fields[at], in, record);
        if (!read) return tl::unexpected(read.error());
    }
    const auto complete = check_required<fields>(seen);
    if (!complete) return tl::unexpected(complete.error());
    return record;
}

/// Reads an object within a record's field. What it lacks is missing at the object's first byte.
template <class Record, sluice::detail::text_literal Within>
[[nodiscard]] result<Record> read_nested(json_source& in) {
    ondemand::object members;
    if (in.value.get_object().get(members) != simdjson::SUCCESS) {
        return refuse(in, rule::field_type, "expected an object");
    }
    return read_members<Record, Within>(in.buffers, members).map_error([&in](error e) {
        if (e.broken == rule::field_missing) e.offset = static_cast<std::uint32_t>(in.offset());
        return e;
    });
}

[[nodiscard]] inline result<std::span<const tag>> read_value(kinds::tag_list, json_source& in) {
    if (take_null(in)) return std::span<const tag>();
    return read_list(in, in.buffers.tags, "expected an array of tags or null",
                     read_nested<tag, "tags">);
}

inline constexpr auto variants_text = sluice::detail::static_text<64>()
                                          .add("expected ")
                                          .add(test_variants_min)
                                          .add(" to ")
                                          .add(test_variants_max)
                                          .add(" variants");

[[nodiscard]] inline result<std::optional<std::span<const test_variant>>> read_value(
    kinds::variant_list, json_source& in) {
    if (take_null(in)) return std::optional<std::span<const test_variant>>();
    const auto variants = read_list(in, in.buffers.test_variants, "expected an array or null",
                                    read_nested<test_variant, "testVariants">);
    if (!variants) return tl::unexpected(variants.error());
    if (!check_test_variants(static_cast<std::int64_t>(variants->size()))) {
        return refuse(in, rule::field_value, variants_text.view());
    }
    return *variants;
}

}  // namespace sluice::api::detail

#endif
