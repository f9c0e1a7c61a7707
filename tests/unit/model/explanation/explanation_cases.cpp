#include "tests/unit/model/explanation/explanation_cases.h"

#include "app/model/numbers/numbers_walk.h"

#include <gtest/gtest.h>

namespace headway::model {

using trace::WaitKind;
using Kind = SentenceKind;

namespace {

Explanation explained(Story& story, const std::function<void(Numbers&)>& change) {
    const auto run = story.run();
    Numbers numbers = numbers_of(*run);
    change(numbers);
    return explain(*run, numbers);
}

// Four ops, and a wait for them.
Story four(std::int64_t t1, std::int64_t t2, std::string_view settings = "") {
    Story story(settings);
    for (int i = 0; i < 4; ++i) {
        story.op(t1, t2);
    }
    story.wait();
    return story;
}

}  // namespace

Story waits(WaitKind kind, std::int64_t t1, std::int64_t t2, std::string_view settings) {
    Story story(settings);
    for (int i = 0; i < 3; ++i) {
        story.op(t1, t2);
        story.wait(kind);
    }
    return story;
}

std::vector<Case> cases() {
    return {
        {Kind::incomplete, "Failed after issuing 2 ops: no file 7, at a.py:3.",
         [] {
             Story story;
             story.op(10, 100);
             story.op(10, 100);
             story.wait();
             story.builder.recording().meta(trace::MetaType::error, 0,
                                            R"({"kind": "failed", "message": "no file 7", "file": "a.py", "line": 3})");
             return story.explained();
         }},
        {Kind::damaged, "Damaged: the program wrote into the recording's memory, so nothing in it can be relied on.",
         [] {
             Story story = four(10, 100);
             const auto run = story.run();
             run->process_ended({.damaged = true});
             Explanation explanation = explain(*run, numbers_of(*run));
             EXPECT_EQ(explanation.sentences.size(), 1u);
             EXPECT_TRUE(explanation.bar.parts.empty());
             return explanation;
         }},
        {Kind::overflowed,
         "The recording was full: {lost_records} events did not fit, so the run's sums are not known.",
         [] {
             RecordingBuilder builder(trace::kHeaderBytes + 3 * trace::kChunkBytes);
             for (OpId id = 1; id <= 300'000; ++id) {
                 builder.issue({id, id + 1});
             }
             const auto run = builder.read();
             run->close();
             Explanation explanation = explain(*run, numbers_of(*run));
             EXPECT_EQ(explanation.sentences.size(), 1u);
             EXPECT_EQ(explanation.sentences[0].numbers[0].value, static_cast<double>(run->lost_records()));
             return explanation;
         }},
        {Kind::no_ops,
         "In virtual time this run took 500 ns and issued no ops: it computed nothing on tensors of the run's device. "
         "What NumPy computes, and the real PyTorch computes on its CPU tensors, is the frontend's own work.",
         [] {
             Story story;
             story.builder.work(0, 500, "Python");
             story.now = 500;
             Explanation explanation = story.explained();
             EXPECT_EQ(explanation.sentences.size(), 1u);
             return explanation;
         }},
        {Kind::execution_bound,
         "In virtual time this run took 420 ns. Stream 0 executed ops for 400 ns of that (95 %), and the frontend "
         "spent "
         "40 ns outside of waits: the run is execution-bound.",
         [] { return four(10, 100).explained(); }},
        {Kind::issue_bound,
         "In virtual time this run took 420 ns. The frontend spent 400 ns of that (95 %) outside of waits, more on "
         "issuing ops than on its own work, and Stream 0 executed for 40 ns: the run is issue-bound.",
         [] { return four(100, 10).explained(); }},
        {Kind::frontend_bound,
         "In virtual time this run took 1.03 µs. The frontend spent 1.01 µs of that (98 %) outside of waits, more on "
         "its "
         "own work than on issuing ops, and Stream 0 executed for 10 ns: the run is frontend-bound.",
         [] {
             Story story;
             story.builder.work(0, 1000, "NumPy");
             story.now = 1000;
             story.op(10, 10);
             story.wait();
             return story.explained();
         }},
        {Kind::dependency_bound,
         "In virtual time this run took 420 ns. The longest chain of dependent ops takes 400 ns of that (95 "
         "%) "
         "whatever the number of lanes: the run is dependency-bound.",
         [] {
             Story story;
             std::int64_t ready = 10;
             for (BufferId i = 0; i < 4; ++i) {
                 const auto lane = static_cast<std::uint8_t>(i % 2);
                 story.issue(10, lane, i);
                 story.execute(ready, 100, lane);
                 ready += 100;
             }
             story.wait();
             return story.explained();
         }},
        {Kind::barrier_bound,
         "In virtual time this run took 330 ns. The frontend spent 150 ns of that outside of waits, and Stream 0 "
         "executed for 150 ns, but barriers made them wait for each other: the run is barrier-bound.",
         [] { return waits(WaitKind::waitall, 50, 50).explained(); }},
        {Kind::blocker_bound,
         "In virtual time this run took 330 ns. The frontend spent 150 ns of that outside of waits, and Stream 0 "
         "executed for 150 ns, but waits that the program did not ask for made them wait for each other: the run is "
         "blocker-bound.",
         [] { return waits(WaitKind::item, 50, 50).explained(); }},
        {Kind::about_equal,
         "In virtual time this run took 2.11 µs. The frontend (2.00 µs) and Stream 0 (2.00 µs) needed about the same "
         "time: neither of them alone is the limit.",
         [] {
             Story story;
             for (int i = 0; i < 20; ++i) {
                 story.op(100, 100);
             }
             story.wait();
             return story.explained();
         }},
        {Kind::mixed,
         "In virtual time this run took 1.03 µs. The frontend spent 10 ns of that outside of waits, and Stream 0 "
         "executed "
         "for 10 ns; neither needs nearly all of the time, and neither barriers nor blockers are clearly what costs "
         "the rest: the regime is mixed. The largest part of the critical path, 1.00 µs, is hand-overs, in which a "
         "lane had yet to start "
         "an "
         "op that was ready.",
         [] {
             Story story;
             story.issue(10);
             story.execute(1010, 10);
             story.wait();
             return story.explained();
         }},
        {Kind::time_until_end,
         "In virtual time this run lasted 20 ns and issued 2 ops; the lanes were busy for 10 ns in all.",
         [] {
             Story story;
             story.op(10, 10);
             story.issue(10);
             const auto run = story.run(false);
             return explain(*run, numbers_of(*run));
         }},
        {Kind::recorded_time,
         "In virtual time this run took 420 ns and issued 4 ops; the lanes were busy for 400 ns in all.",
         [] {
             Story story = four(10, 100);
             return explained(story, [](Numbers& n) { n.predicted = false; });
         }},
        {Kind::recorded_time, "In virtual time this run took 420 ns and had 4 spans.",
         [] {
             Story story = four(10, 100);
             return explained(story, [](Numbers& n) {
                 n.predicted = false;
                 n.capabilities.issues = n.capabilities.backend = false;
             });
         }},
        {Kind::recorded_time, "In virtual time this run took 110 ns and had 1 span.",
         [] {
             Story story;
             story.op(10, 100);
             return explained(story, [](Numbers& n) {
                 n.predicted = false;
                 n.capabilities.issues = n.capabilities.backend = false;
             });
         }},
        {Kind::all_issued,
         "The frontend had issued all 4 ops after 40 ns; at that moment 4 ops were not finished: that is the headway.",
         [] { return four(10, 100).explained(); }},
        {Kind::ahead,
         "The frontend was at most 2 ops ahead of the backend, at 10 ns: that many were issued and not finished.",
         [] {
             Story story;
             for (int i = 0; i < 3; ++i) {
                 story.op(5, 50);
                 story.op(5, 50);
                 story.wait();
             }
             return story.explained();
         }},
        {Kind::never_ahead, "The frontend never ran ahead: at most 1 op was issued and not finished at any time.",
         [] { return waits(WaitKind::waitall, 50, 50).explained(); }},
        {Kind::unfinished,
         "When the measured part ended, 3 ops were issued and not finished: the measured time contains only a part of "
         "the work.",
         [] {
             Story story;
             story.mark(trace::FrontendKind::measure_begin);
             for (int i = 0; i < 3; ++i) {
                 story.op(10, 100);
             }
             story.mark(trace::FrontendKind::measure_end);
             story.wait();
             return story.explained();
         }},
        {Kind::never_waited, "The frontend never waited for the backend.",
         [] {
             Story story;
             story.op(10, 100);
             return story.explained();
         }},
        {Kind::never_waited, "The trace has no wait of the frontend.",
         [] {
             Story story;
             story.op(10, 100);
             return explained(story, [](Numbers& n) { n.capabilities.settings = false; });
         }},
        {Kind::one_wait,
         "The frontend waited once, for 380 ns (90 % of the run): waitall in line 9, for 4 unfinished ops.",
         [] { return four(10, 100).explained(); }},
        {Kind::many_waits,
         "The frontend waited 3 times, for 180 ns in all (55 % of the run); the longest took 60 ns: waitall in line 9, "
         "for 1 unfinished op.",
         [] { return waits(WaitKind::waitall, 50, 50).explained(); }},
        {Kind::inherited_wait,
         "print in line 9 is not slow itself: of its 380 ns, 270 ns went to ops that were issued before it and 100 ns "
         "to "
         "its own.",
         [] {
             Story story;
             for (int i = 0; i < 3; ++i) {
                 story.op(10, 100);
             }
             story.op(10, 100, 0, 3, 0, 9);
             story.wait(WaitKind::print);
             return story.explained();
         }},
        {Kind::policy_barriers, "3 of these waits, for 180 ns in all, are the chosen barriers after every minibatch.",
         [] { return waits(WaitKind::minibatch_barrier, 50, 50, R"("barrier": "minibatch")").explained(); }},
        {Kind::framework_barriers,
         "3 of these waits, for 180 ns in all, are the framework's own: PyTorch waits after each op on this device, so "
         "the frontend cannot run ahead.",
         [] {
             return waits(WaitKind::op_barrier, 50, 50, R"("barrier": "as-written", "profile": "PyTorch")").explained();
         }},
        {Kind::without_barriers,
         "Without its 3 barriers, except for one at the end, the run would take 210 ns (computed, not measured): they "
         "cost 120 ns, 36 % of the run.",
         [] { return waits(WaitKind::waitall, 50, 50).explained(); }},
        {Kind::without_blockers,
         "Without the waits before the last op that the program did not ask for, the run would take 210 ns (computed, "
         "not measured): they cost 120 ns, 36 % of the run.",
         [] { return waits(WaitKind::item, 50, 50).explained(); }},
        {Kind::queue_limit, "The limit of 2 ops in the queue stopped the frontend 3 times, for 180 ns in all.",
         [] { return waits(WaitKind::queue_limit, 50, 50, R"("queue_limit": 2)").explained(); }},
        {Kind::queue_full, "The queue of a lane was full and stopped the frontend 3 times, for 180 ns in all.",
         [] { return waits(WaitKind::queue_limit, 50, 50).explained(); }},
        {Kind::memory_waits, "The frontend waited for memory to be freed 3 times, for 180 ns in all.",
         [] { return waits(WaitKind::memory, 50, 50).explained(); }},
        {Kind::memory_peak, "Tensors held at most 8.2 kB, at 0 ns.",
         [] {
             Story story;
             const auto size = story.builder.signature(8192);
             story.op(10, 1000, 0, 0, size);
             story.wait();
             return story.explained();
         }},
        {Kind::memory_pending,
         "Tensors held at most 16 kB, at 10 ns; 8.2 kB of that was held only because ops that need it had not run yet.",
         [] {
             Story story;
             const auto size = story.builder.signature(8192);
             story.op(10, 100, 0, 0, size);
             story.builder.drop(10, 1);
             story.op(10, 100, 0, 0, size);
             story.wait();
             return story.explained();
         }},
        {Kind::memory_budget, "Tensors held at most 8.2 kB, at 0 ns: 50 % of the budget of 16 KiB.",
         [] {
             Story story(R"("budget": 16384, "budget_is_default": false, "budget_in_effect": 16384)");
             const auto size = story.builder.signature(8192);
             story.op(10, 100, 0, 0, size);
             story.wait();
             return story.explained();
         }},
        {Kind::lanes_overlap, "Two lanes executed ops at the same time for 90 ns (69 % of the run).",
         [] {
             Story story;
             story.op(10, 100, 0);
             story.op(10, 100, 1);
             story.wait();
             return story.explained();
         }},
        {Kind::no_overlap, "Two lanes executed ops, but never at the same time.",
         [] {
             Story story;
             story.op(100, 10, 0);
             story.op(100, 10, 1);
             story.wait();
             return story.explained();
         }},
        {Kind::devices_overlap, "Both devices executed ops at the same time for 90 ns (69 % of the run).",
         [] {
             Story story(R"("device_kind": "cuda")");
             story.builder.recording().meta(trace::MetaType::device, 1,
                                            R"({"kind": "cpu", "first_lane": 1, "lanes": ["Worker 0"]})");
             story.op(10, 100, 0);
             story.op(10, 100, 1);
             story.wait();
             return story.explained();
         }},
        {Kind::copies_overlap, "Copies between host and device took 100 ns; for 90 ns of that another lane computed.",
         [] {
             Story story;
             const auto copy = story.builder.signature(8, "copy_to_host");
             story.op(10, 100, 0);
             story.op(10, 100, 1, 0, copy);
             story.wait();
             return story.explained();
         }},
        {Kind::idle,
         "Stream 0 was idle for 380 ns, 370 ns of that because the frontend was at work and had issued nothing more; "
         "the longest gap is 100 ns.",
         [] { return four(100, 10).explained(); }},
        {Kind::idle,
         "The 2 lanes were idle for 640 ns in all, 490 ns of that because the next op was a copy and waited for a link "
         "that carried another one; the longest gap is 510 ns.",
         [] {
             Story story(R"("gpus": 2, "links": "pcie", "cost_models": {"links": {"name": "", "source": "",
                            "pcie": {"base_ns": 1}, "nvlink": {"base_ns": 1}}})");
             story.builder.recording().meta(trace::MetaType::device, 1,
                                            R"({"kind": "simulated", "first_lane": 1, "lanes": ["Stream 0"]})");
             const auto copy = story.builder.signature(8, "copy_to_device");
             story.op(10, 500, 0, 0, copy);
             story.issue(10, 1, 0, copy);
             story.execute(510, 100, 1);
             story.wait();
             return story.explained();
         }},
        {Kind::bounded_ops,
         "The times of 3 ops are bounds only: the GPU's driver did not report when they began and ended.",
         [] {
             Story story = four(10, 100);
             trace::StreamWriter<trace::DriverRecord> driver(story.builder.recording(), {trace::StreamKind::driver, 0});
             driver.add({110, 200, trace::DriverKind::bounded_ops, 0, 2});
             driver.add({320, 0, trace::DriverKind::device_taken, 0, 4096});
             driver.add({410, 100, trace::DriverKind::bounded_ops, 0, 1});
             driver.add({510, 1, trace::DriverKind::bounded_ops, 200, 0});  // a lane that is not there
             Explanation explanation = story.explained();
             for (const Sentence& sentence : explanation.sentences) {
                 if (sentence.kind == Kind::bounded_ops) {
                     EXPECT_EQ(sentence.places.size(), 2u);
                     EXPECT_EQ(sentence.places[0].begin_ns, 110);
                     EXPECT_EQ(sentence.places[0].end_ns, 310);
                 }
             }
             return explanation;
         }},
        {Kind::busy_machine,
         "The machine was busy: the frontend was ready to run but had no core for 42 ns (10 % of the run).",
         [] {
             Story story = four(10, 100);
             return explained(story, [](Numbers& n) { n.frontend.descheduled_ns = 42; });
         }},
        {Kind::late_handovers,
         "Some lanes woke up late: hand-overs that took longer than their median cost 42 ns (10 % of the run).",
         [] {
             Story story = four(10, 100);
             return explained(story, [](Numbers& n) {
                 n.predicted_ns -= 42;
                 n.prediction_parts[0].ns += 42;
             });
         }},
        {Kind::late_returns,
         "The frontend woke up late: returns that took longer than their median cost 84 ns (20 % of the run).",
         [] {
             Story story = four(10, 100);
             return explained(story, [](Numbers& n) {
                 n.predicted_ns -= 84;
                 n.prediction_parts[1].ns += 84;
             });
         }},
        {Kind::races,
         "The program has 1 race: op in line 12 in Stream 1 reads what op in line 7 in Stream 0 writes, and nothing "
         "orders "
         "them. What is missing: Stream 1 waits for Stream 0 (wait_stream, or an event).",
         [] {
             Story story;
             const std::uint16_t signature = story.builder.signature(8, "op");
             story.op(10, 100, 0, 0, signature, 7);
             story.builder.order({2, 1, 1, 0, 0, trace::OrderKind::read_write, 1, 0, 0});
             story.op(10, 100, 1, 1, signature, 12);
             story.wait();
             return story.explained();
         }},
        {Kind::recording_waits, "Headway's own recording was full and held the frontend back once, for 60 ns.",
         [] {
             Story story;
             story.op(50, 50);
             story.wait(WaitKind::recording);
             story.op(50, 50);
             story.wait();
             return story.explained();
         }},
        {Kind::folded,
         "Of the 200,000 ops, 114,688 from the middle of the run are kept as sums only: they count in the "
         "totals, and are not listed one by one.",
         [] {
             Story story;
             auto run = story.builder.open();
             run->fold_beyond(4 * kFoldedItems);
             for (int i = 0; i < 200'000; ++i) {
                 story.op(2, 2);
                 if (i % 10'000 == 0) {
                     run->update();
                 }
             }
             story.wait();
             story.mark(trace::FrontendKind::program_end);
             story.builder.recording().header().state = static_cast<std::uint32_t>(trace::RunState::finished);
             run->update();
             run->close();
             return explain(*run, numbers_of(*run));
         }},
        {Kind::pauses, "You paused or stepped the run for 60 ns, which is not counted as the program's time.",
         [] {
             Story story;
             story.op(50, 50);
             story.wait(WaitKind::paused);
             story.op(50, 50);
             story.wait();
             return story.explained();
         }},
        {Kind::unfinished_before,
         "When measuring began, 1 op of the warm-up had not finished: the measured time contains its execution, the "
         "number of ops does not. Wait for it before you measure.",
         [] {
             Story story;
             story.op(50, 500);
             story.mark(trace::FrontendKind::measure_begin);
             story.wait();
             Explanation explanation = story.explained();
             EXPECT_EQ(explanation.sentences.front().text,
                       "In virtual time this run took 510 ns and issued no ops after the warm-up.");
             return explanation;
         }},
        {Kind::warm_up, "Imports and warm-up before the measured part took 110 ns, which is not counted.",
         [] {
             Story story;
             story.op(50, 50);
             story.wait();
             story.mark(trace::FrontendKind::measure_begin);
             story.op(5, 500);
             story.wait();
             return story.explained();
         }},
        {Kind::formula,
         "With N = 4, t₁ = 10 ns, h = 0 ns, t₂ = 100 ns and t₃ = 10 ns, max(t₁+N·t₂, N·t₁+t₂)+h+t₃ gives 420 ns; "
         "measured: 420 ns.",
         [] { return four(10, 100).explained(); }},
    };
}

}  // namespace headway::model
