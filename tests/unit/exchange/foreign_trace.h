// Helpers for the tests of other programs' traces.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "app/exchange/chrome/chrome_reader.h"

namespace headway::exchange {

inline ReadTrace read(const std::string& events) {
    auto trace = read_chrome_trace(events, "dir/their.json");
    EXPECT_TRUE(trace) << trace.error().message;
    return std::move(*trace);
}

inline bool noted(const ReadTrace& trace, const std::string& words) {
    for (const auto& note : trace.notes) {
        if (note.find(words) != std::string::npos) {
            return true;
        }
    }
    return false;
}

inline std::string all_notes(const ReadTrace& trace) {
    std::string text;
    for (const auto& note : trace.notes) {
        text += note + "\n";
    }
    return text;
}

// A kernel, and a call that launches it, in a stream or thread; times in µs.
inline std::string kernel(const char* name, double ts, double dur, const std::string& correlation = "0",
                          int stream = 7) {
    return std::string("{\"ph\":\"X\",\"cat\":\"kernel\",\"pid\":0,\"tid\":") + std::to_string(stream) +
           ",\"name\":\"" + name + "\",\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) +
           ",\"args\":{\"correlation\":" + correlation + "}},";
}
inline std::string call(const char* name, double ts, double dur, const std::string& correlation = "0", int thread = 1) {
    return std::string("{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"pid\":42,\"tid\":") + std::to_string(thread) +
           ",\"name\":\"" + name + "\",\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) +
           ",\"args\":{\"correlation\":" + correlation + "}},";
}
inline std::string step(int number, double ts, double dur) {
    return "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"pid\":42,\"tid\":1,\"name\":\"ProfilerStep#" +
           std::to_string(number) + "\",\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) + "},";
}

}  // namespace headway::exchange
