// A random program: issues ops on a runtime, computes the same on plain arrays one after the other, and compares
// whenever the program reads a value.
//
// All values are whole numbers small enough for float to represent every intermediate result exactly, so both sides are
// equal to the last bit in whatever order a device adds. The program depends only on the seed, never on timing.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/conformance/devices.h"

namespace headway {

// State of a runtime that continues from one program to the next.
struct RandomPrograms {
    Bench& bench;
    std::uint64_t seed_of_run = 0;
    std::uint64_t random_ops = 0;  // each draws from its own stream, in the order of the calls
};

class RandomProgram {
public:
    struct Options {
        std::uint64_t seed = 0;
        int steps = 60;
        bool failures = false;       // some ops fail when they run
        bool held = false;           // lanes are held until everything has been issued
        bool out_of_memory = false;  // with a budget: an op may be refused
    };

    RandomProgram(RandomPrograms& programs, const Options& options);
    ~RandomProgram();

    // The first difference, with the last steps; empty if there is none.
    std::string run();

private:
    // A buffer shared by all its views.
    struct Storage {
        std::vector<double> values;
        std::set<core::OpId> origins;  // the failures that have spoiled it
    };
    struct Handle {
        runtime::Tensor tensor;
        devices::Shape shape;
        std::shared_ptr<Storage> storage;
        int name = 0;
    };
    struct HostOp {
        devices::Device* device;
        std::int64_t elements;
        int spins;
        bool sleeps;
        bool fails;
        static void run(const devices::Command& command, void* context);
    };

    void step();
    void create();
    void draw_bits();
    void fresh_elementwise();
    void fresh_of_one();
    void fresh_matmul();
    void fresh_reduction();
    void fresh_moved();
    void in_place();
    void view();
    void host_op();
    void mistake();
    void forget();
    void look();
    void wait();
    void pass_time();

    Handle& pick();
    Handle* pick_like(const devices::Shape& shape);  // a tensor that broadcasts to this shape
    [[nodiscard]] static reference::Array array_of(const Handle& handle);
    [[nodiscard]] static bool small_enough(const reference::Array& array);
    [[nodiscard]] static double largest(const Handle& handle);
    // Issues an op and stores the result with its expected value. False if the budget refused it.
    bool issue(const std::function<void()>& call);
    void keep(const std::function<runtime::Tensor()>& call, reference::Array expected,
              std::initializer_list<const Handle*> read);
    // `overwrites`: writes all of the target without reading it.
    void change(Handle& target, const Handle* other, const std::function<void()>& call, reference::Array expected,
                bool overwrites = false);
    // Waits; `origins` are the failures that the wait may deliver, empty if none.
    void expect_of_wait(const std::function<void()>& call, const std::set<core::OpId>& origins, bool delivers_all);
    void compare(const Handle& handle);
    void note(std::string text);
    void differ(const std::string& what);

    RandomPrograms& programs_;
    runtime::Runtime& rt_;
    Options options_;
    Dice dice_;
    std::vector<Handle> handles_;
    std::set<core::OpId> undelivered_;
    std::deque<HostOp> host_ops_;
    std::deque<std::string> journal_;
    std::string difference_;
    int names_ = 0;
};

}  // namespace headway
