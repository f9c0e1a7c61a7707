// For each kind of sentence: a small recorded run, with given times, and the exact sentence that it must give.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/explanation/explanation.h"
#include "app/model/numbers/numbers_walk.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {

// Writes a run op by op.
class Story {
public:
    explicit Story(std::string_view settings = "",
                   const std::string& lanes = R"(["Stream 0", "Stream 1", "Stream 2"])") {
        std::string json = R"({"lanes": )" + lanes;
        builder.metadata(json + (settings.empty() ? "" : ", ") + std::string(settings) + "}");
        builder.recording().meta(trace::MetaType::file, 1, "a.py");
    }

    // Issues an op at `now` for `t1`, which executes for `t2` as soon as its lane is free and it is issued.
    OpId op(std::int64_t t1, std::int64_t t2, std::uint8_t lane = 0, BufferId in = 0, std::uint16_t signature = 0,
            std::uint32_t line = 5) {
        issue(t1, lane, in, signature, line);
        execute(std::max(now, ends[lane]), t2, lane);
        return builder.issued();
    }
    void issue(std::int64_t t1, std::uint8_t lane = 0, BufferId in = 0, std::uint16_t signature = 0,
               std::uint32_t line = 5) {
        builder.issue({now, now + t1, lane, builder.issued() + 1, in, 0, true, signature, core::make_line(1, line)});
        now += t1;
    }
    void execute(std::int64_t begin, std::int64_t t2, std::uint8_t lane = 0) {
        ends[lane] = begin + t2;
        builder.exec(lane, builder.issued(), begin, ends[lane]);
    }
    // Waits until `ready_ns`, when what it waits for has ended, with a return of `t3`.
    void wait_until(std::int64_t ready_ns, trace::WaitKind kind, BufferId target, std::int64_t t3 = 0,
                    std::uint32_t line = 9) {
        const std::int64_t from = now;
        now = std::max(now, ready_ns) + t3;
        builder.wait(from, now, kind, target, 0, core::make_line(1, line));
    }
    // Waits for all ops so far, with a return of `t3`.
    void wait(trace::WaitKind kind = trace::WaitKind::waitall, std::int64_t t3 = 10, std::uint32_t line = 9) {
        const std::int64_t from = now;
        now = std::max(now, *std::max_element(ends.begin(), ends.end())) + t3;
        builder.wait(from, now, kind, 0, 0, core::make_line(1, line));
    }
    void mark(trace::FrontendKind kind) { builder.mark(kind, now); }
    std::unique_ptr<Run> run(bool finished = true) {
        if (finished) {
            builder.mark(trace::FrontendKind::program_end, now);
            builder.recording().header().state = static_cast<std::uint32_t>(trace::RunState::finished);
        }
        auto run = builder.read();
        run->close();
        return run;
    }
    Explanation explained() {
        const auto read = run();
        return explain(*read, numbers_of(*read));
    }

    RecordingBuilder builder{std::size_t{32} << 20};
    std::int64_t now = 0;
    std::array<std::int64_t, 3> ends{};
};

struct Case {
    SentenceKind kind;
    std::string text;  // "{id}": a number that is not the same in every run of this test
    std::function<Explanation()> make;
};

// One for each kind of sentence.
std::vector<Case> cases();
// The other wordings of these sentences; the test structure.sentences lists wordings without a case.
std::vector<Case> wording_cases();

// A wait after each of three ops.
Story waits(trace::WaitKind kind, std::int64_t t1, std::int64_t t2, std::string_view settings = "");

}  // namespace headway::model
