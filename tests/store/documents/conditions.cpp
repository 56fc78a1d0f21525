// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/metadata/query.hpp>
#include <sluice/reference/search/event_page.hpp>

#include "../../metadata/ondemand_metadata.hpp"
#include "../../metadata/one_path_lookup.hpp"
#include "../../reference/make_records.hpp"

using namespace sluice::reference;
using namespace sluice::store;

namespace {

/// Made-up JSON over few names and values, so that paths and values meet.
class document_maker {
public:
    document_maker(unsigned seed, unsigned names) : random_(seed), names_(names) {}

    unsigned draw(unsigned bound) { return static_cast<unsigned>(random_()) % bound; }

    std::string name() {
        static constexpr std::array<std::string_view, 9> known{"a", "b",  "c", "0",        "1",
                                                               "9", "01", "",  "caf\u00e9"};
        const unsigned which = draw(names_);
        return which < known.size() ? std::string(known[which]) : "k" + std::to_string(which);
    }
    std::string scalar() {
        static constexpr std::array<std::string_view, 25> known{"10",
                                                                "10.0",
                                                                "1e1",
                                                                "1.0e+1",
                                                                "-0",
                                                                "0",
                                                                "0.0",
                                                                "0.5",
                                                                "5e-1",
                                                                "-2.50",
                                                                "1e400",
                                                                "10e399",
                                                                "12345678901234567890.5",
                                                                "true",
                                                                "false",
                                                                "null",
                                                                R"("10")",
                                                                R"("10.0")",
                                                                R"("true")",
                                                                R"("pro")",
                                                                R"("")",
                                                                R"("caf\u00e9")",
                                                                R"("\ud83d\ude00")",
                                                                R"("a\"b")",
                                                                "9007199254740993"};
        if (draw(60) == 0) return '"' + std::string(250 + draw(12), 'x') + '"';
        return std::string(known[draw(known.size())]);
    }
    std::string value(unsigned depth) {
        const unsigned form = draw(depth > 3 ? 1 : 3);
        if (form == 0) return scalar();
        std::string text;
        const unsigned count = draw(draw(8) == 0 ? 12 : 4);
        std::vector<std::string> used;
        for (unsigned i = 0; i < count; ++i) {
            std::string key = name();
            const bool again = std::ranges::find(used, key) != used.end();
            if (form == 1 && again && draw(10) != 0) continue;
            used.push_back(key);
            if (!text.empty()) text += draw(6) == 0 ? " , " : ",";
            if (form == 1) text += spelled(key) + (draw(6) == 0 ? " : " : ":");
            text += value(depth + 1);
        }
        return form == 1 ? "{" + text + "}" : "[" + text + "]";
    }
    std::string document() {
        if (draw(40) == 0) return nested(draw(2) == 0 ? "{\"a\":" : "[", 14 + draw(6));
        return draw(20) == 0 ? scalar() : value(0);
    }
    std::string broken() {
        constexpr std::string_view bytes = "{}[]\",:\\ 019.-etn\xC3\xFF\n";
        std::string json = document();
        for (unsigned edits = 1 + draw(3); edits > 0; --edits) {
            const std::size_t place = draw(static_cast<unsigned>(json.size()) + 1);
            if (draw(2) == 0) json.erase(place, 1 + draw(3));
            json.insert(std::min(place, json.size()), 1, bytes[draw(bytes.size())]);
        }
        return json;
    }

    std::string condition() {
        static constexpr std::array<std::string_view, 7> operators{":",  "=", "!=", ">",
                                                                   ">=", "<", "<="};
        static constexpr std::array<std::string_view, 12> numbers{
            "10",    "10.0",  "1e1", "0", "-0.0", "0.5", "-3", "1e400", "1e401", "9007199254740992",
            "2.5e0", "100e-1"};
        static constexpr std::array<std::string_view, 6> texts{"pro",    "'true'", "''",
                                                               "'a\"b'", "null",   "caf\u00e9"};
        std::string text = "metadata";
        for (unsigned keys = 1 + draw(3); keys > 0; --keys) text += "['" + name() + "']";
        const std::string_view op = operators[draw(operators.size())];
        const bool is_text = op.find_first_of("><") == std::string_view::npos && draw(3) == 0;
        return text.append(op).append(is_text ? texts[draw(texts.size())]
                                              : numbers[draw(numbers.size())]);
    }
    std::string expression(unsigned depth = 0) {
        const unsigned form = draw(depth > 3 ? 1 : 5);
        if (form < 2) return condition();
        if (form == 2) return "NOT (" + expression(depth + 1) + ")";
        const char* const joint = form == 3 ? " AND " : " OR ";
        std::string text = "(" + expression(depth + 1) + ")";
        for (unsigned more = 1 + draw(2); more > 0; --more) {
            text.append(joint).append("(").append(expression(depth + 1)).append(")");
        }
        return text;
    }

private:
    std::string spelled(const std::string& key) {
        if (key == "a" && draw(5) == 0) return R"("\u0061")";
        return '"' + key + '"';
    }
    std::string nested(std::string_view open, unsigned levels) {
        std::string text;
        for (unsigned i = 0; i < levels; ++i) text += open;
        text += scalar();
        text.append(levels, open[0] == '{' ? '}' : ']');
        return text;
    }

    std::mt19937 random_;
    unsigned names_;
};

/// Leads with metadata, and which of them match.
class shredded_leads {
public:
    shredded_leads() {
        REQUIRE(own_.add(make_customer("cus_1")));
        REQUIRE(own_.add(make_link("link_1")));
        REQUIRE(own_.add(make_click("click_1", "link_1", 0)));
    }
    void add(const std::string& metadata) {
        const std::string id = std::to_string(documents_.size());
        const auto time = static_cast<std::int64_t>(documents_.size());
        lead added = make_lead(id, time, "cus_1", "click_1", "link_1");
        added.metadata = metadata;
        REQUIRE(own_.add(added));
        documents_.push_back(metadata);
    }
    void publish() { own_.publish(); }

    [[nodiscard]] const std::vector<std::string>& documents() const { return documents_; }
    [[nodiscard]] workspace_view view() const { return own_.current(); }
    [[nodiscard]] const metadata_columns& columns() const {
        return own_.metadata(event_kind::leads);
    }

    /// The numbers of the leads that match, by the columns.
    [[nodiscard]] std::vector<std::size_t> matching(const std::string& expression) const {
        const workspace_view view = own_.current();
        events_query query = events_query_of("event=leads&sortOrder=asc&limit=1000");
        query.query = sluice::parse_metadata_query(expression).value();
        const event_search search(view, query);
        const auto rows = search.page()->rows;
        CHECK(search.count() == static_cast<std::int64_t>(rows.size()));
        return rows;
    }
    /// Returns the matching rows by reading each document.
    template <class Lookup>
    [[nodiscard]] std::vector<std::size_t> matching_by(const std::string& expression) const {
        const auto query = sluice::parse_metadata_query(expression).value();
        std::vector<std::size_t> rows;
        for (std::size_t i = 0; i < documents_.size(); ++i) {
            Lookup lookup(documents_[i]);
            if (query.matches([&](auto path) { return lookup.find(path); })) rows.push_back(i);
        }
        return rows;
    }

private:
    workspace own_{"ws_1"};
    std::vector<std::string> documents_;
};

/// Returns the columns of a document, as text by path.
std::map<std::string, std::string> shredded(std::string_view json) {
    metadata_columns columns(sluice::hash_seed{1});
    metadata_shredder shredder(columns);
    std::vector<sluice::store::code> codes(1 + metadata_paths_max);
    shredder.shred(json, codes);
    if (codes[0] == unshredded) return {{"unshredded", ""}};
    std::map<std::string, std::string> values;
    for (std::size_t place = 0; place < columns.size(); ++place) {
        std::string path;
        for (std::string_view rest = columns.at(place).path; !rest.empty();) {
            const auto size = static_cast<std::size_t>(static_cast<unsigned char>(rest[0]));
            path.append("/").append(rest.substr(4, size));
            rest.remove_prefix(4 + size);
        }
        if (codes[1 + place] == sluice::store::absent) continue;
        const sluice::scalar value = columns.at(place).scalars.at(codes[1 + place]);
        values[path] =
            (value.type == sluice::scalar::kind::string ? "s:" : "") + std::string(value.text);
    }
    if (columns.has_others()) values["others"] = "";
    return values;
}

}  // namespace

TEST_CASE("the scalars of a document stand in the columns of their paths") {
    using columns = std::map<std::string, std::string>;
    CHECK(shredded("null").empty());
    CHECK(shredded("{}").empty());
    CHECK(shredded("7").empty());
    CHECK(shredded(R"({"a":"x","b":10.0,"c":true,"d":null,"e":{},"f":[]})") ==
          columns{{"/a", "s:x"}, {"/b", "10.0"}, {"/c", "true"}});
    CHECK(shredded(R"({"a":{"b":[1,{"c":"\u00e9\""}]}})") ==
          columns{{"/a/b/0", "1"}, {"/a/b/1/c", "s:\u00e9\""}});
    CHECK(shredded("[0,1,2,3,4,5,6,7,8]") == columns{{"/0", "0"},
                                                     {"/1", "1"},
                                                     {"/2", "2"},
                                                     {"/3", "3"},
                                                     {"/4", "4"},
                                                     {"/5", "5"},
                                                     {"/6", "6"},
                                                     {"/7", "7"},
                                                     {"others", ""}});
    CHECK(shredded(R"({"8":1,"a":2,"08":3})") ==
          columns{{"/a", "2"}, {"/08", "3"}, {"others", ""}});
    CHECK(shredded(R"({"7":1,"9":2,"90":3,":":4})") ==
          columns{{"/7", "1"}, {"/:", "4"}, {"others", ""}});
}

TEST_CASE("what the columns can't tell is marked") {
    const std::map<std::string, std::string> marked{{"unshredded", ""}};
    for (const std::string& json : {
             std::string(R"({"a":1,"a":2})"),
             std::string(R"({"a":1,"\u0061":null})"),
             std::string(R"({"x":{"a":{},"a":[]}})"),
             R"({"a":")" + std::string(256, 'x') + R"("})",
             std::string(R"({"a":1)"),
             std::string(R"({"a":01})"),
             std::string(R"({"a":tru})"),
             std::string(R"({"a" 1})"),
             std::string(R"({"a":1}})"),
             std::string(R"({"a":"\ud800"})"),
             std::string("{\"a\":\"\xFF\"}"),
             std::string(R"({"a":1} {"b":2})"),
             std::string(17, '[') + "1" + std::string(17, ']'),
             std::string(""),
         }) {
        CAPTURE(json);
        CHECK(shredded(json) == marked);
    }
    const std::string longest(255, 'x');
    CHECK(shredded(R"({"a":")" + longest + R"("})") ==
          std::map<std::string, std::string>{{"/a", "s:" + longest}});
    CHECK(shredded(std::string(16, '[') + "1" + std::string(16, ']')) != marked);
}

TEST_CASE("objects of 64 members and paths of 512 bytes have columns, larger ones have none") {
    const auto nulls = [](std::size_t count) {
        std::string members = R"({"a":1)";
        for (std::size_t i = 1; i < count; ++i) members += ",\"" + std::to_string(i) + "\":null";
        return members + "}";
    };
    using columns = std::map<std::string, std::string>;
    CHECK(shredded(nulls(64)) == columns{{"/a", "1"}});
    CHECK(shredded(nulls(65)) == columns{{"unshredded", ""}});
    CHECK(shredded(R"({"x":)" + nulls(64) + "}") == columns{{"/x/a", "1"}});

    const std::string key(512 / 2 - 4, 'k');  // a key's length takes 4 bytes of the path
    CHECK(shredded(R"({")" + key + R"(":{")" + key + R"(":1}})") ==
          columns{{"/" + key + "/" + key, "1"}});
    CHECK(shredded(R"({")" + key + R"(":{")" + key + R"(k":1}})") == columns{{"others", ""}});
}

TEST_CASE("columns and documents give the same answers to random expressions") {
    for (unsigned seed = 0; seed < 24; ++seed) {
        CAPTURE(seed);
        // Few names fit the columns, many don't; some stores have faulty documents, some repeats.
        document_maker make(seed, seed % 3 == 0 ? 50 : 9);
        shredded_leads leads;
        const bool has_faults = seed % 2 == 0;
        std::set<std::size_t> faulty;
        for (std::size_t i = 0; i < 150; ++i) {
            const bool is_faulty = has_faults && make.draw(5) == 0;
            if (is_faulty) faulty.insert(i);
            leads.add(is_faulty ? make.broken() : make.document());
            if (make.draw(40) == 0) leads.publish();
        }
        leads.publish();
        for (int i = 0; i < 150; ++i) {
            const std::string expression = make.expression();
            CAPTURE(expression);
            // How far a document that is no JSON is read depends on all paths together.
            const auto whole = [&](std::vector<std::size_t> rows) {
                std::erase_if(rows, [&](std::size_t row) { return faulty.contains(row); });
                return rows;
            };
            const auto matching = whole(leads.matching(expression));
            REQUIRE(matching == whole(leads.matching_by<one_path_lookup>(expression)));
            if (!has_faults) REQUIRE(matching == leads.matching_by<ondemand_metadata>(expression));
        }
    }
}

TEST_CASE("lookups of documents agree with another parser") {
    for (unsigned seed = 100; seed < 130; ++seed) {
        document_maker make(seed, 9);
        for (int i = 0; i < 300; ++i) {
            const std::string json = make.document();
            CAPTURE(json);
            one_path_lookup lookup(json);
            ondemand_metadata other(json);
            for (int paths = 0; paths < 10; ++paths) {
                std::vector<std::string> keys;
                for (unsigned more = 1 + make.draw(3); more > 0; --more) {
                    keys.push_back(make.name());
                }
                REQUIRE(lookup.find(keys) == other.find(keys));
            }
        }
    }
}

TEST_CASE("a path that comes once the columns are full is looked up in the documents") {
    shredded_leads leads;
    for (std::size_t i = 0; i < metadata_paths_max; ++i) {
        leads.add("{\"k" + std::to_string(i) + "\":1}");
    }
    CHECK(leads.columns().size() == metadata_paths_max);
    leads.publish();
    CHECK(leads.matching("metadata['late']:1").empty());
    CHECK_FALSE(leads.columns().has_others());
    leads.add(R"({"late":1,"k0":1})");
    leads.publish();
    CHECK(leads.columns().has_others());
    CHECK_FALSE(leads.columns().has_unshredded());
    CHECK(leads.matching("metadata['late']:1") == std::vector<std::size_t>{metadata_paths_max});
    CHECK(leads.matching("metadata['k0']:1") == std::vector<std::size_t>{0, metadata_paths_max});
    CHECK(leads.matching("metadata['late']!=1").size() == metadata_paths_max);
    CHECK(leads.matching("metadata['late']:1 AND metadata['k0']:1").size() == 1);
}

TEST_CASE("numbers are compared exactly, however near they are") {
    shredded_leads leads;
    for (const char* number :
         {"9007199254740992", "9007199254740993", "9007199254740993.0", "90071992547409930e-1",
          "1e300", "1e301", "1e-400", "0", "\"9007199254740993\""}) {
        leads.add("{\"n\":" + std::string(number) + "}");
    }
    leads.publish();
    using rows = std::vector<std::size_t>;
    CHECK(leads.matching("metadata['n']=9007199254740993") == rows{1, 2, 3, 8});
    CHECK(leads.matching("metadata['n']=9007199254740993.00") == rows{1, 2, 3});
    CHECK(leads.matching("metadata['n']>9007199254740992") == rows{1, 2, 3, 4, 5, 8});
    CHECK(leads.matching("metadata['n']>1e300") == rows{5});
    CHECK(leads.matching("metadata['n']>0") == rows{0, 1, 2, 3, 4, 5, 6, 8});
    CHECK(leads.matching("metadata['n']<=0.0") == rows{7});
}

namespace {

/// Adds leads whose paths are too many for the columns, some of them not in the columns at all.
void add_beyond_columns(shredded_leads& leads, int size) {
    for (int i = 0; i < size; ++i) {
        const std::string number = std::to_string(i);
        std::string json = "{\"near\":" + number;
        for (std::size_t k = 0; k < metadata_paths_max; ++k) {
            json += ",\"k" + std::to_string(k) + "\":" + std::to_string(i % 7);
        }
        json += R"(,"far":{"a":)" + number + R"(,"b":")" + number + R"("})";
        if (i % 10 == 0) json += R"(,"long":")" + std::string(300, 'x') + '"';
        leads.add(json + "}");
    }
    leads.publish();
}

/// An expression of many conditions, most of which only documents decide.
std::string many_conditions(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        if (i > 0) text += i % 3 == 0 ? " AND " : " OR ";
        if (i % 4 == 0) text += "NOT metadata['k1']:" + number;
        if (i % 4 == 1) text += "metadata['far']['a']>=" + number;
        if (i % 4 == 2) text += "metadata['far']['b']=" + number;
        if (i % 4 == 3) text += "metadata['absent" + number + "']:x";
    }
    return text;
}

}  // namespace

TEST_CASE("a row's document is asked for once at most, whatever the number of conditions") {
    shredded_leads leads;
    add_beyond_columns(leads, 300);
    REQUIRE(leads.columns().has_others());
    REQUIRE(leads.columns().has_unshredded());
    const workspace_view view = leads.view();
    for (const std::size_t count : {1U, 2U, 16U, 256U}) {
        const std::string expression = many_conditions(count);
        events_query query = events_query_of("event=leads");
        query.query = sluice::parse_metadata_query(expression).value();
        const auto done = event_search(view, query).analyze().value();
        CHECK(done.matching ==
              static_cast<std::int64_t>(leads.matching_by<one_path_lookup>(expression).size()));
        std::size_t tested = 0;
        for (const auto& condition : done.conditions)
            tested += condition.is_test ? condition.rows : 0;
        CHECK(tested > 0);
        CHECK(tested <= leads.documents().size());
        CHECK(leads.matching(expression) == leads.matching_by<ondemand_metadata>(expression));
    }
}

TEST_CASE("a search that takes too long names the condition that cost the most") {
    shredded_leads leads;
    add_beyond_columns(leads, 1'000);
    const workspace_view view = leads.view();
    const auto blamed = [&](const std::string& expression, const std::string& parameters = "") {
        std::chrono::milliseconds looks{0};
        const sluice::store::scan_limits limits{.cpu_time = [&] { return ++looks; },
                                                .deadline = std::chrono::milliseconds(5)};
        events_query query = events_query_of("event=leads" + parameters);
        query.query = sluice::parse_metadata_query(expression).value();
        const auto counted = count_events(view, query, {.limits = limits});
        REQUIRE_FALSE(counted);
        CHECK(counted.error().broken == sluice::rule::query_too_costly);
        CHECK(counted.error().param == "query");
        return expression.substr(counted.error().offset, counted.error().length);
    };
    CHECK(blamed("metadata['far']['a'] >= 3") == "metadata['far']['a'] >= 3");
    CHECK(blamed("NOT ( metadata['k1']:3 OR metadata['far']['a']:'3')") ==
          "metadata['far']['a']:'3'");
    CHECK(blamed("metadata['k1']:9 OR metadata['absent']:1 AND metadata['far']['b']:3") ==
          "metadata['absent']:1");
    CHECK(blamed("metadata['far']['a']<500 AND metadata['absent']!=1", "&country=-DE") ==
          "metadata['far']['a']<500");
}
