// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_READER_EPOCHS_HPP
#define SLUICE_STORE_TEXTS_READER_EPOCHS_HPP

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace sluice::store {

/// Frees objects that one thread has replaced as soon as no other can still read them. Readers
/// never wait: they are counted in their epoch, and at most two epochs have readers.
///
/// ```
///            epoch 4                | epoch 5                  | epoch 6
/// readers    a: [--------------------------]  b: [---------------------...
/// replaced   x                      | y                        |
/// freed                                     x, once a has left: the readers of epoch 4 are gone,
///                                           and epoch 6 begins
/// ```
///
/// Readers hold the result of enter() while they use an object. To replace one: prepare(), show
/// readers the new object, then retire() the old one.
template <class T>
class reader_epochs {
public:
    /// A reader's visit: objects that are replaced during it stay until its end.
    class visit {
    public:
        explicit visit(std::atomic<std::uint32_t>& readers) noexcept : readers_(readers) {}
        ~visit() { readers_.fetch_sub(1, std::memory_order_release); }
        visit(const visit&) = delete;
        visit& operator=(const visit&) = delete;

    private:
        std::atomic<std::uint32_t>& readers_;
    };

    /// Begins a visit. Any thread may call it.
    [[nodiscard]] visit enter() const noexcept {
        while (true) {
            const std::uint32_t epoch = epoch_.load();
            std::atomic<std::uint32_t>& readers = readers_[epoch % 2];
            readers.fetch_add(1);
            if (epoch_.load() == epoch) return visit(readers);
            readers.fetch_sub(1);  // the epoch ended: its readers may have been counted already
        }
    }
    /// Reserves memory for the next retire(), which then can't fail. One thread at a time, as
    /// retire().
    void prepare() { in_this_epoch_.reserve(in_this_epoch_.size() + 1); }
    /// Takes over an object that was just replaced, and frees those that no reader can have.
    void retire(std::unique_ptr<T> replaced) noexcept {
        in_this_epoch_.push_back(std::move(replaced));
        const std::uint32_t epoch = epoch_.load();
        if (readers_[(epoch + 1) % 2].load() != 0) return;  // readers of the previous epoch remain
        in_last_epoch_ = std::exchange(in_this_epoch_, {});
        epoch_.store(epoch + 1);
    }

private:
    std::atomic<std::uint32_t> epoch_ = 0;
    mutable std::array<std::atomic<std::uint32_t>, 2> readers_{};  // by epoch % 2
    std::vector<std::unique_ptr<T>> in_last_epoch_, in_this_epoch_;
};

}  // namespace sluice::store

#endif
