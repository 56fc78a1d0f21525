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

/// The names, choices and columns of records of columns that are made at run time.
class column_copies {
public:
    /// Returns a copy of a column that views this alone, even after it is moved.
    [[nodiscard]] column add(const column& of) {
        column copied = of;
        copied.name = texts_.emplace_back(of.name);
        std::vector<std::string_view>& choices = choices_.emplace_back();
        for (const std::string_view choice : of.choices) {
            choices.push_back(texts_.emplace_back(choice));
        }
        copied.choices = choices;
        std::vector<column> records;
        for (const column& member : of.records) records.push_back(add(member));
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
