// SPDX-License-Identifier: MIT
#include <array>
#include <bit>
#include <cstddef>
#include <new>

// The module's memory, in place of the C library's malloc(), which is larger and slower.
//
//     block     class, 8 bytes; content
//     class     1 to 8: 16 to 128 bytes; then four for each power of two
//
// A block that is deleted is the next one of its class that is used. Blocks are neither split nor
// joined, so that a class keeps as many as were ever in use at a time.

extern "C" char __heap_base;  // defined by the linker

namespace {

constexpr std::size_t page_size = 65536, header_size = 8;

struct block {
    std::size_t class_index;
    std::size_t unused;
    block* next;  ///< of a deleted block; in the place of its content
};

/// A class of blocks: each has `units` times two to the power of `shift` bytes.
struct block_class {
    std::size_t shift;
    std::size_t units;

    /// Returns the class of blocks that have room for `size` bytes, which isn't 0.
    static block_class of(std::size_t size) {
        const auto shift = static_cast<std::size_t>(std::bit_width((size - 1) | 127U)) - 3;
        return {shift, ((size - 1) >> shift) + 1};
    }
    [[nodiscard]] std::size_t index() const { return (shift - 4) * 4 + units; }
    [[nodiscard]] std::size_t size() const { return units << shift; }
};

std::array<block*, 128> deleted{};
char* unused = nullptr;
char* unused_end = nullptr;

/// Returns memory that no block has had.
char* take_unused(std::size_t size) {
    if (unused == nullptr) {
        unused = &__heap_base;
        unused += -reinterpret_cast<std::size_t>(unused) % 16;
        unused_end = reinterpret_cast<char*>(__builtin_wasm_memory_size(0) * page_size);
    }
    const auto left = static_cast<std::size_t>(unused_end - unused);
    if (left < size) {
        const std::size_t pages = (size - left + page_size - 1) / page_size;
        if (__builtin_wasm_memory_grow(0, pages) == static_cast<std::size_t>(-1)) __builtin_trap();
        unused_end += pages * page_size;
    }
    char* const taken = unused;
    unused += size;
    return taken;
}

}  // namespace

void* operator new(std::size_t size) {
    const block_class fitting = block_class::of(size + header_size);
    const std::size_t index = fitting.index();
    block* taken = deleted[index];
    if (taken != nullptr) {
        deleted[index] = taken->next;
    } else {
        taken = reinterpret_cast<block*>(take_unused(fitting.size()));
        taken->class_index = index;
    }
    return reinterpret_cast<char*>(taken) + header_size;
}

void operator delete(void* content) noexcept {
    if (content == nullptr) return;
    auto* const freed = reinterpret_cast<block*>(static_cast<char*>(content) - header_size);
    freed->next = deleted[freed->class_index];
    deleted[freed->class_index] = freed;
}

void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* content, std::size_t) noexcept { operator delete(content); }
void operator delete[](void* content) noexcept { operator delete(content); }
void operator delete[](void* content, std::size_t) noexcept { operator delete(content); }
