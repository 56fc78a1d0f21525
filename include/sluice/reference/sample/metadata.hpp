// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SAMPLE_METADATA_HPP
#define SLUICE_REFERENCE_SAMPLE_METADATA_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sluice/base/json_writer.hpp>
#include <sluice/base/random.hpp>
#include <sluice/reference/sample/tables.hpp>

/// The metadata of a sample's leads and sales.
namespace sluice::reference {

/// Returns a text of a record or its metadata; nullopt if it is empty.
[[nodiscard]] inline std::optional<std::string_view> text_or_null(std::string_view text) noexcept {
    return text.empty() ? std::nullopt : std::optional(text);
}

/// Writes a member with a text, or null if it is empty.
inline void write_text_or_null(sluice::detail::json_writer& json, std::string_view name,
                               std::string_view text) {
    if (text.empty()) {
        json.member(name, nullptr);
    } else {
        json.member(name, text);
    }
}

/// Writes keys and values that expressions must quote, and deeply nested values.
inline void write_awkward_metadata(sluice::detail::json_writer& json,
                                   sluice::detail::random_source& random) {
    json.member("it's", random.pick(sample_labels));
    json.member("a.b", random.chance(50)).member("a]b", random.pick(sample_coupons));
    json.member("\"q\"", nullptr).member("back\\slash", "C:\\Program Files\\x");
    json.member("", "no key").member("مفتاح", "قيمة").member("lines", "one\ntwo\tthree");
    json.key("deep").begin_object().key("list").begin_array().value(false);
    json.begin_object().raw_member("n", random.pick(sample_numbers)).end_object();
    json.end_array().end_object();
}

/// Writes the usual metadata of a lead, with awkward members in 5 of 100 cases.
inline void write_lead_object(sluice::detail::json_writer& json,
                              sluice::detail::random_source& random) {
    json.begin_object().member("plan", random.pick(sample_plans));
    json.raw_member("seats", random.pick(sample_numbers)).member("trial", random.chance(60));
    json.key("company").begin_object().member("name", random.pick(sample_companies));
    json.member("size", std::int64_t{random.below(1000)});
    json.member("region", random.pick(sample_places).continent).end_object();
    json.key("labels").begin_array();
    for (std::uint32_t left = random.below(3); left > 0; --left) {
        json.value(random.pick(sample_labels));
    }
    json.end_array();
    write_text_or_null(json, "coupon", random.chance(30) ? random.pick(sample_coupons) : "");
    if (random.chance(5)) write_awkward_metadata(json, random);
    json.end_object();
}

/// Writes the metadata of a lead: an object in nearly all cases, else another JSON value.
inline void write_lead_metadata(sluice::detail::json_writer& json,
                                sluice::detail::random_source& random) {
    const std::uint32_t kind = random.below(100);
    if (kind == 0) {
        json.value(random.pick(sample_labels));
    } else if (kind == 1) {
        json.begin_array().value("vip").raw("10.0").value(nullptr).value(true).end_array();
    } else if (kind < 5) {
        json.value(nullptr);
    } else {
        write_lead_object(json, random);
    }
}

/// Writes the metadata of a sale: an object, or null in one of ten cases.
inline void write_sale_metadata(sluice::detail::json_writer& json,
                                sluice::detail::random_source& random, std::int64_t quantity) {
    if (random.chance(10)) {
        json.value(nullptr);
        return;
    }
    json.begin_object().member("plan", random.pick(sample_plans)).member("quantity", quantity);
    write_text_or_null(json, "coupon", random.chance(20) ? random.pick(sample_coupons) : "");
    json.raw_member("discount", random.pick(sample_numbers)).member("gift", random.chance(10));
    json.key("items").begin_array();
    for (std::uint32_t left = 1 + random.below(3); left > 0; --left) {
        json.begin_object().member("sku", "sku-" + std::to_string(random.below(500))).end_object();
    }
    json.end_array().end_object();
}

}  // namespace sluice::reference

#endif
