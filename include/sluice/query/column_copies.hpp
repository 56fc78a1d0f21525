// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_COLUMN_COPIES_HPP
#define SLUICE_QUERY_COLUMN_COPIES_HPP

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/query/schema.hpp>

namespace sluice {

/// Owns what columns view: their names, their choices, and the columns of their records. For
/// schemas made at run time, whose texts aren't static.
class column_copies {
public:
    /// Copies a column with all that it views, and returns the copy, which views the memory of this
    /// object. It is valid as long as this object, or the one that it is moved to, lives.
    [[nodiscard]] column add(const column& subject) {
        column copied = subject;
        copied.name = texts_.emplace_back(subject.name);
        std::vector<std::string_view>& choices = choices_.emplace_back();
        for (const std::string_view choice : subject.choices) {
            choices.push_back(texts_.emplace_back(choice));
        }
        copied.choices = choices;
        std::vector<column> records;
        for (const column& member : subject.records) records.push_back(add(member));
        const std::vector<column>& kept = records_.emplace_back(std::move(records));
        copied.records = {kept.data(), kept.size()};
        return copied;
    }

private:
    std::deque<std::string> texts_;
    std::deque<std::vector<std::string_view>> choices_;
    std::deque<std::vector<column>> records_;
};

}  // namespace sluice

#endif
