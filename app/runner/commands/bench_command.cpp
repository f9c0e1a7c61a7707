// headway bench: the engine's own costs on this machine, each the minimum of several repeats.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/runner/commands/commands.h"
#include "app/runner/execution/machine.h"
#include "engine/core/system/thread.h"
#include "engine/devices/cpu/cpu_device.h"
#include "engine/runtime/runtime.h"

namespace headway::runner {

namespace {

constexpr int kRepeats = 5;
constexpr std::size_t kTraceBytes = std::size_t{256} << 20;

struct Costs {
    double issue_ns = 0, end_to_end_ns = 0, wait_ns = 0;
};

// Measures one op: y = x + 1 on two floats, with a new result tensor whose handle is dropped at once.
core::Result<Costs> measure(bool record) {
    constexpr int kIssues = 10'000, kMany = 100'000, kWaits = 2'000;
    Costs least{1e18, 1e18, 1e18};
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        auto recording = trace::Recording::create(kTraceBytes);
        if (!recording) {
            return recording.error();
        }
        devices::CpuOptions options;
        options.record = record;
        devices::CpuDevice device(1, **recording, options);
        runtime::Settings settings;
        settings.record = record;
        runtime::Runtime rt(device, **recording, settings);
        const auto x = rt.ones({1, 2});
        const auto step = [&] { return rt.with_scalar(devices::OpKind::add_scalar, x, 1.0f); };
        const auto per_op = [&](int count, const std::function<void()>& work, double& cost) {
            const auto begin = core::monotonic_ns();
            work();
            const auto end = core::monotonic_ns();
            cost = std::min(cost, static_cast<double>(end - begin) / count);
        };
        for (int i = 0; i < 1000; ++i) {
            step();
        }
        rt.waitall();
        per_op(
            kIssues,
            [&] {
                for (int i = 0; i < kIssues; ++i) {
                    step();
                }
            },
            least.issue_ns);
        rt.waitall();
        per_op(
            kMany,
            [&] {
                for (int i = 0; i < kMany; ++i) {
                    step();
                }
                rt.waitall();
            },
            least.end_to_end_ns);
        per_op(
            kWaits,
            [&] {
                for (int i = 0; i < kWaits; ++i) {
                    rt.waits.to_read(step());
                }
            },
            least.wait_ns);
    }
    return least;
}

}  // namespace

int bench_command(bool json) {
    core::name_thread("frontend");
    const auto recorded = measure(true);
    if (!recorded) {
        return fail(recorded.error());
    }
    const auto unrecorded = measure(false);
    if (!unrecorded) {
        return fail(unrecorded.error());
    }
    double recorder_ns = 1e18;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        recorder_ns = std::min(recorder_ns, trace::Recording::measure_cost_ns());
    }
    const Machine machine = this_machine();
    struct Row {
        const char* name;
        const char* what;
        double ns;
    };
    const Row rows[] = {
        {"issue_ns", "issue y = x + 1 and return", recorded->issue_ns},
        {"end_to_end_ns", "per op, 100,000 issued and waited for once", recorded->end_to_end_ns},
        {"wait_ns", "issue one op and wait for it", recorded->wait_ns},
        {"recorder_ns", "recording one op, on the frontend and on a lane", recorder_ns},
        {"unrecorded_issue_ns", "issue, with the recorder off", unrecorded->issue_ns},
        {"unrecorded_end_to_end_ns", "per op of many, with the recorder off", unrecorded->end_to_end_ns},
    };
    std::string text;
    if (json) {
        nlohmann::ordered_json out{{"machine", {{"cpu", machine.cpu}, {"cores", machine.cores}, {"os", machine.os}}}};
        for (const auto& row : rows) {
            out[row.name] = row.ns;
        }
        text = out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    } else {
        text = machine.cpu + ", " + std::to_string(machine.cores) + " cores, one worker; the least of " +
               std::to_string(kRepeats) + " repeats\n";
        for (const auto& row : rows) {
            char line[120];
            std::snprintf(line, sizeof line, "%10.1f ns  %s\n", row.ns, row.what);
            text += line;
        }
    }
    return print_result(text);
}

}  // namespace headway::runner
