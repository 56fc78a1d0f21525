// SPDX-License-Identifier: MIT
// The C++ side of compare.py: answers and measures one operation a line of standard input.
//
//     load FOLDER                     ok 10000000          generated data into a column_store
//     serve FOLDER                    ok 1000000           sample events into an event_store
//     names                           ok count page ...    the operations of this build
//     answer OPERATION ARGUMENT       ok TEXT              the result of an operation
//     time COUNT OPERATION ARGUMENT   ok NANOSECONDS       the time of COUNT repetitions
//     anything that fails             error MESSAGE
#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "driver/limits.hpp"
#include "driver/listing.hpp"
#include "driver/reference.hpp"
#include "driver/roaring_index.hpp"

namespace {

using namespace sluice_bench;

/// Removes and returns the first word of a line.
std::string_view take_word(std::string_view& line) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, space);
    line.remove_prefix(std::min(space + 1, line.size()));
    return word;
}

class driver {
public:
    driver() {
        add_listing(operations_, data_);
        add_roaring(operations_, data_);
        add_reference(operations_, events_);
        add_limits(operations_);
    }

    std::string reply(std::string_view line) {
        const std::string_view command = take_word(line);
        if (command == "load") return load(line);
        if (command == "serve") return serve(line);
        if (command == "names") return names();
        if (command == "answer") return obtain(line).answer();
        if (command == "time") {
            const auto repetitions = std::stoull(std::string(take_word(line)));
            return std::to_string(obtain(line).time(repetitions));
        }
        throw std::runtime_error("no command " + std::string(command));
    }

private:
    std::string load(std::string_view folder) {
        prepared_.clear();
        data_.reset();
        data_ = std::make_unique<listing>(folder);
        return std::to_string(data_->rows().size());
    }
    std::string serve(std::string_view folder) {
        prepared_.clear();
        events_ = std::make_unique<sample_events>(folder);
        return std::to_string(events_->size());
    }
    std::string names() const {
        std::string all;
        for (const auto& [name, prepare] : operations_) all.append(name).append(" ");
        return all;
    }
    /// Returns the operation of a line, prepared on first use.
    const operation& obtain(std::string_view line) {
        const auto known = prepared_.find(std::string(line));
        if (known != prepared_.end()) return known->second;
        std::string_view argument = line;
        const auto entry = operations_.find(std::string(take_word(argument)));
        if (entry == operations_.end()) throw std::runtime_error("no operation");
        return prepared_.emplace(line, entry->second(argument)).first->second;
    }

    std::unique_ptr<listing> data_;
    std::unique_ptr<sample_events> events_;
    operation_table operations_;
    std::map<std::string, operation> prepared_;
};

}  // namespace

int main() {
    driver bench;
    for (std::string line; std::getline(std::cin, line);) {
        try {
            std::cout << "ok " << bench.reply(line) << std::endl;
        } catch (const std::exception& failed) {
            std::cout << "error " << failed.what() << std::endl;
        }
    }
}
