// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_TAGS_TAG_LIST_HPP
#define SLUICE_REFERENCE_TAGS_TAG_LIST_HPP

#include <cstddef>
#include <string>
#include <utility>

#include <sluice/base/case_folding.hpp>
#include <sluice/reference/records/record_writer.hpp>
#include <sluice/store/texts/chunked_list.hpp>
#include <sluice/store/texts/dictionary.hpp>

/// The tags of a workspace in memory.
namespace sluice::reference {

/// A tag in memory, and its JSON as lists show it.
struct stored_tag {
    std::string id;
    std::string name;
    std::string folded_name;  ///< the name without differences of case, for searches
    std::string json;
    instant created_at;
};

/// The tags of a workspace in order of arrival. One thread adds; any thread may read the tags below
/// a size() that the adding thread has passed on to it.
class tag_list {
public:
    /// `seed` is the seed of the hash table of ids.
    explicit tag_list(hash_seed seed) : ids_(seed) {}

    /// Adds a tag. Error: identifier_taken, param `id`.
    [[nodiscard]] result<void> add(const tag& added) {
        if (ids_.find(added.id) != store::absent) {
            return fail_in(rule::identifier_taken, "id");
        }
        static_cast<void>(ids_.encode(added.id));
        stored_tag stored{std::string(added.id),
                          std::string(added.name),
                          sluice::detail::fold_case(added.name),
                          {},
                          added.created_at};
        sluice::detail::json_writer json(stored.json);
        write_record(json, added);
        tags_.push_back(std::move(stored));
        return {};
    }

    /// Removes the last tags, so that `size` are left.
    void shrink(std::size_t size) noexcept {
        ids_.shrink(size + 1);  // codes start at 1
        tags_.shrink(size);
    }

    [[nodiscard]] std::size_t size() const noexcept { return tags_.size(); }
    [[nodiscard]] const stored_tag& operator[](std::size_t index) const noexcept {
        return tags_[index];
    }

    /// Writes the first `size` tags. Tags may be added meanwhile. Safe on any thread.
    void save(store::archive_writer& archive, std::size_t size) const {
        for (std::size_t i = 0; i < size; ++i) {
            const stored_tag& stored = tags_[i];
            for (const auto& text : {stored.id, stored.name, stored.json}) archive.text(text);
            archive.number(
                static_cast<std::uint64_t>(stored.created_at.time_since_epoch().count()));
        }
    }
    /// Reads `size` tags that save() wrote into this empty list. They are incomplete if the archive
    /// is damaged; see archive_reader::has_failed().
    void open(store::archive_reader& archive, std::size_t size) {
        for (std::size_t i = 0; i < size && !archive.has_failed(); ++i) {
            const std::string_view id = archive.text(), name = archive.text(),
                                   json = archive.text();
            const instant created{instant::duration(static_cast<std::int64_t>(archive.number()))};
            static_cast<void>(ids_.encode(id));
            tags_.push_back({std::string(id), std::string(name), sluice::detail::fold_case(name),
                             std::string(json), created});
        }
    }

private:
    store::dictionary ids_;
    store::chunked_list<stored_tag> tags_;
};

}  // namespace sluice::reference

#endif
