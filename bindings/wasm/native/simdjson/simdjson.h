// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_SIMDJSON_H
#define SLUICE_WASM_SIMDJSON_H

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/json_cursor.hpp>
#include <sluice/base/real.hpp>

/// The names of simdjson that <sluice/query/json_reader.hpp> uses: simdjson itself would be larger
/// than the rest of the module. Texts must be JSON, with numbers that simdjson reads.
namespace simdjson {

enum error_code : unsigned char { SUCCESS, INCORRECT_TYPE, NO_SUCH_FIELD };

namespace dom {

enum class element_type : unsigned char {
    ARRAY,
    OBJECT,
    INT64,
    UINT64,
    DOUBLE,
    STRING,
    BOOL,
    NULL_VALUE,
};

/// A value of a document, with the name of a member.
struct node {
    element_type type = element_type::NULL_VALUE;
    std::string name{}, text{};
    std::int64_t integer = 0;  // of an integer or boolean; of UINT64 its bits
    double real = 0;
    std::vector<node> children{};
};

template <class Item>
class node_list;
class element;
struct key_value_pair;
using array = node_list<element>;
using object = node_list<key_value_pair>;

/// A value. Views the parser.
class element {
public:
    element() = default;
    explicit element(const node& at) noexcept : at_(&at) {}

    [[nodiscard]] element_type type() const noexcept { return at_->type; }
    [[nodiscard]] bool is_string() const noexcept { return type() == element_type::STRING; }
    [[nodiscard]] bool is_double() const noexcept { return type() == element_type::DOUBLE; }
    [[nodiscard]] bool is_int64() const noexcept { return type() == element_type::INT64; }
    [[nodiscard]] bool is_uint64() const noexcept {
        return type() == element_type::UINT64 || (is_int64() && at_->integer >= 0);
    }
    [[nodiscard]] bool is_number() const noexcept {
        return is_double() || is_int64() || type() == element_type::UINT64;
    }

    error_code get(std::string_view& text) const {
        return put(is_string(), text, std::string_view(at_->text));
    }
    error_code get(bool& flag) const {
        return put(type() == element_type::BOOL, flag, at_->integer != 0);
    }
    error_code get(std::int64_t& number) const { return put(is_int64(), number, at_->integer); }
    error_code get(std::uint64_t& number) const {
        return put(is_uint64(), number, static_cast<std::uint64_t>(at_->integer));
    }
    error_code get(double& number) const { return put(is_number(), number, at_->real); }
    error_code get(array& items) const;
    error_code get(object& members) const;

private:
    template <class T>
    static error_code put(bool has, T& target, T value) {
        if (has) target = value;
        return has ? SUCCESS : INCORRECT_TYPE;
    }

    const node* at_ = nullptr;
};

struct key_value_pair {
    explicit key_value_pair(const node& at) noexcept : key(at.name), value(at) {}
    std::string_view key;
    element value;
};

/// The value of a look-up, or its error.
struct found {
    const node* at = nullptr;
    error_code get(element& target) const {
        if (at != nullptr) target = element(*at);
        return at != nullptr ? SUCCESS : NO_SUCH_FIELD;
    }
};

/// The items of an array, or the members of an object.
template <class Item>
class node_list {
public:
    node_list() = default;
    explicit node_list(const std::vector<node>& nodes) noexcept : nodes_(&nodes) {}

    class iterator {
    public:
        explicit iterator(const node* at) noexcept : at_(at) {}
        Item operator*() const noexcept { return Item(*at_); }
        iterator& operator++() noexcept {
            ++at_;
            return *this;
        }
        friend bool operator==(iterator, iterator) noexcept = default;

    private:
        const node* at_;
    };

    [[nodiscard]] iterator begin() const noexcept { return iterator(nodes_->data()); }
    [[nodiscard]] iterator end() const noexcept {
        return iterator(nodes_->data() + nodes_->size());
    }
    [[nodiscard]] std::size_t size() const noexcept { return nodes_->size(); }
    [[nodiscard]] found operator[](std::string_view name) const noexcept {
        for (const node& member : *nodes_) {
            if (member.name == name) return {&member};
        }
        return {};
    }

private:
    const std::vector<node>* nodes_ = nullptr;
};

inline error_code element::get(array& items) const {
    return put(type() == element_type::ARRAY, items, array(at_->children));
}
inline error_code element::get(object& members) const {
    return put(type() == element_type::OBJECT, members, object(at_->children));
}

/// Parses documents, and holds the last one.
class parser {
public:
    found parse(std::string_view json) {
        sluice::detail::json_cursor reader(json);
        document_ = read(reader);
        return {&document_};
    }

private:
    static std::string unescaped(sluice::detail::json_cursor& reader) {
        std::string text;
        if (const auto token = reader.take_string()) {
            sluice::detail::json_unescaper(text).append(token->spelled);
        }
        return text;
    }
    static node read(sluice::detail::json_cursor& reader) {
        switch (reader.peek()) {
            case '{': return read_list(reader, element_type::OBJECT, '}');
            case '[': return read_list(reader, element_type::ARRAY, ']');
            case '"': return {.type = element_type::STRING, .text = unescaped(reader)};
            case 't':
            case 'f': return {.type = element_type::BOOL, .integer = reader.take_word() == "true"};
            case 'n': static_cast<void>(reader.take_word()); return {};
            default: return to_number(reader.take_word());
        }
    }
    static node read_list(sluice::detail::json_cursor& reader, element_type type, char end) {
        node list{.type = type};
        reader.move_to(reader.offset() + 1);
        while (!reader.take(end) && reader.peek() != '\0') {
            std::string name;
            if (type == element_type::OBJECT) {
                name = unescaped(reader);
                reader.take(':');
            }
            list.children.push_back(read(reader));
            list.children.back().name = std::move(name);
            reader.take(',');
        }
        return list;
    }
    static node to_number(std::string_view word) {
        node number{.type = element_type::DOUBLE, .real = sluice::detail::host_real(word)};
        if (word.find_first_of(".eE") != word.npos) return number;
        const char* const end = word.data() + word.size();
        const bool is_int64 = std::from_chars(word.data(), end, number.integer).ec == std::errc{};
        number.type = is_int64 ? element_type::INT64 : element_type::UINT64;
        if (is_int64) return number;
        std::uint64_t large = 0;
        std::from_chars(word.data(), end, large);
        number.integer = static_cast<std::int64_t>(large);
        return number;
    }

    node document_;
};

}  // namespace dom

}  // namespace simdjson

#endif
