// Headway's queue: the runtime on the CPU device with the recorder on, off, and with several lanes. Every repetition
// creates its own recording, device and runtime, so that it starts as cold as a real run.
#include <cstdio>
#include <cstdlib>

#include "engine/devices/cpu/cpu_device.h"
#include "engine/runtime/runtime.h"
#include "engine/trace/reader.h"
#include "engine/trace/recorder.h"
#include "tests/bench/harness.h"

namespace headway::bench {
namespace {

using runtime::Runtime;
using runtime::Tensor;

struct Variant {
    std::string peer;
    std::uint32_t lanes;
    bool record;
    std::uint32_t queue_limit = 0;  // ops; 0: none
};

template <class T>
T value_or_exit(core::Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "bench_queue: %s\n", result.error().message.c_str());
        std::exit(1);
    }
    return std::move(result).value();
}

// A runtime ready to use: threads placed, first ops done.
class Engine {
public:
    explicit Engine(const Variant& variant)
        : recording_(make_recording()),
          device_(variant.lanes, *recording_, options_of(variant)),
          runtime_(device_, *recording_, settings_of(variant)) {
        pin_to(frontend_core());
        x = runtime_.ones({2});
        const Tensor warm = x + 1.0f;
        runtime_.waitall();
        sleep_us(3000);
    }
    ~Engine() { x = Tensor(); }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Begins with the workers awake, as in the middle of a program.
    void begin(Measure& measure) {
        runtime_.noop();
        runtime_.waitall();
        recorded_before_ = recorded_bytes();
        measure.begin();
    }

    // Bytes that the ops recorded, without the record of the wait that ends the workload.
    [[nodiscard]] std::uint64_t recorded_by_ops() {
        const std::uint64_t bytes = recorded_bytes() - recorded_before_;
        return bytes == 0 ? 0 : bytes - sizeof(trace::FrontendRecord);
    }
    Runtime& runtime() { return runtime_; }

    Tensor x;

private:
    static std::unique_ptr<trace::Recording> make_recording() {
        unpin();  // before the recording's thread and the workers start
        // Touch the trace in advance, so that its page faults, which a third core would take, are in no row.
        return value_or_exit(trace::Recording::create(std::size_t{1} << 30, -1, std::size_t{160} << 20));
    }
    static devices::CpuOptions options_of(const Variant& variant) {
        devices::CpuOptions options;
        options.record = variant.record;
        options.pin_worker = variant.lanes == 1 ? worker_core() : -1;
        return options;
    }
    static runtime::Settings settings_of(const Variant& variant) {
        runtime::Settings settings;
        settings.record = variant.record;
        settings.queue_limit = variant.queue_limit;
        return settings;
    }
    std::uint64_t recorded_bytes() {
        auto reader = value_or_exit(trace::Reader::open(recording_->fd()));
        reader->poll();
        std::uint64_t bytes = reader->size(trace::kFrontendStream) * sizeof(trace::FrontendRecord) +
                              reader->size({trace::StreamKind::drops, 0}) * sizeof(trace::DropRecord);
        for (std::uint32_t lane = 0; lane < device_.lanes(); ++lane) {
            const trace::StreamId id{trace::StreamKind::lane, static_cast<std::uint8_t>(lane)};
            bytes += reader->size(id) * sizeof(trace::ExecRecord);
        }
        return bytes;
    }

    std::unique_ptr<trace::Recording> recording_;
    devices::CpuDevice device_;
    Runtime runtime_;
    std::uint64_t recorded_before_ = 0;
};

// Adds a row: `issue(engine, ops)` between begin() and issued(), then one wait for everything.
template <class Issue>
Body timed(const Variant& variant, Issue issue) {
    return [variant, issue](Measure& measure, long n) {
        Engine engine(variant);
        engine.begin(measure);
        issue(engine, n);
        measure.issued();
        engine.runtime().waitall();
        measure.done();
        measure.set_trace_bytes(engine.recorded_by_ops());
    };
}

Body fresh_results(const Variant& variant) {
    return timed(variant, [](Engine& engine, long n) {
        for (long i = 0; i < n; ++i) {
            const Tensor y = engine.x + 1.0f;
        }
    });
}

void rows(Harness& harness, const Variant& variant) {
    const std::string& peer = variant.peer;
    const Body fresh = fresh_results(variant);
    harness.row(peer, "a10k", kSmall, fresh);
    harness.row(peer, "a1m", kLarge, fresh);
    harness.row(peer, "b", kLarge, timed(variant, [](Engine& engine, long n) {
                    Tensor z = engine.x;
                    for (long i = 0; i < n; ++i) {
                        z = z + 1.0f;
                    }
                }));
    harness.row(peer, "c", kLarge, timed(variant, [](Engine& engine, long n) {
                    for (long i = 0; i < n; ++i) {
                        engine.runtime().noop();
                    }
                }));
    harness.row(peer, "d", kSmall, timed(variant, [](Engine& engine, long n) {
                    for (long i = 0; i < n; ++i) {
                        const Tensor y = engine.x + 1.0f;
                        y.wait_to_read();
                    }
                }));
    const auto products = [](bool sync) {
        return [sync](Engine& engine, long n) {
            for (long i = 0; i < n; ++i) {
                const Tensor p = engine.runtime().randn({1000, 1000});
                const Tensor q = engine.runtime().matmul(p, p);
                if (sync) {
                    q.wait_to_read();
                }
            }
        };
    };
    harness.row(peer, "e_sync", kProducts, timed(variant, products(true)));
    harness.row(peer, "e_async", kProducts, timed(variant, products(false)));
    harness.row(peer, "f", kIdleOps, [variant](Measure& measure, long n) {
        Engine engine(variant);
        double issue = 0, whole = 0;
        for (long i = 0; i < n; ++i) {
            sleep_us(2000);
            const auto begin = now_ns();
            const Tensor y = engine.x + 1.0f;
            const auto issued = now_ns();
            y.wait_to_read();
            whole += static_cast<double>(now_ns() - begin);
            issue += static_cast<double>(issued - begin);
        }
        measure.set_totals(issue, whole);
    });
}

}  // namespace

int run(Harness& harness) {
    devices::kernels::use_one_blas_thread();
    rows(harness, {"Headway", 1, true});
    rows(harness, {"Headway, not recording", 1, false});
    // Without a limit, queued ops hold their results: memory grows with the headway, which is not a cost of the queue.
    const Variant limited{"Headway, at most 16k queued", 1, true, 16384};
    harness.row(limited.peer, "a1m", kLarge, fresh_results(limited));
    rows(harness, {"Headway, 2 lanes", 2, true});
    rows(harness, {"Headway, 4 lanes", 4, true});
    return 0;
}

}  // namespace headway::bench
