// How a run ended: each sentence, and what the recording lacks.
#include "app/model/run/run_end.h"

#include <gtest/gtest.h>

#include <csignal>

#include "engine/core/count_text.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

// A run of so many ops, of which the last `open` have not ended.
struct MadeRun {
    explicit MadeRun(int ops, int open = 0) {
        for (int i = 0; i < ops; ++i) {
            builder.issue({10 * i, 10 * i + 5});
            if (i < ops - open) {
                builder.exec(0, builder.issued(), 10 * i + 5, 10 * i + 9);
            }
        }
    }
    void state(trace::RunState state) { builder.recording().header().state = static_cast<std::uint32_t>(state); }
    void error(const char* json) {
        builder.recording().meta(trace::MetaType::error, 0, json);
        state(trace::RunState::failed);
    }
    [[nodiscard]] RunEnd end(std::optional<ProcessEnd> process = {}) {
        const auto run = builder.read();
        run->close();
        return run_end(*run, process);
    }
    RecordingBuilder builder;
};

void expect(const RunEnd& end, Verdict verdict, const char* word, const std::string& text) {
    EXPECT_EQ(end.verdict, verdict);
    EXPECT_STREQ(word_of(end.verdict), word);
    EXPECT_EQ(verdict_called(word), verdict);
    EXPECT_EQ(end.text(), text);
}

TEST(RunEnd, Complete) {
    MadeRun none(0), one(1), many(1200);
    for (MadeRun* made : {&none, &one, &many}) {
        made->state(trace::RunState::finished);
    }
    expect(none.end(), Verdict::complete, "complete", "Complete: no ops.");
    expect(one.end(), Verdict::complete, "complete", "Complete: 1 op.");
    expect(many.end(), Verdict::complete, "complete", "Complete: 1,200 ops.");
}

// A program can write into its recording.
TEST(RunEnd, OfAKnownProcessIsNotWhatTheRecordingSays) {
    MadeRun made(2);
    made.builder.recording().meta(trace::MetaType::end, 0,
                                  R"({"verdict": "complete", "sentence": "Complete: 2 ops.", "missing": ""})");
    const auto run = made.builder.read();
    run->process_ended({128 + SIGKILL, SIGKILL});
    run->close();
    EXPECT_EQ(run->end().verdict, Verdict::crashed);
    const auto from_file = made.builder.read();
    from_file->close();
    EXPECT_EQ(from_file->end().verdict, Verdict::complete);
}

TEST(RunEnd, SaysWhatEndedTheProcessAfterACompleteRun) {
    MadeRun one(1);
    one.state(trace::RunState::finished);
    expect(one.end(ProcessEnd{}), Verdict::complete, "complete", "Complete: 1 op.");
    expect(one.end(ProcessEnd{1, 0}), Verdict::complete, "complete",
           "Complete: 1 op; after the program's end its process ended with status 1.");
    expect(one.end(ProcessEnd{128 + SIGKILL, SIGKILL}), Verdict::complete, "complete",
           "Complete: 1 op; after the program's end its process was ended by signal 9 (Killed).");
    expect(one.end(ProcessEnd{.status = 1, .limit = "the run was ended: it ran for too long"}), Verdict::complete,
           "complete", "Complete: 1 op; after the program's end the run was ended: it ran for too long.");
    expect(one.end(ProcessEnd{128 + SIGKILL, SIGKILL, true}), Verdict::complete, "complete", "Complete: 1 op.");
}

TEST(RunEnd, Failed) {
    MadeRun at(2), in(0), named(2), elsewhere(2);
    at.error(R"({"kind": "failed", "message": "no file 7", "file": "/x/a.py", "line": 3})");
    expect(at.end(), Verdict::failed, "failed", "Failed after issuing 2 ops: no file 7, at a.py:3.");
    in.error(R"({"kind": "failed", "message": "no file 7", "file": "/x/a.py"})");
    expect(in.end(), Verdict::failed, "failed", "Failed: no file 7, in a.py.");
    named.error(R"({"kind": "failed", "message": "a.py:3: no file 7", "file": "/x/a.py", "line": 3})");
    expect(named.end(), Verdict::failed, "failed", "Failed after issuing 2 ops: a.py:3: no file 7.");
    elsewhere.error(R"({"kind": "failed", "message": "no ops here, at a.py:4", "file": "/x/a.py", "line": 8})");
    expect(elsewhere.end(), Verdict::failed, "failed", "Failed after issuing 2 ops: no ops here, at a.py:4.");
    MadeRun cell(2);
    cell.error(R"({"kind": "failed", "message": "no, at a.ipynb, code cell 2, line 1", "file": "a.ipynb", "line": 8})");
    expect(cell.end(), Verdict::failed, "failed", "Failed after issuing 2 ops: no, at a.ipynb, code cell 2, line 1.");
}

TEST(RunEnd, Stopped) {
    MadeRun made(2);
    expect(made.end(ProcessEnd{.stop_asked = true}), Verdict::stopped, "stopped", "Stopped after issuing 2 ops.");
    expect(made.end(ProcessEnd{.stop_asked = true, .killed = true}), Verdict::stopped, "stopped",
           "Stopped after issuing 2 ops: the program did not end when it was asked to and was killed.");
    made.error(R"({"kind": "stopped", "message": "stopped by the user"})");
    expect(made.end(), Verdict::stopped, "stopped", "Stopped by the user.");
}

TEST(RunEnd, Crashed) {
    MadeRun one(3, 1), two(3, 2), none(0);
    expect(one.end(ProcessEnd{.status = 3}), Verdict::crashed, "crashed",
           "Crashed after issuing 3 ops: the program's process ended with status 3 before the program did, as after "
           "_exit or "
           "exec. 1 issued op has no end.");
    expect(two.end(ProcessEnd{.signal = SIGSEGV}), Verdict::crashed, "crashed",
           "Crashed after issuing 3 ops: the program was ended by signal 11 (Segmentation fault). 2 issued ops have no "
           "end.");
    expect(none.end(ProcessEnd{.signal = SIGKILL}), Verdict::crashed, "crashed",
           "Crashed: the program was ended by signal 9 (Killed), as when the machine's memory is full.");
}

TEST(RunEnd, Unknown) {
    MadeRun made(3);
    expect(made.end(), Verdict::unknown, "unknown", "Incomplete: what happened after issuing 3 ops is not recorded.");
}

TEST(RunEnd, OfAFileThatIsCutOff) {
    MadeRun made(3, 2), other(3, 1);
    for (MadeRun* one : {&made, &other}) {
        one->builder.metadata(R"({"file_cut_off": true})");
        one->state(trace::RunState::finished);
    }
    expect(made.end(), Verdict::unknown, "unknown",
           "Incomplete: the file is cut off; it has 3 ops. 2 issued ops have no end.");
    expect(other.end(), Verdict::unknown, "unknown",
           "Incomplete: the file is cut off; it has 3 ops. 1 issued op has no end.");
    const auto run = made.builder.read();
    run->close();
    EXPECT_FALSE(has_all_records(*run));
}

TEST(RunEnd, Damaged) {
    MadeRun made(3);
    expect(made.end(ProcessEnd{.damaged = true}), Verdict::damaged, "damaged",
           "Damaged: the program wrote into the recording's memory, so nothing in it can be relied on.");
}

TEST(RunEnd, Overflowed) {
    RecordingBuilder builder(trace::kHeaderBytes + 3 * trace::kChunkBytes);
    for (OpId id = 1; id <= 300'000; ++id) {
        builder.issue({id, id + 1});
    }
    builder.recording().header().state = static_cast<std::uint32_t>(trace::RunState::finished);
    const auto run = builder.read();
    run->close();
    const std::string ops = core::counted(run->op_count(), "op"), lost = core::counted(run->lost_records(), "record");
    ASSERT_GT(run->lost_records(), 1U);
    expect(run_end(*run, {}), Verdict::overflowed, "overflowed",
           "Overflowed after issuing at least " + ops + ": the recording was full. " + lost +
               " did not fit into the recording.");
    // Where the program also crashed, the ops without an end are missing, too.
    builder.recording().header().state = static_cast<std::uint32_t>(trace::RunState::running);
    const auto crashed = builder.read();
    crashed->close();
    crashed->process_ended({.status = 1});
    expect(run_end(*crashed, ProcessEnd{.status = 1}), Verdict::crashed, "crashed",
           "Crashed after issuing at least " + ops +
               ": the program's process ended with status 1 before the program did, as after _exit or exec. " + lost +
               " did not fit into the recording, and " + core::counted(crashed->op_count(), "issued op") +
               " have no end.");
}

}  // namespace
}  // namespace headway::model
