// Reads JSON that Headway or another program wrote.
//
// Reading is tolerant: a missing key and a value of another type are no errors, but give nothing or a default. What
// must be there is checked by the reader of each kind of file, which can say what is missing.
//
// Threads: any, once the document is parsed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headway::json {

// A value of a document, valid as long as the document; or nothing.
class Value {
public:
    Value() = default;  // nothing
    explicit operator bool() const { return there_; }

    [[nodiscard]] bool is_object() const;
    [[nodiscard]] bool is_array() const;
    [[nodiscard]] bool is_text() const;
    [[nodiscard]] bool is_bool() const;

    // Of an object: the member of this name. Otherwise nothing.
    Value operator[](std::string_view key) const;
    // Of an object, in the file's order.
    [[nodiscard]] std::vector<std::pair<std::string_view, Value>> members() const;
    [[nodiscard]] std::vector<Value> elements() const;  // of an array

    [[nodiscard]] std::string_view text() const;  // "" if it is not a text
    [[nodiscard]] bool is_true() const;
    [[nodiscard]] std::optional<std::int64_t> integer() const;
    [[nodiscard]] std::optional<double> number() const;
    // As a count: 0 if it is negative or no number; without its fraction.
    [[nodiscard]] std::uint64_t count() const;
    [[nodiscard]] std::string as_json() const;  // on one line
    // The same, but a text without its quotes.
    [[nodiscard]] std::string written() const;

private:
    friend class Document;
    bool there_ = false;
    alignas(void*) std::array<std::byte, 2 * sizeof(void*)> element_{};  // simdjson's, whose header is large
};

class Document {
public:
    explicit Document(std::string_view text);
    Document(Document&&) noexcept;
    Document& operator=(Document&&) noexcept;
    ~Document();

    [[nodiscard]] Value root() const { return root_; }  // nothing if the text is not JSON

private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
    Value root_;
};

// As a JSON string. Invalid UTF-8 becomes U+FFFD.
std::string quoted(std::string_view text);

// The line, from 1 on, in which the text stops being JSON; 0 if all of it is JSON.
std::uint32_t line_of_error(std::string_view text);

}  // namespace headway::json
