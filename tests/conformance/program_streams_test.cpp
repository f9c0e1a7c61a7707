// Random programs that choose and order streams of several GPUs themselves, as PyTorch's do. Which ops nothing orders
// is computed a second time here, from the sets of all ops that an op follows: the races that the engine records must
// be exactly these, and a program without a race must compute what a sequential one does, whatever times its ops take.
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/devices/device_set.h"
#include "engine/trace/reader.h"
#include "tests/conformance/devices.h"
#include "tests/conformance/trace_check.h"
#include "tests/unit/runtime/records_of.h"

namespace headway {
namespace {

using core::DeviceId;
using core::OpId;
using devices::OpKind;
using runtime::OnDevice;
using runtime::Tensor;

constexpr std::size_t kMostOps = 512;
using Ops = std::bitset<kMostOps>;

struct Machine {
    std::uint32_t gpus, streams;
    memory::FreePolicy policy;
    devices::Topology topology = devices::Topology::ring;
};
std::string name_of(const Machine& machine) {
    return std::to_string(machine.gpus) + "_gpus_" + std::to_string(machine.streams) + "_streams_" +
           std::string(memory::name_of(machine.policy)) + "_" + devices::word_of(machine.topology);
}
void PrintTo(const Machine& machine, std::ostream* out) {
    *out << name_of(machine);
}

class Rig {
public:
    Rig(const Machine& machine, std::uint64_t times) : recording_(*trace::Recording::create(std::size_t{1} << 26)) {
        auto first = make_simulated(machine.streams, *recording_);
        if (times != 0) {
            static_cast<devices::SimulatedDevice&>(**first).use_random_times(times);
        }
        const devices::CostModel model = static_cast<devices::SimulatedDevice&>(**first).model();
        devices_ = std::make_unique<devices::DeviceSet>(std::move(*first));
        while (devices_->gpus() < machine.gpus) {
            devices_->add_gpu(std::make_unique<devices::SimulatedDevice>(model, machine.streams, *recording_,
                                                                         devices_->next_slot(), "simulated"));
        }
        if (machine.gpus > 1) {
            static_cast<devices::SimulatedDevice&>((*devices_)[0])
                .connect({machine.topology, machine.gpus, {"links", "chosen", {700, 0, 1, 0, 0}, {300, 0, 0.5, 0, 0}}});
        }
        runtime::Settings settings;
        settings.free_policy = machine.policy;
        settings.program_streams = true;
        settings.copies_in_stream = true;
        runtime_ = std::make_unique<runtime::Runtime>(*devices_, *recording_, settings);
    }
    trace::Recording& recording() { return *recording_; }
    runtime::Runtime& operator*() { return *runtime_; }

private:
    std::unique_ptr<trace::Recording> recording_;
    std::unique_ptr<devices::DeviceSet> devices_;
    std::unique_ptr<runtime::Runtime> runtime_;
};

class Program {
public:
    // `careless`: how often it forgets a wait.
    Program(runtime::Runtime& rt, std::uint64_t seed, double careless) : rt_(rt), dice_(seed), careless_(careless) {
        for (DeviceId gpu = 0; gpu < rt.gpus(); ++gpu) {
            streams_of(gpu).push_back(rt.streams.default_stream(gpu));
            while (rt.lanes.begin(gpu) + streams_of(gpu).size() < rt.lanes.end(gpu)) {
                streams_of(gpu).push_back(rt.streams.open(gpu));
            }
        }
        follows_.resize(rt.lanes.count());
    }

    void run(int steps) {
        for (int i = 0; i < steps && rt_.recorder.issued() + 16 < kMostOps; ++i) {
            step();
        }
        for (Value& value : all_) {
            read(value);
        }
        rt_.waitall();
    }
    [[nodiscard]] const std::set<OpId>& racing() const { return racing_; }
    [[nodiscard]] const std::string& difference() const { return difference_; }
    [[nodiscard]] int copies() const { return copies_; }

private:
    struct Use {
        OpId op;
        std::uint32_t stream;
        bool writes;
    };
    struct Value {
        Tensor tensor;
        double value = 0;
        std::vector<Use> uses;
        std::uint32_t home = 0;
    };

    std::vector<std::uint32_t>& streams_of(DeviceId gpu) { return streams_[gpu]; }
    [[nodiscard]] std::uint32_t current(DeviceId gpu) const { return rt_.streams.current(gpu); }
    Value& pick() { return all_[dice_.index(all_.size())]; }
    DeviceId some_gpu() { return static_cast<DeviceId>(dice_.index(rt_.gpus())); }

    // --- the order, computed again ---
    void wait(std::uint32_t stream, std::uint32_t other) {
        rt_.streams.wait(stream, rt_.streams.point(other));
        follows_[stream] |= follows_[other] | host_;
    }
    // Orders a use of the value in `stream`, unless the program forgets to.
    void prepare(const Value& value, std::uint32_t stream, bool writes) {
        std::set<std::uint32_t> others;
        for (const Use& use : value.uses) {
            if ((use.writes || writes) && use.stream != stream) {
                others.insert(use.stream);
            }
        }
        for (const std::uint32_t other : others) {
            if (!dice_.chance(careless_)) {
                wait(stream, other);
            }
        }
    }
    // The op that has just been issued to `stream`, which uses these values.
    void issued(std::uint32_t stream, const std::vector<std::pair<Value*, bool>>& uses) {
        const OpId op = rt_.recorder.issued();
        const Ops before = follows_[stream] | host_;
        for (const auto& [value, writes] : uses) {
            for (const Use& use : value->uses) {
                if ((use.writes || writes) && use.op != op && !before[use.op]) {
                    racing_.insert(op);
                }
            }
            value->uses.push_back({op, stream, writes});
        }
        follows_[stream] = before;
        follows_[stream].set(op);
    }
    // Waits of the frontend for these lanes.
    void host_waited(std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t lane = begin; lane < end; ++lane) {
            host_ |= follows_[lane];
        }
    }

    // --- the program ---
    void create() {
        const DeviceId gpu = some_gpu();
        const OnDevice there(rt_, gpu);
        const int number = dice_.number(-8, 8);
        Value made{rt_.full({4}, static_cast<float>(number)), static_cast<double>(number), {}, current(gpu)};
        issued(current(gpu), {{&made, true}});
        all_.push_back(std::move(made));
    }
    void read(Value& value) {
        const std::uint32_t stream = current(value.tensor.device());
        prepare(value, stream, false);
        const float found = rt_.waits.read_in_stream(value.tensor, trace::WaitKind::numpy, "numpy")[3];
        issued(stream, {{&value, false}});
        host_waited(stream, stream + 1);
        if (racing_.empty() && difference_.empty() && static_cast<double>(found) != value.value) {
            difference_ = "buffer " + std::to_string(value.tensor.buffer_id()) + " of GPU " +
                          std::to_string(value.tensor.device()) + " is " + std::to_string(found) + " and not " +
                          std::to_string(value.value);
        }
    }
    // Both GPUs' current streams follow a copy, and it follows both.
    template <class Copy>
    void copy_between(Value& from, DeviceId to, Value* into, Copy copy) {
        const std::uint32_t here = current(from.tensor.device()), there = current(to);
        prepare(from, here, false);
        if (into != nullptr) {
            prepare(*into, there, true);
        }
        Value made = copy();
        follows_[there] |= follows_[here];
        issued(there, {{&from, false}, {into != nullptr ? into : &made, true}});
        follows_[here] |= follows_[there];
        from.uses.back().stream = here;  // a later wait for `here` orders it as well
        ++copies_;
        if (into == nullptr) {
            made.home = there;
            all_.push_back(std::move(made));
        }
    }
    void step() {
        const int what = all_.empty() ? 0 : dice_.number(0, 12);
        if (what < 2) {
            create();
        } else if (what < 5) {
            const DeviceId gpu = some_gpu();
            rt_.streams.set_current(streams_of(gpu)[dice_.index(streams_of(gpu).size())]);
        } else if (what < 7) {
            Value& value = pick();
            const std::uint32_t stream = current(value.tensor.device());
            prepare(value, stream, true);
            rt_.with_scalar_in_place(OpKind::add_scalar, value.tensor, 1.0f);
            value.value += 1;
            issued(stream, {{&value, true}});
        } else if (what == 7) {
            const std::size_t a = dice_.index(all_.size()), b = dice_.index(all_.size());
            const DeviceId gpu = all_[a].tensor.device();
            if (gpu != all_[b].tensor.device() || std::abs(all_[a].value) > 1e5) {
                return;
            }
            const std::uint32_t stream = current(gpu);
            prepare(all_[a], stream, false);
            prepare(all_[b], stream, false);
            Value made{all_[a].tensor + all_[b].tensor, all_[a].value + all_[b].value, {}, stream};
            issued(stream, {{&all_[a], false}, {&all_[b], false}, {&made, true}});
            all_.push_back(std::move(made));
        } else if (what == 8) {
            const std::size_t at = dice_.index(all_.size());
            const DeviceId to = some_gpu();
            if (to == all_[at].tensor.device()) {
                return;
            }
            all_.reserve(all_.size() + 1);
            Value& from = all_[at];
            copy_between(from, to, nullptr, [&] { return Value{rt_.to_device(from.tensor, to), from.value, {}, 0}; });
        } else if (what == 9) {
            Value &from = pick(), &into = pick();
            if (from.tensor.device() == into.tensor.device()) {
                return;
            }
            copy_between(from, into.tensor.device(), &into, [&] {
                rt_.copy_into(into.tensor, from.tensor);
                into.value = from.value;
                return Value();
            });
        } else if (what == 10) {
            read(pick());
        } else if (what == 11) {
            forget();
        } else if (dice_.chance(0.15)) {
            rt_.waitall();
            host_waited(0, rt_.lanes.count());
        } else if (dice_.chance(0.3)) {
            const DeviceId gpu = some_gpu();
            rt_.waits.device(gpu, trace::WaitKind::synchronize, "synchronize");
            host_waited(rt_.lanes.begin(gpu), rt_.lanes.end(gpu));
        } else if (dice_.chance(0.3)) {
            const auto& streams = streams_of(some_gpu());
            const std::uint32_t stream = streams[dice_.index(streams.size())];
            rt_.waits.stream(rt_.streams.point(stream), "synchronize");
            host_waited(stream, stream + 1);
        }
        if (all_.size() > 12) {
            forget();
        }
    }
    // As a program does it that uses a tensor in a stream that it was not made in.
    void forget() {
        const std::size_t at = dice_.index(all_.size());
        for (const Use& use : all_[at].uses) {
            rt_.streams.record_stream(*all_[at].tensor.buffer(), use.stream);
        }
        all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(at));
    }

    runtime::Runtime& rt_;
    Dice dice_;
    double careless_;
    std::map<DeviceId, std::vector<std::uint32_t>> streams_;
    std::vector<Value> all_;
    std::vector<Ops> follows_;  // of each stream: what its next op follows
    Ops host_;                  // what the frontend has waited for
    std::set<OpId> racing_;
    std::string difference_;
    int copies_ = 0;
};

std::set<OpId> races_of(const trace::Recording& recording) {
    std::set<OpId> racing;
    for (const trace::OrderRecord& order : runtime::orders_of(recording)) {
        if (trace::is_race(order.kind)) {
            racing.insert(order.op);
        }
    }
    return racing;
}

class ProgramsWithStreams : public testing::TestWithParam<Machine> {};

TEST_P(ProgramsWithStreams, RaceExactlyWhereNothingOrdersThem) {
    int with = 0, without = 0, copies = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Rig rig(GetParam(), seed % 3);
        Program program(*rig, seed, seed % 2 == 0 ? 0 : 0.25);
        program.run(200);
        ASSERT_EQ(races_of(rig.recording()), program.racing()) << "seed " << seed;
        ASSERT_EQ(program.difference(), "") << "seed " << seed;
        if (seed % 2 == 0) {
            ASSERT_TRUE(program.racing().empty()) << "seed " << seed;
            std::vector<std::uint32_t> later;
            for (DeviceId gpu = 1; gpu < (*rig).gpus(); ++gpu) {
                later.push_back((*rig).lanes.begin(gpu));
            }
            ASSERT_EQ(check_trace(rig.recording(), (*rig).lanes.count(), later).problem, "") << "seed " << seed;
        }
        (program.racing().empty() ? without : with) += 1;
        copies += program.copies();
    }
    EXPECT_GT(with, 15);
    EXPECT_GE(without, 30);
    EXPECT_EQ(copies > 300, GetParam().gpus > 1);
}

std::vector<Machine> machines() {
    using memory::FreePolicy;
    return {{1, 3, FreePolicy::stream},
            {2, 2, FreePolicy::stream},
            {2, 4, FreePolicy::finish, devices::Topology::pcie},
            {4, 3, FreePolicy::stream, devices::Topology::pairs},
            {4, 2, FreePolicy::finish},
            {8, 4, FreePolicy::stream}};
}

INSTANTIATE_TEST_SUITE_P(Machines, ProgramsWithStreams, testing::ValuesIn(machines()),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace
}  // namespace headway
