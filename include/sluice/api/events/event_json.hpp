// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENTS_EVENT_JSON_HPP
#define SLUICE_API_EVENTS_EVENT_JSON_HPP

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include <sluice/api/events/event_columns.hpp>
#include <sluice/api/records/record_writer.hpp>
#include <sluice/store/json_fragments.hpp>
#include <sluice/store/json_rows.hpp>

namespace sluice::api {

/// The JSON of what a workspace's codes stand for, made as they come, and how event records are put
/// together of it. Texts that are mostly different (ids, URLs, addresses) have no fragments: they
/// are escaped as they are written. One thread adds; any thread writes rows.
///
/// ```
/// {"event":"click","timestamp":T,"click":{"id":I,"timestamp":T,"url":U,... },"link":{...},
///  -- constant --------------- time -----------text---------- ...            - fragment -
///  "click_id":I,"link_id":L,"domain":D,"key":K,"url":U,"continent":"EU",...,"ip":A}
///  -----text--- --------- fragment ----------- --text- --- fragment --- ... --text-
/// ```
class event_json {
public:
    /// `texts` are those of the columns, `sale_ids` those of sales; both outlive it.
    event_json(const std::array<store::dictionary, column_count>& texts,
               const store::dictionary& sale_ids)
        : texts_(texts) {
        qr_flags_.append_json("true");
        qr_numbers_.append_json("1");
        lay_out_click();
        lay_out_lead();
        lay_out_sale(sale_ids);
    }
    event_json(const event_json&) = delete;
    event_json& operator=(const event_json&) = delete;

    /// Adds what a column's dictionary has got up to a code, if it shows in records as fragments.
    template <column Column>
    void follow(store::code code) {
        constexpr std::size_t member = member_of(Column);
        if constexpr (Column == column::currency) {
            if (code >= currencies_.size()) follow_currencies();
        } else if constexpr (member < member_count) {
            if (code >= members_[member].size()) {
                members_[member].follow(texts_[index_of(Column)]);
            }
        }
    }

    /// Adds the next link of the workspace.
    void add_link(const link& added, std::string_view workspace_id) {
        const auto write = [&](auto& json) { write_link(json, added, workspace_id); };
        links_.append_json(json_of(write));
        std::string twins;
        sluice::detail::json_writer json(twins);
        json.begin_object().member("link_id", added.id).member("domain", added.domain);
        json.member("key", added.key);
        link_twins_.append_json(std::string_view(twins).substr(1));
    }
    /// Adds the next customer of the workspace.
    void add_customer(const customer& added) {
        customers_.append_json(json_of([&](auto& json) { write_customer(json, added); }));
    }

    /// Takes the last links and customers back, so that those below these codes are left.
    void shrink(std::size_t links, std::size_t customers) noexcept {
        links_.shrink(links);
        link_twins_.shrink(links);
        customers_.shrink(customers);
    }

    /// How records of a kind of event are written.
    [[nodiscard]] const store::json_rows& layout(event_kind kind) const noexcept {
        return layouts_[static_cast<std::size_t>(kind)];
    }

    /// Memory of the fragments of a column, in bytes.
    [[nodiscard]] std::size_t bytes(column c) const noexcept {
        if (c == column::link) return links_.bytes() + link_twins_.bytes();
        if (c == column::customer) return customers_.bytes();
        if (c == column::currency) return currencies_.bytes();
        if (c == column::qr) return qr_flags_.bytes() + qr_numbers_.bytes();
        const std::size_t member = member_of(c);
        return member < member_count ? members_[member].bytes() : 0;
    }

private:
    template <class Write>
    static std::string json_of(Write write) {
        std::string text;
        sluice::detail::json_writer json(text);
        write(json);
        return text;
    }

    /// Currencies show in lower case.
    void follow_currencies() {
        const store::dictionary& texts = texts_[index_of(column::currency)];
        while (currencies_.size() < texts.size()) {
            const auto next = static_cast<store::code>(currencies_.size());
            currencies_.append_text(sluice::detail::to_lower(texts.text(next)));
        }
    }

    /// The members of click objects and their twins that have fragments, in the order of columns.
    enum : std::size_t {
        country,
        continent,
        region,
        city,
        device,
        browser,
        os,
        trigger,
        referer,
        event_name,
        payment_processor,
        member_count
    };
    static constexpr std::array<column, member_count> member_columns{
        column::country,    column::continent,        column::region,
        column::city,       column::device,           column::browser,
        column::os,         column::trigger,          column::referer,
        column::event_name, column::payment_processor};

    /// The fragments of a column; member_count where it has none.
    static constexpr std::size_t member_of(column c) noexcept {
        std::size_t member = 0;
        while (member < member_count && member_columns[member] != c) ++member;
        return member;
    }

    store::json_rows& layout_of(event_kind kind) noexcept {
        return layouts_[static_cast<std::size_t>(kind)];
    }
    void put_text(store::json_rows& rows, column c) { rows.text(index_of(c), texts_[index_of(c)]); }
    void put_members(store::json_rows& rows, std::initializer_list<std::size_t> members) {
        for (const std::size_t each : members) {
            rows.fragment(index_of(member_columns[each]), members_[each]);
        }
    }

    /// What stands in a click object behind its time.
    void put_click(store::json_rows& rows) {
        put_text(rows.json(",\"url\":"), column::url);
        put_members(rows, {country, city, region, continent, device, browser, os, trigger});
        put_members(rows, {referer});
        put_text(rows.json(",\"refererUrl\":"), column::referer_url);
        rows.fragment(index_of(column::qr), qr_flags_);
        put_text(rows.json(",\"ip\":"), column::ip);
        rows.json("}");
    }
    /// The deprecated twins, which end each record.
    void put_twins(store::json_rows& rows) {
        put_text(rows.json(",\"click_id\":"), column::click_id);
        rows.fragment(index_of(column::link), link_twins_);
        put_text(rows.json(",\"url\":"), column::url);
        put_members(rows, {continent, country, city, device, browser, os});
        rows.fragment(index_of(column::qr), qr_numbers_);
        put_text(rows.json(",\"ip\":"), column::ip);
        rows.json("}");
    }

    void lay_out_click() {
        store::json_rows& rows = layout_of(event_kind::clicks);
        rows.json(R"({"event":"click","timestamp":)").time().json(R"(,"click":{"id":)");
        put_text(rows, column::click_id);
        put_click(rows.json(",\"timestamp\":").time());
        put_twins(rows.fragment(index_of(column::link), links_));
    }

    /// The click object of a lead or sale.
    void put_click_of_outcome(store::json_rows& rows) {
        put_text(rows.json(R"(,"click":{"id":)"), column::click_id);
        put_click(rows.json(",\"timestamp\":").time(index_of(integer_column::click_timestamp)));
    }
    void lay_out_lead() {
        store::json_rows& rows = layout_of(event_kind::leads);
        put_text(rows.json(R"({"event":"lead","timestamp":)").time().json(",\"eventId\":"),
                 column::event_id);
        put_members(rows, {event_name});
        rows.json(",\"metadata\":");
        rows.raw(index_of(column::metadata), texts_[index_of(column::metadata)]);
        put_click_of_outcome(rows);
        rows.fragment(index_of(column::link), links_);
        put_twins(rows.fragment(index_of(column::customer), customers_));
    }
    void lay_out_sale(const store::dictionary& sale_ids) {
        store::json_rows& rows = layout_of(event_kind::sales);
        rows.json(R"({"event":"sale","timestamp":)").time().json(",\"eventId\":");
        put_members(rows.text(index_of(column::event_id), sale_ids), {event_name});
        rows.json(R"(,"sale":{"amount":)").integer(index_of(integer_column::amount));
        put_text(rows.json(",\"invoiceId\":"), column::invoice_id);
        put_members(rows.json(",\"paymentProcessor\":"), {payment_processor});
        rows.json(",\"currency\":").fragment(index_of(column::currency), currencies_);
        rows.json("},\"metadata\":");
        rows.raw(index_of(column::metadata), texts_[index_of(column::metadata)]);
        rows.fragment(index_of(column::link), links_);
        put_click_of_outcome(rows);
        rows.fragment(index_of(column::customer), customers_);
        rows.json(",\"saleAmount\":").integer(index_of(integer_column::amount));
        rows.json(",\"invoice_id\":");
        rows.text(index_of(column::invoice_id), texts_[index_of(column::invoice_id)], "\"\"");
        put_members(rows.json(",\"payment_processor\":"), {payment_processor});
        put_twins(rows);
    }

    const std::array<store::dictionary, column_count>& texts_;
    std::array<store::json_fragments, member_count> members_{{
        {",\"country\":\"", "\"", {}},
        {",\"continent\":\"", "\"", {}},
        {",\"region\":\"", "\"", {}},
        {",\"city\":\"", "\"", {}},
        {",\"device\":\"", "\"", {}},
        {",\"browser\":\"", "\"", {}},
        {",\"os\":\"", "\"", {}},
        {",\"trigger\":\"", "\"", ",\"trigger\":null"},
        {",\"referer\":\"", "\"", {}},
        {",\"eventName\":\"", "\"", {}},
        {"\"", "\"", "null"},
    }};
    store::json_fragments currencies_{"\"", "\"", "null"};
    store::json_fragments qr_flags_{",\"qr\":", {}, ",\"qr\":false"};
    store::json_fragments qr_numbers_{",\"qr\":", {}, ",\"qr\":0"};
    store::json_fragments links_{",\"link\":", {}, {}};
    store::json_fragments link_twins_{",", {}, {}};
    store::json_fragments customers_{",\"customer\":", {}, {}};
    std::array<store::json_rows, 3> layouts_;
};

}  // namespace sluice::api

#endif
