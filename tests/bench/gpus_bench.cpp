// bench_gpus [OPS]: how many ops a second the simulated machine executes, with one GPU and with eight, each with one
// stream and with four: OPS ops (default 10^6) on four values each, given to the GPUs in turn, each after the one
// before it on the same tensor, with a wait for all at the end. "copies": every tenth op is a copy to the next GPU,
// over a ring of links. Everything is recorded, as in a run.
//
// Prints a table of medians of five rounds, in which all machines take turns, and the ratio to one GPU with as many
// streams.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/devices/simulated/simulated.h"
#include "engine/runtime/runtime.h"

namespace {

using namespace headway;

struct Machine {
    const char* name;
    std::uint32_t gpus, streams;
    bool copies;
};

double ops_per_s(const Machine& machine, std::uint32_t ops) {
    auto recording = trace::Recording::create_private((std::size_t{ops} * 128) + (std::size_t{256} << 20));
    if (!recording) {
        std::fprintf(stderr, "bench_gpus: %s\n", recording.error().message.c_str());
        std::exit(1);
    }
    const auto costs = devices::constant_costs(1000, 5000, 1000);
    devices::DeviceSet set(std::make_unique<devices::SimulatedDevice>(costs, machine.streams, **recording));
    while (set.gpus() < machine.gpus) {
        set.add_gpu(std::make_unique<devices::SimulatedDevice>(costs, machine.streams, **recording, set.next_slot(),
                                                               "simulated"));
    }
    if (machine.gpus > 1) {
        static_cast<devices::SimulatedDevice&>(set[0]).connect(
            {devices::Topology::ring, machine.gpus, {"links", "chosen", costs.family[0], costs.family[0]}});
    }
    runtime::Runtime rt(set, **recording, {});
    std::vector<runtime::Tensor> tensors;
    for (std::uint32_t i = 0; i < machine.gpus * machine.streams; ++i) {
        const runtime::OnDevice there(rt, static_cast<core::DeviceId>(i % machine.gpus));
        tensors.push_back(rt.full({4}, 1.0F));
    }
    rt.waitall();
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t i = 0; i < ops; ++i) {
        const std::size_t at = i % tensors.size();
        if (machine.copies && i % 10 == 9) {
            const auto gpu = static_cast<core::DeviceId>(at % machine.gpus);
            const std::size_t next = (at + 1) % machine.gpus;
            tensors[next] = rt.to_device(tensors[gpu], static_cast<core::DeviceId>(next));
        } else {
            rt.with_scalar_in_place(devices::OpKind::add_scalar, tensors[at], 1.0F);
        }
    }
    rt.waitall();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return ops / took.count();
}

}  // namespace

int main(int argc, char** argv) {
    const auto ops = static_cast<std::uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000);
    if (ops == 0) {
        std::fprintf(stderr, "bench_gpus: the number of ops is at least 1, not '%s'\n", argv[1]);
        return 2;
    }
    constexpr std::array<Machine, 5> kMachines{{{"1 GPU, 1 stream", 1, 1, false},
                                                {"1 GPU, 4 streams", 1, 4, false},
                                                {"8 GPUs, 1 stream each", 8, 1, false},
                                                {"8 GPUs, 4 streams each", 8, 4, false},
                                                {"8 GPUs, 1 stream each, copies", 8, 1, true}}};
    constexpr int kRounds = 5;
    std::array<std::vector<double>, kMachines.size()> rates;
    for (int round = 0; round < kRounds; ++round) {
        for (std::size_t i = 0; i < kMachines.size(); ++i) {
            rates[i].push_back(ops_per_s(kMachines[i], ops));
        }
    }
    std::printf("%-30s %12s %8s\n", "simulated, 1 op = 4 values", "ops/s", "ratio");
    for (std::size_t i = 0; i < kMachines.size(); ++i) {
        std::sort(rates[i].begin(), rates[i].end());
        const std::size_t one = kMachines[i].streams == 1 ? 0 : 1;  // sorted already
        std::printf("%-30s %12.0f %8.2f\n", kMachines[i].name, rates[i][kRounds / 2],
                    rates[i][kRounds / 2] / rates[one][kRounds / 2]);
    }
    return 0;
}
