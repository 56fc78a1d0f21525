// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LISTS_RECORD_SEARCH_HPP
#define SLUICE_REFERENCE_LISTS_RECORD_SEARCH_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/case_folding.hpp>
#include <sluice/query/aggregation.hpp>
#include <sluice/query/list.hpp>
#include <sluice/reference/lists/record_query.hpp>
#include <sluice/reference/lists/record_rows.hpp>
#include <sluice/reference/search/list_page.hpp>
#include <sluice/store/conditions/scan_budget.hpp>

/// Searches of records: pages, groups and single records.
namespace sluice::reference {

/// Keeps every row of a search.
struct every_row {
    bool operator()(std::size_t) const noexcept { return true; }
};

/// A search of a list's rows by a list query, within limits. `keeps(index)` tests rows for
/// conditions on columns that the list's rows lack. Views the rows and the limits.
template <class Record, std::predicate<std::size_t> Keeps = every_row>
class record_search {
public:
    record_search(const listed_rows& all, list_query wanted, const store::scan_limits& limits,
                  Keeps keeps = {})
        : all_(all),
          wanted_(std::move(wanted)),
          mark_(query_mark(wanted_)),
          part_(sluice::detail::fold_case(std::exchange(wanted_.search, {}))),
          keeps_(std::move(keeps)),
          budget_(limits) {
        std::vector<leaf> tested;
        for (const leaf& condition : wanted_.rows.leaves()) {
            if (columns.find(condition.subject.name) != nullptr) tested.push_back(condition);
        }
        wanted_.rows = where::all_of(std::move(tested));
        // However few rows there are, a stop that was requested before ends the search.
        static_cast<void>(budget_.charge(store::scan_budget::block));
    }

    /// Returns a page, at the record with an ID if `place` names one: an empty page if there is no
    /// such record. Errors: query_too_costly or request_cancelled by the limits; cursor_malformed.
    [[nodiscard]] result<json_page> page(const record_page& place = {}) {
        if (place.starting_after || place.ending_before) {
            const bool is_before = place.ending_before.has_value();
            wanted_.from =
                beside(is_before ? *place.ending_before : *place.starting_after, is_before);
            if (!wanted_.from && !budget_.is_spent()) return json_page{{}, "[]"};
        }
        if (wanted_.from) wanted_.from->query_mark = query_mark(wanted_);
        const auto listed = sluice::list(*this, wanted_, by);
        if (budget_.is_spent()) return tl::unexpected(store::spent_error(budget_, {}));
        if (!listed) return tl::unexpected(listed.error());
        json_page page{static_cast<const page_info&>(*listed), "["};
        for (const packed_row& row : *listed) {
            page.body.append(page.body.size() == 1 ? "" : ",")
                .append(json_of<Record>(all_, static_cast<std::size_t>(&row - all_.rows.data())));
        }
        page.body.push_back(']');
        // The cursors are of the whole query, of which list() has a part.
        for (auto* const neighbour : {&page.previous, &page.next}) {
            if (*neighbour) (*neighbour)->query_mark = mark_;
        }
        return page;
    }
    /// Returns the groups and measures of an aggregate query over the rows of the list query, whose
    /// page and order don't count. Errors: those of the limits and of aggregation::finish().
    [[nodiscard]] result<aggregate_result> groups(aggregate_query wanted) {
        wanted.rows = wanted_.rows;
        aggregation totals(wanted);
        for (const packed_row& row : *this) totals.add(by.cells(row));
        if (budget_.is_spent()) return tl::unexpected(store::spent_error(budget_, {}));
        return totals.finish();
    }

    /// An iterator over the rows that a search keeps and that contain its text. It ends early if
    /// the limits are spent.
    class iterator {
    public:
        iterator(record_search& of, std::size_t at)
            : of_(of), end_(of.all_.rows.size()), at_(of.next_from(at)) {}
        [[nodiscard]] const packed_row& operator*() const noexcept { return of_.all_.rows[at_]; }
        iterator& operator++() {
            at_ = of_.next_from(at_ + 1);
            return *this;
        }
        friend bool operator==(const iterator& at, std::nullopt_t) noexcept {
            return at.at_ == at.end_;
        }

    private:
        record_search& of_;
        std::size_t end_, at_;
    };
    [[nodiscard]] iterator begin() { return {*this, 0}; }
    [[nodiscard]] std::nullopt_t end() const noexcept { return std::nullopt; }

private:
    static constexpr const auto& columns = record_list<Record>::columns;
    static constexpr const auto& by = row_accessors<Record>;

    /// Returns the number of the first row from `at` on that the search keeps, or of all rows.
    [[nodiscard]] std::size_t next_from(std::size_t at) {
        for (; at < all_.rows.size(); ++at) {
            if (!budget_.charge(store::scan_budget::row)) return all_.rows.size();
            if (keeps_(at) && contains_part(all_.rows[at])) break;
        }
        return at;
    }
    [[nodiscard]] bool contains_part(const packed_row& row) const {
        if (part_.empty()) return true;
        auto cells = by.cells(row);
        for (const std::string_view name : record_list<Record>::searched) {
            const cell value = cells(*columns.find(name));
            const auto* const text = std::get_if<std::string_view>(&value);
            if (text && sluice::detail::fold_case(*text).find(part_) != std::string::npos) {
                return true;
            }
        }
        return false;
    }
    /// Returns the place before or after the record with an ID; nullopt if there is none.
    [[nodiscard]] std::optional<cursor> beside(std::string_view id, bool is_before) {
        constexpr const sluice::column& ids = *columns.find("id");
        for (const packed_row& row : all_.rows) {
            if (!budget_.charge(store::scan_budget::row)) break;
            auto cells = by.cells(row);
            const cell row_id = cells(ids);
            if (*std::get_if<std::string_view>(&row_id) != id) continue;
            cursor place{.is_before = is_before};
            for (const sort_key& key : wanted_.order) {
                place.keys.push_back(sluice::detail::key_of_cell(key.by, cells(key.by)));
            }
            return place;
        }
        return std::nullopt;
    }
    listed_rows all_;
    list_query wanted_;
    std::uint32_t mark_;
    std::string part_;
    Keeps keeps_;
    store::scan_budget budget_;
};

}  // namespace sluice::reference

#endif
