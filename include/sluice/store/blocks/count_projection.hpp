// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_COUNT_PROJECTION_HPP
#define SLUICE_STORE_BLOCKS_COUNT_PROJECTION_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/blocks/count_unit.hpp>
#include <sluice/store/conditions/expression.hpp>

/// Projections of counts, and the statistics that their key is chosen from.
namespace sluice::store {

/// Statistics of the columns that counts filter on together; the key of a projection is chosen from
/// them. Any number of threads may call record() without locks; concurrent records may be lost.
///
/// ```
/// | set: 10 bits a column, up to 6 of them | times |    64 of these
/// ```
///
/// A set goes into one of four slots. If other sets fill all four, it decrements the smallest count
/// and takes that slot once its count is down to 1, so only frequent sets stay.
class column_usage {
public:
    /// Records a count with these conditions. Ignores it if they name more than six columns.
    void record(std::span<const condition> conditions) noexcept { record(set_of(conditions)); }
    /// Records a query that names these columns, in their order. Ignores it if they are more than
    /// six.
    void record(std::span<const std::size_t> columns) noexcept { record(packed(columns)); }

    /// Returns the columns that save these counts the most. Keeps `in_use` after fewer than 32
    /// recorded counts, and unless the others save over a quarter more.
    [[nodiscard]] projected_columns choose(const projected_columns& in_use) {
        const std::vector<column_set> sets = read_sets();
        halve_if_many();
        std::uint64_t all = 0;
        for (const column_set& set : sets) all += set.times;
        if (all < min_counts) return in_use;
        projected_columns chosen{.key = choose_key(sets)};
        chosen.beside = choose_beside(sets, chosen.key);
        const bool is_better = saved(sets, chosen) > 1.25 * saved(sets, in_use);
        return is_better ? chosen : in_use;
    }

    /// Returns the sets of two columns or more that were recorded most often, up to `most` of them,
    /// in their columns' order. Keeps those `in_use` unless others are recorded over a quarter more
    /// often; others are recorded `least` times at least.
    [[nodiscard]] std::vector<std::vector<std::size_t>> most_frequent(
        const std::vector<std::vector<std::size_t>>& in_use, std::size_t most,
        std::uint32_t least) {
        std::vector<column_set> sets = read_sets();
        halve_if_many();
        const auto is_in_use = [&](const column_set& set) {
            return std::ranges::find(in_use, set.columns) != in_use.end();
        };
        std::erase_if(sets,
                      [&](const column_set& set) { return set.times < least && !is_in_use(set); });
        std::ranges::sort(sets, [&](const column_set& a, const column_set& b) {
            const auto weight = [&](const column_set& set) {
                return std::uint64_t{set.times} * (is_in_use(set) ? 5 : 4);
            };
            return weight(a) != weight(b) ? weight(a) > weight(b) : a.columns < b.columns;
        });
        sets.resize(std::min(sets.size(), most));
        std::vector<std::vector<std::size_t>> chosen;
        for (column_set& set : sets) chosen.push_back(std::move(set.columns));
        return chosen;
    }

    /// Writes the slots, while others record.
    void save(archive_writer& archive) const {
        for (const slot& entry : slots_) {
            archive.number(entry.set.load(std::memory_order_relaxed));
            archive.number(entry.times.load(std::memory_order_relaxed));
        }
    }
    /// Reads the slots of an archive.
    void open(archive_reader& archive) noexcept {
        for (slot& entry : slots_) {
            entry.set.store(archive.number(), std::memory_order_relaxed);
            entry.times.store(static_cast<std::uint32_t>(archive.number(many_times)),
                              std::memory_order_relaxed);
        }
    }

private:
    static constexpr std::size_t probes = 4;
    static constexpr std::size_t column_bits = 10;
    static constexpr std::size_t most_columns = 6;
    static constexpr std::uint64_t min_counts = 32;
    static constexpr std::uint32_t many_times = 1 << 16;  // all counts are halved from here on
    static constexpr std::size_t most_key_columns = 5;
    static constexpr std::size_t most_beside = 3;

    struct slot {
        std::atomic<std::uint64_t> set = 0;
        std::atomic<std::uint32_t> times = 0;
    };
    /// Columns that counts filter on together, and how many of those counts were recorded.
    struct column_set {
        std::vector<std::size_t> columns;
        std::uint32_t times;
    };

    /// Records a set of columns; 0 is none.
    void record(std::uint64_t set) noexcept {
        if (set == 0) return;
        // A multiplicative hash (by 2^64 / golden ratio), of which six bits number the 64 slots.
        const std::size_t first = static_cast<std::size_t>((set * 0x9E37'79B9'7F4A'7C15) >> 58);
        slot* least = &slots_[first];
        for (std::size_t i = 0; i < probes; ++i) {
            slot& candidate = slots_[(first + i) % slots_.size()];
            const std::uint64_t known = candidate.set.load(std::memory_order_relaxed);
            const std::uint32_t times = candidate.times.load(std::memory_order_relaxed);
            if (known == set) return candidate.times.store(times + 1, std::memory_order_relaxed);
            if (times < least->times.load(std::memory_order_relaxed)) least = &candidate;
        }
        replace(*least, set);
    }
    /// Packs the columns of conditions, sorted and without duplicates; see packed().
    [[nodiscard]] static std::uint64_t set_of(std::span<const condition> conditions) noexcept {
        std::array<std::size_t, most_columns> columns{};
        if (conditions.size() > columns.size()) return 0;
        std::size_t size = 0;
        for (const condition& condition : conditions) {  // few: insertion sort
            std::size_t at = size++;
            for (; at > 0 && columns[at - 1] > condition.column; --at)
                columns[at] = columns[at - 1];
            columns[at] = condition.column;
        }
        const auto end = std::unique(columns.begin(), columns.begin() + size);
        return packed({columns.begin(), end});
    }
    /// Packs columns into a number: column + 1 in column_bits of it, the last column lowest. 0 if
    /// they are too many.
    [[nodiscard]] static std::uint64_t packed(std::span<const std::size_t> columns) noexcept {
        std::uint64_t set = 0;
        if (columns.size() > most_columns) return 0;
        for (const std::size_t column : columns) {
            if (column + 1 >= std::size_t{1} << column_bits) return 0;
            set = set << column_bits | (column + 1);
        }
        return set;
    }
    /// Decrements the count of a slot, or gives the slot to a set if the count is 1.
    static void replace(slot& least, std::uint64_t set) noexcept {
        const std::uint32_t times = least.times.load(std::memory_order_relaxed);
        if (times > 1) return least.times.store(times - 1, std::memory_order_relaxed);
        least.set.store(set, std::memory_order_relaxed);
        least.times.store(1, std::memory_order_relaxed);
    }

    /// Returns the recorded sets of two columns or more, unpacked; see set_of().
    [[nodiscard]] std::vector<column_set> read_sets() const {
        std::vector<column_set> sets;
        for (const slot& entry : slots_) {
            column_set set{{}, entry.times.load(std::memory_order_relaxed)};
            for (std::uint64_t left = entry.set.load(std::memory_order_relaxed); left != 0;
                 left >>= column_bits) {
                set.columns.push_back((left & ((1U << column_bits) - 1)) - 1);
            }
            std::ranges::reverse(set.columns);
            if (set.columns.size() >= 2) sets.push_back(std::move(set));
        }
        return sets;
    }
    /// Halves all counts if one is large: old counts weigh less, and none overflows.
    void halve_if_many() {
        const auto is_many = [](const slot& entry) {
            return entry.times.load(std::memory_order_relaxed) >= many_times;
        };
        if (std::ranges::none_of(slots_, is_many)) return;
        for (slot& entry : slots_) {
            entry.times.store(entry.times.load(std::memory_order_relaxed) / 2,
                              std::memory_order_relaxed);
        }
    }

    [[nodiscard]] static bool has(const std::vector<std::size_t>& columns, std::size_t column) {
        return std::ranges::find(columns, column) != columns.end();
    }
    /// Estimates how much a key saves: the sum over sets of
    /// `times * (columns in the key)^2 / columns`. The square prefers keys that cover whole sets.
    [[nodiscard]] static double saved(const std::vector<column_set>& sets,
                                      const std::vector<std::size_t>& key) {
        double all = 0;
        for (const column_set& set : sets) {
            const auto in_key = static_cast<double>(std::ranges::count_if(
                set.columns, [&](std::size_t column) { return has(key, column); }));
            all += set.times * in_key * in_key / static_cast<double>(set.columns.size());
        }
        return all;
    }
    /// Like saved() above, for the sets that a projection can count: those with all columns in it,
    /// in the key or beside.
    [[nodiscard]] static double saved(const std::vector<column_set>& sets,
                                      const projected_columns& of) {
        std::vector<column_set> countable;
        std::ranges::copy_if(sets, std::back_inserter(countable), [&](const column_set& set) {
            return std::ranges::all_of(set.columns, [&](std::size_t column) {
                return has(of.key, column) || has(of.beside, column);
            });
        });
        return saved(countable, of.key);
    }
    /// Chooses a key greedily: adds the column that saves the most, as long as it adds over a tenth
    /// to what the key saves.
    [[nodiscard]] static std::vector<std::size_t> choose_key(const std::vector<column_set>& sets) {
        std::vector<std::size_t> key;
        double before = 0;
        while (key.size() < most_key_columns) {
            std::size_t best = 0;
            double most = before;
            for (const column_set& set : sets) {
                for (const std::size_t column : set.columns) {
                    if (has(key, column)) continue;
                    key.push_back(column);
                    if (const double saving = saved(sets, key); saving > most)
                        most = saving, best = column;
                    key.pop_back();
                }
            }
            if (most <= 1.1 * before) break;
            key.push_back(best);
            before = most;
        }
        return key;
    }
    /// Chooses the columns that are counted most often together with those of the key.
    [[nodiscard]] static std::vector<std::size_t> choose_beside(
        const std::vector<column_set>& sets, const std::vector<std::size_t>& key) {
        std::vector<std::size_t> beside;
        while (beside.size() < most_beside) {
            std::size_t best = 0;
            double most = 0;
            for (const column_set& set : sets) {
                for (const std::size_t column : set.columns) {
                    if (has(key, column) || has(beside, column)) continue;
                    const double saving = saved_with(sets, key, column);
                    if (saving > most) most = saving, best = column;
                }
            }
            if (most == 0) break;
            beside.push_back(best);
        }
        return beside;
    }
    /// Like saved(), for the sets with a column.
    [[nodiscard]] static double saved_with(const std::vector<column_set>& sets,
                                           const std::vector<std::size_t>& key,
                                           std::size_t column) {
        std::vector<column_set> with_column;
        std::ranges::copy_if(sets, std::back_inserter(with_column),
                             [&](const column_set& set) { return has(set.columns, column); });
        return saved(with_column, key);
    }

    std::array<slot, 64> slots_;
};

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
