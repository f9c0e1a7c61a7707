// Wordings of sentences that have several: each with a run in which it is true.
#include "app/model/numbers/numbers_walk.h"
#include "tests/unit/model/explanation/explanation_cases.h"

namespace headway::model {

using trace::WaitKind;
using Kind = SentenceKind;

namespace {

// An op on one lane while the other lane waits for it: `wait` names who is asked for the wait.
Explanation idle_during(WaitKind kind, std::string_view settings = "") {
    Story story(settings);
    story.op(10, 10, 1);
    story.op(10, 1000, 0);
    story.wait(kind);
    story.op(10, 10, 1);
    story.wait();
    return story.explained();
}

constexpr std::string_view kTwoGpus =
    R"("gpus": 2, "links": "pcie", "cost_models": {"links": {"name": "", "source": "",
       "pcie": {"base_ns": 1}, "nvlink": {"base_ns": 1}}})";

// Lane 1 is that of GPU 1.
void add_second_gpu(Story& story) {
    story.builder.recording().meta(trace::MetaType::device, 1,
                                   R"({"kind": "simulated", "first_lane": 1, "lanes": ["Stream 0"]})");
}

// GPU 0 computes, and GPU 1 copies its result; perhaps GPU 0 copies it to the host as well.
Explanation copies_of_gpus(bool host_too) {
    Story story(kTwoGpus);
    add_second_gpu(story);
    const auto copy = story.builder.signature(8, "copy_to_device"), back = story.builder.signature(8, "copy_to_host");
    story.op(10, 100, 0);
    story.op(10, 100, 1, 1, copy);
    if (host_too) {
        story.op(10, 100, 0, 1, back);
    }
    story.wait();
    return story.explained();
}

// An op of this duration on each of the first `used` of two GPUs and the CPU, issued 10 ns apart.
Explanation of_devices(std::uint8_t used, std::int64_t ns) {
    Story story(kTwoGpus);
    add_second_gpu(story);
    story.builder.recording().meta(trace::MetaType::device, 2,
                                   R"({"kind": "cpu", "first_lane": 2, "lanes": ["Worker 0"]})");
    for (std::uint8_t lane = 0; lane < used; ++lane) {
        story.op(10, ns, lane);
    }
    story.wait();
    return story.explained();
}

// An op of this duration on each of the lanes, issued 10 ns apart.
Explanation of_lanes(const std::string& lanes, std::int64_t ns) {
    Story story("", lanes);
    for (int lane = 0; lane <= std::count(lanes.begin(), lanes.end(), ','); ++lane) {
        story.op(10, ns, static_cast<std::uint8_t>(lane));
    }
    story.wait();
    return story.explained();
}

}  // namespace

std::vector<Case> wording_cases() {
    return {
        {Kind::unfinished,
         "When the run was cut off, 2 ops were issued and not finished: when and whether they finished is not "
         "recorded.",
         [] {
             Story story;
             story.op(10, 10);
             story.issue(10);
             story.issue(10);
             story.builder.recording().meta(trace::MetaType::error, 0, R"({"kind": "failed", "message": "no file 7"})");
             story.builder.recording().header().state = static_cast<std::uint32_t>(trace::RunState::failed);
             const auto run = story.run(false);
             return explain(*run, numbers_of(*run));
         }},
        {Kind::unfinished,
         "When the run was cut off, 1 op was issued and not finished: when and whether it finished is not "
         "recorded.",
         [] {
             Story story;
             story.op(10, 10);
             story.issue(10);
             story.builder.recording().meta(trace::MetaType::error, 0, R"({"kind": "failed", "message": "no file 7"})");
             story.builder.recording().header().state = static_cast<std::uint32_t>(trace::RunState::failed);
             const auto run = story.run(false);
             return explain(*run, numbers_of(*run));
         }},
        {Kind::about_equal,
         "In virtual time this run took 2.11 µs. The frontend (2.00 µs) and the longest chain of dependent ops "
         "(2.00 µs) needed about the same time: neither of them alone is the limit.",
         [] {
             Story story;
             for (BufferId i = 0; i < 20; ++i) {
                 story.op(100, 100, static_cast<std::uint8_t>(i % 2), i);
             }
             story.wait();
             return story.explained();
         }},
        {Kind::execution_bound,
         "In virtual time this run took 130 ns. Stream 0 executed ops for 1.10 µs (some of it while the run was "
         "paused), and the frontend spent 20 ns outside of waits: the run is execution-bound.",
         [] {
             Story story;
             story.op(10, 1000);
             story.wait(WaitKind::paused, 0);
             story.op(10, 100);
             story.wait();
             return story.explained();
         }},
        {Kind::execution_bound,
         "In virtual time this run took 1.42 µs, 1.00 µs of it for imports before the first op, which do not count in "
         "what limits it. "
         "Stream 0 executed ops for 400 ns of that (28 %), and the frontend spent 1.04 µs outside of waits: the run is "
         "execution-bound.",
         [] {
             Story story;
             story.builder.work(0, 1000, "import");
             story.now = 1000;
             for (int i = 0; i < 4; ++i) {
                 story.op(10, 100);
             }
             story.wait();
             return story.explained();
         }},
        {Kind::execution_bound,
         "In virtual time this run took 420 ns. Stream 0 of GPU 1 executed ops for 400 ns of that (95 %), and the "
         "frontend spent 40 ns outside of waits: the run is execution-bound.",
         [] {
             Story story(kTwoGpus);
             add_second_gpu(story);
             for (BufferId i = 0; i < 4; ++i) {
                 story.op(10, 100, 1, i);
             }
             story.wait();
             return story.explained();
         }},
        {Kind::copies_overlap, "Copies between GPUs took 100 ns; for 90 ns of that another lane computed.",
         [] { return copies_of_gpus(false); }},
        {Kind::copies_overlap,
         "Copies between host and GPUs, and between GPUs, took 190 ns; for 90 ns of that another lane computed.",
         [] { return copies_of_gpus(true); }},
        {Kind::devices_overlap, "Two devices executed ops at the same time for 90 ns (69 % of the run).",
         [] { return of_devices(2, 100); }},
        {Kind::devices_overlap, "Two or more devices executed ops at the same time for 100 ns (71 % of the run).",
         [] { return of_devices(3, 100); }},
        {Kind::devices_overlap, "Two devices executed ops, but never at the same time.",
         [] { return of_devices(2, 10); }},
        {Kind::devices_overlap, "No two of the devices ever executed ops at the same time.",
         [] { return of_devices(3, 10); }},
        {Kind::lanes_overlap, "Both lanes executed ops at the same time for 90 ns (69 % of the run).",
         [] { return of_lanes(R"(["Stream 0", "Stream 1"])", 100); }},
        {Kind::lanes_overlap, "Two or more of the 3 lanes executed ops at the same time for 100 ns (71 % of the run).",
         [] { return of_lanes(R"(["Stream 0", "Stream 1", "Stream 2"])", 100); }},
        {Kind::lanes_overlap, "Both lanes executed ops at the same time for 90 ns.",
         [] {
             Story story("", R"(["Stream 0", "Stream 1"])");
             story.op(10, 100, 0);
             story.op(10, 100, 1);
             story.wait(WaitKind::paused);  // the lanes go on
             return story.explained();
         }},
        {Kind::copies_overlap, "Copies between host and device took 100 ns; no other lane computed meanwhile.",
         [] {
             Story story("", R"(["Stream 0", "Stream 1"])");
             story.op(10, 100, 0, 0, story.builder.signature(8, "copy_to_host"));
             story.wait();
             story.op(10, 100, 1);
             story.wait();
             return story.explained();
         }},
        {Kind::mixed,
         "In virtual time this run took 670 ns. The frontend spent 20 ns of that outside of waits, and Stream 0 "
         "executed the measured ops for 100 ns; neither needs nearly all of the time, and neither barriers nor "
         "blockers are clearly what costs the rest: the regime is mixed. The largest part of the critical path, "
         "650 ns, is executing ops.",
         [] {
             Story story;
             story.op(50, 550);
             story.mark(trace::FrontendKind::measure_begin);
             story.op(10, 100);
             story.wait();
             story.now += 10;
             return story.explained();
         }},
        {Kind::no_ops, "In virtual time this run took 500 ns and issued no ops after the warm-up.",
         [] {
             Story story;
             story.op(10, 100);
             story.wait();
             story.mark(trace::FrontendKind::measure_begin);
             story.now += 500;
             return story.explained();
         }},
        {Kind::time_until_end,
         "In virtual time this run lasted 500 ns and issued 2 ops; the ops that ended took 100 ns in all.",
         [] {
             Story story;
             story.op(10, 100);
             story.issue(10);
             story.builder.mark(trace::FrontendKind::scope_begin, 500, 0, "training");
             story.builder.recording().header().state = static_cast<std::uint32_t>(trace::RunState::failed);
             const auto run = story.run(false);
             return explain(*run, numbers_of(*run));
         }},
        {Kind::memory_budget, "Tensors on GPU 1 held at most 12 kB, at 10 ns: 75 % of the budget of 16 KiB.",
         [] {
             Story story(R"("budget": 16384, "budget_is_default": false, "budget_in_effect": 16384, "gpus": 2)");
             add_second_gpu(story);
             story.op(10, 100, 0, 0, story.builder.signature(8192));
             story.op(10, 100, 1, 0, story.builder.signature(12'288));
             story.wait();
             return story.explained();
         }},
        {Kind::no_overlap, "Both lanes executed ops, but never at the same time.",
         [] { return of_lanes(R"(["Stream 0", "Stream 1"])", 10); }},
        {Kind::no_overlap, "No two of the 3 lanes ever executed ops at the same time.",
         [] { return of_lanes(R"(["Stream 0", "Stream 1", "Stream 2"])", 10); }},
        {Kind::framework_barriers,
         "3 of these waits, for 180 ns in all, are the framework's own: PyTorch waits after each op on this device.",
         [] {
             Story story(R"("barrier": "as-written", "profile": "PyTorch")");
             for (int i = 0; i < 3; ++i) {
                 story.op(10, 30);
                 story.op(10, 30);
                 story.wait(WaitKind::op_barrier);
             }
             return story.explained();
         }},
        {Kind::framework_barriers,
         "3 of these waits, for 240 ns in all, are the framework's own: PyTorch waits after each op on the CPU.",
         [] {
             Story story(R"("device_kind": "cuda", "barrier": "as-written", "profile": "PyTorch")");
             story.builder.recording().meta(trace::MetaType::device, 1,
                                            R"({"kind": "cpu", "first_lane": 1, "lanes": ["Worker 0"]})");
             story.op(10, 50, 0);
             for (int i = 0; i < 3; ++i) {
                 story.op(10, 70, 1);
                 story.wait(WaitKind::op_barrier);
             }
             return story.explained();
         }},
        {Kind::idle,
         "The 2 lanes were idle for 1.10 µs in all, 1.02 µs of that because the frontend was in a wait of the "
         "framework's own and issued nothing; the longest gap is 1.02 µs.",
         [] { return idle_during(WaitKind::op_barrier, R"("barrier": "as-written", "profile": "PyTorch")"); }},
        {Kind::bounded_ops,
         "The times of 1 op are bounds only: the GPU's driver did not report when it began and ended.",
         [] {
             Story story;
             story.op(10, 100);
             story.wait();
             trace::StreamWriter<trace::DriverRecord> driver(story.builder.recording(), {trace::StreamKind::driver, 0});
             driver.add({110, 100, trace::DriverKind::bounded_ops, 0, 1});
             return story.explained();
         }},
        {Kind::races,
         "The program has 2 races; the first: op in line 12 in Stream 1 reads what op in line 7 in Stream 0 writes, "
         "and "
         "nothing orders them. What is missing: Stream 1 waits for Stream 0 (wait_stream, or an event).",
         [] {
             Story story;
             const std::uint16_t signature = story.builder.signature(8, "op");
             story.op(10, 100, 0, 0, signature, 7);
             story.builder.order({2, 1, 1, 0, 0, trace::OrderKind::read_write, 1, 0, 0});
             story.op(10, 100, 1, 1, signature, 12);
             story.builder.order({3, 1, 1, 0, 0, trace::OrderKind::read_write, 1, 0, 0});
             story.op(10, 100, 1, 2, signature, 13);
             story.wait();
             return story.explained();
         }},
        {Kind::mixed,
         "In virtual time this run took 190 ns. The frontend spent 10 ns of that outside of waits, and Stream 0 "
         "executed for 100 ns; neither needs nearly all of the time, and neither barriers nor blockers are clearly "
         "what costs the rest: the regime is mixed. The largest part of the critical path, 100 ns, is executing ops.",
         [] {
             Story story;
             story.op(10, 100);
             story.wait(WaitKind::waitall, 80);
             return story.explained();
         }},
        {Kind::mixed,
         "In virtual time this run took 200 ns. The frontend spent 100 ns of that outside of waits, and Stream 0 "
         "executed for 50 ns; neither needs nearly all of the time, and neither barriers nor blockers are clearly "
         "what costs the rest: the regime is mixed. The largest part of the critical path, 100 ns, is the frontend's "
         "work.",
         [] {
             Story story;
             story.op(100, 50);
             story.wait(WaitKind::waitall, 50);
             return story.explained();
         }},
        {Kind::mixed,
         "In virtual time this run took 220 ns. The frontend spent 10 ns of that outside of waits, and Stream 0 "
         "executed for 10 ns; neither needs nearly all of the time, and neither barriers nor blockers are clearly "
         "what costs the rest: the regime is mixed. The largest part of the critical path, 200 ns, is returns, in "
         "which the frontend had yet to resume after a wait.",
         [] {
             Story story;
             story.op(10, 10);
             story.wait(WaitKind::waitall, 200);
             return story.explained();
         }},
        {Kind::mixed,
         "In virtual time this run took 350 ns. The frontend spent 40 ns of that outside of waits, and Stream 0 "
         "executed for 20 ns; neither needs nearly all of the time, and neither barriers nor blockers are clearly "
         "what costs the rest: the regime is mixed. The largest part of the critical path, 290 ns, is waiting for "
         "memory or for room in the queue.",
         [] {
             Story story;
             story.op(10, 10);
             story.builder.work(10, 30, "Python");
             story.now = 30;
             story.wait(WaitKind::memory, 290);
             story.op(10, 10);
             story.wait();
             return story.explained();
         }},
        {Kind::memory_pending,
         "Tensors held at most 8.2 kB, at 10 ns; all of that was held only because ops that need it had not run yet.",
         [] {
             Story story(R"("free_policy": "lazy")");
             const auto size = story.builder.signature(8192);
             story.op(10, 100, 0, 0, size);
             story.builder.drop(10, 1);
             story.wait();
             return story.explained();
         }},
        {Kind::one_wait,
         "The frontend waited once, for 10 ns (9.1 % of the run): waitall in line 9, with nothing left to "
         "wait for.",
         [] {
             Story story;
             story.op(10, 10);
             story.builder.work(10, 100, "Python");
             story.now = 100;
             story.wait();
             return story.explained();
         }},
        {Kind::policy_barriers, "This wait is the chosen barrier after every op.",
         [] {
             Story story(R"("barrier": "op")");
             story.op(10, 100);
             story.wait(WaitKind::op_barrier);
             return story.explained();
         }},
        {Kind::policy_barriers,
         "3 of these waits, for 180 ns in all, are the program's own barriers at the end of minibatches.",
         [] { return waits(WaitKind::minibatch_barrier, 50, 50, R"("barrier": "as-written")").explained(); }},
        {Kind::policy_barriers, "3 of these waits, for 180 ns in all, are the program's own barriers after every op.",
         [] {
             return waits(WaitKind::op_barrier, 50, 50, R"("barrier": "as-written", "profile": "Headway")").explained();
         }},
        {Kind::policy_barriers, "3 of these waits, for 180 ns in all, are the chosen barriers, 1 minibatch behind.",
         [] { return waits(WaitKind::minibatch_barrier, 50, 50, R"("barrier": "behind:1")").explained(); }},
        {Kind::policy_barriers, "3 of these waits, for 180 ns in all, are the chosen barriers, 2 minibatches behind.",
         [] { return waits(WaitKind::minibatch_barrier, 50, 50, R"("barrier": "behind:2")").explained(); }},
        {Kind::policy_barriers, "1 of these waits, for 110 ns, is the chosen barrier after every minibatch.",
         [] {
             Story story(R"("barrier": "minibatch")");
             story.op(10, 100);
             story.wait(WaitKind::minibatch_barrier);
             story.op(10, 100);
             story.wait();
             return story.explained();
         }},
        // The chosen policy adds no barriers; those of the program remain.
        {Kind::without_barriers,
         "Without the program's own 3 barriers, except for one at the end, the run would take 210 ns (computed, not "
         "measured): they cost 120 ns, 36 % of the run.",
         [] { return waits(WaitKind::waitall, 50, 50, R"("barrier": "none")").explained(); }},
        {Kind::without_barriers,
         "Without its 3 barriers, except for one at the end, the run would take 210 ns (computed, not measured): they "
         "cost 120 ns, 36 % of the run.",
         [] { return waits(WaitKind::minibatch_barrier, 50, 50, R"("barrier": "minibatch")").explained(); }},
        // The barrier is for a short op, and the program waits for a long one in the other lane anyway.
        {Kind::without_barriers,
         "Without its barrier the run would take 1.03 µs (computed, not measured): it cost no time.",
         [] {
             Story story;
             story.op(10, 100, 0);
             story.op(10, 1000, 1);
             story.wait_until(110, WaitKind::wait_to_read, 1);
             story.op(10, 10, 0);
             story.wait(WaitKind::item, 10);
             return story.explained();
         }},
        {Kind::idle,
         "The 2 lanes were idle for 1.10 µs in all, 1.02 µs of that because the frontend was in a barrier and issued "
         "nothing; the longest gap is 1.02 µs.",
         [] { return idle_during(WaitKind::waitall); }},
        {Kind::idle,
         "The 2 lanes were idle for 1.10 µs in all, 1.02 µs of that because the frontend waited for a value and issued "
         "nothing; the longest gap is 1.02 µs.",
         [] { return idle_during(WaitKind::item); }},
        {Kind::idle,
         "The 2 lanes were idle for 1.10 µs in all, 1.02 µs of that because the frontend was stopped by a limit and "
         "issued nothing; the longest gap is 1.02 µs.",
         [] { return idle_during(WaitKind::queue_limit, R"("queue_limit": 2)"); }},
        {Kind::idle,
         "The 2 lanes were idle for 1.05 µs in all, 990 ns of that because the next op needed a result of another "
         "lane; the longest gap is 1.01 µs.",
         [] {
             Story story;
             story.op(10, 1000, 0);
             story.issue(10, 1, 1);
             story.execute(1010, 10, 1);
             story.wait();
             return story.explained();
         }},
        {Kind::idle,
         "Stream 0 was idle for 1.02 µs, 1.00 µs of that in hand-overs: the next op was ready, and the lane had not "
         "started it; the longest gap is 1.01 µs.",
         [] {
             Story story;
             story.issue(10);
             story.execute(1010, 10);
             story.wait();
             return story.explained();
         }},
        {Kind::idle,
         "The 2 lanes were idle for 1.05 µs in all, 1.02 µs of that because all ops were issued and none was left "
         "for the lane; the longest gap is 1.01 µs.",
         [] {
             Story story;
             story.op(10, 10, 0);
             story.op(10, 1000, 1);
             story.wait();
             return story.explained();
         }},
        {Kind::unfinished_before,
         "When measuring began, 2 ops of the warm-up had not finished: the measured time contains their execution, the "
         "number of ops does not. Wait for them before you measure.",
         [] {
             Story story;
             story.op(50, 500);
             story.op(50, 500);
             story.mark(trace::FrontendKind::measure_begin);
             story.op(50, 50);
             story.wait();
             return story.explained();
         }},
        {Kind::time_until_end,
         "In virtual time this run lasted 10 ns and issued 1 op after the warm-up; the lanes were busy for 5 ns in "
         "all.",
         [] {
             Story story;
             story.op(50, 50);
             story.wait();
             story.mark(trace::FrontendKind::measure_begin);
             story.op(5, 5);
             const auto run = story.run(false);
             return explain(*run, numbers_of(*run));
         }},
        {Kind::recording_waits, "Headway's own recording was full and held the frontend back twice, for 120 ns in all.",
         [] {
             Story story;
             for (int i = 0; i < 2; ++i) {
                 story.op(50, 50);
                 story.wait(WaitKind::recording);
             }
             story.op(50, 50);
             story.wait();
             return story.explained();
         }},
    };
}

}  // namespace headway::model
