// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_DETAIL_TREE_HPP
#define SLUICE_METADATA_DETAIL_TREE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/base/decimal.hpp>
#include <sluice/base/inline_list.hpp>
#include <sluice/metadata/expression.hpp>

/// The tree of a parsed metadata expression, and the drafts that it is built from.
namespace sluice::detail {

/// A key or value of an expression tree: a view of its text.
struct metadata_text {
    std::string_view raw{};    ///< without its quotes
    bool has_escapes = false;  ///< has backslashes, each before the byte that it escapes

    /// Writes the unescaped text, at most `raw.size()` bytes, and returns its end.
    char* write(char* out) const noexcept {
        for (std::size_t at = 0; at < raw.size(); ++at) {
            if (has_escapes && raw[at] == '\\') ++at;
            *out++ = raw[at];
        }
        return out;
    }
    [[nodiscard]] std::string to_string() const {
        std::string text(raw);
        text.resize(static_cast<std::size_t>(write(text.data()) - text.data()));
        return text;
    }
};

/// A condition that was parsed and is to be copied into a tree. Views the expression's text.
struct metadata_draft {
    std::size_t first_key;  ///< index of the path's first key in metadata_drafts::keys
    std::size_t keys;       ///< number of keys on the path
    metadata_operator op;
    metadata_text value;
    std::uint32_t offset;  ///< of the condition in the expression's text, in bytes
    std::uint32_t length;  ///< of the condition there, in bytes
};

/// The parts of an expression that is being parsed, in lists with room for those of most
/// expressions: parsing allocates nothing but the tree.
struct metadata_drafts {
    inline_list<metadata_text, 16> keys{};
    inline_list<metadata_draft, 8> conditions{};
    inline_list<metadata_node, 16> nodes{};
};

/// A parsed expression in one block of memory, which is immutable and never moves:
///
/// ```
/// | metadata_tree | keys | conditions | nodes | bytes of the values |
///  aligned for 8 bytes _________________| 4     | 1
/// ```
///
/// It lives as long as any handle to it.
class metadata_tree {
public:
    class handle;

    [[nodiscard]] std::span<const metadata_condition> conditions() const noexcept {
        return conditions_;
    }
    [[nodiscard]] std::span<const metadata_node> nodes() const noexcept { return nodes_; }

private:
    metadata_tree() = default;
    metadata_tree(const metadata_tree&) = delete;
    metadata_tree& operator=(const metadata_tree&) = delete;
    ~metadata_tree() {
        while (key_count_ != 0) keys_[--key_count_].~basic_string();
    }

    /// Allocates a tree and copies the drafts into it.
    [[nodiscard]] inline static handle make(const metadata_drafts& drafts);

    /// Returns room for `count` values at `place`, which moves past them.
    template <class T>
    static T* take_room(char*& place, std::size_t count) noexcept {
        return reinterpret_cast<T*>(std::exchange(place, place + count * sizeof(T)));
    }
    /// A span of const only, so that fewer types are compiled.
    template <class T>
    static std::span<const T> view_of(const T* first, std::size_t count) noexcept {
        return {first, count};
    }
    /// Copies the drafts to the memory at `place`, which make() has measured for them.
    void fill(const metadata_drafts& drafts, char* place);
    void add_key(const metadata_text& key) {
        ::new (keys_ + key_count_) std::string(key.to_string());
        ++key_count_;
    }

    // Number of handles. Changed by atomic builtins, since <atomic> would add compile time.
    mutable std::uint32_t owners_ = 1;
    std::string* keys_ = nullptr;
    std::size_t key_count_ = 0;  // constructed so far
    std::span<const metadata_condition> conditions_{};
    std::span<const metadata_node> nodes_{};
};

/// Shared ownership of a tree, or of none.
class metadata_tree::handle {
public:
    handle() noexcept = default;
    explicit handle(const metadata_drafts& drafts) : handle(make(drafts)) {}
    handle(handle&& other) noexcept : tree_(std::exchange(other.tree_, nullptr)) {}
    handle(const handle& other) noexcept : tree_(other.tree_) {
        if (tree_ != nullptr) __atomic_fetch_add(&tree_->owners_, 1, __ATOMIC_RELAXED);
    }
    handle& operator=(handle other) noexcept {
        std::swap(tree_, other.tree_);
        return *this;
    }
    ~handle() {
        if (tree_ == nullptr) return;
        if (__atomic_fetch_sub(&tree_->owners_, 1, __ATOMIC_ACQ_REL) > 1) return;
        tree_->~metadata_tree();
        ::operator delete(const_cast<metadata_tree*>(tree_));
    }

    [[nodiscard]] const metadata_tree* get() const noexcept { return tree_; }

private:
    friend class metadata_tree;
    /// Takes over a tree from make(), whose count of owners is 1.
    explicit handle(const metadata_tree* tree) noexcept : tree_(tree) {}

    const metadata_tree* tree_ = nullptr;
};

inline metadata_tree::handle metadata_tree::make(const metadata_drafts& drafts) {
    std::size_t size = sizeof(metadata_tree) + drafts.keys.size() * sizeof(std::string) +
                       drafts.conditions.size() * sizeof(metadata_condition) +
                       drafts.nodes.size() * sizeof(metadata_node);
    for (const metadata_draft& draft : drafts.conditions) size += draft.value.raw.size();
    char* const block = static_cast<char*>(::operator new(size));
    auto* const tree = ::new (block) metadata_tree;
    handle owner(tree);
    tree->fill(drafts, block + sizeof(metadata_tree));
    return owner;
}

inline void metadata_tree::fill(const metadata_drafts& drafts, char* place) {
    keys_ = take_room<std::string>(place, drafts.keys.size());
    auto* const conditions = take_room<metadata_condition>(place, drafts.conditions.size());
    auto* const nodes = take_room<metadata_node>(place, drafts.nodes.size());
    for (const metadata_text& key : drafts.keys) add_key(key);
    metadata_condition* condition = conditions;
    for (const metadata_draft& draft : drafts.conditions) {
        const std::string_view value(place, draft.value.write(place));
        const std::string* const path = keys_ + draft.first_key;
        ::new (condition++) metadata_condition{{path, draft.keys},   draft.op,     value,
                                               parse_decimal(value), draft.offset, draft.length};
        place += value.size();
    }
    for (std::size_t at = 0; at < drafts.nodes.size(); ++at) {
        ::new (nodes + at) metadata_node(drafts.nodes[at]);
    }
    conditions_ = view_of(conditions, drafts.conditions.size());
    nodes_ = view_of(nodes, drafts.nodes.size());
}

}  // namespace sluice::detail

#endif
