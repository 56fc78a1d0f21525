// SPDX-License-Identifier: MIT
#include "abi.hpp"

#include <sluice/base/word.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/filters/filter.hpp>
#include <sluice/query/page.hpp>

namespace sluice::wasm {

namespace {

/// The largest integer that a double represents exactly, and so do all below it.
constexpr std::int64_t largest_exact = (std::int64_t{1} << 53) - 1;

/// The number of UTF-16 code units of UTF-8.
std::size_t units_of(std::string_view text) {
    using sluice::detail::load_word, sluice::detail::repeated;
    std::size_t units = text.size();
    for (std::size_t at = 0; at < text.size();) {
        const bool has_eight = text.size() - at >= 8;
        if (has_eight && (load_word<std::uint64_t>(text.data() + at) & repeated(0x80)) == 0) {
            at += 8;
            continue;
        }
        const auto byte = static_cast<unsigned char>(text[at++]);
        if ((byte & 0xC0) == 0x80) --units;
        if (byte >= 0xF0) ++units;
    }
    return units;
}

}  // namespace

double arguments::take() {
    if (numbers_.empty()) return 0;
    const double number = numbers_.front();
    numbers_ = numbers_.subspan(1);
    return number;
}

std::string_view arguments::take_text() {
    const std::string_view taken = text_.substr(0, static_cast<std::size_t>(take()));
    text_.remove_prefix(taken.size());
    return taken;
}

bool arguments::is_next(tag wanted) {
    const tag kind = next();
    if (kind == wanted) return true;
    if (kind == tag::number) static_cast<void>(take());
    if (kind == tag::text || kind == tag::digits) static_cast<void>(take_text());
    return false;
}

std::optional<std::string_view> arguments::optional_text() {
    return is_next(tag::text) ? std::optional(take_text()) : std::nullopt;
}

bool arguments::skips_absent() {
    const bool is_absent =
        !numbers_.empty() && numbers_.front() == static_cast<double>(tag::nothing);
    if (is_absent) static_cast<void>(take());
    return is_absent;
}

std::int64_t arguments::integer() {
    const bool has_digits =
        !numbers_.empty() && numbers_.front() == static_cast<double>(tag::digits);
    if (!has_digits) return static_cast<std::int64_t>(real());
    return is_next(tag::digits) ? parse_int64(take_text()).value_or(0) : 0;
}

double arguments::real() { return is_next(tag::number) ? take() : 0; }

object* arguments::address() {
    return reinterpret_cast<wasm::object*>(static_cast<std::uintptr_t>(real()));
}

answer_writer& answer_writer::add(tag kind) {
    numbers_.push_back(static_cast<double>(kind));
    return *this;
}

answer_writer& answer_writer::add(tag kind, double number) {
    numbers_.push_back(static_cast<double>(kind));
    numbers_.push_back(number);
    return *this;
}

answer_writer& answer_writer::add_text(tag kind, std::string_view text) {
    text_.append(text);
    return add(kind, static_cast<double>(units_of(text)));
}

answer_writer& answer_writer::value(std::int64_t number) {
    if (number >= -largest_exact && number <= largest_exact) {
        return value(static_cast<double>(number));
    }
    return digits(std::to_string(number));
}

answer_writer& answer_writer::value(instant at) {
    return add(tag::time, static_cast<double>(at.time_since_epoch().count()));
}

answer_writer& answer_writer::value(const filter& wanted) {
    begin(tag::filter).value(std::string_view(to_string(wanted)));
    return value(wanted.excludes()).texts(wanted.values());
}

void answer_writer::errors(std::span<const error> all, std::span<const name_value> pairs) {
    begin(tag::refusal).begin_array();
    for (const error& e : all) {
        const bool is_in_pair = e.pair != error::no_pair;
        const auto text = is_in_pair ? std::optional(text_at_fault(pairs, e)) : std::nullopt;
        add_error(e, message(e, text.value_or(std::string_view())), text);
    }
    end_array();
}

void answer_writer::error_in(const error& e, std::string_view text) {
    begin(tag::refusal).begin_array();
    add_error(e, message(e, text), text);
    end_array();
}

void answer_writer::refusal(const error& e, std::string_view why) {
    begin(tag::refusal).begin_array();
    add_error(e, why, std::nullopt);
    end_array();
}

void answer_writer::add_error(const error& e, std::string_view why,
                              std::optional<std::string_view> text) {
    const bool is_unknown = e.broken == rule::parameter_unknown;
    const std::string_view param = is_unknown ? text.value_or(std::string_view()) : e.param;
    begin(tag::error).value(to_string(e.code)).value(static_cast<double>(http_status(e.code)));
    value(to_string(e.broken));
    value(param.empty() ? std::nullopt : std::optional(param));
    value(static_cast<double>(e.offset)).value(static_cast<double>(e.length)).value(why);
    value(text);
}

void answer_writer::clear() {
    numbers_.clear();
    text_.clear();
}

const answer* answer_of(function& called, arguments args) {
    static answer_writer kept;
    static answer place{};
    answer_writer written = std::exchange(kept, {});  // a call may come within another
    written.clear();
    called(args, written);
    kept = std::move(written);
    place = {kept.numbers().data(), kept.numbers().size(), kept.text().data(), kept.text().size()};
    return &place;
}

}  // namespace sluice::wasm

// --- Memory functions, which have no answer -------------------------------------------------

/// Allocates memory for arguments, or for a text of the host.
extern "C" __attribute__((export_name("allocate"))) char* sluice_allocate(std::size_t size) {
    return new char[size];
}

/// Returns memory of `allocate`.
extern "C" __attribute__((export_name("deallocate"))) void sluice_deallocate(const char* bytes) {
    delete[] bytes;
}

/// Destroys an object; JavaScript must not use its address afterwards.
extern "C" __attribute__((export_name("release"))) void sluice_release(sluice::wasm::object* held) {
    delete held;
}
