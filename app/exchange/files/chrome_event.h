// One event of a Chrome trace as text, and a parser for batches of events. Real traces contain numbers as strings,
// strings as numbers, and times that a double cannot represent, so values stay text until they are used.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/exchange/files/event_splitter.h"

namespace headway::exchange {

// The JSON text of a value: 12, "12", [1,2]. Valid as long as its batch.
using RawJson = std::string_view;

// A string's contents without quotes, with escapes resolved. Other values are returned unchanged.
std::string text_from(RawJson json);
// Without quotes, but with escapes: for comparisons.
std::string_view bare(RawJson json);
// Accepts 12, 12.0 and "12"; empty for everything else.
std::optional<std::int64_t> integer_from(RawJson json);
// Converts decimal microseconds to nanoseconds exactly; further digits are truncated. Empty if not a number. Times
// are clamped to ±73 years.
std::optional<std::int64_t> ns_from_us(RawJson json);

// The state of a time value.
enum class Stamp : std::uint8_t { absent, good, no_number, too_far };  // too_far: 73 years or more, clamped
struct TimeOfEvent {
    Stamp stamp = Stamp::absent;
    std::int64_t ns = 0;
    RawJson text;
    [[nodiscard]] bool has_ns() const { return stamp == Stamp::good || stamp == Stamp::too_far; }
};
TimeOfEvent time_from_us(RawJson json);

struct ChromeEvent {
    struct Argument {
        std::string_view name;  // escapes left in
        RawJson value;
    };
    static constexpr std::size_t kMostArguments = 24;

    char phase = '\0';
    RawJson name, category, pid, tid, id, args;  // `args`: only if it is not an object
    TimeOfEvent time, duration;
    std::array<Argument, kMostArguments> arguments;
    std::size_t argument_count = 0;
    std::uint64_t offset = 0;  // of the event in the file

    [[nodiscard]] RawJson argument(std::string_view wanted) const {
        for (std::size_t i = 0; i < argument_count; ++i) {
            if (arguments[i].name == wanted) {
                return arguments[i].value;
            }
        }
        return {};
    }
};

// Counts of events, and of those repaired or skipped.
struct EventCounts {
    std::uint64_t events = 0;        // including repaired ones
    std::uint64_t mended = 0;        // contained invalid UTF-8 or control characters
    std::uint64_t broken = 0;        // not JSON: left out
    std::uint64_t first_broken = 0;  // offset of the first of them
};

class EventParser {
public:
    EventParser();
    ~EventParser();
    EventParser(const EventParser&) = delete;
    EventParser& operator=(const EventParser&) = delete;

    // Calls `take` for each event of the batch, in order.
    void parse(EventBatch& batch, const std::function<void(const ChromeEvent&)>& take);
    [[nodiscard]] const EventCounts& counts() const { return counts_; }

private:
    struct State;
    void parse_one(std::string_view text, std::uint64_t offset, const std::function<void(const ChromeEvent&)>& take);
    std::unique_ptr<State> state_;
    EventCounts counts_;
};

}  // namespace headway::exchange
