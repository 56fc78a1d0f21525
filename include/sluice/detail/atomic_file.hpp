// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_ATOMIC_FILE_HPP
#define SLUICE_DETAIL_ATOMIC_FILE_HPP

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <system_error>

#include <sluice/error.hpp>

namespace sluice::detail {

/// A file that appears under its name only once it is whole: text goes to `<name>.partial`, which
/// `commit` renames and the destructor removes.
///
/// ```
/// write, write ... finish    the partial file is whole and closed
/// commit                     it replaces the file of that name, if any
/// ```
class atomic_file {
public:
    /// Starts a file. `name` is static text: errors refer to it.
    atomic_file(const std::filesystem::path& folder, std::string_view name)
        : name_(name), target_(folder / name), partial_(target_) {
        partial_ += ".partial";
        stream_.open(partial_, std::ios::binary | std::ios::trunc);
    }
    atomic_file(const atomic_file&) = delete;
    atomic_file& operator=(const atomic_file&) = delete;
    ~atomic_file() {
        if (committed_) return;
        stream_.close();
        std::error_code ignored;
        std::filesystem::remove(partial_, ignored);
    }

    /// Where text is appended before `flush`.
    [[nodiscard]] std::string& buffer() noexcept { return buffer_; }

    /// Hands the buffer to the operating system where it has grown large.
    [[nodiscard]] result<void> flush_when_large() {
        constexpr std::size_t large = std::size_t{1} << 18;
        return buffer_.size() < large ? result<void>{} : flush();
    }

    /// Ends the text.
    [[nodiscard]] result<void> finish() {
        if (auto flushed = flush(); !flushed) return flushed;
        stream_.close();
        return check(stream_.good());
    }

    /// Makes a finished file appear under its name.
    [[nodiscard]] result<void> commit() {
        std::error_code failure;
        std::filesystem::rename(partial_, target_, failure);
        committed_ = !failure;
        return check(committed_);
    }

private:
    [[nodiscard]] result<void> flush() {
        stream_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        buffer_.clear();
        return check(stream_.good());
    }
    [[nodiscard]] result<void> check(bool well) const {
        if (well) return {};
        error failure = make_error(rule::file_unwritable);
        failure.param = name_;
        return tl::unexpected<error>(failure);
    }

    std::string_view name_;
    std::filesystem::path target_;
    std::filesystem::path partial_;
    std::ofstream stream_;
    std::string buffer_;
    bool committed_ = false;
};

}  // namespace sluice::detail

#endif
