#include "app/json/json.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstdio>

namespace headway::json {
namespace {

namespace dom = simdjson::dom;
namespace ondemand = simdjson::ondemand;

using Element = std::array<std::byte, 2 * sizeof(void*)>;
static_assert(sizeof(dom::element) == sizeof(Element) && alignof(dom::element) <= alignof(void*));

dom::element element_in(const Element& bytes) {
    return std::bit_cast<dom::element>(bytes);
}

std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

// The length in bytes of the UTF-8 character at `at`; 0 if it is invalid.
std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    return length <= text.size() - at && simdjson::validate_utf8(text.data() + at, length) ? length : 0;
}

constexpr int kMostLevels = simdjson::DEFAULT_MAX_DEPTH - 2;  // below the text's own level and the last value's

// False at the first error, and where the text has more than `levels` levels.
bool walk(ondemand::value value, int levels = kMostLevels) {
    if (levels == 0) {
        return false;
    }
    ondemand::array array;
    ondemand::object object;
    ondemand::value inner;
    if (!value.get_array().get(array)) {
        for (auto element : array) {
            if (element.get(inner) || !walk(inner, levels - 1)) {
                return false;
            }
        }
        return true;
    }
    if (!value.get_object().get(object)) {
        for (auto field : object) {
            if (field.unescaped_key().error() || field.value().get(inner) || !walk(inner, levels - 1)) {
                return false;
            }
        }
        return true;
    }
    return !value.get_string().error() || !value.get_double().error() || !value.get_bool().error() ||
           value.raw_json_token().starts_with("null");
}

// Where a string does not end in its line, or is not UTF-8, nothing is parsed at all.
std::size_t first_bad_string(std::string_view text) {
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        bool in_string = false;
        for (std::size_t i = begin; i < end; ++i) {
            in_string = in_string != (text[i] == '"');
            i += in_string && text[i] == '\\' ? 1 : 0;
        }
        if (in_string || !simdjson::validate_utf8(text.data() + begin, end - begin)) {
            return begin;
        }
        begin = end + 1;
    }
    return text.size();
}

}  // namespace

bool Value::is_object() const {
    return there_ && element_in(element_).is_object();
}

bool Value::is_array() const {
    return there_ && element_in(element_).is_array();
}

bool Value::is_text() const {
    return there_ && element_in(element_).is_string();
}

bool Value::is_bool() const {
    return there_ && element_in(element_).is_bool();
}

Value Value::operator[](std::string_view key) const {
    Value value;
    dom::object object;
    dom::element found;
    if (there_ && !element_in(element_).get(object) && !object.at_key(key).get(found)) {
        value.there_ = true;
        value.element_ = std::bit_cast<Element>(found);
    }
    return value;
}

std::vector<std::pair<std::string_view, Value>> Value::members() const {
    std::vector<std::pair<std::string_view, Value>> list;
    dom::object object;
    if (there_ && !element_in(element_).get(object)) {
        for (const auto& field : object) {
            Value value;
            value.there_ = true;
            value.element_ = std::bit_cast<Element>(field.value);
            list.emplace_back(field.key, value);
        }
    }
    return list;
}

std::vector<Value> Value::elements() const {
    std::vector<Value> list;
    dom::array array;
    if (there_ && !element_in(element_).get(array)) {
        for (const dom::element element : array) {
            Value& value = list.emplace_back();
            value.there_ = true;
            value.element_ = std::bit_cast<Element>(element);
        }
    }
    return list;
}

std::string_view Value::text() const {
    std::string_view text;
    return there_ && !element_in(element_).get(text) ? text : std::string_view();
}

bool Value::is_true() const {
    bool value = false;
    return there_ && !element_in(element_).get(value) && value;
}

std::optional<std::int64_t> Value::integer() const {
    std::int64_t value = 0;
    return there_ && !element_in(element_).get(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> Value::number() const {
    double value = 0;
    return there_ && !element_in(element_).get(value) ? std::optional(value) : std::nullopt;
}

std::uint64_t Value::count() const {
    std::uint64_t value = 0;
    if (!there_ || !element_in(element_).get(value)) {
        return value;
    }
    return static_cast<std::uint64_t>(std::clamp(number().value_or(0), 0.0, 9e18));
}

std::string Value::as_json() const {
    return there_ ? simdjson::minify(element_in(element_)) : std::string();
}

std::string Value::written() const {
    return is_text() ? std::string(text()) : as_json();
}

struct Document::Parser {
    dom::parser parser;
};

Document::Document(std::string_view text) : parser_(std::make_unique<Parser>()) {
    text = without_byte_order_mark(text);
    dom::element root;
    if (!text.empty() && !parser_->parser.parse(text.data(), text.size()).get(root)) {
        root_.there_ = true;
        root_.element_ = std::bit_cast<Element>(root);
    }
}

Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

std::string quoted(std::string_view text) {
    constexpr std::string_view kEscaped = "\"\\\n\r\t", kLetters = "\"\\nrt";
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        const std::size_t length = c < 0x80 ? 1 : utf8_length(text, i);
        if (length == 0) {
            out += "\xef\xbf\xbd";
        } else if (const auto known = kEscaped.find(text[i]); known != std::string_view::npos) {
            out += '\\';
            out += kLetters[known];
        } else if (c < 0x20 || c == 0x7f) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", c);
            out += escape;
        } else {
            out.append(text.substr(i, length));
        }
        i += std::max<std::size_t>(length, 1);
    }
    return out + '"';
}

std::uint32_t line_of_error(std::string_view text) {
    text = without_byte_order_mark(text);
    const simdjson::padded_string padded(text);
    ondemand::parser parser;
    ondemand::document document;
    std::size_t place = 0;
    if (parser.iterate(padded).get(document)) {
        place = first_bad_string(text);
    } else {
        ondemand::value value;
        bool is_scalar = false;
        if (!document.is_scalar().get(is_scalar) && is_scalar) {
            return Document(text).root() ? 0 : 1;
        }
        const bool good = !document.get_value().get(value) && walk(value);
        const char* at = nullptr;
        const bool at_end = document.current_location().get(at) != simdjson::SUCCESS;
        if (good && at_end) {
            return 0;
        }
        place = at_end ? text.size() : static_cast<std::size_t>(at - padded.data());
    }
    const auto until = text.begin() + static_cast<std::ptrdiff_t>(std::min(place, text.size()));
    return static_cast<std::uint32_t>(1 + std::count(text.begin(), until, '\n'));
}

}  // namespace headway::json
