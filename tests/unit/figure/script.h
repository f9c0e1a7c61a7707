// Builds recordings without running anything: ops with given durations are placed on lanes and recorded as the runtime
// would record them.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/model/run/run.h"
#include "engine/devices/op.h"
#include "engine/trace/reader.h"
#include "engine/trace/recorder.h"

namespace headway::figure::test {

using core::BufferId;
using core::OpId;
using devices::Family;

struct Settings {
    std::string program = "train", title = "Training loop";
    std::string barrier = "none", free_policy = "finish";
    std::string device_kind = "cpu", device_name = "AMD EPYC 9B45";
    bool simulated = false;
    bool foreign = false;  // a trace of another program that contains executions only
    bool cut_off = false;  // read from a file whose end is missing
    // number of first ops without an issue; for later ones the issues are recorded
    std::uint32_t unlaunched = UINT32_MAX;
    int lanes = 1;
    std::uint64_t budget = 0;
    std::uint32_t queue_limit = 0;
    std::string date = "2026-11-21T10:00:00";
    std::map<std::string, std::string> parameters;
    std::size_t max_bytes = std::size_t{512} << 20;
};

class Script {
public:
    explicit Script(const Settings& settings = {});

    // Ends the warm-up.
    void measure_begin() { mark(trace::FrontendKind::measure_begin, 0); }
    void measure_end() { mark(trace::FrontendKind::measure_end, 0); }
    void minibatch_begin(std::uint32_t index) { mark(trace::FrontendKind::minibatch_begin, index); }
    void minibatch_end(std::uint32_t index) { mark(trace::FrontendKind::minibatch_end, index); }
    void scope_begin(const std::string& name) { mark(trace::FrontendKind::scope_begin, 0, name); }
    void scope_end(const std::string& name) { mark(trace::FrontendKind::scope_end, 0, name); }

    struct Shape {
        std::string name, shapes;
        Family family = Family::other;
        std::uint64_t out_bytes = 0;
    };
    // Issues an op that takes `issue_ns` on the frontend and `run_ns` on its lane. It reads up to two buffers and
    // creates a new one, or writes `into`. Returns the written buffer.
    BufferId issue(const Shape& shape, std::int64_t issue_ns, std::int64_t run_ns, BufferId in0 = 0, BufferId in1 = 0,
                   int lane = 0, BufferId into = 0, bool fails = false);
    void drop(BufferId buffer);
    // Waits for this buffer, which must be the last one; 0: for everything issued.
    void wait(trace::WaitKind kind, const std::string& name, BufferId target = 0);
    // The user holds the lane.
    void hold(std::uint32_t lane, std::uint64_t begin_ns, std::uint64_t end_ns) {
        recording_->record_hold(lane, begin_ns, end_ns);
    }
    void idle(std::int64_t ns) { now_ += ns; }
    void work(std::int64_t ns, const std::string& name);  // the frontend's own work
    // Without a kind: as in old recordings.
    void error(const std::string& message, const std::string& file, int line, OpId op, const std::string& kind = {});

    [[nodiscard]] OpId issued() const { return ops_; }
    [[nodiscard]] std::int64_t now() const { return now_; }

    // Ends the script and returns the run as a model.
    std::unique_ptr<model::Run> finish();

private:
    void mark(trace::FrontendKind kind, std::uint32_t out, const std::string& name = "");
    std::uint16_t signature(const Shape& shape);

    Settings settings_;
    std::unique_ptr<trace::Recording> recording_;
    trace::StreamWriter<trace::FrontendRecord> frontend_;
    trace::StreamWriter<trace::DropRecord> drops_;
    std::vector<trace::StreamWriter<trace::ExecRecord>> lanes_;
    std::vector<std::int64_t> lane_free_;
    std::map<std::string, std::uint16_t> signatures_;
    std::int64_t now_ = 0;
    OpId ops_ = 0;
    BufferId buffers_ = 0;
};

// A small version of the chapter's training loop: `batches` minibatches of 20 ops, with a barrier after each or only
// one at the end.
std::unique_ptr<model::Run> training(Settings settings, int batches, bool barrier);

// A run of four ops and a wait.
std::unique_ptr<model::Run> tiny();

// y = x + 1, n times on `lanes` lanes; a wait after each or once.
std::unique_ptr<model::Run> increments(int n, int lanes, bool wait_each);

// A trace of another program's threads: n spans of 900 ns, 100 ns apart, on each lane.
std::unique_ptr<model::Run> spans(int n, int lanes);

// A run that ended in an error.
std::unique_ptr<model::Run> failing();

}  // namespace headway::figure::test
