// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/query/json_writer.hpp>
#include <sluice/query/page.hpp>

#include "bound_query.hpp"
#include "convert.hpp"
#include "fast_method.hpp"
#include "pydantic_hooks.hpp"
#include "query_sql.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* cursor_type =
    R"(A place in an ordered list, just after or just before a row.

A page continues there, whatever was added to the list meanwhile. Made by parse() from a request's
parameter cursor, or from the result of cursor_beside().)";

constexpr const char* parse = R"(parse(text: str) -> Cursor
--

Reads the text of a cursor.

Raises:
    ApiError: The text isn't a cursor, or was changed.

Example:
    >>> text = sluice.api.TagsQuery.parse("").cursor_beside(["sale", "tag_7"])
    >>> sluice.Cursor.parse(text).keys
    ('sale', 'tag_7'))";

constexpr const char* is_before = "True if the page ends there, False if it begins there: bool.";
constexpr const char* keys =
    R"(The row's sort keys as texts, None for one that is null: a tuple of str or None.

A text that is too long for a cursor is cut to its beginning.)";
constexpr const char* query_mark =
    R"(A mark of the order and the filters that the cursor was made for, an int of 32 bits.)";
constexpr const char* repeat =
    "The number of rows with the same keys before the row: int, 0 if no two rows have the same.";

constexpr const char* write_page_headers =
    R"(write_page_headers(query: object, path: str, shown: SupportsIndex, ends: object, has_more: _Flag | None, total: SupportsIndex | None) -> dict[str, str]
--

Writes the headers of a page; see sluice.pages.page_headers().)";

constexpr const char* link_header =
    R"(link_header(url: str, *, page: SupportsIndex | None = None, has_next: _Flag = False, before: Cursor | str | None = None, after: Cursor | str | None = None, max_size: SupportsIndex = 2816, offset: SupportsIndex | None = None, limit: SupportsIndex = 100, names: Mapping[str, str | None] = {}) -> str
--

The value of a Link header, which leads from a page of a list to those beside it.

Its relations are first, prev and next, if there are such pages. They keep the request's other
parameters. If the header would be too long, its first relations are left out.

Args:
    url: The address of the request, with its query string. Its parameters page, offset and cursor
        are replaced.
    page: The number of the page, from 1, if pages have numbers.
    has_next: True if there is a page after it.
    before: The cursor of the page before, if pages have cursors; None if there is none.
    after: The cursor of the page after.
    max_size: The most bytes of the header, an int.
    offset: The number of rows before the page, if pages have offsets.
    limit: The number of rows on a page, for offsets.
    names: Names of the parameters page, offset and cursor, as for sluice.page(); None for one that
        the list lacks.

Returns:
    str.

Raises:
    TypeError: There are several of a number, an offset and a cursor.
    ValueError: The address has a character that no address has, or page, offset or limit is too
        small.

Example:
    >>> sluice.link_header("/orders?limit=9&page=1", page=1, has_next=True)
    '</orders?limit=9&page=1>; rel="first", </orders?limit=9&page=2>; rel="next"')";

}  // namespace doc

cursor parse(py::handle text) {
    const utf8_text utf8(text, "text");
    return unwrap(parse_cursor(utf8.view()), utf8.view());
}

/// Implements parse(); see fast_method.hpp.
PyObject* parse_fast(PyObject*, const raw_call& call) {
    const auto [text] = bind_arguments<1>("parse", {"text"}, 1, call);
    return to_new_object(parse(text));
}

/// The text of a cursor; one that was parsed always has a text.
py::object text_of(const cursor& place) { return to_python(to_string(place).value_or("")); }

/// The sort keys, None for null. They come from clients and may be invalid UTF-8.
py::tuple keys_of(const cursor& place) {
    py::list keys;
    for (const auto& key : place.keys) {
        keys.append(key ? to_python(sluice::detail::to_valid_utf8(*key)) : py::none());
    }
    return py::tuple(keys);
}

py::tuple arguments(const cursor& place) { return py::make_tuple(text_of(place)); }

py::object repr(const cursor& place) {
    return py::str("Cursor.parse({!r})").format(text_of(place));
}

bool are_equal(const cursor& a, const cursor& b) { return a == b; }

py::ssize_t hash(const cursor& place) { return py::hash(text_of(place)); }

/// The names of the parameters that select a page; empty for those that the list lacks.
struct place_names {
    std::string page = "page", offset{}, cursor = "cursor";

    place_names() = default;
    explicit place_names(py::handle names) {
        for (const py::handle item : to_pairs_of(names, "names")) {
            const py::sequence pair = to_pair(item, "names");
            std::string* const name = find(to_text(pair[0], "names"));
            if (name == nullptr) {
                throw py::value_error("names: expected page, offset or cursor, not " +
                                      py::cast<std::string>(py::repr(pair[0])));
            }
            *name = pair[1].is_none() ? std::string() : to_text(pair[1], "names");
        }
    }
    /// Returns true if a parameter selects a page.
    [[nodiscard]] bool has(std::string_view name) const {
        return !name.empty() && (name == page || name == offset || name == cursor);
    }
    /// Returns the place of the first page; nullopt if its address has none.
    [[nodiscard]] std::optional<name_value> first() const {
        if (!page.empty()) return name_value{page, "1"};
        return offset.empty() ? std::nullopt : std::optional(name_value{offset, "0"});
    }

private:
    [[nodiscard]] std::string* find(std::string_view part) {
        if (part == "page") return &page;
        if (part == "offset") return &offset;
        return part == "cursor" ? &cursor : nullptr;
    }
};

/// The address of a request for a page, and its parameters without those that select the page. Not
/// to be moved: the members view `url`.
struct list_address {
    std::string url;
    query_string query;
    std::vector<name_value> pairs{};  ///< those of `query` that links keep

    list_address(std::string address, const place_names& names)
        : url(std::move(address)),
          query(parse_query_string(std::string_view(url).substr(path().size()))) {
        std::ranges::copy_if(query.pairs(), std::back_inserter(pairs),
                             [&](const name_value& pair) { return !names.has(pair.name); });
    }
    [[nodiscard]] std::string_view path() const {
        return std::string_view(url).substr(0, url.find('?'));
    }
};

/// Returns the address of a request. ValueError if a character could end a link or the header that
/// contains it, or if it has a fragment.
std::string to_address(py::handle address) {
    std::string url = to_text(address, "url");
    const bool is_address = std::ranges::all_of(
        url, [](char c) { return c > ' ' && c < '\x7f' && c != '<' && c != '>' && c != '"'; });
    if (is_address && url.find('#') == url.npos) return url;
    throw py::value_error(
        "url: expected an address of ASCII without spaces, control characters, <, >, \" and #");
}

/// The text of a cursor; nullopt for None.
std::optional<std::string> to_cursor_text(py::handle place, const char* what) {
    if (place.is_none()) return std::nullopt;
    if (py::isinstance<py::str>(place)) return to_text(place, what);
    if (py::isinstance<cursor>(place)) return to_string(place.cast<const cursor&>());
    refuse_type(what, "Cursor, str or None", place);
}

/// Converts a number of at least `least`.
std::int64_t to_count(py::handle value, const char* what, std::int64_t least) {
    const std::int64_t number = to_integer(value, what);
    if (number >= least) return number;
    throw py::value_error(std::string(what) + ": expected a number from " + std::to_string(least));
}

/// Implements link_header.
py::object write_link_header(py::handle url, py::handle page_number, py::handle has_next,
                             py::handle before, py::handle after, py::handle max_size,
                             py::handle offset, py::handle limit, py::handle name_map) {
    place_names names(name_map);
    if (!offset.is_none() && names.offset.empty()) names.offset = "offset";
    const list_address list(to_address(url), names);
    const auto most = to_unsigned(max_size, "max_size");
    const auto previous = to_cursor_text(before, "before"), next = to_cursor_text(after, "after");
    const bool has_cursor = previous || next;
    if (int{has_cursor} + int{!page_number.is_none()} + int{!offset.is_none()} > 1) {
        throw py::type_error("link_header: expected one of page, offset and cursors");
    }
    if (!page_number.is_none()) {
        return to_python(link_header(list.path(), list.pairs, to_count(page_number, "page", 1),
                                     to_flag(has_next, "has_next"), most, names.page));
    }
    if (!offset.is_none()) {
        const page shown{.size = to_count(limit, "limit", 1),
                         .skipped = to_count(offset, "offset", 0)};
        return to_python(offset_link_header(list.path(), list.pairs, shown,
                                            to_flag(has_next, "has_next"), most, names.offset));
    }
    page_links beside{.first = names.first()};
    if (previous) beside.previous = {names.cursor, *previous};
    if (next) beside.next = {names.cursor, *next};
    return to_python(link_header(list.path(), list.pairs, beside, most));
}

// --- Headers of a page ---------------------------------------------------------------------------

/// A list query, and the parameters of links to its other pages.
class linked_query {
public:
    /// Views the query.
    explicit linked_query(const bound_query& bound) : list_(bound.list()) {
        const declared_request* const request = bound.request();
        text_ = request == nullptr ? to_json(list_) : request->text();
        if (request == nullptr) return;
        bool has_page = request->table->size() == 0;
        for (const auto& declared : request->table->params()) {
            const declaration& spec = declared->spec;
            if (spec.kind == declared_kind::window) {
                fix_window(spec,
                           sluice::detail::value_at<list_window>(request->query, *declared).window);
            }
            if (spec.kind != declared_kind::page || std::exchange(has_page, true)) continue;
            names_.page = name_of(spec, 0);
            names_.offset = name_of(spec, 1);
            names_.cursor = name_of(spec, 3);
            counts_from_1_ = spec.style == page_style::scim;
        }
        has_page_ = has_page;
    }
    linked_query(const linked_query&) = delete;
    linked_query& operator=(const linked_query&) = delete;

    /// Returns false if the class of the query declares parameters, but no page.
    [[nodiscard]] bool has_page() const noexcept { return has_page_; }

    /// Returns the Link header. `ends` are the sort keys of the page's first and last rows.
    [[nodiscard]] std::string link(std::string_view path, py::handle ends, bool has_more) const {
        const query_string query = parse_query_string(text_);
        std::vector<name_value> pairs;
        std::ranges::copy_if(query.pairs(), std::back_inserter(pairs), [&](const name_value& pair) {
            return !names_.has(pair.name) && std::ranges::find(fixed_, pair.name) == fixed_.end();
        });
        for (const auto& [name, value] : instants_) pairs.push_back({name, value});
        if (!ends.is_none() && !names_.cursor.empty())
            return at_cursors(path, pairs, ends, has_more);
        const page& wanted = list_.wanted;
        if (!list_.from && !names_.offset.empty() && !counts_from_1_) {
            const page shown{.size = wanted.size, .skipped = wanted.offset()};
            return offset_link_header(path, pairs, shown, has_more, max_link_header, names_.offset);
        }
        if (!list_.from && !names_.page.empty()) {
            return link_header(path, pairs, wanted.number, has_more, max_link_header, names_.page);
        }
        return link_header(path, pairs, {.first = names_.first()});
    }

private:
    /// The name of a part of a group of parameters; empty for one without a parameter.
    static std::string name_of(const declaration& spec, std::size_t part) {
        const bool has_name = part < spec.names.size() && !spec.names[part].empty();
        return has_name ? spec.name + spec.names[part] : std::string();
    }
    /// Replaces a window by its instants, so that pages stay consistent over time. An empty one,
    /// whose instants would be reversed, is kept as requested.
    void fix_window(const declaration& spec, const time_range& window) {
        const std::string interval = name_of(spec, 0), start = name_of(spec, 1),
                          end = name_of(spec, 2);
        if (window.start && window.end && *window.start > *window.end) return;
        if ((window.start && start.empty()) || (window.end && end.empty())) return;
        fixed_.insert(fixed_.end(), {interval, start, end});
        const bool is_open = !window.start || !window.end;
        if (is_open && !interval.empty()) instants_.emplace_back(interval, "all");
        if (window.start) instants_.emplace_back(start, format_timestamp(*window.start));
        if (window.end) instants_.emplace_back(end, format_timestamp(*window.end));
    }
    [[nodiscard]] std::string at_cursors(std::string_view path, std::span<const name_value> pairs,
                                         py::handle ends, bool has_more) const {
        const bool is_before = list_.from && list_.from->is_before;
        const bool has_previous = !list_.from ? list_.wanted.offset() > 0 : !is_before || has_more;
        const bool has_next = is_before || has_more;
        std::string previous, next;
        const auto beside = [&](const char* end, bool before) {
            return to_cursor_beside(list_, ends.attr(end), py::bool_(before), py::str("prepared"));
        };
        if (has_previous) previous = beside("first", true);
        if (has_next) next = beside("last", false);
        page_links links{.first = names_.first()};
        if (has_previous) links.previous = {names_.cursor, previous};
        if (has_next) links.next = {names_.cursor, next};
        return link_header(path, pairs, links);
    }

    const list_query& list_;
    std::string text_{};
    place_names names_{};
    bool counts_from_1_ = false, has_page_ = true;
    std::vector<std::string> fixed_{};  // names of windows' parameters
    std::vector<std::pair<std::string, std::string>> instants_{};
};

/// Percent-encodes the bytes of a path that no URL has; `%` may be part of an encoded one.
std::string to_url_path(std::string_view path) {
    constexpr std::string_view others = "-._~/%:@[]!$&'()*+,;=";
    std::string url;
    for (const char byte : path) {
        const bool is_plain = sluice::detail::is_letter(byte) || sluice::detail::is_digit(byte) ||
                              others.find(byte) != others.npos;
        if (is_plain) {
            url.push_back(byte);
        } else {
            sluice::detail::append_hex(url.append("%"), byte, sluice::detail::upper_hex_digits);
        }
    }
    return url;
}

/// Returns true if rows follow a page of `shown` rows, as far as the total says, if it is known; a
/// full page is assumed to have a successor.
bool has_successor(const list_query& list, py::handle shown, py::handle total) {
    if (total.is_none() || list.from) return to_integer(shown, "shown") == list.wanted.size;
    const std::int64_t rows = to_integer(total, "total"), before = list.wanted.offset();
    return rows > before && rows - before > list.wanted.size;
}

/// Implements write_page_headers.
PyObject* write_page_headers(PyObject*, const raw_call& call) {
    const auto [self, path, shown, ends, more, rows] = bind_arguments<6>(
        "write_page_headers", {"query", "path", "shown", "ends", "has_more", "total"}, 6, call);
    const py::handle total(rows);
    const bound_query* const bound = find_bound_query(self);
    if (bound == nullptr) refuse_type("query", "a ListQuery", self);
    const linked_query query(*bound);
    if (!query.has_page()) {
        throw py::value_error(py::cast<std::string>(py::type::handle_of(self).attr("__name__")) +
                              ": links need its pages: give it a sluice.page()");
    }
    const bool has_successors =
        more == Py_None ? has_successor(bound->list(), shown, total) : to_flag(more, "has_more");
    const bool has_more = has_successors && bound->list().wanted.size > 0;
    const utf8_text utf8(path, "path");
    py::dict headers;
    const std::string link = query.link(to_url_path(utf8.view()), ends, has_more);
    if (!link.empty()) headers["Link"] = link;
    if (!total.is_none()) headers["X-Total-Count"] = py::str(total);
    return headers.release().ptr();
}

}  // namespace

void register_pages(py::module_& m) {
    auto c = make_class<cursor>(m, "Cursor", doc::cursor_type);
    def_static_fast<parse_fast>(c, "parse", doc::parse);
    def_attribute(
        c, "is_before: bool", [](const cursor& at) { return at.is_before; }, doc::is_before);
    def_attribute(c, "keys: tuple[str | None, ...]", keys_of, doc::keys);
    def_attribute(
        c, "query_mark: int", [](const cursor& at) { return at.query_mark; }, doc::query_mark);
    def_attribute(c, "repeat: int", [](const cursor& at) { return at.repeat; }, doc::repeat);
    def_equal(c, are_equal);
    def(c, "__hash__", hash, hash_doc);
    def(c, "__str__", text_of, str_doc);
    def(c, "__repr__", repr, repr_doc);
    def_reduce(c, arguments);
    def_pydantic<param_type::cursor>(c);
    def_fast<write_page_headers>(m, "write_page_headers", doc::write_page_headers);
    def(m, "link_header", write_link_header, doc::link_header, py::arg("url"), py::kw_only(),
        py::arg("page") = py::none(), py::arg("has_next") = false, py::arg("before") = py::none(),
        py::arg("after") = py::none(), py::arg("max_size") = max_link_header,
        py::arg("offset") = py::none(), py::arg("limit") = 100, py::arg("names") = py::dict());
}

}  // namespace sluice::bindings
