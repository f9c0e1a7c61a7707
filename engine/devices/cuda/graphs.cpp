// Composite ops: their steps are captured from the lane's stream into a CUDA graph, which is launched as one.
//
// A graph contains the addresses that it works on. Each run gets new memory, so a composite whose addresses have
// changed is captured again and its executable graph updated, which costs less than creating one; if the addresses are
// unchanged, it is only launched. A pool cycles through its blocks, so a few executable graphs are cached per
// composite.
#include <algorithm>
#include <utility>

#include "engine/devices/cuda/cuda_device.h"
#include "engine/devices/cuda/host_work.h"
#include "engine/devices/cuda/nvtx_ranges.h"

namespace headway::devices::cuda {

namespace {

constexpr std::size_t kMostGraphs = 64;  // most composites with cached graphs per lane
constexpr std::size_t kTurns = 6;        // most graphs cached per composite

// Ends the capture in its destructor: a stream left in capture mode could never be used again.
class Capture {
public:
    explicit Capture(cudaStream_t stream) : stream_(stream) {
        // Other threads may continue to allocate.
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
        capturing_ = true;
    }
    ~Capture() {
        if (capturing_) {
            cudaGraph_t graph = nullptr;
            cudaStreamEndCapture(stream_, &graph);
            const GraphOwner owner(graph);
            cudaGetLastError();
        }
    }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    // Number of kernels and copies captured so far.
    [[nodiscard]] std::size_t nodes() const {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
        check(cudaStreamGetCaptureInfo(stream_, &status, nullptr, &graph, nullptr, nullptr, nullptr),
              "cudaStreamGetCaptureInfo");
#else
        check(cudaStreamGetCaptureInfo_v2(stream_, &status, nullptr, &graph, nullptr, nullptr),
              "cudaStreamGetCaptureInfo");
#endif
        std::size_t count = 0;
        check(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
        return count;
    }
    GraphOwner end() {
        capturing_ = false;
        cudaGraph_t graph = nullptr;
        const auto status = cudaStreamEndCapture(stream_, &graph);
        GraphOwner owner(graph);
        check(status, "cudaStreamEndCapture");
        return owner;
    }

private:
    cudaStream_t stream_;
    bool capturing_ = false;
};

// Whether a graph captured from `a` also does the work of `b`.
bool same_work(const Command& a, const Command& b) {
    return a.signature == b.signature && a.out == b.out && a.in0 == b.in0 && a.in1 == b.in1 && a.offset == b.offset;
}

}  // namespace

void CudaDevice::start_composite(Lane& lane, const Command& command, InFlight& flight) {
    // Leave out steps that cannot run; steps that depend on them are spoiled too.
    std::vector<Command> steps;
    for (Command step : command.composite->steps) {
        const bool runs = !(poison().any() && poison().spreads_to(step)) &&
                          ((step.flags & kLazyOperands) == 0 || take_lazily(lane, step));
        if (runs) {
            steps.push_back(step);
        } else {
            flight.failed = true;
        }
    }
    if (steps.empty()) {
        return;
    }
    if (lane.graphs.size() > kMostGraphs) {
        lane.graphs.clear();  // CUDA frees graphs that are executing after they finish
    }
    auto& known = lane.graphs[command.signature];
    auto found = std::find_if(known.begin(), known.end(), [&](const LaneGraph& graph) {
        return std::equal(steps.begin(), steps.end(), graph.steps.begin(), graph.steps.end(), same_work);
    });
    if (found == known.end()) {
        if (known.size() == kTurns) {
            std::rotate(known.begin(), known.begin() + 1, known.end());  // the least recently used one is replaced
        } else {
            known.emplace_back();
        }
        found = known.end() - 1;
        capture(lane, steps, *found);
    } else {
        std::rotate(found, found + 1, known.end());
        found = known.end() - 1;
    }
    const LaneGraph& graph = *found;
    const NvtxRanges::Range range(*nvtx_ranges_, command);
    const Correlation correlation(cupti_, command.op);
    record_begin(lane, flight);
    check(cudaGraphLaunch(graph.exec.get(), lane.stream.get()), "cudaGraphLaunch");
    flight.nodes = graph.nodes;
}

void CudaDevice::capture(Lane& lane, const std::vector<Command>& steps, LaneGraph& graph) {
    graph.steps.clear();  // invalid until the capture is complete
    auto nodes = std::make_shared<std::vector<std::uint16_t>>();
    Capture capture(lane.stream.get());
    for (const Command& step : steps) {
        start_kernels(lane, step);
        nodes->resize(capture.nodes(), step.signature->id);
    }
    const GraphOwner captured = capture.end();
    if (graph.exec != nullptr) {
        cudaGraphExecUpdateResultInfo result{};
        if (cudaGraphExecUpdate(graph.exec.get(), captured.get(), &result) != cudaSuccess) {
            cudaGetLastError();
            graph.exec.reset();  // the topology changed: create it again
        }
    }
    if (graph.exec == nullptr) {
        cudaGraphExec_t exec = nullptr;
        check(cudaGraphInstantiate(&exec, captured.get(), 0), "cudaGraphInstantiate");
        graph.exec.reset(exec);
    }
    graph.steps = steps;
    graph.nodes = std::move(nodes);
}

}  // namespace headway::devices::cuda
