// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_ORDER_HPP
#define SLUICE_GRAMMARS_ORDER_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/parse_limits.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/text_scanner.hpp>
#include <sluice/query/list_query.hpp>

/// Orders of lists in the grammars of guidelines: `$orderby` of OData, `order_by` of AIP-132,
/// `sort` of RSQL, `sortby` of OGC's APIs, `sortBy` and `sortOrder` of SCIM, and `order` of
/// PostgREST.
namespace sluice {

namespace detail {

/// A sort key as it is written: the place of its name, and its direction.
struct written_key {
    text_place name{};
    sort_order direction = sort_order::ascending;
};

/// Reads sort keys with commas between them. Each grammar derives from it, and reads its keys.
class order_reader {
public:
    order_reader(const order_reader&) = delete;
    order_reader& operator=(const order_reader&) = delete;
    virtual ~order_reader() = default;

    /// Reads the whole text. A blank text isn't an order.
    [[nodiscard]] result<std::vector<sort_key>> read() {
        const std::string_view text = scan_.rest();
        if (text.size() > expression_max_bytes) {
            return fail_at({0, text.size()}, rule::query_too_long,
                           at_most<expression_max_bytes, " bytes">());
        }
        const std::size_t valid = valid_utf8_prefix(text);
        if (valid < text.size()) {
            return fail_at({valid, 1}, rule::text_encoding, "write the text in UTF-8");
        }
        std::vector<sort_key> keys;
        scan_.skip_space();
        if (scan_.at_end()) return keys;
        do {
            scan_.skip_space();
            const auto read = read_key();
            if (!read) return tl::unexpected<error>(read.error());
            const auto key = key_of(*read);
            if (!key) return tl::unexpected<error>(key.error());
            const auto is_same = [&](const sort_key& other) { return other.by == key->by; };
            if (std::ranges::any_of(keys, is_same)) {
                return fail_at(read->name, rule::sort_repeated);
            }
            keys.push_back(*key);
            scan_.skip_space();
        } while (scan_.take(','));
        if (scan_.at_end()) return keys;
        return fail_at(scan_.next(), rule::expression_malformed, end_advice());
    }

protected:
    order_reader(std::string_view text, const expression_columns& columns)
        : scan_(text), columns_(&columns) {}

    [[nodiscard]] virtual result<written_key> read_key() = 0;
    /// Returns what may follow a key: static text.
    [[nodiscard]] virtual std::string_view end_advice() const {
        return "expected a comma or the end";
    }
    /// Returns a name with dots between its steps, as columns have it.
    [[nodiscard]] virtual std::string name_of(std::string_view spelled) const {
        return std::string(spelled);
    }
    [[nodiscard]] virtual const expression_column* find(std::string_view name) const {
        return columns_->find(name);
    }

    /// Takes a name: bytes up to a space, a comma or a parenthesis.
    [[nodiscard]] result<text_place> take_name() {
        const std::size_t first = scan_.offset();
        scan_.take_while(
            [](char byte) { return !is_space(byte) && byte != ',' && byte != '(' && byte != ')'; });
        const text_place place = scan_.since(first);
        if (scan_.peek() == '(') return fail_at(place, rule::expression_unsupported);
        if (place.length > 0) return place;
        return fail_at(scan_.next(), rule::expression_malformed, "expected a column");
    }

    text_scanner scan_;
    const expression_columns* columns_;

private:
    [[nodiscard]] result<sort_key> key_of(const written_key& read) const {
        const std::string name = name_of(scan_.spelled(read.name));
        const expression_column* const match = find(name);
        if (match == nullptr) {
            error unknown = make_error(rule::column_unknown, read.name.offset, read.name.length);
            unknown.suggestion = columns_->near_miss(name);
            return tl::unexpected<error>(unknown);
        }
        const column& by = match->subject;
        if (!has_order(by)) {
            return fail_at(read.name, rule::operator_refused,
                           "order by a column with one value in each row");
        }
        return sort_key{by, read.direction};
    }
};

/// Reads `name asc` and `name desc`.
class worded_order_reader : public order_reader {
public:
    worded_order_reader(std::string_view text, const expression_columns& columns)
        : order_reader(text, columns) {}

private:
    [[nodiscard]] result<written_key> read_key() override {
        return take_name().map([&](text_place name) {
            const bool has_space = scan_.skip_space();
            const bool is_descending = has_space && scan_.take_word("desc");
            if (has_space && !is_descending) scan_.take_word("asc");
            return written_key{name,
                               is_descending ? sort_order::descending : sort_order::ascending};
        });
    }
    [[nodiscard]] std::string_view end_advice() const override {
        return "expected asc, desc, a comma or the end";
    }
    [[nodiscard]] std::string name_of(std::string_view spelled) const override {
        std::string name(spelled);
        std::ranges::replace(name, '/', '.');
        return name;
    }
};

/// Reads `+name` and `-name`.
class signed_order_reader final : public order_reader {
public:
    signed_order_reader(std::string_view text, const expression_columns& columns)
        : order_reader(text, columns) {}

private:
    [[nodiscard]] result<written_key> read_key() override {
        const bool is_descending = scan_.take('-');
        if (!is_descending) scan_.take('+');
        return take_name().map([&](text_place name) {
            return written_key{name,
                               is_descending ? sort_order::descending : sort_order::ascending};
        });
    }
};

/// Reads the attribute of `sortBy`.
class scim_order_reader final : public order_reader {
public:
    scim_order_reader(std::string_view text, const expression_columns& columns)
        : order_reader(text, columns) {}

private:
    [[nodiscard]] result<written_key> read_key() override {
        return take_name().map([](text_place name) { return written_key{name}; });
    }
    [[nodiscard]] std::string name_of(std::string_view spelled) const override {
        const std::size_t uri = spelled.rfind(':');
        return std::string(uri == std::string_view::npos ? spelled : spelled.substr(uri + 1));
    }
    [[nodiscard]] const expression_column* find(std::string_view name) const override {
        return columns_->find_ignoring_case(name);
    }
};

/// Reads `name.desc.nullslast`.
class postgrest_order_reader final : public order_reader {
public:
    postgrest_order_reader(std::string_view text, const expression_columns& columns)
        : order_reader(text, columns) {}

private:
    [[nodiscard]] result<written_key> read_key() override {
        const auto whole = take_name();
        if (!whole) return tl::unexpected<error>(whole.error());
        written_key key{*whole};
        const bool are_first = take_suffix(key.name, ".nullsfirst");
        const bool are_last = !are_first && take_suffix(key.name, ".nullslast");
        const std::size_t nulls = whole->length - key.name.length;
        const bool is_descending = take_suffix(key.name, ".desc");
        if (is_descending) key.direction = sort_order::descending;
        if (!is_descending) take_suffix(key.name, ".asc");
        if (is_descending ? are_first : are_last) {
            return fail_at({whole->offset + whole->length - nulls + 1, nulls - 1},
                           rule::expression_unsupported,
                           "the missing come first if ascending, last if descending");
        }
        return key;
    }
    bool take_suffix(text_place& name, std::string_view suffix) const {
        if (!scan_.spelled(name).ends_with(suffix)) return false;
        name.length -= suffix.size();
        return true;
    }
};

}  // namespace detail

/// Parses the `$orderby` of OData: `name [SP ("asc" / "desc")]`, with commas between keys. The
/// steps of a name are separated by `/`. Errors, which all grammars share, point at the byte:
/// column_unknown, operator_refused of a column that has no order, sort_repeated,
/// expression_malformed and expression_unsupported of functions.
///
/// ```
/// const auto order = sluice::parse_odata_order("total desc,customer/name", columns);
/// ```
[[nodiscard]] inline result<std::vector<sort_key>> parse_odata_order(
    std::string_view text, const expression_columns& columns) {
    return detail::worded_order_reader(text, columns).read();
}

/// Parses the `order_by` of AIP-132: as parse_odata_order(), with `.` between the steps of a name.
[[nodiscard]] inline result<std::vector<sort_key>> parse_aip160_order(
    std::string_view text, const expression_columns& columns) {
    return detail::worded_order_reader(text, columns).read();
}

/// Parses the `sort` of RSQL and the `sortby` of OGC's APIs: `["+" / "-"] name`, with commas
/// between keys. A `+` that a query string turned into a space is read, too.
///
/// ```
/// const auto order = sluice::parse_signed_order("-total,created", columns);
/// ```
[[nodiscard]] inline result<std::vector<sort_key>> parse_signed_order(
    std::string_view text, const expression_columns& columns) {
    return detail::signed_order_reader(text, columns).read();
}

/// Parses the `sortBy` of SCIM: an attribute, ascending.
[[nodiscard]] inline result<std::vector<sort_key>> parse_scim_order(
    std::string_view text, const expression_columns& columns) {
    auto keys = detail::scim_order_reader(text, columns).read();
    if (!keys || keys->size() < 2) return keys;
    return detail::fail_at({text.find(','), 1}, rule::expression_malformed,
                           "expected one attribute");
}

/// Parses the `sortOrder` of SCIM, in any case: the direction of its `sortBy`.
[[nodiscard]] inline result<sort_order> parse_scim_direction(std::string_view text) {
    if (detail::equal_ignoring_case(text, "ascending")) return sort_order::ascending;
    if (detail::equal_ignoring_case(text, "descending")) return sort_order::descending;
    return detail::fail_at({0, text.size()}, rule::choice_unknown,
                           "expected ascending or descending");
}

/// Parses the `order` of PostgREST: `name [".asc" / ".desc"] [".nullsfirst" / ".nullslast"]`, with
/// commas between keys. Missing values come first if ascending and last if descending; a key may
/// state this, but no other place (expression_unsupported).
[[nodiscard]] inline result<std::vector<sort_key>> parse_postgrest_order(
    std::string_view text, const expression_columns& columns) {
    return detail::postgrest_order_reader(text, columns).read();
}

}  // namespace sluice

#endif
