// Finds the events in the text of a Chrome trace (an object with "traceEvents", or a bare array) without loading
// the whole file: it reads in windows and examines only quotes and brackets, 64 bytes at a time. Events are not
// parsed here.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/exchange/files/trace_source.h"

namespace headway::exchange {

// Consecutive events in memory. The byte before the first and the one after the last may be overwritten; the 64
// bytes after that are readable.
struct EventBatch {
    char* data = nullptr;
    std::uint64_t offset = 0;  // of data[0] in the uncompressed file
    struct Span {
        std::uint32_t begin = 0, end = 0;  // in data
    };
    std::vector<Span> events;
};

class EventSplitter {
public:
    explicit EventSplitter(TraceSource& source);

    // The next events; false at the end. Fails with one sentence if the text is not a Chrome trace.
    core::Result<bool> next(EventBatch& batch);

    // The other members of the trace's object read so far, as JSON text. Values of more than a few MiB are left
    // out.
    [[nodiscard]] const std::map<std::string, std::string>& values() const { return values_; }
    // Array elements so far that are not objects: numbers, strings, lists.
    [[nodiscard]] std::uint64_t other_elements() const { return other_elements_; }
    // The file ended before the trace did; all complete events have been returned.
    [[nodiscard]] bool cut_off() const { return cut_off_; }
    // Where text follows the end of the trace, which is not read: a byte of the uncompressed file.
    [[nodiscard]] std::optional<std::uint64_t> text_after() const { return text_after_; }

private:
    // The position in the text's structure.
    enum class Place { begin, in_object, in_events, over };

    core::Result<bool> fill();  // appends bytes from the file; false at its end
    core::Result<char> peek();  // the next non-blank byte, '\0' at the end
    core::Result<bool> read_member(bool& events_follow);
    bool end_here();  // false
    core::Result<bool> no_member(const std::string& why);
    core::Result<bool> skip_value(std::string& value, std::size_t most);
    core::Result<bool> scan(EventBatch& batch);
    core::Result<bool> finish();  // false
    core::Error wrong(const std::string& what) const;

    TraceSource& source_;
    std::vector<char> buffer_;
    std::size_t at_ = 0, end_ = 0;
    std::uint64_t base_ = 0;  // of buffer_[kMargin] in the file
    std::uint64_t other_elements_ = 0;
    Place place_ = Place::begin;
    bool in_object_ = false, file_over_ = false, cut_off_ = false;
    std::optional<std::uint64_t> text_after_;
    std::map<std::string, std::string> values_;
};

}  // namespace headway::exchange
