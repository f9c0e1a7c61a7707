#include "app/exchange/files/event_splitter.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace headway::exchange {

namespace {

constexpr std::size_t kMargin = 64;             // before the text: for a bracket and alignment
constexpr std::size_t kWindow = 1u << 20;       // text read at once
constexpr std::size_t kPadding = 128;           // after the text
constexpr std::size_t kMostEvent = 64'000'000;  // limit for a single event
constexpr std::size_t kMostValue = 4u << 20;    // for a member of the trace's object, except otherData
constexpr std::size_t kMostValues = 64;

// Bit masks over 64 bytes: quotes, backslashes, opening and closing brackets (curly and square).
struct ByteMasks {
    std::uint64_t quotes = 0, escapes = 0, opens = 0, closes = 0;
};

ByteMasks masks_of(const char* text) {
    ByteMasks masks;
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), escape = _mm_set1_epi8('\\'), open = _mm_set1_epi8('{'),
                  close = _mm_set1_epi8('}'), bit = _mm_set1_epi8(0x20);
    for (int part = 0; part < 4; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * part));
        const __m128i folded = _mm_or_si128(bytes, bit);  // '[' becomes '{'
        const auto mask = [part](__m128i equal) {
            return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(equal))} << (16 * part);
        };
        masks.quotes |= mask(_mm_cmpeq_epi8(bytes, quote));
        masks.escapes |= mask(_mm_cmpeq_epi8(bytes, escape));
        masks.opens |= mask(_mm_cmpeq_epi8(folded, open));
        masks.closes |= mask(_mm_cmpeq_epi8(folded, close));
    }
#else
    for (int i = 0; i < 64; ++i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        masks.quotes |= text[i] == '"' ? bit : 0;
        masks.escapes |= text[i] == '\\' ? bit : 0;
        masks.opens |= text[i] == '{' || text[i] == '[' ? bit : 0;
        masks.closes |= text[i] == '}' || text[i] == ']' ? bit : 0;
    }
#endif
    return masks;
}

// Finds the brackets outside of strings, in blocks of 64 bytes. Keeps its state between two windows.
class Walker {
public:
    // Calls call(place, opens) for each bracket in [begin, end), until it returns false. Returns where it stopped.
    // The 64 bytes after `end` must be readable.
    template <class Call>
    const char* walk(const char* begin, const char* end, Call call) {
        const char* block = begin;
        while (block < end) {
            ByteMasks masks = masks_of(block);
            const auto left = static_cast<std::size_t>(end - block);
            const std::uint64_t here = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
            masks.quotes &= here;
            masks.escapes &= here;
            if (masks.escapes != 0 || escaped_) {
                masks.quotes &= ~escaped_bytes(masks.escapes, std::min<std::size_t>(left, 64));
            }
            std::uint64_t inside = masks.quotes;
            for (const int step : {1, 2, 4, 8, 16, 32}) {
                inside ^= inside << step;
            }
            inside ^= in_string_ ? ~std::uint64_t{0} : 0;
            std::uint64_t brackets = (masks.opens | masks.closes) & ~inside & here;
            while (brackets != 0) {
                const int bit = std::countr_zero(brackets);
                brackets &= brackets - 1;
                if (!call(block + bit, ((masks.opens >> bit) & 1) != 0)) {
                    in_string_ = false;
                    escaped_ = false;
                    return block + bit;
                }
            }
            const std::uint64_t last = std::uint64_t{1} << (std::min<std::size_t>(left, 64) - 1);
            in_string_ = (inside & last) != 0;
            block += 64;
        }
        return end;
    }
    void reset() { in_string_ = escaped_ = false; }

private:
    std::uint64_t escaped_bytes(std::uint64_t escapes, std::size_t length) {
        std::uint64_t escaped = escaped_ ? 1 : 0;
        escaped_ = false;
        while (escapes != 0) {
            const int bit = std::countr_zero(escapes);
            escapes &= escapes - 1;
            if (((escaped >> bit) & 1) != 0) {
                continue;
            }
            if (static_cast<std::size_t>(bit) + 1 == length) {
                escaped_ = true;
            } else {
                escaped |= std::uint64_t{2} << bit;
            }
        }
        return escaped;
    }

    bool in_string_ = false, escaped_ = false;
};

bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// The number of elements without brackets (strings, numbers, words) between two elements with brackets. Usually
// there is only a comma.
std::uint64_t elements_in(const char* at, const char* end) {
    std::uint64_t count = 0;
    while (at < end) {
        if (*at == ',' || is_blank(*at)) {
            ++at;
            continue;
        }
        ++count;
        if (*at != '"') {
            at = std::find_if(at, end, [](char c) { return c == ',' || is_blank(c); });
            continue;
        }
        for (++at; at < end && *at != '"'; ++at) {
            at += *at == '\\' ? 1 : 0;
        }
        at = at < end ? at + 1 : end;
    }
    return count;
}

}  // namespace

EventSplitter::EventSplitter(TraceSource& source) : source_(source), buffer_(kMargin + kWindow + kPadding) {
    at_ = end_ = kMargin;
}

core::Error EventSplitter::wrong(const std::string& what) const {
    return {core::ErrorKind::unreadable, what + " (byte " + std::to_string(base_ + at_ - kMargin) + ")"};
}

// Moves the bytes from at_ on to the front of the buffer, and appends more from the file.
core::Result<bool> EventSplitter::fill() {
    if (file_over_) {
        return false;
    }
    const std::size_t kept = end_ - at_;
    std::memmove(buffer_.data() + kMargin, buffer_.data() + at_, kept);
    base_ += at_ - kMargin;
    at_ = kMargin;
    end_ = kMargin + kept;
    if (kept + kWindow / 2 > buffer_.size() - kMargin - kPadding) {
        buffer_.resize(buffer_.size() + std::max(kWindow, kept));
    }
    const std::size_t room = buffer_.size() - kPadding - end_;
    auto got = source_.read(buffer_.data() + end_, room);
    if (!got) {
        return got.error();
    }
    end_ += *got;
    std::memset(buffer_.data() + end_, ' ', kPadding);
    file_over_ = *got == 0;
    return !file_over_;
}

core::Result<char> EventSplitter::peek() {
    while (true) {
        while (at_ < end_ && is_blank(buffer_[at_])) {
            ++at_;
        }
        if (at_ < end_) {
            return buffer_[at_];
        }
        auto more = fill();
        if (!more) {
            return more.error();
        }
        if (!*more) {
            return '\0';
        }
    }
}

// Passes one value, and keeps its text, or more than `most` bytes of it. False if the file ends within it.
core::Result<bool> EventSplitter::skip_value(std::string& value, std::size_t most) {
    auto first = peek();
    if (!first) {
        return first.error();
    }
    if (*first == '\0') {
        return false;
    }
    const bool string = *first == '"';
    const bool nested = *first == '{' || *first == '[';
    Walker walker;
    int depth = 0;
    bool escaped = false;
    bool begun = false;
    while (true) {
        const char* begin = buffer_.data() + at_;
        const char* end = buffer_.data() + end_;
        const char* stop = begin;
        bool over = false;
        if (nested) {
            stop = walker.walk(begin, end, [&](const char*, bool opens) {
                depth += opens ? 1 : -1;
                return depth > 0;
            });
            over = stop < end;
            stop += over ? 1 : 0;
        } else {
            for (; stop < end && !over; ++stop) {
                if (string) {
                    over = *stop == '"' && begun && !escaped;
                    escaped = *stop == '\\' && !escaped;
                    begun = true;
                } else if (*stop == ',' || *stop == '}' || *stop == ']' || is_blank(*stop)) {
                    over = true;
                    break;
                }
            }
        }
        if (value.size() <= most) {
            value.append(begin, static_cast<std::size_t>(stop - begin));
        }
        at_ = static_cast<std::size_t>(stop - buffer_.data());
        if (over) {
            return true;
        }
        auto more = fill();
        if (!more) {
            return more.error();
        }
        if (!*more) {
            return !string && !nested;
        }
    }
}

// The file ends before its trace does.
bool EventSplitter::end_here() {
    cut_off_ = true;
    place_ = Place::over;
    return false;
}

// What should be a member is none: an error, or the end of what can be read if the compressed data are damaged.
core::Result<bool> EventSplitter::no_member(const std::string& why) {
    const core::Error error = wrong(why);
    if (!source_.turns_out_damaged()) {
        return error;
    }
    return end_here();
}

// Reads one member of the trace's object. False at the end of the object or the file.
core::Result<bool> EventSplitter::read_member(bool& events_follow) {
    events_follow = false;
    auto c = peek();
    while (c && *c == ',') {
        ++at_;
        c = peek();
    }
    if (!c) {
        return c.error();
    }
    if (*c == '}' || *c == '\0') {
        cut_off_ = *c == '\0';
        at_ += cut_off_ ? 0 : 1;
        place_ = Place::over;
        return false;
    }
    if (*c != '"') {
        return no_member("not a Chrome trace: the name of a member is expected");
    }
    std::string name;
    auto passed = skip_value(name, kMostValue);
    if (!passed) {
        return passed.error();
    }
    c = *passed ? peek() : core::Result<char>('\0');
    if (!c) {
        return c.error();
    }
    if (*c == '\0') {
        return end_here();
    }
    if (*c != ':') {
        return no_member("not a Chrome trace: a colon is expected");
    }
    ++at_;
    name = name.substr(1, name.size() - 2);
    c = peek();
    if (!c) {
        return c.error();
    }
    if (name == "traceEvents" && *c == '[') {
        ++at_;
        events_follow = true;
        return true;
    }
    std::string value;
    // A run's own metadata has a line for each of its up to 65,535 signatures.
    const std::size_t most = name == "otherData" ? kMostEvent : kMostValue;
    passed = skip_value(value, most);
    if (!passed) {
        return passed.error();
    }
    if (!*passed) {
        return end_here();
    }
    if (value.size() <= most && name.size() <= 256 && values_.size() < kMostValues) {
        values_[name] = std::move(value);
    }
    return true;
}

core::Result<bool> EventSplitter::finish() {
    if (!cut_off_) {
        if (auto next = peek(); !next) {
            return next.error();
        }
        if (at_ < end_) {
            text_after_ = base_ + at_ - kMargin;
        }
    }
    cut_off_ = cut_off_ || source_.cut_off();
    return false;
}

core::Result<bool> EventSplitter::next(EventBatch& batch) {
    batch.events.clear();
    if (place_ == Place::begin) {
        for (auto filled = fill(); end_ - at_ < 3; filled = fill()) {
            if (!filled) {
                return filled.error();
            }
            if (!*filled) {
                break;
            }
        }
        if (end_ - at_ >= 3 && std::memcmp(buffer_.data() + at_, "\xef\xbb\xbf", 3) == 0) {
            at_ += 3;
        }
        auto c = peek();
        if (!c) {
            return c.error();
        }
        if (*c != '[' && *c != '{') {
            return wrong(source_.damaged()           ? "the compressed data are damaged"
                         : *c == '\0' && at_ == end_ ? "the file is empty"
                         : *c == '\0'                ? "not a Chrome trace: it begins with a byte of zero"
                                                     : "not a Chrome trace: it begins with neither { nor [");
        }
        ++at_;
        in_object_ = *c == '{';
        place_ = in_object_ ? Place::in_object : Place::in_events;
    }
    while (true) {
        if (place_ == Place::over) {
            return finish();
        }
        if (place_ == Place::in_object) {
            bool events_follow = false;
            auto read = read_member(events_follow);
            if (!read) {
                return read.error();
            }
            place_ = events_follow ? Place::in_events : place_;
            continue;
        }
        auto found = scan(batch);
        if (!found) {
            return found.error();
        }
        if (*found) {
            return true;
        }
    }
}

// Finds the complete events of the window. False if there are none, which may be the end of the array.
core::Result<bool> EventSplitter::scan(EventBatch& batch) {
    int depth = 0;
    const char* event = nullptr;
    const char* passed = buffer_.data() + at_;  // after the last event
    const char* over = nullptr;                 // the end of the array
    Walker walker;
    walker.walk(passed, buffer_.data() + end_, [&](const char* place, bool opens) {
        if (opens) {
            if (depth++ == 0) {
                event = place;
            }
            return true;
        }
        if (depth == 0) {
            over = place;
            return false;
        }
        if (--depth == 0) {
            other_elements_ += elements_in(passed, event);
            if (*event == '{') {
                batch.events.push_back({static_cast<std::uint32_t>(event - buffer_.data()),
                                        static_cast<std::uint32_t>(place + 1 - buffer_.data())});
            } else {
                ++other_elements_;
            }
            passed = place + 1;
        }
        return true;
    });
    batch.data = buffer_.data();
    batch.offset = base_ - kMargin;
    if (over != nullptr) {
        other_elements_ += elements_in(passed, over);
        at_ = static_cast<std::size_t>(over + 1 - buffer_.data());
        place_ = in_object_ ? Place::in_object : Place::over;
        return !batch.events.empty();
    }
    at_ = static_cast<std::size_t>(passed - buffer_.data());
    if (!batch.events.empty()) {
        return true;
    }
    if (end_ - at_ > kMostEvent) {
        return wrong("not a Chrome trace: an event of more than 64 MB");
    }
    auto more = fill();
    if (!more) {
        return more.error();
    }
    if (!*more) {
        place_ = Place::over;
        // A bare array may lack its closing bracket, as long as no event is incomplete.
        cut_off_ = in_object_ || std::any_of(buffer_.begin() + static_cast<std::ptrdiff_t>(at_),
                                             buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
                                             [](char c) { return c != ',' && !is_blank(c); });
        at_ = end_;  // nothing follows
    }
    return false;
}

}  // namespace headway::exchange
