// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LISTS_RECORD_ROWS_HPP
#define SLUICE_REFERENCE_LISTS_RECORD_ROWS_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <sluice/query/accessors.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/reference/lists/record_columns.hpp>
#include <sluice/reference/records/record_writer.hpp>
#include <sluice/store/json/json_fragments.hpp>
#include <sluice/store/texts/dictionary.hpp>

/// The records of lists in memory, as rows with the columns of a schema.
namespace sluice::reference {

/// True for records that events refer to: the columns of events have their ids and their JSON.
template <class Record>
inline constexpr bool is_in_events =
    std::is_same_v<Record, link> || std::is_same_v<Record, customer>;

/// A record in one text: its values in the columns of its list, then its JSON, which is empty for
/// records that events refer to.
///
/// ```
/// row    = *value json   ; a value for each column, in the schema's order
/// value  = size *byte    ; size: 4 bytes, little-endian: 1 more than the bytes; 0 if it is missing
/// ```
/// The bytes are a text, a time in 8 bytes, a boolean in one, or the values of a list.
using packed_row = std::string_view;

namespace detail {

using sluice::detail::append_number;
using sluice::detail::number_at;

inline void append_value(std::string& row, std::string_view bytes) {
    append_number(row, bytes.size() + 1);
    row.append(bytes);
}

// An overload of append_field() appends a field of a record as the value of a column.

inline void append_field(std::string& row, const sluice::column&, std::string_view text) {
    append_value(row, text);
}
inline void append_field(std::string& row, const sluice::column&,
                         const std::optional<std::string_view>& text) {
    text ? append_value(row, *text) : append_number(row, 0);
}
inline void append_field(std::string& row, const sluice::column&, instant at) {
    append_number(row, sizeof(std::int64_t) + 1);
    append_number(row, static_cast<std::uint64_t>(at.time_since_epoch().count()),
                  sizeof(std::int64_t));
}
inline void append_field(std::string& row, const sluice::column&, bool flag) {
    append_value(row, flag ? "1" : "0");
}
/// Appends the ids or the names of a link's tags. A link without tags has no value.
inline void append_field(std::string& row, const sluice::column& of, std::span<const tag> tags) {
    if (tags.empty()) return append_number(row, 0);
    std::string items;
    for (const tag& item : tags) append_value(items, of.name == "tags.id" ? item.id : item.name);
    append_value(row, items);
}

/// Returns true if a column has the values of a field, or of a part of it such as `tags.id`.
[[nodiscard]] constexpr bool is_of_field(std::string_view column, std::string_view field) noexcept {
    return column == field || (column.starts_with(field) && column[field.size()] == '.');
}

/// Returns the index, among a record's fields, of the one that has the values of the column at a
/// place of its list's schema; nullopt unless there is exactly one.
template <class Record, std::size_t Place>
consteval std::optional<std::size_t> field_of_column() {
    constexpr sluice::column of = record_list<Record>::columns.begin()[Place];
    std::size_t match = 0, count = 0, index = 0;
    for_each_row<Record>([&]<class Row>(const Row& field) {
        if constexpr (stored_row<Row>) {
            constexpr bool is_packed = requires(std::string& row, const Record& record) {
                append_field(row, of, record.*Row::member);
            };
            if (is_packed && is_of_field(of.name, field.name)) {
                match = index;
                ++count;
            }
        }
        ++index;
    });
    return count == 1 ? std::optional(match) : std::nullopt;
}

/// Appends the value of a record in the column at a place of its list's schema.
template <class Record, std::size_t Place>
void append_column(std::string& row, const Record& record) {
    constexpr std::optional<std::size_t> index = field_of_column<Record, Place>();
    static_assert(index.has_value(),
                  "a column of the list is no field of the record, or of a kind that rows can't "
                  "hold: name it after a field, and see append_field()");
    using field = std::tuple_element_t<*index, std::remove_const_t<decltype(rows<Record>)>>;
    append_field(row, record_list<Record>::columns.begin()[Place], record.*field::member);
}

/// Reads the values of a row, or of a list, one after the other. Reads none beyond the end of a
/// damaged row.
class value_reader {
public:
    explicit value_reader(std::string_view values) noexcept : left_(values) {}

    [[nodiscard]] std::string_view left() const noexcept { return left_; }
    [[nodiscard]] std::optional<std::string_view> next() noexcept {
        constexpr std::size_t head = sizeof(std::uint32_t);
        const std::size_t size = left_.size() < head ? 0 : number_at(left_, 0);
        left_.remove_prefix(std::min(left_.size(), head));
        if (size == 0) return std::nullopt;
        const std::string_view bytes = left_.substr(0, size - 1);
        left_.remove_prefix(bytes.size());
        return bytes;
    }

private:
    std::string_view left_;
};

/// Reads past the first values of a row.
[[nodiscard]] inline value_reader values_from(packed_row row, std::size_t place) noexcept {
    value_reader values(row);
    for (std::size_t i = 0; i < place; ++i) static_cast<void>(values.next());
    return values;
}

/// The texts of a list in a row, which it views.
class packed_texts {
public:
    explicit packed_texts(std::string_view values) noexcept : values_(values) {}

    /// An iterator over the texts. It ends at the first one that is missing.
    class iterator {
    public:
        explicit iterator(std::string_view values) noexcept : left_(values) { ++*this; }
        [[nodiscard]] std::string_view operator*() const noexcept { return *item_; }
        iterator& operator++() noexcept {
            item_ = left_.next();
            return *this;
        }
        friend bool operator==(const iterator& at, std::nullopt_t) noexcept {
            return !at.item_.has_value();
        }

    private:
        value_reader left_;
        std::optional<std::string_view> item_;
    };
    [[nodiscard]] iterator begin() const noexcept { return iterator(values_); }
    [[nodiscard]] std::nullopt_t end() const noexcept { return std::nullopt; }

private:
    std::string_view values_;
};

/// Reads the value of a row in the column at a place of its list's schema.
template <class Record, std::size_t Place>
auto value_in(const packed_row& row) noexcept {
    constexpr sluice::column of = record_list<Record>::columns.begin()[Place];
    const auto bytes = values_from(row, Place).next();
    if constexpr (of.is_list) {
        return bytes ? std::optional(packed_texts(*bytes)) : std::nullopt;
    } else if constexpr (of.type == column_type::time) {
        const bool is_whole = bytes && bytes->size() == sizeof(std::int64_t);
        return instant(std::chrono::milliseconds(
            is_whole ? static_cast<std::int64_t>(number_at(*bytes, 0, 8)) : 0));
    } else if constexpr (of.type == column_type::boolean) {
        return bytes == "1";
    } else if constexpr (of.is_nullable) {
        return bytes;
    } else {
        return bytes.value_or(std::string_view());
    }
}

template <class Record, std::size_t... Place>
consteval auto make_row_accessors(std::index_sequence<Place...>) {
    constexpr const auto& columns = record_list<Record>::columns;
    return accessors_of<packed_row>(
        columns, member<&value_in<Record, Place>>(columns.begin()[Place].name)...);
}

}  // namespace detail

/// The columns of a list as values of its rows, for sluice::list().
template <class Record>
inline constexpr auto row_accessors = detail::make_row_accessors<Record>(
    std::make_index_sequence<record_list<Record>::columns.size()>());

/// Packs a record into a row. `json` is the record as lists show it.
template <class Record>
[[nodiscard]] std::string pack_row(const Record& record, std::string_view json = {}) {
    std::string row;
    [&]<std::size_t... Place>(std::index_sequence<Place...>) {
        (detail::append_column<Record, Place>(row, record), ...);
    }(std::make_index_sequence<record_list<Record>::columns.size()>());
    return row.append(json);
}

/// Returns the JSON at the end of a row, which it views.
template <class Record>
[[nodiscard]] std::string_view json_in(packed_row row) noexcept {
    return detail::values_from(row, record_list<Record>::columns.size()).left();
}

/// Returns the id of a row's record, the first of its columns, which it views.
template <class Record>
[[nodiscard]] std::string_view id_in(packed_row row) noexcept {
    static_assert(record_list<Record>::columns.begin()->name == "id");
    return detail::value_in<Record, 0>(row);
}
/// Returns the part of a row before its JSON, which it views.
template <class Record>
[[nodiscard]] std::string_view cells_in(packed_row row) noexcept {
    return row.substr(0, row.size() - json_in<Record>(row).size());
}

/// The rows of a list, and the JSON of rows that have none themselves, by code.
struct listed_rows {
    std::span<const packed_row> rows{};
    const store::json_fragments* json = nullptr;
};
/// Returns the JSON of a row by its place in a list.
template <class Record>
[[nodiscard]] std::string_view json_of(const listed_rows& all, std::size_t at) noexcept {
    if (all.json == nullptr) return json_in<Record>(all.rows[at]);
    return all.json->value(static_cast<store::code>(at + 1));
}

/// The rows of a workspace's records of a kind, in order of arrival. One thread adds; any thread
/// may read the rows below a size() that the adding thread has passed on to it.
template <class Record>
class record_rows {
public:
    /// `seed` is the seed of the hash table of ids.
    explicit record_rows(hash_seed seed) : ids_(seed) {}

    /// Adds a record. Error: identifier_taken, param `id`, unless events refer to such records: the
    /// columns of events then have their ids.
    [[nodiscard]] result<void> add(const Record& added) {
        if constexpr (is_in_events<Record>) {
            rows_.append_json(pack_row(added));
        } else {
            ids_.shrink(rows_.size());  // memory may have run out within an earlier call
            if (ids_.find(added.id) != store::absent) {
                return fail_in(rule::identifier_taken, "id");
            }
            static_cast<void>(ids_.encode(added.id));
            std::string json;
            sluice::detail::json_writer writer(json);
            write_record(writer, added);
            rows_.append_json(pack_row(added, json));
        }
        return {};
    }
    /// Removes the last records, so that at most `size` are left.
    void shrink(std::size_t size) noexcept {
        if (size >= this->size()) return;
        if (!is_in_events<Record>) ids_.shrink(size + 1);  // codes start at 1
        rows_.shrink(size + 1);
    }

    [[nodiscard]] std::size_t size() const noexcept { return rows_.size() - 1; }
    /// The first `size` rows, valid as long as this.
    [[nodiscard]] std::span<const packed_row> first(std::size_t size) const noexcept {
        return {rows_.data() + 1, size};
    }
    /// Memory use, in bytes.
    [[nodiscard]] std::size_t bytes() const { return ids_.bytes() + rows_.bytes(); }

    /// Writes the first `size` records. Records may be added meanwhile. Safe on any thread.
    void save(store::archive_writer& archive, std::size_t size) const {
        if (!is_in_events<Record>) ids_.save(archive, size + 1);
        rows_.save(archive, size + 1);
    }
    /// Reads records that save() wrote into this empty list. They are incomplete if the archive is
    /// damaged; see archive_reader::has_failed().
    void open(store::archive_reader& archive) {
        if (!is_in_events<Record>) ids_.open(archive);
        rows_.open(archive);
        if (!is_in_events<Record> && ids_.size() != rows_.size()) archive.fail();
    }

private:
    store::dictionary ids_;
    store::json_fragments rows_{{}, {}, {}};  // by code, from 1
};

}  // namespace sluice::reference

#endif
