// Composite ops: several ops issued as one, either gathered between two waits, or traced as a function and run again.
//
// Gathered ops have buffers, but no memory and no lane until the composite is issued. A buffer that only gathered ops
// refer to at that time is an intermediate result and is dropped as soon as the composite has been submitted.
//
// Threads: the frontend only.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/devices/op.h"
#include "engine/runtime/frontend/random_streams.h"
#include "engine/runtime/graph.h"
#include "engine/runtime/program_streams.h"
#include "engine/runtime/scheduling/operation.h"
#include "engine/runtime/scheduling/scheduler.h"
#include "engine/runtime/scheduling/until_finished.h"

namespace headway::runtime {

class OpQueue;

class GraphBuilder {
public:
    // `gathering`: as if set_gathering(true) had been called.
    GraphBuilder(OpQueue& queue, bool gathering) : queue_(queue), gathering_(gathering) {}
    GraphBuilder(const GraphBuilder&) = delete;
    GraphBuilder& operator=(const GraphBuilder&) = delete;

    // While on, ops are gathered, and issued as one composite op at the next wait, at the end of a minibatch, or when
    // there are many. An out-of-memory error then names the composite.
    void set_gathering(bool on);

    // Ops between these two calls are recorded as a graph and not issued. Their tensors have no values, and waiting for
    // one is an error. trace_begin() returns stand-ins for the function's inputs, which each run replaces; all other
    // tensors read from outside are captured and the same in every run.
    std::vector<Tensor> trace_begin(std::span<const Tensor> inputs);
    Graph trace_end(std::string_view name, std::span<const Tensor> outputs);
    void trace_abandon();
    [[nodiscard]] bool tracing() const { return tracing_; }
    // Issues the function's ops as one composite op with these inputs. ProgramError if their number, shapes or device
    // differ from the traced ones.
    std::vector<Tensor> run(const Graph& graph, std::span<const Tensor> inputs);

    // --- for the queue ---
    // Whether `operation` is to be gathered instead of issued. If not, everything that it may depend on is issued.
    bool takes(const Operation& operation);
    // Returns the output if the op creates it, with one reference; otherwise null.
    Buffer* gather(const Operation& operation);
    // Issues the gathered ops; does nothing while tracing.
    void issue_gathered();
    // Drops the gathered ops and an open trace, at the end of the run: the program did not wait for their values.
    void discard();

private:
    // An op that will be issued together with others. It holds references to its buffers until then.
    struct Gathered {
        Operation operation;  // `out` is always set if the op has an output
        bool fresh = false;   // creates `out`
    };
    using Ops = std::vector<Gathered>;

    static void hold(const Gathered& gathered);
    void release_buffers(const Ops& ops);
    std::vector<Gathered> stop_tracing();
    [[nodiscard]] static std::vector<const devices::Signature*> signatures_of(const Ops& ops);
    void issue_together(const Ops& ops, const devices::Signature& signature);
    void place_together(const Ops& ops, Placement& placement);
    [[nodiscard]] static std::vector<ProgramStreams::Access> accesses_of(const Ops& ops);
    void note_uses(const Ops& ops, const CommandPlace& place);
    void take_memory_together(const Ops& ops, std::uint32_t lane, const devices::Signature& signature);
    void record_together(const Ops& ops, const devices::Signature& signature, std::uint64_t begin, std::uint32_t lane);
    void expect_traced_inputs(const Graph& graph, std::span<const Tensor> inputs) const;

    OpQueue& queue_;
    Ops gathered_;
    std::vector<Tensor> stand_ins_;  // while a function is traced
    bool gathering_;
    bool tracing_ = false;
    RandomStreams before_trace_;
    UntilFinished<std::unique_ptr<devices::Composite>> composites_;
};

}  // namespace headway::runtime
