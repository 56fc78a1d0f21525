// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_LIST_HPP
#define SLUICE_QUERY_LIST_HPP

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/errors/error.hpp>
#include <sluice/query/accessors.hpp>
#include <sluice/query/cell.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/query/detail/cell_order.hpp>
#include <sluice/query/list_query.hpp>

/// Lists of a program's own objects.
namespace sluice {

/// A page of objects, with cursors to its neighbours. Borrows the objects.
///
/// ```
/// for (const item& row : *page) print(row.name);
/// ```
template <class Object>
class object_page : public page_info {
public:
    using lends_views = void;

    /// An iterator over the objects.
    class iterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = Object;
        using difference_type = std::ptrdiff_t;
        using pointer = const Object*;
        using reference = const Object&;

        iterator() = default;
        explicit iterator(const Object* const* at) noexcept : at_(at) {}

        [[nodiscard]] reference operator*() const noexcept { return **at_; }
        [[nodiscard]] pointer operator->() const noexcept { return *at_; }
        iterator& operator++() noexcept {
            ++at_;
            return *this;
        }
        iterator operator++(int) noexcept { return iterator(at_++); }
        friend bool operator==(const iterator&, const iterator&) = default;

    private:
        const Object* const* at_ = nullptr;
    };

    object_page() = default;
    object_page(page_info&& place, std::vector<const Object*>&& rows)
        : page_info(std::move(place)), rows_(std::move(rows)) {}

    [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
    [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
    /// Returns an object by its place on the page. Expects place < size().
    [[nodiscard]] const Object& operator[](std::size_t place) const noexcept {
        return *rows_[place];
    }
    [[nodiscard]] iterator begin() const noexcept { return iterator(rows_.data()); }
    [[nodiscard]] iterator end() const noexcept { return iterator(rows_.data() + rows_.size()); }

private:
    std::vector<const Object*> rows_{};
};

namespace detail {

/// Finds the page of a list query among objects that are added one by one. Views its arguments and
/// the objects.
template <class Object>
class page_finder {
public:
    template <std::size_t Columns>
    page_finder(const list_query& query, const accessors<Object, Columns>& by) : query_(query) {
        const auto find = [&](const column& wanted) {
            const std::size_t place = by.find(wanted);
            return place < Columns ? source{&by.columns().begin()[place], by.reader(place)}
                                   : source();
        };
        for (const leaf& condition : query.rows.leaves()) {
            tested_.push_back(find(condition.subject));
        }
        order_ = whole_order(query);
        for (const sort_key& key : order_) {
            // A column `id` that a query appends to its order has no type.
            const column* const named =
                find_column({by.columns().begin(), by.columns().size()}, key.by.name);
            const source values =
                find(named != nullptr && key.by == column{.name = "id"} ? *named : key.by);
            keys_.push_back(values.of != nullptr && is_sortable(*values.of) ? values : source());
        }
    }

    /// Checks that the query has a page, and begins it at the cursor. Errors: not_applicable for a
    /// `search`; cursor_mismatch and cursor_malformed.
    [[nodiscard]] result<void> check() {
        if (!query_.search.empty()) return fail_in(rule::not_applicable, "search");
        if (!query_.from) return {};
        if (query_.from->query_mark != query_mark(query_)) {
            return fail_in(rule::cursor_mismatch, "cursor");
        }
        if (!has_keys(*query_.from)) return fail_in(rule::cursor_malformed, "cursor");
        begin_at(*query_.from);
        return {};
    }
    /// Returns true if the cursor has only the beginning of a key; then complete() is needed.
    [[nodiscard]] bool is_cut() const noexcept { return query_.from && !query_.from->cuts.empty(); }
    /// Returns true if the cursor is at an object.
    [[nodiscard]] bool is_at(const Object& object) {
        if (compare_with_key(object, keys_.size() - 1) != 0 || !matches(object)) return false;
        const auto keys = keys_of(object);
        return std::all_of(
            query_.from->cuts.begin(), query_.from->cuts.end(),
            [&](const cut_key& cut) { return has_cut_key(keys, *query_.from, cut); });
    }
    /// Completes the cursor's keys by those of its object; null if that is gone.
    void complete(const Object* object) {
        begin_at(with_whole_keys(
            *query_.from, [this](std::size_t at) { return ascends(at); },
            [&](const std::optional<std::string>&) {
                return object ? keys_of(*object) : std::vector<std::optional<std::string>>();
            }));
    }

    /// Adds an object, in the order of the range.
    void add(const Object& object) {
        const entry added{&object, count_++};
        if (!matches(object)) return;
        ++total_;
        if (query_.from && !is_beyond(object)) return;
        const auto before = [this](const entry& a, const entry& b) { return comes_before(a, b); };
        if (kept_.size() >= needed()) {
            if (!before(added, kept_.front())) return;
            std::pop_heap(kept_.begin(), kept_.end(), before);
            kept_.pop_back();
        }
        kept_.push_back(added);
        std::push_heap(kept_.begin(), kept_.end(), before);
    }
    /// Finishes the page of the added objects.
    void finish() {
        const auto before = [this](const entry& a, const entry& b) { return comes_before(a, b); };
        std::sort_heap(kept_.begin(), kept_.end(), before);
        const std::size_t first = std::min(kept_.size(), skipped());
        const std::size_t end = first + std::min(kept_.size() - first, size());
        info_.has_next = end < kept_.size();
        has_repeats_ = first < end && (is_repeat(first) || is_repeat(end - 1));
        info_.has_previous = query_.from ? true : query_.wanted.number > 1;
        kept_.resize(end);
        kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(first));
        if (is_backwards()) {
            std::reverse(kept_.begin(), kept_.end());
            info_.has_previous = std::exchange(info_.has_next, true);
        }
        if (query_.wants_total) info_.total = static_cast<std::int64_t>(total_);
    }
    /// Returns true if an object at an end of the page has the keys of one before it; then every
    /// object must be passed to count_repeat().
    [[nodiscard]] bool has_repeats() const noexcept { return has_repeats_; }
    void count_repeat(const Object& object) {
        const std::size_t at = passed_++;
        const bool is_front = at < kept_.front().at && compare(object, *kept_.front().object) == 0;
        const bool is_back = at < kept_.back().at && compare(object, *kept_.back().object) == 0;
        if (!(is_front || is_back) || !matches(object)) return;
        front_repeats_ += is_front ? 1 : 0;
        back_repeats_ += is_back ? 1 : 0;
    }
    [[nodiscard]] object_page<Object> page() {
        std::vector<const Object*> rows;
        for (const entry& row : kept_) rows.push_back(row.object);
        if (!rows.empty()) {
            if (info_.has_next) info_.next = place_of(*rows.back(), false, back_repeats_);
            if (info_.has_previous) info_.previous = place_of(*rows.front(), true, front_repeats_);
        }
        return {std::move(info_), std::move(rows)};
    }

private:
    /// A column of the objects, and its reader; empty if they lack it.
    struct source {
        const column* of = nullptr;
        cell_reader<Object> read = nullptr;
    };
    struct entry {
        const Object* object;
        std::size_t at;  // its place in the range
    };

    /// Reads a cell into one of two buffers.
    [[nodiscard]] cell read(const Object& object, const source& by, std::size_t buffer) {
        if (by.of == nullptr) return std::monostate();
        return by.read(object, *by.of, buffers_[buffer]);
    }
    [[nodiscard]] bool matches(const Object& object) {
        const leaf* const first = query_.rows.leaves().data();
        return query_.rows.matches_if([&](const leaf& condition) {
            return sluice::holds(
                condition, read(object, tested_[static_cast<std::size_t>(&condition - first)], 0));
        });
    }

    [[nodiscard]] bool ascends(std::size_t key) const noexcept {
        return order_[key].direction == sort_order::ascending;
    }
    [[nodiscard]] std::weak_ordering directed(std::size_t key, std::weak_ordering order) const {
        return ascends(key) ? order : 0 <=> order;
    }
    [[nodiscard]] std::weak_ordering compare(const Object& a, const Object& b) {
        for (std::size_t key = 0; key < keys_.size(); ++key) {
            if (keys_[key].of == nullptr) continue;
            const auto order =
                compare_cells(*keys_[key].of, read(a, keys_[key], 0), read(b, keys_[key], 1));
            if (order != 0) return directed(key, order);
        }
        return std::weak_ordering::equivalent;
    }
    [[nodiscard]] std::weak_ordering compare_with_key(const Object& object, std::size_t key) {
        if (keys_[key].of == nullptr) return std::weak_ordering::equivalent;
        return compare_cells(*keys_[key].of, read(object, keys_[key], 0), from_keys_[key]);
    }
    /// Returns true if an object is on the page's side of the cursor. Objects with equal keys must
    /// come in the order of the range.
    [[nodiscard]] bool is_beyond(const Object& object) {
        for (std::size_t key = 0; key < keys_.size(); ++key) {
            const auto order = directed(key, compare_with_key(object, key));
            if (order != 0) return is_backwards() ? order < 0 : order > 0;
        }
        const std::size_t repeat = repeats_++;
        return is_backwards() ? repeat < from_.repeat : repeat > from_.repeat;
    }
    /// Returns true if a kept object has the keys of the one before it. Expects sorted ones.
    [[nodiscard]] bool is_repeat(std::size_t at) {
        const Object& object = *kept_[at].object;
        if (!is_backwards() && at == 0) return query_.from && is_at_cursor(object);
        const std::size_t before = is_backwards() ? at + 1 : at - 1;
        return before < kept_.size() && compare(*kept_[before].object, object) == 0;
    }
    [[nodiscard]] bool is_at_cursor(const Object& object) {
        for (std::size_t key = 0; key < keys_.size(); ++key) {
            if (compare_with_key(object, key) != 0) return false;
        }
        return true;
    }
    [[nodiscard]] bool comes_before(const entry& a, const entry& b) {
        const auto order = compare(*a.object, *b.object);
        return (order != 0 ? order < 0 : a.at < b.at) != is_backwards();
    }

    [[nodiscard]] bool is_backwards() const noexcept {
        return query_.from && query_.from->is_before;
    }
    [[nodiscard]] bool has_keys(const cursor& place) const {
        if (place.keys.size() != keys_.size()) return false;
        for (std::size_t at = 0; at < keys_.size(); ++at) {
            const auto& key = place.keys[at];
            if (key && !(keys_[at].of != nullptr && is_cell_key(*keys_[at].of, key))) return false;
            const bool may_be_cut = key && at + 1 < keys_.size() && is_text(at);
            if (place.cut_of(at) != nullptr && !may_be_cut) return false;
        }
        return true;
    }
    [[nodiscard]] bool is_text(std::size_t key) const noexcept {
        return keys_[key].of != nullptr && keys_[key].of->type == column_type::text;
    }
    void begin_at(cursor place) {
        from_ = std::move(place);
        from_keys_.clear();
        for (std::size_t at = 0; at < keys_.size(); ++at) {
            from_keys_.push_back(
                keys_[at].of != nullptr ? cell_of_key(*keys_[at].of, from_.keys[at]) : cell());
        }
    }
    [[nodiscard]] std::vector<std::optional<std::string>> keys_of(const Object& object) {
        std::vector<std::optional<std::string>> keys;
        for (const source& by : keys_) {
            const cell value = read(object, by, 0);
            keys.push_back(by.of != nullptr ? key_of_cell(*by.of, value) : std::nullopt);
        }
        return keys;
    }
    [[nodiscard]] cursor place_of(const Object& object, bool is_before, std::uint32_t repeat) {
        cursor place{is_before, query_mark(query_), repeat, keys_of(object)};
        cut_long_keys(place, [this](std::size_t at) { return is_text(at); });
        return place;
    }

    /// Clamps a number of rows so that sums of them don't overflow.
    [[nodiscard]] static constexpr std::size_t capped(std::int64_t rows) noexcept {
        constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max() / 8;
        return rows < 0
                   ? 0
                   : static_cast<std::size_t>(std::min(static_cast<std::uint64_t>(rows), most));
    }
    [[nodiscard]] std::size_t skipped() const noexcept {
        return query_.from ? 0 : capped(query_.wanted.offset());
    }
    [[nodiscard]] std::size_t size() const noexcept { return capped(query_.wanted.size); }
    /// Returns how many objects must be kept: those up to the page's end, and the next one.
    [[nodiscard]] std::size_t needed() const noexcept { return skipped() + size() + 1; }

    const list_query& query_;
    std::vector<source> tested_{};  // by leaf
    std::vector<sort_key> order_{};
    std::vector<source> keys_{};  // by sort key
    cursor from_{};
    std::vector<cell> from_keys_{};  // view from_
    std::array<cell_buffer, 2> buffers_{};
    std::vector<entry> kept_{};  // a heap, the last one of the page's direction first
    std::size_t count_ = 0, total_ = 0, repeats_ = 0, passed_ = 0;
    bool has_repeats_ = false;
    std::uint32_t front_repeats_ = 0, back_repeats_ = 0;
    page_info info_{};
};

}  // namespace detail

/// A range of objects, which yields references to them.
template <class Range, class Object>
concept object_range = requires(Range& range) {
    requires std::is_lvalue_reference_v<decltype(*std::begin(range))>;
    { *std::begin(range) } -> std::convertible_to<const Object&>;
    std::end(range);
};

/// Returns the page of a list query over a program's own objects: conditions, order, page number or
/// cursor, and total, as store::select() has them. Borrows the objects, which must not change while
/// the page is read.
///
/// ```
/// const auto page = sluice::list(items, sluice::to_list_query(params, *query), item_accessors);
/// for (const item& row : *page) print(row.name);
/// ```
///
/// Objects with equal keys stay in the order of the range, and cursors count them: a range may have
/// an id twice. Every object is tested once, or twice where equal keys meet an end of the page;
/// those of the pages up to this one are kept. A condition on a column that the accessors lack, or
/// have with another type, sees a missing value. Errors: not_applicable for a `search`;
/// cursor_mismatch and cursor_malformed.
template <class Object, std::size_t Columns, object_range<Object> Range>
[[nodiscard]] result<object_page<Object>> list(Range& range, const list_query& query,
                                               const accessors<Object, Columns>& by) {
    detail::page_finder<Object> finder(query, by);
    if (auto checked = finder.check(); !checked) return tl::unexpected<error>(checked.error());
    if (finder.is_cut()) {
        const Object* match = nullptr;
        for (const Object& object : range) {
            if (match == nullptr && finder.is_at(object)) match = &object;
        }
        finder.complete(match);
    }
    for (const Object& object : range) finder.add(object);
    finder.finish();
    if (finder.has_repeats()) {
        for (const Object& object : range) finder.count_repeat(object);
    }
    return finder.page();
}
template <class Object, std::size_t Columns, class Range>
    requires(!std::is_lvalue_reference_v<Range>)
void list(Range&& range, const list_query& query, const accessors<Object, Columns>& by) = delete;

}  // namespace sluice

#endif
