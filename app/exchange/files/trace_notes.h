// Counts what was repaired or left out while a trace was imported, with one sentence for each kind. Private to
// app/exchange.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/count_text.h"

namespace headway::exchange {

using core::counted;

// The verb that follows counted(): verb(n, " was", " were").
inline std::string verb(std::uint64_t count, const char* one, const char* many) {
    return count == 1 ? one : many;
}

class TraceNotes {
public:
    // A remark that is neither a repair nor an omission.
    void say(std::string sentence) { sentences_.push_back(std::move(sentence)); }
    // `count` events were left out (or repaired). Does nothing if it is 0.
    void left_out(std::uint64_t count, std::string sentence) { add(left_out_, count, std::move(sentence)); }
    void repaired(std::uint64_t count, std::string sentence) { add(repaired_, count, std::move(sentence)); }

    [[nodiscard]] const std::vector<std::string>& sentences() const { return sentences_; }
    [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
    [[nodiscard]] std::uint64_t repaired() const { return repaired_; }

private:
    void add(std::uint64_t& sum, std::uint64_t count, std::string sentence) {
        if (count > 0) {
            sum += count;
            say(std::move(sentence));
        }
    }

    std::vector<std::string> sentences_;
    std::uint64_t left_out_ = 0, repaired_ = 0;
};

}  // namespace headway::exchange
