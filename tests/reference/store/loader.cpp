// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/lists/workspace_rows.hpp>
#include <sluice/reference/store/loader.hpp>

#include "../../store/make_archive.hpp"
#include "../../temporary_folder.hpp"
#include "../make_records.hpp"

using namespace sluice::reference;
using sluice::rule;

namespace {

/// The bytes of each file of a folder.
using folder_bytes = std::map<std::string, std::string>;

/// A record of each kind, a line each.
const folder_bytes good_folder{
    {"tags.ndjson",
     R"({"id":"tag_1","name":"one","color":"red","createdAt":"2026-01-01T00:00:00Z"})"
     "\n"},
    {"customers.ndjson", R"({"id":"cus_1","externalId":"1","createdAt":"2026-01-01T00:00:00Z"})"
                         "\n"},
    {"links.ndjson",
     R"({"id":"link_1","domain":"d.example","key":"k","url":"https://example.com/",)"
     R"("createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"})"
     "\n"},
    {"clicks.ndjson",
     R"({"id":"click_1","timestamp":"2026-01-02T00:00:00Z","linkId":"link_1",)"
     R"("url":"https://example.com/","country":"US","region":"US-CA","city":"Unknown",)"
     R"("continent":"NA","device":"Desktop","browser":"Chrome","os":"Mac OS",)"
     R"("referer":"t.co","refererUrl":"https://t.co/","qr":false,"ip":"192.0.2.1"})"
     "\n"},
    {"leads.ndjson",
     R"({"eventId":"lead_1","eventName":"Sign up","timestamp":"2026-01-03T00:00:00Z",)"
     R"("customerId":"cus_1","clickId":"click_1","linkId":"link_1"})"
     "\n"},
    {"sales.ndjson",
     R"({"eventId":"sale_1","eventName":"Purchase","timestamp":"2026-01-04T00:00:00Z",)"
     R"("customerId":"cus_1","clickId":"click_1","linkId":"link_1",)"
     R"("amount":100,"currency":"usd","paymentProcessor":"stripe"})"
     "\n"}};

/// The key of a workspace's link.
std::string link_key(const workspace& records, sluice::store::code link) {
    return std::string(
        std::get<std::string_view>(records.link_fields().find("link.key")->at(link)));
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

void write_folder(const std::filesystem::path& folder, const folder_bytes& files) {
    for (const auto& [name, bytes] : files) {
        std::ofstream(folder / name, std::ios::binary) << bytes;
    }
}

auto load(event_store& store, const folder_bytes& files, const load_options& options = {}) {
    const temporary_folder folder;
    write_folder(folder.path(), files);
    return load_folder(store, folder.path(), options);
}

folder_bytes with(const std::string& file, std::string bytes) {
    folder_bytes files = good_folder;
    files[file] = std::move(bytes);
    return files;
}

/// The good folder with these clicks, and without leads and sales.
folder_bytes with_clicks(std::string clicks) {
    folder_bytes files = with("clicks.ndjson", std::move(clicks));
    files["leads.ndjson"] = files["sales.ndjson"] = "";
    return files;
}

workspace_view view_of(const event_store& store) { return store.find("ws_default")->current(); }

/// A store that has taken nothing in.
void check_is_empty(const event_store& store) {
    const workspace_view view = view_of(store);
    CHECK(view.tags == 0);
    CHECK(view.customers == 0);
    CHECK(view.links == 0);
    CHECK(store.size() == 0);
}

/// Clicks of a folder, as NDJSON.
std::string many_clicks(int count) {
    std::string lines;
    for (int i = 0; i < count; ++i) {
        lines += replaced(good_folder.at("clicks.ndjson"), "click_1", "c" + std::to_string(i));
    }
    return lines;
}

}  // namespace

TEST_CASE("a good folder is loaded and published") {
    event_store store("ws_default");
    const auto loaded = load(store, good_folder);
    REQUIRE(loaded);
    CHECK(*loaded == 6);
    const workspace_view view = view_of(store);
    CHECK(view.tags == 1);
    CHECK(view.customers == 1);
    CHECK(view.links == 1);
    CHECK(listed(view, "") == id_list{"click_1"});
    CHECK(listed(view, "event=leads") == id_list{"lead_1"});
    CHECK(listed(view, "event=sales") == id_list{"sale_1"});
    CHECK(store.size() == 3);
}

TEST_CASE("an empty folder of files is loaded, a file that is missing is an error") {
    folder_bytes empty;
    for (const auto& [name, bytes] : good_folder) empty[name] = "";
    event_store store("ws_default");
    CHECK(load(store, empty) == 0);
    for (const std::string_view missing : folder_files) {
        if (is_optional_file(missing)) continue;
        folder_bytes files = good_folder;
        files.erase(std::string(missing));
        event_store without("ws_default");
        const auto loaded = load(without, files);
        REQUIRE_FALSE(loaded);
        CHECK(loaded.error().file == missing);
        CHECK(loaded.error().line == 0);
        CHECK(loaded.error().why == sluice::make_error(rule::file_unreadable));
        CHECK(loaded.error().system == std::errc::no_such_file_or_directory);
        check_is_empty(without);
    }
}

TEST_CASE("domains and folders are loaded if the folder has their files") {
    const std::string times =
        R"("createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-02T00:00:00Z")";
    const std::string domain = R"({"id":"d1","slug":"go.x","registeredDomain":)"
                               R"({"id":"r1","createdAt":"2025-01-01T00:00:00Z",)"
                               R"("expiresAt":"2027-01-01T00:00:00Z","renewalFee":9.5},)" +
                               times + "}\n";
    const std::string folder = R"({"id":"f1","name":"one","accessLevel":"read",)" + times + "}\n";
    folder_bytes files = with("domains.ndjson", domain);
    files["folders.ndjson"] = folder;
    for (const bool parses_ahead : {false, true}) {
        event_store store("ws_default");
        CHECK(load(store, files, {.parses_ahead = parses_ahead}) == 8);
        const workspace_view view = view_of(store);
        REQUIRE((view.domains == 1 && view.folders == 1));
        CHECK(json_of<sluice::reference::domain>(rows_of<sluice::reference::domain>(view), 0) ==
              R"({"id":"d1","slug":"go.x","verified":false,"primary":false,"archived":false,)"
              R"("placeholder":null,"expiredUrl":null,"notFoundUrl":null,"logo":null,)"
              R"("createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-02T00:00:00.000Z",)"
              R"("registeredDomain":{"id":"r1","autoRenewalDisabledAt":null,)"
              R"("createdAt":"2025-01-01T00:00:00.000Z","expiresAt":"2027-01-01T00:00:00.000Z",)"
              R"("renewalFee":9.5}})");
        CHECK(json_of<sluice::reference::folder>(rows_of<sluice::reference::folder>(view), 0) ==
              R"({"id":"f1","name":"one","description":null,"type":"default","accessLevel":"read",)"
              R"("createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-02T00:00:00.000Z"})");
    }
    const std::vector<std::tuple<std::string, std::string, std::string, std::string>> table{
        {"folders.ndjson", "\"read\"", "\"own\"", "accessLevel"},
        {"folders.ndjson", "\"name\":\"one\",", "", "name"},
        {"folders.ndjson", "\"name\"", "\"type\":\"big\",\"name\"", "type"},
        {"domains.ndjson", "9.5", "\"9.5\"", "registeredDomain.renewalFee"},
        {"domains.ndjson", "\"id\":\"r1\",", "", "registeredDomain.id"},
        {"domains.ndjson", "\"slug\":\"go.x\"", "\"slug\":null", "slug"}};
    for (const auto& [file, from, to, param] : table) {
        folder_bytes wrong = files;
        wrong[file] = replaced(wrong[file], from, to);
        event_store store("ws_default");
        const auto loaded = load(store, wrong);
        REQUIRE_FALSE(loaded);
        CHECK((loaded.error().file == file && loaded.error().line == 1));
        CHECK(loaded.error().why.param == param);
        check_is_empty(store);
    }
}

TEST_CASE("what can't be read is named with its folder and the system's reason") {
    const temporary_folder folder;
    write_folder(folder.path(), good_folder);
    const auto refusal = [&](const std::filesystem::path& from) {
        event_store store("ws_default");
        const auto loaded = load_folder(store, from);
        REQUIRE_FALSE(loaded);
        check_is_empty(store);
        return message(loaded.error());
    };
    const std::string links = (folder.path() / "links.ndjson").string();
    std::filesystem::remove(links);
    CHECK(refusal(folder.path()) == links + ": cannot be read: No such file or directory");
    std::filesystem::create_directory(links);
    CHECK(refusal(folder.path()) == links + ": cannot be read: Is a directory");
    std::filesystem::remove(links);
    std::filesystem::create_symlink(links, links);
    CHECK(refusal(folder.path()) == links + ": cannot be read: Too many levels of symbolic links");
    const std::filesystem::path nowhere = folder.path() / "nowhere";
    CHECK(refusal(nowhere) ==
          (nowhere / "tags.ndjson").string() + ": cannot be read: No such file or directory");
    const std::filesystem::path file = folder.path() / "tags.ndjson";
    CHECK(refusal(file) == (file / "tags.ndjson").string() + ": cannot be read: Not a directory");
}

TEST_CASE("a message says where a file is at fault, why, and what to do") {
    struct row {
        std::string file, bytes, message;
    };
    const std::string tag = good_folder.at("tags.ndjson");
    const std::string deep = R"({"id":"t","x":)" + std::string(256, '[');
    const std::vector<row> table{
        {"tags.ndjson", "\xEF\xBB\xBF" + tag,
         ":1: starts with a byte-order mark, save the file as UTF-8 without one"},
        {"tags.ndjson", "\xFF\xFE" + tag, ":1: not valid UTF-8, save the file as UTF-8"},
        {"tags.ndjson", tag + "{\"id\":\"\xE9\"}\n",
         ":2: not valid UTF-8 (at byte 7), save the file as UTF-8"},
        {"tags.ndjson", tag + deep,
         ":2: malformed JSON (at byte 270), the file ends within this line and may have been cut "
         "off"},
        {"tags.ndjson", tag + "\n[1]\n", ":3: malformed JSON, expected one JSON object a line"},
        {"tags.ndjson", tag + tag.substr(0, 20) + "\n",
         ":2: malformed JSON (at byte 20), expected one JSON object a line"},
        {"tags.ndjson", tag + tag.substr(0, 20),
         ":2: malformed JSON (at byte 20), the file ends within this line and may have been cut "
         "off"},
        {"tags.ndjson", tag + "{]",
         ":2: malformed JSON (at byte 1), expected one JSON object a line"},
        {"tags.ndjson", std::string(record_max_length + 1, ' '),
         ":1: too long, expected at most 16777216 bytes"},
        {"tags.ndjson", "{}", ":1: id: missing, it is required"},
        {"tags.ndjson", tag + tag,
         ":2: id: names a record that exists, expected an identifier of its own"},
        {"customers.ndjson", R"({"id":7})",
         ":1: id: has the wrong type (at byte 6), expected a string"},
        {"links.ndjson",
         good_folder.at("links.ndjson") +
             replaced(good_folder.at("links.ndjson"), "link_1", "link_2"),
         ":2: key: names a record that exists, expected an identifier of its own"},
        {"clicks.ndjson", replaced(good_folder.at("clicks.ndjson"), "link_1", "link_9"),
         ":1: linkId: names no record, load that record first"},
    };
    for (const auto& [file, bytes, expected] : table) {
        const temporary_folder folder;
        write_folder(folder.path(), with(file, bytes));
        event_store store("ws_default");
        const auto loaded = load_folder(store, folder.path());
        REQUIRE_FALSE(loaded);
        CHECK(message(loaded.error()) == (folder.path() / file).string() + expected);
    }
}

TEST_CASE("a bad line is named by file and line, and the store stays as it was") {
    struct bad {
        std::string file, line;
        rule broken;
        std::string field;
    };
    const auto changed = [](const std::string& file, std::string_view from, std::string_view to) {
        const std::string line = replaced(good_folder.at(file), from, to);
        return line.substr(0, line.size() - 1);
    };
    const std::string clicks = "clicks.ndjson", leads = "leads.ndjson", sales = "sales.ndjson",
                      links = "links.ndjson", tags = "tags.ndjson", customers = "customers.ndjson";
    const std::vector<bad> table{
        {clicks, "{", rule::json_malformed, ""},
        {clicks, "[]", rule::json_malformed, ""},
        {clicks, "null", rule::json_malformed, ""},
        {clicks, "\xEF\xBB\xBF{}", rule::byte_order_mark, ""},
        {clicks, "{\"id\":\"\xFF\"}", rule::text_encoding, ""},
        {clicks, "{} {}", rule::json_malformed, ""},
        {clicks, "{}", rule::field_missing, "id"},
        {clicks, changed(clicks, "\"id\"", "\"ID\""), rule::field_missing, "id"},
        {clicks, changed(clicks, "\"id\":\"click_1\"", "\"id\":1"), rule::field_type, "id"},
        {clicks, changed(clicks, "2026-01-02T", "2026-13-02T"), rule::field_value, "timestamp"},
        {clicks, changed(clicks, "link_1", "link_9"), rule::reference_unknown, "linkId"},
        {clicks, changed(clicks, "\"qr\":false", "\"qr\":0"), rule::field_type, "qr"},
        {clicks, changed(clicks, "false,", "false,\"trigger\":\"mail\","), rule::field_value,
         "trigger"},
        {clicks, changed(clicks, "click_1", "click_1"), rule::identifier_taken, "id"},
        {clicks, changed(clicks, "false,", "false,\"workspaceId\":\"other\","),
         rule::reference_unknown, "linkId"},
        {leads, changed(leads, "click_1", "click_9"), rule::reference_unknown, "clickId"},
        {leads, changed(leads, "cus_1", "cus_9"), rule::reference_unknown, "customerId"},
        {leads, changed(leads, "link_1\"", "link_1\",\"metadata\":{\"a\":}"), rule::json_malformed,
         ""},
        {sales, changed(sales, "100", "1.5"), rule::field_type, "amount"},
        {sales, changed(sales, "cus_1", ""), rule::reference_unknown, "customerId"},
        {links, changed(links, "link_1", "link_1"), rule::identifier_taken, "id"},
        {links, changed(links, "\"domain\"", "\"host\""), rule::field_missing, "domain"},
        {tags, changed(tags, "red", "mauve"), rule::field_value, "color"},
        {tags, changed(tags, "tag_1", "tag_1"), rule::identifier_taken, "id"},
        {customers, changed(customers, "cus_1", "cus_1"), rule::identifier_taken, "id"},
    };
    for (const bad& entry : table) {
        CAPTURE(entry.file);
        CAPTURE(entry.line);
        const std::string last = replaced(good_folder.at(entry.file), "_1\"", "_2\"");
        event_store store("ws_default");
        const auto loaded = load(
            store, with(entry.file, good_folder.at(entry.file) + "\n" + entry.line + "\n" + last));
        REQUIRE_FALSE(loaded);
        CHECK(loaded.error().file == entry.file);
        CHECK(loaded.error().line == 3);
        CHECK(loaded.error().why.broken == entry.broken);
        CHECK(loaded.error().why.param == entry.field);
        check_is_empty(store);
        CHECK(load(store, good_folder) == 6);
    }
}

TEST_CASE("a store that has records keeps them when a later folder is bad") {
    event_store store("ws_default");
    REQUIRE(load(store, good_folder));
    const auto again = load(store, good_folder);
    REQUIRE_FALSE(again);
    CHECK(message(again.error())
              .ends_with("/tags.ndjson:1: id: names a record that exists, "
                         "expected an identifier of its own"));
    CHECK(store.size() == 3);
    CHECK(listed(view_of(store), "event=sales") == id_list{"sale_1"});
}

TEST_CASE("clicks whose texts are looked up together are as those added one by one") {
    const std::vector<std::string> ids{"c", "click_00ff", "click_00FF", "\\u0000", "é"};
    const std::vector<std::string> ends{"", "?utm_source=a%20b", "\\u0000", "\\/x", "é"};
    event_store together("ws_default"), one_by_one("ws_default");
    REQUIRE(load(one_by_one, with_clicks("")));
    std::string lines;
    record_reader reader;
    for (std::size_t i = 0; i < 300; ++i) {
        std::string line = replaced(good_folder.at("clicks.ndjson"), "click_1",
                                    ids[i % ids.size()] + std::to_string(i));
        line = replaced(line, "https://example.com/",
                        "https://example.com/" + std::to_string(i / 50) + ends[i % 5]);
        line = replaced(line, R"("192.0.2.1")", '"' + std::to_string(i % 7) + '"');
        if (i % 3 == 0) line = replaced(line, "{", R"({"ip":"first","unknown":[1e999],)");
        lines += line;
        const auto added = reader.read_click(std::string_view(line).substr(0, line.size() - 1));
        REQUIRE(added);
        REQUIRE(one_by_one.add(*added));
    }
    one_by_one.publish();
    REQUIRE(load(together, with_clicks(lines)) == 300 + 3);
    const workspace_view expected = view_of(one_by_one), view = view_of(together);
    REQUIRE(view.clicks.size() == 300);
    for (std::size_t row = 0; row < 300; ++row) {
        for (std::size_t at = 0; at < code_columns_of(event_kind::clicks); ++at) {
            const column of = all_columns[at];
            CHECK(view.source->texts(of).text(view.clicks.code_at(row, at)) ==
                  expected.source->texts(of).text(expected.clicks.code_at(row, at)));
        }
    }
}

TEST_CASE("of clicks whose texts are looked up together the first one at fault is named") {
    for (const std::size_t at : {1U, 62U, 63U, 64U, 65U, 127U, 128U}) {
        const std::string line = good_folder.at("clicks.ndjson");
        const std::string before = many_clicks(static_cast<int>(at));
        const std::string after = replaced(line, "click_1", "last") + "{";
        event_store store("ws_default");
        const auto taken =
            load(store, with("clicks.ndjson", before + replaced(line, "click_1", "c0") + after));
        CHECK(taken.error().why.broken == rule::identifier_taken);
        CHECK(taken.error().line == static_cast<std::int64_t>(at) + 1);
        const auto unknown =
            load(store, with("clicks.ndjson", before + replaced(line, "link_1", "link_2") + after));
        CHECK(unknown.error().why.broken == rule::reference_unknown);
        CHECK(unknown.error().line == static_cast<std::int64_t>(at) + 1);
        check_is_empty(store);
    }
}

TEST_CASE("blank lines are counted and skipped, and a line may end in CR LF or nothing") {
    const std::string line = good_folder.at("clicks.ndjson");
    const std::string bare = line.substr(0, line.size() - 1);
    const std::string second = replaced(bare, "click_1", "click_2");
    for (const std::string& bytes :
         {bare + "\n" + second + "\n", bare + "\n" + second, bare + "\r\n" + second + "\r\n",
          bare + "\r\n" + second + "\r", "\n\r\n \t\n" + bare + "\n\n" + second + "\n\n\n  ",
          "  " + bare + "  \n\t" + second + "\t\n"}) {
        event_store store("ws_default");
        CHECK(load(store, with("clicks.ndjson", bytes)) == 7);
        CHECK(listed(view_of(store), "") == id_list{"click_1", "click_2"});
    }
    event_store store("ws_default");
    CHECK(load(store, with("clicks.ndjson", bare + "\n\r\n\n{")).error().line == 4);
}

TEST_CASE("a line at the limit is read, one over it is refused where it stands") {
    const std::string line = good_folder.at("tags.ndjson");
    const std::string bare = line.substr(0, line.size() - 1);
    const auto padded = [&](std::size_t size) {
        return bare + std::string(size - bare.size(), ' ');
    };
    event_store at_limit("ws_default");
    CHECK(load(at_limit, with("tags.ndjson", padded(record_max_length) + "\n")) == 6);
    const std::string too_long = padded(record_max_length + 1);
    const std::string blank(record_max_length + 1, ' ');
    for (const std::string& bytes : {"\n" + too_long + "\n" + line, "\n" + too_long,
                                     "\n" + blank + "\n" + line, "\n" + too_long + too_long}) {
        event_store store("ws_default");
        const auto loaded = load(store, with("tags.ndjson", bytes));
        REQUIRE_FALSE(loaded);
        CHECK(loaded.error().file == "tags.ndjson");
        CHECK(loaded.error().line == 2);
        CHECK(loaded.error().why.broken == rule::text_too_long);
        CHECK(view_of(store).tags == 0);
    }
}

TEST_CASE("lines are read whole wherever the file's pieces end") {
    event_store store("ws_default");
    constexpr int count = 4'000;  // more than a megabyte
    REQUIRE(load(store, with("clicks.ndjson", many_clicks(count) + many_clicks(1))).error().line ==
            count + 1);
    const std::string all = many_clicks(count) + good_folder.at("clicks.ndjson");
    CHECK(load(store, with("clicks.ndjson", all)) == count + 6);
    CHECK(view_of(store).clicks.size() == count + 1);
}

TEST_CASE("progress rises to the total, which is the size of the files") {
    folder_bytes files =
        with("clicks.ndjson", many_clicks(12'000) + good_folder.at("clicks.ndjson"));
    files["tags.ndjson"].pop_back();
    std::int64_t size = 0;
    for (const auto& [name, bytes] : files) size += static_cast<std::int64_t>(bytes.size());
    std::vector<std::pair<std::int64_t, std::int64_t>> steps;
    event_store store("ws_default");
    REQUIRE(
        load(store, files, {.random = 0, .progress = [&](std::int64_t done, std::int64_t total) {
                                steps.emplace_back(done, total);
                            }}));
    CHECK(steps.size() >= 3);
    CHECK(std::ranges::is_sorted(steps));
    CHECK(steps.front().first > 0);
    for (const auto& [done, total] : steps) CHECK(total == size);
    constexpr std::int64_t mebibyte = 1 << 20;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        CHECK(steps[i].first / mebibyte == static_cast<std::int64_t>(i) + 1);
    }
    CHECK(steps.back().first == size);
}

TEST_CASE("progress of an empty folder ends at once, of a bad one never") {
    folder_bytes empty;
    for (const auto& [name, bytes] : good_folder) empty[name] = "";
    int calls = 0;
    const load_options options{.random = 0, .progress = [&](std::int64_t done, std::int64_t total) {
                                   ++calls;
                                   CHECK(done == total);
                               }};
    event_store store("ws_default");
    CHECK(load(store, empty, options) == 0);
    CHECK(calls == 1);
    CHECK_FALSE(load(store, with("sales.ndjson", "{"), options));
    CHECK(calls == 1);
}

TEST_CASE("a link without a key gets a slug of its own, the same for the same seed") {
    const std::string keyless = replaced(good_folder.at("links.ndjson"), R"("key":"k",)", "");
    const std::string both = keyless + replaced(keyless, "link_1", "link_2");
    const auto keys = [&](std::uint64_t seed) {
        event_store store("ws_default");
        REQUIRE(load(store, with("links.ndjson", both), {.random = seed, .progress = {}}));
        const workspace& records = *store.find("ws_default");
        return std::pair(link_key(records, 1), link_key(records, 2));
    };
    const auto [first, second] = keys(1);
    CHECK(first.size() == 7);
    CHECK(second.size() == 7);
    CHECK(first != second);
    CHECK(keys(1) == std::pair(first, second));
    CHECK(keys(2) != std::pair(first, second));
}

TEST_CASE("records of several workspaces may stand in one folder") {
    const std::string link = good_folder.at("links.ndjson");
    const std::string other =
        replaced(replaced(link, "link_1", "link_2"), "\"key\"", R"("workspaceId":"ws_2","key")");
    const std::string click = good_folder.at("clicks.ndjson");
    folder_bytes files = with("links.ndjson", link + other);
    files["clicks.ndjson"] = click + replaced(click, "link_1", "link_2");
    event_store store("ws_default");
    REQUIRE(load(store, files) == 8);
    CHECK(listed(view_of(store), "") == id_list{"click_1"});
    CHECK(listed(store.find("ws_2")->current(), "linkId=link_2") == id_list{"click_1"});
    CHECK(store.find("ws_2")->current().customers == 0);
}

TEST_CASE("a link whose random slug is taken gets the next one") {
    const std::string line = good_folder.at("links.ndjson");
    const std::string keyless = replaced(line, R"("key":"k",)", "");
    const auto key_of = [](const std::string& links) {
        event_store store("ws_default");
        REQUIRE(load(store, with("links.ndjson", links), {.random = 5, .progress = {}}));
        const workspace& records = *store.find("ws_default");
        return link_key(records, static_cast<sluice::store::code>(records.current().links));
    };
    const std::string first = key_of(keyless);
    const std::string taken =
        replaced(replaced(line, "link_1", "link_0"), R"("k")", '"' + first + '"');
    CHECK(key_of(taken + keyless) != first);
    CHECK(key_of(taken + keyless).size() == 7);
}

TEST_CASE("a progress function that throws takes the load back") {
    const folder_bytes files =
        with("clicks.ndjson", many_clicks(12'000) + good_folder.at("clicks.ndjson"));
    event_store store("ws_default");
    int calls = 0;
    const load_options stopped{.random = 0, .progress = [&](std::int64_t, std::int64_t) {
                                   if (++calls == 3) throw std::runtime_error("enough");
                               }};
    CHECK_THROWS_AS(static_cast<void>(load(store, files, stopped)), std::runtime_error);
    CHECK(calls == 3);
    check_is_empty(store);
    CHECK(load(store, files) == 12'006);
}

namespace {

/// Two good records a file, of two workspaces; the second one's records refer to its own.
folder_bytes two_workspaces() {
    folder_bytes files = good_folder;
    for (auto& [name, lines] : files) {
        std::string other = lines;
        for (const char* const id : {"tag_1", "cus_1", "link_1", "click_1", "lead_1", "sale_1"}) {
            for (std::size_t at = other.find(id); at != std::string::npos; at = other.find(id)) {
                other.replace(at + std::string_view(id).size() - 1, 1, "2");
            }
        }
        lines += replaced(other, "{\"", "{\"workspaceId\":\"ws_2\",\"");
    }
    return files;
}

/// All that a store shows.
std::string shown(const event_store& store) {
    std::string all = std::to_string(store.size());
    for (const char* const id : {"ws_default", "ws_2", "ws_3"}) {
        const workspace* const records = store.find(id);
        all += records == nullptr ? "\nnone" : "\n";
        if (records == nullptr) continue;
        const workspace_view view = records->current();
        for (const std::size_t count : {view.tags, view.customers, view.links}) {
            all += std::to_string(count) + ' ';
        }
        for (const char* const query :
             {"", "event=leads", "event=sales", "linkId=link_1,link_2", "domain=D.example",
              "utm_source=a", "event=leads&customerId=cus_1",
              "event=sales&query=metadata['a']:1"}) {
            all += list_events(view, events_query_of(query))->body + '\n';
        }
        all += list_tags(view, {})->body;
    }
    return all;
}

}  // namespace

TEST_CASE("a load that fails at any line leaves no trace, and can be repeated") {
    const folder_bytes whole = two_workspaces();
    event_store expected("ws_default");
    REQUIRE(load(expected, whole) == 12);
    const folder_bytes earlier = [] {
        folder_bytes files;
        for (const auto& [name, bytes] : good_folder) files[name] = replaced(bytes, "_1\"", "_0\"");
        for (const char* const name : {"leads.ndjson", "sales.ndjson", "clicks.ndjson"}) {
            files[name].clear();
        }
        files["links.ndjson"] = replaced(files["links.ndjson"], "\"k\"", "\"k0\"");
        return files;
    }();
    event_store expected_later("ws_default");
    REQUIRE(load(expected_later, earlier) == 3);
    const std::string before = shown(expected_later);
    REQUIRE(load(expected_later, whole) == 12);
    for (const auto& [name, bytes] : whole) {
        CAPTURE(name);
        const std::size_t middle = bytes.find('\n') + 1;
        for (const std::size_t at : {std::size_t{0}, middle, bytes.size()}) {
            CAPTURE(at);
            folder_bytes broken = whole;
            broken[name].insert(at, "{\"id\":\n");
            event_store store("ws_default");
            CHECK_FALSE(load(store, broken));
            CHECK(shown(store) == shown(event_store("ws_default")));
            CHECK_FALSE(load(store, broken));
            CHECK(load(store, whole) == 12);
            CHECK(shown(store) == shown(expected));

            event_store later("ws_default");
            REQUIRE(load(later, earlier) == 3);
            CHECK_FALSE(load(later, broken));
            CHECK(shown(later) == before);
            CHECK(load(later, whole) == 12);
            CHECK(shown(later) == shown(expected_later));
        }
    }
}

#ifdef SLUICE_SHARED_DATA
TEST_CASE("the real data set is loaded whole") {
    event_store store("ws_default");
    const auto loaded = load_folder(store, SLUICE_SHARED_DATA);
    REQUIRE(loaded);
    CHECK(*loaded == 9'743 + 2'357 + 6'919 + 1'297 + 15 + 2'357);
    const workspace_view view = view_of(store);
    CHECK(view.clicks.size() == 9'743);
    CHECK(view.leads.size() == 2'357);
    CHECK(view.sales.size() == 6'919);
    CHECK(view.links == 1'297);
    CHECK(view.tags == 15);
    CHECK(view.customers == 2'357);
}
#endif

TEST_CASE("whatever changed in a folder since it was loaded is found, whatever its times say") {
    namespace fs = std::filesystem;
    using folder_change = void (*)(const fs::path& folder);
    const struct {
        folder_change change;
        std::string_view expected;
    } table[] = {
        {[](const fs::path&) {}, ""},
        {[](const fs::path& folder) {
             std::ofstream(folder / "tags.ndjson", std::ios::app) << '\n';
         },
         "tags.ndjson has changed since"},
        {[](const fs::path& folder) {  // as many bytes, in place
             std::fstream(folder / "sales.ndjson", std::ios::in | std::ios::out) << ' ';
         },
         "sales.ndjson has changed since"},
        {[](const fs::path& folder) {  // an older file of as many bytes takes the name
             std::ofstream(folder / "older")
                 << std::string(fs::file_size(folder / "leads.ndjson"), ' ');
             fs::rename(folder / "older", folder / "leads.ndjson");
         },
         "leads.ndjson has changed since"},
        {[](const fs::path& folder) { fs::resize_file(folder / "clicks.ndjson", 1); },
         "clicks.ndjson has changed since"},
        {[](const fs::path& folder) { fs::remove(folder / "links.ndjson"); },
         "links.ndjson can't be read: No such file or directory"},
        {[](const fs::path& folder) {  // the same bytes
             fs::copy_file(folder / "tags.ndjson", folder / "copy");
             fs::rename(folder / "copy", folder / "tags.ndjson");
         },
         ""},
    };
    for (const auto& [change, expected] : table) {
        for (const bool ahead : {false, true}) {
            const temporary_folder folder;
            write_folder(folder.path(), good_folder);
            std::map<std::string, fs::file_time_type> times;
            for (const auto& [name, bytes] : good_folder) {
                times[name] = fs::last_write_time(folder.path() / name);
            }
            event_store store("ws_default");
            REQUIRE(load_folder(store, folder.path(), {.parses_ahead = ahead}));
            change(folder.path());
            for (const auto& [name, time] : times) {
                std::error_code is_gone;
                fs::last_write_time(folder.path() / name, time, is_gone);
            }
            CAPTURE(expected);
            CHECK(changes_since_load(store, folder.path()) == expected);
            const std::string bytes = archived([&](auto& to) { store.save(to); });
            auto from = reader_of(bytes);
            const auto opened = event_store::open(from);
            REQUIRE(opened);
            CHECK(changes_since_load(*opened, folder.path()) == expected);
            CHECK(changes_since_load(*opened, folder.path() / ".") == expected);
        }
    }
}

TEST_CASE("what changes in a folder while it is loaded is found") {
    for (const std::string_view file : folder_files) {
        const temporary_folder folder;
        write_folder(folder.path(), good_folder);
        event_store store("ws_default");
        const load_progress append = [&](std::int64_t, std::int64_t) {
            std::ofstream(folder.path() / file, std::ios::app) << "{}\n";
        };
        REQUIRE(load_folder(store, folder.path(), {.progress = append}));
        CHECK(changes_since_load(store, folder.path()) == std::string(file) + " has changed since");
    }
}

TEST_CASE("a store of other records than one folder's is of no folder") {
    const temporary_folder folder, other;
    write_folder(folder.path(), good_folder);
    write_folder(other.path(), good_folder);
    event_store store("ws_default");
    CHECK(changes_since_load(store, folder.path()) == "it is not of one folder");
    REQUIRE(load_folder(store, folder.path()));
    CHECK(changes_since_load(store, folder.path()).empty());
    CHECK(changes_since_load(store, other.path()) ==
          "it is of the folder " + std::filesystem::canonical(folder.path()).string());
    CHECK_FALSE(load_folder(store, other.path()));  // its identifiers are taken
    CHECK(changes_since_load(store, folder.path()).empty());
    CHECK_FALSE(store.add(make_tag("tag_1", "again")));
    CHECK(changes_since_load(store, folder.path()).empty());
    REQUIRE(store.add(make_tag("tag_x", "more")));
    store.publish();
    CHECK(changes_since_load(store, folder.path()) == "it is not of one folder");
}

TEST_CASE("a store is saved while a folder is loaded, and doesn't wait for it") {
    event_store store("ws_default");
    REQUIRE(store.add(make_tag("first", "first")));
    store.publish();
    std::vector<std::string> archives;
    const load_progress save = [&](std::int64_t, std::int64_t) {
        archives.push_back(archived([&](auto& to) { store.save(to); }));
        std::thread([&] {
            archives.push_back(archived([&](auto& to) { store.save(to); }));
        }).join();
    };
    const temporary_folder folder;
    write_folder(folder.path(), good_folder);
    REQUIRE(load_folder(store, folder.path(), {.progress = save}));
    REQUIRE(archives.size() == 2);
    for (const std::string& bytes : archives) {
        auto from = reader_of(bytes);
        const auto opened = event_store::open(from);
        REQUIRE(opened);
        CHECK(opened->size() == 0);
        CHECK(opened->find("ws_default")->current().tags == 1);
        CHECK(load_folder(*opened, folder.path()).has_value());
    }
}
