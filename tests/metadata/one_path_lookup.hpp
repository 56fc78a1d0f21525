// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_API_ONE_PATH_LOOKUP_HPP
#define SLUICE_TESTS_API_ONE_PATH_LOOKUP_HPP

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sluice/metadata/lookup.hpp>

/// Looks paths up in one document, each in a walk of its own. It views the document.
class one_path_lookup {
public:
    one_path_lookup() = default;
    explicit one_path_lookup(std::string_view json) : json_(json) {}

    /// Returns the value at a path, valid until the next call.
    std::optional<sluice::scalar> find(std::span<const std::string> keys) {
        const sluice::json_path path(keys);
        lookup_ = std::make_unique<sluice::document_lookup>(std::span(&path, 1));
        lookup_->read(json_);
        return lookup_->at(0).value;
    }
    std::optional<sluice::scalar> find(std::string_view json, std::span<const std::string> keys) {
        json_ = json;
        return find(keys);
    }

private:
    std::string_view json_;
    std::unique_ptr<sluice::document_lookup> lookup_;
};

#endif
