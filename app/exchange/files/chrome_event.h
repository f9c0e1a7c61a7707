// One event of a Chrome trace, as it stands in the text, and the reading of many of them. Real traces hold odd things:
// numbers as strings, strings as numbers, times that a double cannot hold; so values stay text until somebody needs
// them as something.
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

// JSON text of a value: 12, "12", [1,2]. Valid as long as its batch.
using RawJson = std::string_view;

// A string's contents without its quotes; escapes are undone. What is no string comes as it is.
std::string text_from(RawJson json);
// Without its quotes, escapes left in: for comparing.
std::string_view bare(RawJson json);
// 12, 12.0 and "12"; none for all else.
std::optional<std::int64_t> integer_from(RawJson json);
// Microseconds in decimals to nanoseconds, exactly; what is finer is cut. None for what is no number. Times are kept
// within ±73 years.
std::optional<std::int64_t> ns_from_us(RawJson json);

// What stands where a time should.
enum class Stamp : std::uint8_t { absent, good, no_number, too_far };  // too_far: 73 years or more, cut to that
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
    RawJson name, category, pid, tid, id, args;  // `args`: only where it is no object
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

// What had to be passed over, or mended, on the way.
struct EventCounts {
    std::uint64_t events = 0;        // read, those mended included
    std::uint64_t mended = 0;        // held bytes that are no UTF-8, or control characters
    std::uint64_t broken = 0;        // no JSON: left out
    std::uint64_t first_broken = 0;  // its offset
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
