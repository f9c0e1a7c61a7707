#include "tests/unit/figure/script.h"

#include <nlohmann/json.hpp>

#include "engine/core/assert.h"

namespace headway::figure::test {

using trace::FrontendKind;
using trace::FrontendRecord;
using trace::StreamKind;

Script::Script(const Settings& settings) : settings_(settings) {
    auto made = trace::Recording::create(settings.max_bytes);
    HEADWAY_ASSERT(made.has_value(), "a recording can be made");
    recording_ = std::move(*made);
    recording_->use_virtual_clock();
    recording_->header().recorder_ns_per_op = 20;
    frontend_ = {*recording_, trace::kFrontendStream};
    drops_ = {*recording_, {StreamKind::drops, 0}};
    const bool cpu = settings.device_kind == "cpu";
    nlohmann::json lanes = nlohmann::json::array();
    for (int i = 0; i < settings.lanes; ++i) {
        lanes_.emplace_back(*recording_, trace::StreamId{StreamKind::lane, static_cast<std::uint8_t>(i)});
        lanes.push_back((cpu ? "Worker " : "Stream ") + std::to_string(i));
    }
    lane_free_.resize(static_cast<std::size_t>(settings.lanes));
    const nlohmann::json run = {{"program", settings.program},
                                {"title", settings.title},
                                {"device_kind", settings.device_kind},
                                {"device_name", settings.device_name},
                                {"simulated", settings.simulated},
                                {"foreign", settings.foreign},
                                {"file_cut_off", settings.cut_off},
                                {"cpu", "AMD EPYC 9B45"},
                                {"os", "Linux"},
                                {"cores", 2},
                                {"barrier", settings.barrier},
                                {"free_policy", settings.free_policy},
                                {"workers", cpu ? settings.lanes : 0},
                                {"streams", cpu ? 0 : settings.lanes},
                                {"budget", settings.budget},
                                {"queue_limit", settings.queue_limit},
                                {"seed", 0},
                                {"date", settings.date},
                                {"version", "0.1.0"},
                                {"parameters", settings.parameters},
                                {"lanes", lanes}};
    recording_->meta(trace::MetaType::run, 0, run.dump());
    recording_->meta(trace::MetaType::file, 1, "train.cpp");
}

std::uint16_t Script::signature(const Shape& shape) {
    const std::string key = shape.name + shape.shapes + std::to_string(shape.out_bytes);
    auto [it, fresh] = signatures_.try_emplace(key, static_cast<std::uint16_t>(signatures_.size() + 1));
    if (fresh) {
        trace::SignatureInfo info{};
        info.family = static_cast<std::uint8_t>(shape.family);
        info.out_bytes = shape.out_bytes;
        recording_->signature(it->second, info, shape.shapes, shape.name);
    }
    return it->second;
}

void Script::mark(FrontendKind kind, std::uint32_t out, const std::string& name) {
    FrontendRecord record{};
    record.begin = static_cast<std::uint64_t>(now_);
    record.kind = static_cast<std::uint8_t>(kind);
    record.out = out;
    record.signature = name.empty() ? std::uint16_t{0} : recording_->string_id(name);
    frontend_.add(record);
}

BufferId Script::issue(const Shape& shape, std::int64_t issue_ns, std::int64_t run_ns, BufferId in0, BufferId in1,
                       int lane, BufferId into, bool fails) {
    const BufferId out = into != 0 ? into : ++buffers_;
    FrontendRecord record{};
    record.begin = static_cast<std::uint64_t>(now_);
    record.duration = trace::pack_duration(static_cast<std::uint64_t>(issue_ns));
    record.signature = signature(shape);
    record.kind =
        static_cast<std::uint8_t>(FrontendKind::issue) | (into == 0 ? trace::kFreshOutput : trace::kReadsOutput);
    record.lane = static_cast<std::uint8_t>(lane);
    record.line = core::make_line(1, 20 + ops_ % 20);
    record.out = out;
    record.in0 = in0;
    record.in1 = in1;
    auto& free_at = lane_free_[static_cast<std::size_t>(lane)];
    const std::int64_t begin = std::max(free_at, now_ + issue_ns);
    if (settings_.foreign && ops_ < settings_.unlaunched) {
        record = {};
        record.begin = static_cast<std::uint64_t>(begin);
        record.signature = signature(shape);
        record.kind = static_cast<std::uint8_t>(FrontendKind::issue) | trace::kNotIssued;
        record.lane = static_cast<std::uint8_t>(lane);
    }
    frontend_.add(record);
    now_ += issue_ns;
    ++ops_;
    free_at = begin + run_ns;
    lanes_[static_cast<std::size_t>(lane)].add({static_cast<std::uint64_t>(begin),
                                                trace::pack_duration(static_cast<std::uint64_t>(run_ns)),
                                                ops_ | (fails ? trace::kFailedOp : 0)});
    return out;
}

void Script::drop(BufferId buffer) {
    drops_.add({static_cast<std::uint64_t>(now_), buffer, ops_});
}

void Script::wait(trace::WaitKind kind, const std::string& name, BufferId target) {
    std::int64_t end = now_;
    for (std::int64_t free_at : lane_free_) {
        end = std::max(end, free_at);
    }
    FrontendRecord record{};
    record.begin = static_cast<std::uint64_t>(now_);
    record.duration = trace::pack_duration(static_cast<std::uint64_t>(end - now_));
    record.signature = recording_->string_id(name);
    record.kind = static_cast<std::uint8_t>(FrontendKind::wait);
    record.lane = static_cast<std::uint8_t>(kind);
    record.out = target;
    record.line = core::make_line(1, 41);
    record.in0 = ops_;
    frontend_.add(record);
    now_ = end;
}

void Script::work(std::int64_t ns, const std::string& name) {
    FrontendRecord record{};
    record.begin = static_cast<std::uint64_t>(now_);
    record.duration = trace::pack_duration(static_cast<std::uint64_t>(ns));
    record.signature = recording_->string_id(name);
    record.kind = static_cast<std::uint8_t>(FrontendKind::work);
    record.line = core::make_line(1, 42);
    record.in0 = ops_;
    frontend_.add(record);
    now_ += ns;
}

void Script::error(const std::string& message, const std::string& file, int line, OpId op, const std::string& kind) {
    nlohmann::json error = {{"message", message}, {"file", file}, {"line", line}, {"op", op}};
    if (!kind.empty()) {
        error["kind"] = kind;
    }
    recording_->meta(trace::MetaType::error, 0, error.dump());
}

std::unique_ptr<model::Run> Script::finish() {
    mark(FrontendKind::program_end, 0);
    recording_->header().state.store(static_cast<std::uint32_t>(trace::RunState::finished), std::memory_order_release);
    auto reader = trace::Reader::open(recording_->fd());
    HEADWAY_ASSERT(reader.has_value(), "a recording can be read");
    auto run = std::make_unique<model::Run>(std::move(*reader));
    run->update();
    run->close();
    return run;
}

std::unique_ptr<model::Run> training(Settings settings, int batches, bool barrier) {
    settings.barrier = barrier ? "minibatch" : "none";
    settings.parameters = {{"batches", std::to_string(batches)}, {"batch_size", "256"}, {"hidden", "512"}};
    Script script(settings);
    const Script::Shape input{"randn", "256×512", Family::random, 524288};
    const Script::Shape product{"matmul", "(256×512)·(512×512)", Family::matmul, 524288};
    const Script::Shape relu{"relu", "256×512", Family::elementwise, 524288};
    const Script::Shape mean{"mean", "256×512", Family::reduce, 4};
    const Script::Shape step{"add_scaled", "512×512", Family::update, 0};
    const Script::Shape weights{"normal", "512×512", Family::random, 1048576};
    std::vector<BufferId> w;
    for (int i = 0; i < 4; ++i) {
        w.push_back(script.issue(weights, 900, 12000));
    }
    script.wait(trace::WaitKind::waitall, "waitall");
    script.measure_begin();
    script.scope_begin("train");
    for (int b = 0; b < batches; ++b) {
        script.minibatch_begin(static_cast<std::uint32_t>(b));
        std::vector<BufferId> alive;
        alive.push_back(script.issue(input, 950, 1500));
        for (int layer = 0; layer < 3; ++layer) {
            alive.push_back(
                script.issue(product, 950, 4000 + 700 * layer, alive.back(), w[static_cast<std::size_t>(layer)]));
            alive.push_back(script.issue(relu, 950, 1000, alive.back()));
        }
        alive.push_back(script.issue(mean, 950, 1300, alive.back()));
        for (int layer = 2; layer >= 0; --layer) {
            alive.push_back(script.issue(product, 950, 4100, alive.back(), w[static_cast<std::size_t>(layer)]));
            alive.push_back(script.issue(relu, 950, 1100, alive.back()));
            script.issue(step, 950, 1400, alive.back(), 0, 0, w[static_cast<std::size_t>(layer)]);
        }
        for (BufferId buffer : alive) {
            script.drop(buffer);
        }
        script.minibatch_end(static_cast<std::uint32_t>(b));
        if (barrier) {
            script.wait(trace::WaitKind::minibatch_barrier, "minibatch barrier");
        }
    }
    script.wait(trace::WaitKind::waitall, "waitall");
    script.scope_end("train");
    script.measure_end();
    return script.finish();
}

std::unique_ptr<model::Run> tiny() {
    Settings settings;
    settings.program = "matmul";
    settings.title = "Four ops";
    settings.device_kind = "simulated";
    settings.device_name = "simulated GPU";
    settings.simulated = true;
    Script script(settings);
    const BufferId x = script.issue({"randn", "1000×1000", Family::random, 4000000}, 3000, 900000);
    const BufferId y =
        script.issue({"matmul", "(1000×1000)·(1000×1000)", Family::matmul, 4000000}, 3000, 1900000, x, x);
    script.drop(x);
    const BufferId z = script.issue({"relu", "1000×1000", Family::elementwise, 4000000}, 3000, 300000, y);
    script.drop(y);
    script.issue({"sum", "1000×1000", Family::reduce, 4}, 3000, 200000, z);
    script.drop(z);
    script.wait(trace::WaitKind::item, "item");
    return script.finish();
}

std::unique_ptr<model::Run> increments(int n, int lanes, bool wait_each) {
    Settings settings;
    settings.program = "increment";
    settings.title = "Increment";
    settings.lanes = lanes;
    settings.parameters = {{"n", std::to_string(n)}};
    settings.barrier = wait_each ? "op" : "none";
    Script script(settings);
    const Script::Shape add{"add", "1×2", Family::elementwise, 8};
    const BufferId x = script.issue({"ones", "1×2", Family::create, 8}, 100, 100);
    script.measure_begin();
    for (int i = 0; i < n; ++i) {
        const BufferId y = script.issue(add, 100 + i % 7 * 10, 150 + i % 5 * 20, x, 0, i % lanes);
        script.drop(y);
        if (wait_each) {
            script.wait(trace::WaitKind::op_barrier, "op barrier");
        }
    }
    script.wait(trace::WaitKind::waitall, "waitall");
    script.measure_end();
    return script.finish();
}

std::unique_ptr<model::Run> spans(int n, int lanes) {
    Settings settings;
    settings.program = settings.title = "theirs.json";
    settings.barrier = settings.free_policy = settings.date = "";
    settings.device_kind = "trace";
    settings.device_name = "";
    settings.foreign = true;
    settings.lanes = lanes;
    Script script(settings);
    for (int i = 0; i < n; ++i) {
        for (int lane = 0; lane < lanes; ++lane) {
            script.issue({"decode", "", Family::other, 0}, 0, 900, 0, 0, lane);
        }
        script.idle(1000);
    }
    return script.finish();
}

std::unique_ptr<model::Run> failing() {
    Settings settings;
    settings.budget = 64'000'000;
    Script script(settings);
    const Script::Shape product{"matmul", "(1024×2048)·(2048×512)", Family::matmul, 2097152};
    const BufferId x = script.issue({"randn", "1024×2048", Family::random, 8388608}, 1000, 30000);
    for (int i = 0; i < 24; ++i) {
        script.issue(product, 1000, 40000, x, x);
    }
    script.issue(product, 1000, 8000, x, x, 0, 0, true);
    script.error("matmul needs 2.1 MB, but 63 MB of the budget of 64 MB are in use", "/home/someone/train.cpp", 31,
                 script.issued());
    script.wait(trace::WaitKind::waitall, "waitall");
    return script.finish();
}

}  // namespace headway::figure::test
