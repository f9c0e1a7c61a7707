#include "app/exchange/files/chrome_event.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "engine/core/utf8.h"

namespace headway::exchange {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::int64_t kFarthestNs = std::int64_t{1} << 61;  // the year 2043, in nanoseconds since 1970

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' || text.back() == '\t')) {
        text.remove_suffix(1);
    }
    return text;
}

// Parses four hexadecimal digits at `at`; empty if there are none.
std::optional<std::uint32_t> hex4(std::string_view text, std::size_t at) {
    std::uint32_t code = 0;
    if (at + 4 > text.size()) {
        return std::nullopt;
    }
    const auto [end, problem] = std::from_chars(text.data() + at, text.data() + at + 4, code, 16);
    return problem == std::errc() && end == text.data() + at + 4 ? std::optional(code) : std::nullopt;
}

// Replaces invalid UTF-8, and control characters within strings, by valid JSON.
std::string mended(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const std::size_t length = byte < 0x80                   ? 1
                                   : byte >= 0xc2 && byte < 0xe0 ? 2
                                   : byte >= 0xe0 && byte < 0xf0 ? 3
                                   : byte >= 0xf0 && byte < 0xf5 ? 4
                                                                 : 0;
        if (length == 1) {
            out += byte < 0x20 ? ' ' : text[i];
            ++i;
        } else if (length != 0 && i + length <= text.size() && simdjson::validate_utf8(text.data() + i, length)) {
            out.append(text.substr(i, length));
            i += length;
        } else {
            out += '?';
            ++i;
        }
    }
    return out;
}

// Parses the members that have a field in ChromeEvent.
bool read_object(ondemand::object object, ChromeEvent& event) {
    event.phase = '\0';
    event.name = event.category = event.pid = event.tid = event.id = event.args = {};
    event.time = event.duration = {};
    event.argument_count = 0;
    for (auto field : object) {
        ondemand::raw_json_string raw_key;
        ondemand::value value;
        if (field.key().get(raw_key) || field.value().get(value)) {
            return false;
        }
        const char* key = raw_key.raw();
        const auto is = [key](std::string_view wanted) {
            return std::memcmp(key, wanted.data(), wanted.size()) == 0 && key[wanted.size()] == '"';
        };
        switch (key[0]) {
            case 'p':
                if (is("ph")) {
                    const auto phase = bare(value.raw_json_token());
                    event.phase = phase.empty() ? '\0' : phase[0];
                } else if (is("pid")) {
                    event.pid = trimmed(value.raw_json_token());
                }
                break;
            case 't':
                if (is("ts")) {
                    event.time = time_from_us(value.raw_json_token());
                } else if (is("tid")) {
                    event.tid = trimmed(value.raw_json_token());
                }
                break;
            case 'd':
                if (is("dur")) {
                    event.duration = time_from_us(value.raw_json_token());
                }
                break;
            case 'n':
                if (is("name")) {
                    event.name = trimmed(value.raw_json_token());
                }
                break;
            case 'c':
                if (is("cat")) {
                    event.category = trimmed(value.raw_json_token());
                }
                break;
            case 'i':
                if (is("id") || is("id2")) {
                    event.id = trimmed(value.raw_json_token());
                }
                break;
            case 'a':
                if (is("args")) {
                    ondemand::object args;
                    if (value.get_object().get(args)) {
                        break;
                    }
                    for (auto argument : args) {
                        ondemand::raw_json_string raw_name;
                        ondemand::value inner;
                        if (argument.key().get(raw_name) || argument.value().get(inner)) {
                            return false;
                        }
                        if (event.argument_count == ChromeEvent::kMostArguments) {
                            continue;
                        }
                        auto& place = event.arguments[event.argument_count++];
                        const char* name = raw_name.raw();
                        const char* end = name;
                        while (*end != '"') {
                            end += *end == '\\' ? 2 : 1;
                        }
                        place.name = {name, static_cast<std::size_t>(end - name)};
                        const auto token = inner.raw_json_token();
                        if (token.empty()) {
                            return false;
                        }
                        if (token[0] == '[') {
                            ondemand::array array;
                            std::string_view json;
                            if (inner.get_array().get(array) || array.raw_json().get(json)) {
                                return false;
                            }
                            place.value = json;
                        } else {
                            place.value = trimmed(token);
                        }
                    }
                }
                break;
            default:
                break;
        }
    }
    return true;
}

}  // namespace

std::string_view bare(RawJson json) {
    json = trimmed(json);
    if (!json.empty() && json.front() == '"') {
        json.remove_prefix(1);
        if (!json.empty() && json.back() == '"') {
            json.remove_suffix(1);
        }
    }
    return json;
}

std::string text_from(RawJson json) {
    const std::string_view text = bare(json);
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            out += text[i];
            continue;
        }
        const char c = text[++i];
        constexpr std::string_view kFrom = "nrtbf";
        constexpr std::string_view kTo = "\n\r\t\b\f";
        if (const auto known = kFrom.find(c); known != std::string_view::npos) {
            out += kTo[known];
        } else if (c != 'u') {
            out += c;
        } else if (const auto high = hex4(text, i + 1); !high) {
            out += 'u';
        } else {
            i += 4;
            std::uint32_t code = *high;
            if (code >= 0xd800 && code < 0xdc00 && text.substr(i + 1, 2) == "\\u") {
                const auto low = hex4(text, i + 3);
                if (low && *low >= 0xdc00 && *low < 0xe000) {
                    code = 0x10000 + ((code - 0xd800) << 10) + (*low - 0xdc00);
                    i += 6;
                }
            }
            core::append_utf8(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
        }
    }
    return out;
}

std::optional<std::int64_t> integer_from(RawJson json) {
    std::string_view text = bare(json);
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc()) {
        std::uint64_t large = 0;
        const auto again = std::from_chars(text.data(), text.data() + text.size(), large);
        if (again.ec == std::errc() && again.ptr == text.data() + text.size()) {
            return static_cast<std::int64_t>(large);
        }
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) {
        return number;
    }
    // "12.0" and "1.2e3" are integers, "12.5" is truncated, "12abc" is not a number.
    if (text[0] == '.' || text[0] == 'e' || text[0] == 'E') {
        const std::string_view whole = bare(json);
        double value = 0;
        const auto read = std::from_chars(whole.data(), whole.data() + whole.size(), value);
        if (read.ec == std::errc() && read.ptr == whole.data() + whole.size() && std::abs(value) < 9e18) {
            return static_cast<std::int64_t>(value);
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> ns_from_us(RawJson json) {
    const TimeOfEvent time = time_from_us(json);
    return time.has_ns() ? std::optional(time.ns) : std::nullopt;
}

TimeOfEvent time_from_us(RawJson json) {
    const std::string_view text = bare(json);
    TimeOfEvent time{Stamp::no_number, 0, trimmed(json)};
    std::size_t i = 0;
    const bool negative = !text.empty() && text[0] == '-';
    i += negative ? 1 : 0;
    const std::size_t first = i;
    std::int64_t us = 0;
    const auto is_digit = [&] { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
    for (; is_digit(); ++i) {
        if (us < kFarthestNs / 1000) {
            us = us * 10 + (text[i] - '0');
        }
    }
    if (i == first) {
        return time;
    }
    std::int64_t rest = 0;
    if (i < text.size() && text[i] == '.') {
        ++i;
        for (int digit = 100; is_digit(); ++i, digit /= 10) {
            rest += digit * (text[i] - '0');
        }
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        double value = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool beyond_double = read.ec == std::errc::result_out_of_range;  // 1e400 or 1e-400
        if ((read.ec != std::errc() && !beyond_double) || read.ptr != text.data() + text.size()) {
            return time;
        }
        const bool tiny = beyond_double && text[i + 1 < text.size() ? i + 1 : i] == '-';
        const double ns = beyond_double ? (tiny ? 0.0 : negative ? -1e300 : 1e300) : value * 1000;
        time.ns = static_cast<std::int64_t>(std::clamp(ns, -1.0 * kFarthestNs, 1.0 * kFarthestNs));
    } else if (i == text.size()) {
        time.ns = us >= kFarthestNs / 1000 ? kFarthestNs : us * 1000 + rest;
        time.ns = negative ? -time.ns : time.ns;
    } else {
        return time;
    }
    time.stamp = time.ns >= kFarthestNs || time.ns <= -kFarthestNs ? Stamp::too_far : Stamp::good;
    return time;
}

// ---- batches ----

struct EventParser::State {
    ondemand::parser parser;
    std::string one;  // a single event, with padding
    ChromeEvent event;
};

EventParser::EventParser() : state_(std::make_unique<State>()) {}
EventParser::~EventParser() = default;

void EventParser::parse(EventBatch& batch, const std::function<void(const ChromeEvent&)>& take) {
    if (batch.events.empty()) {
        return;
    }
    // Parse all events as one array: temporarily replace the byte before the first and after the last by brackets.
    const std::size_t begin = batch.events.front().begin - 1;
    const std::size_t end = batch.events.back().end;
    const char before = batch.data[begin];
    const char after = batch.data[end];
    batch.data[begin] = '[';
    batch.data[end] = ']';
    std::size_t done = 0;
    {
        ondemand::document document;
        ondemand::array array;
        const std::size_t length = end + 1 - begin;
        if (!state_->parser.iterate(batch.data + begin, length, length + simdjson::SIMDJSON_PADDING).get(document) &&
            !document.get_array().get(array)) {
            for (auto element : array) {
                ondemand::value value;
                if (element.get(value)) {
                    break;
                }
                // If the batch contains a non-event or a missing comma, the parser's elements and the batch's
                // events no longer match: then parse each event separately.
                ondemand::object object;
                if (done == batch.events.size() ||
                    value.raw_json_token().data() != batch.data + batch.events[done].begin ||
                    value.get_object().get(object)) {
                    break;
                }
                state_->event.offset = batch.offset + batch.events[done].begin;
                if (!read_object(object, state_->event)) {
                    break;
                }
                ++done;
                ++counts_.events;
                take(state_->event);
            }
        }
    }
    batch.data[begin] = before;
    batch.data[end] = after;
    for (; done < batch.events.size(); ++done) {
        const auto& span = batch.events[done];
        parse_one({batch.data + span.begin, span.end - span.begin}, batch.offset + span.begin, take);
    }
}

void EventParser::parse_one(std::string_view text, std::uint64_t offset,
                            const std::function<void(const ChromeEvent&)>& take) {
    for (const bool mend : {false, true}) {
        state_->one = mend ? mended(text) : std::string(text);
        const std::size_t length = state_->one.size();
        state_->one.resize(length + simdjson::SIMDJSON_PADDING, ' ');
        ondemand::document document;
        ondemand::object object;
        state_->event.offset = offset;
        if (!state_->parser.iterate(state_->one.data(), length, state_->one.size()).get(document) &&
            !document.get_object().get(object) && read_object(object, state_->event)) {
            ++counts_.events;
            counts_.mended += mend ? 1 : 0;
            take(state_->event);
            return;
        }
    }
    counts_.first_broken = counts_.broken == 0 ? offset : counts_.first_broken;
    ++counts_.broken;
}

}  // namespace headway::exchange
