// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_COUNT_PROJECTION_HPP
#define SLUICE_STORE_BLOCKS_COUNT_PROJECTION_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/blocks/column_usage.hpp>

namespace sluice::store {

/// The units of a table (see count_unit), from the first row on without a gap. Immutable: each new
/// unit makes a new projection.
///
/// ```
/// | unit 0: 262,144 rows | ... | 65,536 | 65,536 | 16,384 | 4,096 | 4,096 | < 4,096 rows |
/// ```
///
/// Four units of one size merge into one of the next size. So recent rows are soon in units, too,
/// and each row is sorted at most four times.
class count_projection {
public:
    using unit_list = std::span<const std::shared_ptr<const count_unit>>;

    [[nodiscard]] bool empty() const noexcept { return units_.empty(); }
    /// Returns the number of rows in units: the rows before this number.
    [[nodiscard]] std::size_t rows() const noexcept {
        return units_.empty() ? 0 : units_.back()->rows().end;
    }
    /// Returns the units that lie entirely in a span.
    [[nodiscard]] unit_list units_in(const row_span& of) const noexcept {
        const auto first = std::ranges::lower_bound(
            units_, of.begin, {}, [](const auto& unit) { return unit->rows().begin; });
        const auto end = std::ranges::upper_bound(
            first, units_.end(), of.end, {}, [](const auto& unit) { return unit->rows().end; });
        return {first, end};
    }
    /// Returns the statistics of past counts, which all projections of a table share.
    [[nodiscard]] column_usage& usage() const noexcept { return *usage_; }

    /// Returns the rows of the next unit to build for a table of `rows` rows; nullopt if none is
    /// missing.
    [[nodiscard]] std::optional<row_span> missing(std::size_t rows,
                                                  const projected_columns& wanted) const {
        if (wanted.key.empty()) return std::nullopt;
        std::size_t begin = 0;
        for (std::size_t i = 0; begin + count_unit::min_rows <= rows; ++i) {
            const row_span next = unit_at(begin, rows);
            const bool is_there =
                i < units_.size() && units_[i]->rows() == next && units_[i]->columns() == wanted;
            if (!is_there) return next;
            begin = next.end;
        }
        return std::nullopt;
    }
    /// Returns a projection with a unit that replaces the units of its rows.
    [[nodiscard]] std::shared_ptr<const count_projection> with(
        std::shared_ptr<const count_unit> added) const {
        auto projection = std::make_shared<count_projection>(*this);
        const auto [begin, end] = added->rows();
        const auto place = std::ranges::lower_bound(
            projection->units_, begin, {}, [](const auto& unit) { return unit->rows().begin; });
        const auto last =
            std::ranges::upper_bound(place, projection->units_.end(), end, {},
                                     [](const auto& unit) { return unit->rows().end; });
        projection->units_.insert(projection->units_.erase(place, last), std::move(added));
        return projection;
    }
    /// Returns a projection of the units that lie in the first `rows` rows.
    [[nodiscard]] std::shared_ptr<const count_projection> first(std::size_t rows) const {
        auto projection = std::make_shared<count_projection>(*this);
        std::erase_if(projection->units_,
                      [rows](const auto& unit) { return unit->rows().end > rows; });
        return projection;
    }

    /// Writes the units and the statistics.
    void save(archive_writer& archive) const {
        archive.number(units_.size());
        for (const auto& unit : units_) unit->save(archive);
        usage_->save(archive);
    }
    /// Reads the projection of a table of `rows` rows from an archive.
    [[nodiscard]] static std::shared_ptr<const count_projection> open(archive_reader& archive,
                                                                      std::size_t rows) {
        auto projection = std::make_shared<count_projection>();
        std::size_t end = 0;
        for (std::size_t left = archive.count(); left > 0 && !archive.has_failed(); --left) {
            projection->units_.push_back(
                std::make_shared<const count_unit>(count_unit::open(archive)));
            const row_span of = projection->units_.back()->rows();
            if (of.begin != std::exchange(end, of.end) || of.end > rows) archive.fail();
        }
        projection->usage_->open(archive);
        return projection;
    }

    /// Returns the size of units that view an archive; bytes() is that of all units.
    [[nodiscard]] std::size_t mapped_bytes() const noexcept {
        std::size_t all = 0;
        for (const auto& unit : units_) all += unit->is_mapped() ? unit->bytes() : 0;
        return all;
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t all = 0;
        for (const auto& unit : units_) all += unit->bytes();
        return all;
    }

private:
    /// Returns the rows of the unit that begins at row `begin` in a table of `rows` rows: of the
    /// largest size that fits and of which `begin` is a multiple.
    [[nodiscard]] static row_span unit_at(std::size_t begin, std::size_t rows) noexcept {
        std::size_t size = count_unit::max_rows;
        while (begin % size != 0 || begin + size > rows) size /= 4;
        return {begin, begin + size};
    }

    std::vector<std::shared_ptr<const count_unit>> units_;
    std::shared_ptr<column_usage> usage_ = std::make_shared<column_usage>();
};

}  // namespace sluice::store

#endif
