// Finds the events in the text of a Chrome trace (an object with "traceEvents", or a bare array) without reading it all
// into memory: window by window, 64 bytes at a time, only quotes and brackets are looked at. What is inside an event is
// for others to read.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/exchange/files/trace_source.h"

namespace headway::exchange {

// Events that stand together in memory, with room to write a byte before the first and after the last, and 64 readable
// bytes behind that.
struct EventBatch {
    char* data = nullptr;
    std::uint64_t offset = 0;  // of data[0] in the unpacked file
    struct Span {
        std::uint32_t begin = 0, end = 0;  // in data
    };
    std::vector<Span> events;
};

class EventSplitter {
public:
    explicit EventSplitter(TraceSource& source);

    // The next events; false at the end. Fails in one sentence where the text is no Chrome trace at all.
    core::Result<bool> next(EventBatch& batch);

    // What stood beside the events in the trace's object, as JSON text, as far as it has been passed. Values of more
    // than a few MiB are left out.
    [[nodiscard]] const std::map<std::string, std::string>& values() const { return values_; }
    // What stood among the events so far and is no object: a number, a text, a list.
    [[nodiscard]] std::uint64_t other_elements() const { return other_elements_; }
    // The file ended before the trace did; everything complete has been handed out.
    [[nodiscard]] bool cut_off() const { return cut_off_; }
    [[nodiscard]] std::uint64_t offset() const { return base_ + at_; }

private:
    // Where in the text the reading is.
    enum class Place { begin, in_object, in_events, over };

    core::Result<bool> fill();  // more bytes behind those that are there; false at the end of the file
    core::Result<char> peek();  // the next byte that is no blank, '\0' at the end
    core::Result<bool> read_member(bool& events_follow);
    core::Result<bool> skip_value(std::string* keep);
    core::Result<bool> scan(EventBatch& batch);
    core::Error wrong(const std::string& what) const;

    TraceSource& source_;
    std::vector<char> buffer_;
    std::size_t at_ = 0, end_ = 0;
    std::uint64_t base_ = 0;  // of buffer_[kMargin] in the file
    std::uint64_t other_elements_ = 0;
    Place place_ = Place::begin;
    bool in_object_ = false, file_over_ = false, cut_off_ = false;
    std::map<std::string, std::string> values_;
};

}  // namespace headway::exchange
