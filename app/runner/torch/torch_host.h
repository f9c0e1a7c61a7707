// The interface between the runner and its PyTorch module, libheadway_torch.so: what ATen's side needs of a run.
//
// Host has many functions because there is one for each thing that a program can ask of torch.cuda.
//
// C++17 and the standard library only, because PyTorch's headers decide the module's language standard.
//
// Threads: any, with or without Python's GIL; the host has a lock of its own, which it never holds while it takes the
// GIL. Work runs on a lane's thread, or in virtual time on the calling thread, and must call nothing of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace headway::torch_module {

inline constexpr std::uint32_t kMostDevices = 8;

struct Block;      // memory of a device, with one owner
struct Signature;  // of an op; lives as long as the run
struct Point;      // a moment in a stream, with one owner

// As devices::Family.
enum class Family : std::uint8_t { create, elementwise, matmul, reduce, update, copy, random, other };
enum class Direction : std::uint8_t { none, to_device, to_host };

struct OpText {
    std::string name, shapes;  // "aten::addmm", "(64×8), (8×4) float32"
    Family family = Family::other;
    Direction direction = Direction::none;
    std::uint64_t out_bytes = 0;  // of its first output
    std::uint64_t flops = 0, moved_bytes = 0;
};

// A node of autograd's graph: one forward op.
struct GraphNode {
    std::uint64_t thread = 0, number = 0;  // counted from 1 by each thread; 0: none
};

struct Issue {
    const Signature* signature = nullptr;
    Block* const* reads = nullptr;
    std::size_t read_count = 0;
    Block* const* writes = nullptr;  // each block once, in one of the lists
    std::size_t write_count = 0;
    bool (*run)(void* work, std::string& error) = nullptr;
    void (*drop)(void* work) = nullptr;  // called by any thread, once the op has completed
    void* work = nullptr;
    std::uint32_t device = 0;
    std::uint32_t stream = 0;       // if the program uses streams: the one that it goes to
    int from = -1;                  // of a copy from another GPU: that GPU,
    std::uint32_t from_stream = 0;  // and the stream that is current there
    GraphNode made;                 // the last one that this thread made: this op's, if autograd follows it
    GraphNode backward_of;          // the one whose gradient the op is part of
};
struct Issued {
    std::uint32_t op = 0, lane = 0, seq = 0;  // seq: its place among the lane's commands
};

// As trace::WaitKind.
enum class Blocker : std::uint8_t { synchronize = 3, item = 16, numpy = 17, print = 18, boolean = 19, copy = 20 };

struct OutOfMemory : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Memory {
    std::uint64_t allocated = 0, peak = 0, reserved = 0, total = 0;
};

class Host {
public:
    // OutOfMemory if there is no room. All other errors are std::runtime_error.
    // `stream`, of the device: whose ops use the memory first.
    virtual Block* allocate(std::size_t bytes, std::uint32_t device, std::uint32_t stream, void** data) = 0;
    virtual void release(Block* block) noexcept = 0;
    virtual const Signature* signature(const OpText& text) = 0;
    virtual Issued issue(const Issue& issue) = 0;
    // Waits for all ops of the op's lane; an error if the op failed, or if the block (null: none) has no values because
    // another one did.
    virtual void wait(Issued op, Block* block, Blocker kind, const char* name) = 0;
    // The same for the block's last writer, wherever it runs.
    virtual void wait_for(Block* block, Blocker kind, const char* name) = 0;
    virtual void wait_for_all(Blocker kind, const char* name) = 0;
    // The same before the process forks; a failure is raised by the next wait instead.
    virtual void wait_before_fork() = 0;
    virtual void wait_for_device(std::uint32_t device, Blocker kind, const char* name) = 0;
    // Notes that the calling line has made the node. Issuing an op notes its own.
    virtual void made(GraphNode node) = 0;
    // A named part of the program begins or ends. Does nothing in other threads than the frontend's.
    virtual void scope(const char* name, bool begins) noexcept = 0;
    // When a completed op ended, in nanoseconds on the run's clock; std::runtime_error if that is not known.
    virtual double end_ns(Issued op) = 0;
    virtual Memory memory(std::uint32_t device) = 0;
    virtual void reset_peak(std::uint32_t device) = 0;
    virtual void empty_cache() = 0;       // waits for all ops
    virtual std::uint32_t devices() = 0;  // the run's GPUs, at most kMostDevices; or one device that stands for a GPU
    virtual std::uint32_t lanes(std::uint32_t device) = 0;

    // Streams are numbers, and each belongs to one device. Ops of several streams are ordered only by stream_wait(),
    // and by the frontend's waits.
    virtual std::uint32_t default_stream(std::uint32_t device) = 0;
    virtual std::uint32_t open_stream(std::uint32_t device) = 0;  // an error if no lane is left
    virtual std::uint32_t device_of(std::uint32_t stream) = 0;
    virtual void close_stream(std::uint32_t stream) noexcept = 0;
    // The moment after everything issued to the stream so far. Until the program makes a stream, all lanes of the
    // device are one stream.
    virtual Point* point(std::uint32_t stream) = 0;
    virtual void release(Point* point) noexcept = 0;
    virtual void stream_wait(std::uint32_t stream, const Point* point) = 0;
    virtual bool reached(const Point* point) = 0;
    virtual void wait_for_point(const Point* point, const char* name) = 0;
    // How often the program has waited, or has asked whether a moment was reached and it was.
    virtual std::uint64_t waits() = 0;
    // The block is used in this stream as well.
    virtual void record_stream(Block* block, std::uint32_t stream) = 0;
    // A block whose ops stay in the order of their issue, whichever streams they are in. It is never released, and not
    // counted as the program's memory.
    virtual Block* ordering_block(std::uint32_t device) = 0;
    virtual bool virtual_time() = 0;  // the calling thread runs the work

protected:
    ~Host() = default;
};

inline constexpr std::uint32_t kModuleAbi = 9;
inline constexpr const char* kModuleEntry = "headway_torch_open";
// The module's entry point. `host` must live as long as the process. False if the module is of another build.
using ModuleEntry = bool (*)(std::uint32_t abi, Host* host);

}  // namespace headway::torch_module
