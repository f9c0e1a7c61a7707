// The fake's graphs: a capture collects the work of a stream, and a launch puts it on one.
#include "tests/unit/cuda/fake_state.h"

using namespace headway::fake;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    ENTER("cudaStreamBeginCapture");
    stream->capture = new CUgraph_st;
    state.graphs.insert(stream->capture);
    ++state.counts.graphs;
    ++state.counts.captures;
    ++capturing;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    const std::lock_guard lock(mutex);
    --capturing;
    *graph = std::exchange(stream->capture, nullptr);
    return static_cast<cudaError_t>(enter("cudaStreamEndCapture"));
}
#undef cudaStreamGetCaptureInfo
#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long*,
                                     cudaGraph_t* graph, const cudaGraphNode_t**, const cudaGraphEdgeData**,
                                     std::size_t*) {
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long*,
                                        cudaGraph_t* graph, const cudaGraphNode_t**, std::size_t*) {
#endif
    ENTER("cudaStreamGetCaptureInfo");
    *status = stream->capture != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    *graph = stream->capture;
    return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, std::size_t* count) {
    ENTER("cudaGraphGetNodes");
    *count = graph->nodes.size();
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    const std::lock_guard lock(mutex);
    --state.counts.graphs;
    state.graphs.erase(graph);
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
    ENTER("cudaGraphInstantiate");
    *exec = new CUgraphExec_st{graph->nodes};
    state.graph_execs.insert(*exec);
    ++state.counts.graph_execs;
    return cudaSuccess;
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo*) {
    ENTER("cudaGraphExecUpdate");
    if (exec->nodes.size() != graph->nodes.size()) {
        last_error = cudaErrorGraphExecUpdateFailure;
        return cudaErrorGraphExecUpdateFailure;
    }
    exec->nodes = graph->nodes;
    ++state.counts.graph_updates;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    const std::lock_guard lock(mutex);
    --state.counts.graph_execs;
    state.graph_execs.erase(exec);
    delete exec;
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    ENTER("cudaGraphLaunch");
    ++state.counts.graph_launches;
    const std::uint32_t correlation = ++cupti.correlation;  // one for all kernels of the graph
    for (const auto& node : exec->nodes) {
        push_kernel(stream, node, correlation);
    }
    return cudaSuccess;
}

}  // extern "C"
