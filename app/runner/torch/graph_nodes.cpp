// What PyTorch tells its profilers: which forward op each op of a backward pass belongs to, and the program's own
// scopes (record_function).
//
// Autograd numbers the nodes of its graph by thread when it makes them, before it calls the op; in a backward pass it
// reports the number of the node that it evaluates.
#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>

#include <cstring>
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

std::unique_ptr<at::ObserverContext> begin_node(const at::RecordFunction& function) {
    auto outer = std::make_unique<Outer>(evaluated);
    // Leaves, which add up gradients, have the number -1.
    evaluated = {function.forwardThreadId(), static_cast<std::uint64_t>(function.seqNr() + 1)};
    return outer;
}
void end_node(const at::RecordFunction& /*function*/, at::ObserverContext* outer) {
    evaluated = outer != nullptr ? static_cast<Outer*>(outer)->node : GraphNode();
}

// The scope's name; null for scopes of PyTorch's own library. An exception is the loading of the next batch: without it
// one could not see what the frontend does or waits for there.
const char* scope_name(const char* name) {
    const auto begins_with = [name](const char* begin) { return std::strncmp(name, begin, std::strlen(begin)) == 0; };
    if (begins_with("enumerate(DataLoader)")) {
        return "DataLoader";
    }
    return begins_with("Optimizer.") || begins_with("DataParallel.") || begins_with("ProfilerStep#") ? nullptr : name;
}
std::unique_ptr<at::ObserverContext> begin_scope(const at::RecordFunction& function) {
    if (const char* name = scope_name(function.name())) {
        host().scope(name, true);
    }
    return nullptr;
}
void end_scope(const at::RecordFunction& function, at::ObserverContext* /*context*/) {
    if (const char* name = scope_name(function.name())) {
        host().scope(name, false);
    }
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

void follow_program() {
    at::addGlobalCallback(at::RecordFunctionCallback(&begin_scope, &end_scope).scopes({at::RecordScope::USER_SCOPE}));
    at::addGlobalCallback(
        at::RecordFunctionCallback(&begin_node, &end_node).scopes({at::RecordScope::BACKWARD_FUNCTION}));
}

}  // namespace headway::torch_module
