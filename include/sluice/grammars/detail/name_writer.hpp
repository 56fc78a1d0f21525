// SPDX-License-Identifier: MIT
#ifndef SLUICE_GRAMMARS_DETAIL_NAME_WRITER_HPP
#define SLUICE_GRAMMARS_DETAIL_NAME_WRITER_HPP

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <sluice/grammars/columns.hpp>
#include <sluice/grammars/detail/condition_maker.hpp>
#include <sluice/grammars/detail/named_column.hpp>
#include <sluice/query/where.hpp>

namespace sluice::detail {

/// Writes the names of columns in an expression; each grammar spells them.
class name_writer {
public:
    name_writer(const name_writer&) = delete;
    name_writer& operator=(const name_writer&) = delete;
    virtual ~name_writer() = default;

protected:
    /// The name of a column, or of a key below one.
    struct path {
        std::string_view records{};  ///< the column of the records that have it; empty if none
        std::string_view column{};
        std::span<const std::string> keys{};
    };
    /// The column of records around a condition, and its name in expressions.
    struct records_around {
        const column* of = nullptr;
        std::string name{};
    };

    name_writer(const expression_columns& columns, bool names_have_case, bool has_scopes)
        : columns_(&columns), names_have_case_(names_have_case), has_scopes_(has_scopes) {}

    /// Writes a name as the grammar spells it; empty if the reader takes it for another text.
    [[nodiscard]] virtual std::string spelled(const path& name) const = 0;
    /// Returns true if a key of JSON can be a step of a name.
    [[nodiscard]] virtual bool is_step(std::string_view key) const {
        return !key.empty() && std::ranges::all_of(key, text_scanner::is_word_byte);
    }

    /// Returns a name with a byte between its steps.
    [[nodiscard]] static std::string with_steps(const path& name, char step = '.') {
        std::string text(name.records);
        if (!text.empty()) text.push_back(step);
        text.append(name.column);
        for (const std::string& key : name.keys) text.append(1, step).append(key);
        return text;
    }
    /// Returns the name of a condition's column, or of a key below it, as the grammar spells it;
    /// empty if it can't, or if a reader would find another column.
    [[nodiscard]] std::string name_of(const leaf& condition) const {
        path name{around_.name, condition.subject.name};
        if (around_.of == nullptr) {
            name.column = columns_->name_of(condition.subject, kind_of(condition.test));
        }
        const auto* const json = std::get_if<metadata_query>(&condition.test);
        if (json != nullptr && json->nodes().size() == 1) name.keys = json->conditions()[0].path;
        const bool has_steps =
            std::ranges::all_of(name.keys, [this](const std::string& key) { return is_step(key); });
        if (name.column.empty() || !has_steps || !leads_to(name, condition.subject)) return {};
        return spelled(name);
    }
    /// Begins the conditions on a column's records. Returns what leave() takes after them.
    [[nodiscard]] records_around enter(const column& records) {
        std::string name = around_.of == nullptr
                               ? std::string(columns_->name_of(records, test_kind::any))
                               : with_steps({around_.name, records.name});
        return std::exchange(around_, {&records, std::move(name)});
    }
    void leave(records_around outside) { around_ = std::move(outside); }

private:
    /// Returns true if readers find a column by a name.
    [[nodiscard]] bool leads_to(const path& name, const column& subject) const {
        if (around_.of != nullptr && has_scopes_) {
            const column* const inner = find_inner(*around_.of, name.column, names_have_case_);
            return inner != nullptr && *inner == subject;
        }
        const std::string text = with_steps(name);
        const auto named = find_named(*columns_, steps_of(text, ".").view(), names_have_case_);
        if (!named || named->subject != subject) return false;
        const bool is_around =
            around_.of == nullptr ? !named->around : named->around == *around_.of;
        return is_around && std::ranges::equal(named->keys, name.keys);
    }

    const expression_columns* columns_;
    bool names_have_case_;
    bool has_scopes_;  // conditions on records name their columns only
    records_around around_{};
};

}  // namespace sluice::detail

#endif
