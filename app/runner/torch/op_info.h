// What is known of an ATen op: what its schema says, and the shapes that it has returned. Internal to this folder.
//
// Threads: any; each thread has an OpInfo of its own for each op that it calls.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/runner/torch/device.h"

namespace headway::torch_module {

enum Way { kAsynchronous, kLearned, kWaited, kWays };
constexpr int kNew = -1;
constexpr std::size_t kMostKnown = 10'000;  // shapes kept for an op

// A tensor without values.
struct Geometry {
    c10::DimVector sizes, strides;
    std::int64_t offset = 0;
    c10::ScalarType dtype{};
    bool defined = true;
};
// What an op returns: one tensor, or a list of them, for each return.
struct Returns {
    std::vector<int> lengths;  // -1: a tensor; otherwise a list's length
    std::vector<Geometry> tensors;
};

struct OpInfo {
    explicit OpInfo(const c10::OperatorHandle& h) : handle(h) {}
    c10::OperatorHandle handle;
    c10::optional<c10::OperatorHandle> out;         // the overload that writes into given tensors
    c10::optional<c10::OperatorHandle> functional;  // the one to call instead of this, which returns new tensors
    std::string name;
    bool view = false, any_written = false, waits_always = false, no_meta = false;
    bool foreach = false;  // one op for lists of tensors
    int generator = -1;
    int output_mask = -1;       // the argument that says which tensors are returned
    std::vector<bool> written;  // by argument
    std::vector<int> returns;   // by return: the argument that it is, or kNew
    std::unordered_map<std::string, Returns> known;
    std::unordered_map<std::string, const Signature*> signatures;
    std::string last_key;
    const Signature* last_signature = nullptr;
    std::array<std::uint64_t, kWays> count{};
};

// --- keys of shapes (op_key.cpp) ---
void append_tensor(std::string& key, const at::Tensor& t, bool strides);
// Everything that may decide an op's shapes. False if the value is of a kind that is not known.
bool append_value(std::string& key, const IValue& v);

// --- arguments (fallback.cpp) ---
// A tensor, or a value with tensors, as a lane gets it. CPU tensors are given with their values as they are now.
at::Tensor for_lane(const at::Tensor& t);
IValue lane_value(const IValue& v);

// --- shapes (op_shapes.cpp) ---
// The shapes of what the op returns. `values` is set if they were not known before: to meta tensors, or to the values
// themselves if it had to be run. `plain`: false if it returns anything but tensors.
Way shapes_of(OpInfo& op, const Stack& args, Returns& returns, Stack& values, bool& plain);
// What the op's meta kernel returns; false if there is none, or if it refuses the arguments.
bool infer(const OpInfo& op, const Stack& args, Stack& values);
void wait_for_arguments(const OpInfo& op, const Stack& args);
// Runs the op on the calling thread, on the same values. Changes nothing: what it writes are copies.
void run_here(const OpInfo& op, const Stack& args, Stack& values);

// --- errors of the call (op_checks.cpp) ---
// The number of the GPU that the tensors are on.
[[nodiscard]] std::uint32_t expect_one_device(const OpInfo& op, const Stack& args);
void expect_types(const OpInfo& op, const Stack& args);
// Throws what PyTorch's kernel has against arguments of these shapes and types. May wait for them. Call once for each
// set of shapes: it takes as long as an op.
void expect_arguments(const OpInfo& op, const Stack& args);
// The same for an op that writes arguments, with the checks of its shape function. True if it gave an output another
// size, of which PyTorch warns.
bool expect_written(const OpInfo& op, const Stack& args);

// Of this thread.
OpInfo& info_of(const c10::OperatorHandle& handle);

}  // namespace headway::torch_module
