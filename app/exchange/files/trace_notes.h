// What was mended in a trace on its way in, and what was left out of it: counted, and said in a sentence each. Private
// to app/exchange.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headway::exchange {

// "1 span", "2 spans".
inline std::string counted(std::uint64_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

class TraceNotes {
public:
    // Something that is of interest, and neither.
    void say(std::string sentence) { sentences_.push_back(std::move(sentence)); }
    // So many events, or what had become of them; nothing is said of none.
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
