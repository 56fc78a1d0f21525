// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_JSON_FRAGMENTS_HPP
#define SLUICE_STORE_JSON_FRAGMENTS_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/detail/json_writer.hpp>
#include <sluice/store/detail/flat_list.hpp>
#include <sluice/store/dictionary.hpp>

namespace sluice::store {

/// How many bytes can be read from where a fragment begins or goes on, beyond its end too: copies
/// are made in steps of this size, which cost less than a copy of a length that varies.
inline constexpr std::size_t fragment_step = 32;

/// What JSON shows of each code of a dictionary, escaped and quoted ahead of time, so that writing
/// a value is a copy:
///
/// ```
/// json_fragments countries(",\"country\":\"", "\"", ",\"country\":null");
/// countries.append_text("US");     // code 1
/// countries[1];                    // ,"country":"US"
/// countries[absent];               // ,"country":null
/// ```
///
/// Fragments are numbered as the codes of their dictionary are, and stay where they are. One thread
/// appends; any thread reads those below a size that it has seen.
class json_fragments {
public:
    /// `before` and `after` surround each value; `for_absent` is the fragment of code 0.
    json_fragments(std::string_view before, std::string_view after, std::string_view for_absent)
        : before_(before), after_(after) {
        fragments_.push_back(keep(for_absent));
    }

    /// Adds the fragment of the next code: a text, escaped.
    void append_text(std::string_view text) {
        built_.assign(before_);
        sluice::detail::append_json_string(built_, text);
        // The quotes of append_json_string are those of `before` and `after`.
        built_.erase(before_.size(), 1).pop_back();
        fragments_.push_back(keep(built_.append(after_)));
    }
    /// Adds the fragment of the next code: JSON as it is.
    void append_json(std::string_view json) {
        fragments_.push_back(keep(built_.assign(before_).append(json).append(after_)));
    }

    /// Writes the first fragments, while others are added. Any thread.
    void save(archive_writer& to, std::size_t size) const {
        static constexpr std::array<char, fragment_step> beyond{};
        std::vector<std::uint64_t> begins{0};
        begins.reserve(size + 1);
        const std::uint64_t begin = to.begin_array();
        for (std::size_t i = 0; i < size; ++i) {
            to.piece(fragments_[i]);
            begins.push_back(begins.back() + fragments_[i].size());
        }
        to.piece({beyond.data(), beyond.size()});
        to.array(std::span<const std::uint64_t>(begins));
        to.end_array(begin, begins.back() + beyond.size());
    }
    /// Takes the fragments that an archive has for those that are here.
    void open(archive_reader& from) {
        const auto begins = from.view<std::uint64_t>();
        const auto bytes = from.view<char>();
        fragments_.shrink(0);
        const std::uint64_t most = bytes.size() - std::min(bytes.size(), fragment_step);
        for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
            const std::uint64_t around = i == absent ? 0 : before_.size() + after_.size();
            const bool is_there = begins[i] <= begins[i + 1] && begins[i + 1] <= most &&
                                  around <= begins[i + 1] - begins[i];
            if (!is_there) return static_cast<void>(from.fail());
            fragments_.push_back({bytes.data() + begins[i], begins[i + 1] - begins[i]});
        }
        if (fragments_.size() == 0) from.fail();
        mapped_ = from.keeper();
        mapped_bytes_ = bytes.size();
    }
    /// Bytes of those that stand in an archive.
    [[nodiscard]] std::size_t mapped_bytes() const noexcept { return mapped_bytes_; }

    /// Adds the fragments of those codes of a dictionary that have none yet.
    void follow(const dictionary& texts) {
        while (size() < texts.size()) append_text(texts.text(static_cast<code>(size())));
    }
    /// Takes the last fragments back, so that `size` are left; see flat_list::shrink(). Their bytes
    /// stay.
    void shrink(std::size_t size) noexcept { fragments_.shrink(size); }

    [[nodiscard]] std::size_t size() const noexcept { return fragments_.size(); }
    [[nodiscard]] std::string_view operator[](code of) const noexcept { return fragments_[of]; }

    /// What a fragment has between `before` and `after`; of a code other than `absent`.
    [[nodiscard]] std::string_view value(code of) const noexcept {
        const std::string_view whole = fragments_[of];
        return whole.substr(before_.size(), whole.size() - before_.size() - after_.size());
    }

    /// All fragments; see flat_list::data().
    [[nodiscard]] const std::string_view* data() const noexcept { return fragments_.data(); }

    /// Memory taken, in bytes. Any thread.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return fragments_.bytes() + mapped_bytes_ + text_bytes_.load(std::memory_order_relaxed);
    }

private:
    static constexpr std::size_t first_chunk = 256;
    static constexpr std::size_t largest_chunk = std::size_t{1} << 16;

    std::string_view keep(std::string_view fragment) {
        const std::size_t needed = fragment.size() + fragment_step;
        if (needed > left_) grow(needed);
        std::ranges::copy(fragment, next_);
        const std::string_view kept(next_, fragment.size());
        next_ += kept.size();
        left_ -= kept.size();
        return kept;
    }
    void grow(std::size_t needed) {
        left_ = std::max(needed, chunk_bytes_);
        chunk_bytes_ = std::min(2 * chunk_bytes_, largest_chunk);
        chunks_.push_back(std::make_unique<char[]>(left_));
        next_ = chunks_.back().get();
        text_bytes_.fetch_add(left_, std::memory_order_relaxed);
    }

    std::string before_;
    std::string after_;
    std::string built_;  // the fragment on its way into a chunk
    flat_list<std::string_view> fragments_;
    std::vector<std::unique_ptr<char[]>> chunks_;
    std::size_t chunk_bytes_ = first_chunk;  // of the next chunk
    char* next_ = nullptr;
    std::size_t left_ = 0;
    std::atomic<std::size_t> text_bytes_ = 0;
    std::shared_ptr<const void> mapped_;  // the archive that fragments stand in, if any do
    std::size_t mapped_bytes_ = 0;
};

}  // namespace sluice::store

#endif
