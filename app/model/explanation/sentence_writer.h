// Writes one sentence, and keeps its numbers and names. Private to app/model/explanation.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/model/explanation/explanation.h"

namespace headway::model {

class SentenceWriter {
public:
    SentenceWriter(const Run& run, SentenceKind kind) : run_(run) { sentence_.kind = kind; }

    SentenceWriter& words(std::string_view words);
    // Words that contain digits or were copied from the recording.
    SentenceWriter& name(const std::string& name);
    SentenceWriter& time(const char* id, std::int64_t ns);
    // A moment of the run, counted from the start of the measured part.
    SentenceWriter& moment(const char* id, std::int64_t ns);
    SentenceWriter& share(const char* id, std::int64_t part, std::int64_t whole);
    SentenceWriter& bytes(const char* id, std::uint64_t bytes);
    SentenceWriter& budget(const char* id, std::uint64_t bytes);
    SentenceWriter& count(const char* id, std::uint64_t count);
    // "1 op", "3,812 ops"
    SentenceWriter& count(const char* id, std::uint64_t count, const char* one, const char* many);
    // "once", "twice", "60 times"
    SentenceWriter& times(const char* id, std::uint64_t count);
    // "line 12", with the file where the program has several; nothing if the line is unknown.
    SentenceWriter& line(const char* before, core::Line line, const char* id = "line");
    SentenceWriter& place(const Place& place);
    SentenceWriter& places(const std::vector<Place>& places);

    [[nodiscard]] Sentence done() { return std::move(sentence_); }

private:
    SentenceWriter& number(const char* id, Unit unit, double value, std::string text);

    const Run& run_;
    Sentence sentence_;
};

}  // namespace headway::model
