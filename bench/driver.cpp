// SPDX-License-Identifier: MIT
// The C++ side of compare.py: answers and measures one operation a line of standard input.
//
//     answer OPERATION ARGUMENT       ok TEXT              the result of an operation
//     time COUNT OPERATION ARGUMENT   ok NANOSECONDS       the time of COUNT repetitions
//     anything that fails             error MESSAGE
#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "driver/edges.hpp"
#include "driver/events.hpp"
#include "driver/expressions.hpp"
#include "driver/groups.hpp"
#include "driver/limits.hpp"
#include "driver/numbers.hpp"
#include "driver/rows.hpp"

#ifdef SLUICE_BENCH_HAS_ROARING
#include "driver/roaring.hpp"
#endif

namespace {

using namespace sluice_bench;

/// Removes and returns the first word of a line.
std::string take_word(std::string& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string word = line.substr(0, end);
    line.erase(0, end + 1);
    return word;
}

class driver {
public:
    driver() {
        const auto data = std::make_shared<std::unique_ptr<generated_rows>>();
        add_rows(operations_, data);
        add_edges(operations_);
        add_events(operations_);
        add_limits(operations_);
        add_numbers(operations_);
        add_expressions(operations_);
        add_groups(operations_);
#ifdef SLUICE_BENCH_HAS_ROARING
        add_roaring(operations_, data);
#endif
    }

    std::string reply(std::string line) {
        const std::string command = take_word(line);
        if (command == "answer") return prepared(line).answer();
        if (command == "time") {
            const auto repetitions = std::stoull(take_word(line));
            return std::to_string(prepared(line).time(repetitions));
        }
        throw std::runtime_error("no command " + command);
    }

private:
    /// Returns the operation of a line, prepared on first use.
    const operation& prepared(const std::string& line) {
        const auto known = prepared_.find(line);
        if (known != prepared_.end()) return known->second;
        std::string argument = line;
        const auto entry = operations_.find(take_word(argument));
        if (entry == operations_.end()) throw std::runtime_error("no operation");
        return prepared_.emplace(line, entry->second(argument)).first->second;
    }

    operation_table operations_;
    std::map<std::string, operation> prepared_;
};

}  // namespace

int main() {
    driver bench;
    for (std::string line; std::getline(std::cin, line);) {
        try {
            const std::string text = bench.reply(line);
            std::cout << "ok " << text << std::endl;
        } catch (const std::exception& failed) {
            std::cout << "error " << failed.what() << std::endl;
        }
    }
}
