// Which forward op each op of a backward pass belongs to. Autograd numbers the nodes of its graph by thread when it
// makes them, before it calls the op; in a backward pass it tells the number of the node that it evaluates.
#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>

#include <memory>

#include "app/runner/torch/device.h"

namespace headway::torch_module {

namespace {

thread_local GraphNode evaluated;

// The node that was being evaluated before: a backward pass may begin within another one.
struct Outer final : at::ObserverContext {
    explicit Outer(GraphNode n) : node(n) {}
    GraphNode node;
};

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
    auto outer = std::make_unique<Outer>(evaluated);
    // Leaves, which add up gradients, have the number -1.
    evaluated = {function.forwardThreadId(), static_cast<std::uint64_t>(function.seqNr() + 1)};
    return outer;
}
void end(const at::RecordFunction& /*function*/, at::ObserverContext* outer) {
    evaluated = outer != nullptr ? static_cast<Outer*>(outer)->node : GraphNode();
}

}  // namespace

GraphNode last_node() {
    return {at::RecordFunction::currentThreadId(), at::sequence_number::peek()};
}

GraphNode current_backward() {
    return evaluated;
}

void note_node() {
    thread_local std::uint64_t noted = 0;
    if (const GraphNode node = last_node(); node.number != noted) {
        noted = node.number;
        host().made(node);
    }
}

void follow_backward() {
    at::addGlobalCallback(at::RecordFunctionCallback(&begin, &end).scopes({at::RecordScope::BACKWARD_FUNCTION}));
}

}  // namespace headway::torch_module
