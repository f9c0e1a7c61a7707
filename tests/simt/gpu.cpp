// Compiled without sanitizers: its tables belong to no thread of the GPU.
#include "tests/simt/gpu.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <vector>

#include "tests/simt/fiber.h"
#include "tests/simt/memory_check.h"

#if defined(HEADWAY_SIMT_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace headway::simt {

namespace {

#if defined(HEADWAY_SIMT_THREAD_SANITIZER)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

constexpr std::size_t kArenaBytes = std::size_t{64} << 20;
constexpr std::size_t kSharedLimit = std::size_t{48} << 10;  // of a block, as every GPU allows
constexpr std::size_t kGap = 64;                             // around each variable
constexpr std::uint32_t kMostPhases = 100'000;
constexpr int kRunning = 0, kEnded = -1;  // of Thread::line

std::uint64_t number_from_environment(const char* name, std::uint64_t usual) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

std::atomic<std::uint64_t> all_launches{0}, all_blocks{0}, all_threads{0}, all_barriers{0};
std::atomic<std::uint64_t> next_seed{number_from_environment("HEADWAY_SIMT_SEED", 1)};
const int chosen_mutant = static_cast<int>(number_from_environment("HEADWAY_SIMT_MUTANT", 0));

// Fibers of threads that have ended. With the thread sanitizer making one takes 0.6 ms.
std::mutex& spare_mutex = *new std::mutex;
std::vector<Fiber*>& spare_fibers = *new std::vector<Fiber*>;

Fiber* take_fiber() {
    const std::lock_guard lock(spare_mutex);
    if (spare_fibers.empty()) {
        return new Fiber;
    }
    Fiber* fiber = spare_fibers.back();
    spare_fibers.pop_back();
    return fiber;
}

struct Thread {
    Fiber* fiber = nullptr;
    uint3 index{};
    int line = kRunning;  // of the barrier where it waits
};

uint3 index_of(std::uint64_t at, const dim3& size) {
    return {static_cast<unsigned>(at % size.x), static_cast<unsigned>(at / size.x % size.y),
            static_cast<unsigned>(at / size.x / size.y)};
}
std::uint64_t count_of(const dim3& size) {
    return std::uint64_t{size.x} * size.y * size.z;
}
std::string name_of(const uint3& at) {
    return "(" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) + ")";
}

// What one thread of the operating system needs to run launches.
class Machine {
public:
    Machine() : random_(next_seed.fetch_add(1)) {
        arena_ = static_cast<char*>(
            mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        if (arena_ == MAP_FAILED) {
            stop("no memory for shared memory");
        }
        running_.arena_begin = reinterpret_cast<std::uintptr_t>(arena_);
        running_.arena_end = running_.arena_begin + kArenaBytes;
        forbid(arena_, kArenaBytes);
    }
    ~Machine() {
#if defined(HEADWAY_SIMT_ADDRESS_SANITIZER)
        __asan_unpoison_memory_region(arena_, kArenaBytes);
#endif
        munmap(arena_, kArenaBytes);
        const std::lock_guard lock(spare_mutex);
        for (auto& set : fibers_) {
            spare_fibers.insert(spare_fibers.end(), set.begin(), set.end());
        }
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    void run(const Launch& launch);
    void barrier(int line);
    void* shared_memory(const SharedVariable& variable, std::size_t bytes);

    void limit_blocks(unsigned most) {
        most_blocks_ = most;
    }
    void seed(std::uint64_t value) {
        random_.seed(value);
    }
    [[nodiscard]] const Thread& thread() const {
        return threads_[current_];
    }
    [[nodiscard]] uint3 block() const {
        return block_;
    }
    [[nodiscard]] const Grid& grid() const {
        return grid_;
    }

private:
    static void forbid([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(HEADWAY_SIMT_ADDRESS_SANITIZER)
        __asan_poison_memory_region(data, bytes);
#endif
    }
    void run_block(std::uint64_t number);
    void enter(std::size_t thread);
    static void thread_body(void* machine);
    void check_barrier(const std::vector<std::size_t>& order);
    char* take_from_arena(std::size_t bytes);
    Fiber* fiber_for(std::size_t position);

    std::mt19937_64 random_;
    const Launch* launch_ = nullptr;
    Grid grid_{1, 1};
    unsigned most_blocks_ = 0;
    uint3 block_{};
    std::vector<Thread> threads_;
    std::size_t current_ = 0;
    std::vector<Fiber*> fibers_[2];  // all; with the thread sanitizer blocks use the sets in turn
    std::size_t set_ = 0;
    std::vector<Fiber*> free_;  // without the thread sanitizer
    char* arena_ = nullptr;
    std::size_t used_ = 0;
    std::vector<const SharedVariable*> variables_;
    std::size_t shared_bytes_ = 0;
    Running running_;
    char begin_ = 0, end_ = 0;  // tokens for the thread sanitizer
    char* met_[2] = {};         // also: all threads of a block have reached a barrier, by turns
};

Machine& machine() {
    thread_local Machine mine;
    return mine;
}
thread_local Machine* running_machine = nullptr;

void Machine::run(const Launch& launch) {
    const std::uint64_t threads = count_of(launch.grid.threads);
    if (threads == 0 || threads > 1024 || count_of(launch.grid.blocks) == 0 || launch.grid.blocks.x > 0x7fffffff ||
        launch.grid.shared_bytes != 0) {
        stop(std::string(launch.name) + " is launched with " + std::to_string(count_of(launch.grid.blocks)) +
             " blocks of " + std::to_string(threads) + " threads and " + std::to_string(launch.grid.shared_bytes) +
             " bytes of dynamic shared memory");
    }
    launch_ = &launch;  // not copied: the thread sanitizer would not see the reference counts here
    grid_ = launch.grid;
    if (most_blocks_ != 0 && grid_.blocks.x > most_blocks_) {
        grid_.blocks.x = most_blocks_;
    }
    running_machine = this;
    running_.kernel = launch.name;
    running_.launch = static_cast<std::uint32_t>(all_launches.fetch_add(1) + 1);
    running_.parameters_begin = reinterpret_cast<std::uintptr_t>(launch.parameters.get());
    running_.parameters_end = running_.parameters_begin + launch.parameter_bytes;

    const std::uint64_t blocks = count_of(grid_.blocks);
    std::vector<std::uint32_t> order(blocks);
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = static_cast<std::uint32_t>(i);
    }
    std::shuffle(order.begin(), order.end(), random_);
    threads_.resize(threads);
    used_ = 0;
    released(&begin_);
    for (const std::uint32_t block : order) {
        run_block(block);
    }
    acquired(&end_);
    all_blocks.fetch_add(blocks);
    all_threads.fetch_add(blocks * threads);
    running_machine = nullptr;
    launch_ = nullptr;
}

void Machine::run_block(std::uint64_t number) {
    block_ = index_of(number, grid_.blocks);
    running_.block = static_cast<std::uint32_t>(number);
    running_.phase = 0;
    running_.shared_variables = 0;
    variables_.clear();
    shared_bytes_ = 0;
    if (!kThreadSanitizer) {
        forbid(arena_, used_);
        used_ = 0;
    } else if (used_ + kSharedLimit + 16 * kGap > kArenaBytes) {
        // Only here are later blocks ordered after earlier ones: the memory is used again.
        acquired(&end_);
        released(&begin_);
        used_ = 0;
    }
    if (kThreadSanitizer) {
        met_[0] = take_from_arena(8);
        met_[1] = take_from_arena(8);
        set_ = 1 - set_;
        std::shuffle(fibers_[set_].begin(), fibers_[set_].end(), random_);
    }
    std::vector<std::size_t> order(threads_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
        threads_[i] = {nullptr, index_of(i, grid_.threads), kRunning};
    }
    for (bool first = true; !order.empty(); first = false) {
        std::shuffle(order.begin(), order.end(), random_);
        for (std::size_t position = 0; position < order.size(); ++position) {
            const std::size_t thread = order[position];
            if (first) {
                // Without the thread sanitizer, a thread that ends leaves its fiber to the next one.
                threads_[thread].fiber = fiber_for(position);
            }
            enter(thread);
        }
        const std::size_t before = order.size();
        std::erase_if(order, [&](std::size_t thread) { return threads_[thread].line == kEnded; });
        if (!order.empty()) {
            if (order.size() != before) {
                stop("divergent barrier in " + std::string(launch_->name) + ": " + std::to_string(order.size()) +
                     " threads of block " + name_of(block_) + " wait at line " +
                     std::to_string(threads_[order[0]].line) + ", and " + std::to_string(before - order.size()) +
                     " have ended without it");
            }
            check_barrier(order);
        }
    }
}

void Machine::check_barrier(const std::vector<std::size_t>& order) {
    const int line = threads_[order[0]].line;
    for (const std::size_t thread : order) {
        if (threads_[thread].line != line) {
            stop("divergent barrier in " + std::string(launch_->name) + ": thread " +
                 name_of(threads_[order[0]].index) + " of block " + name_of(block_) + " waits at line " +
                 std::to_string(line) + ", and thread " + name_of(threads_[thread].index) + " at line " +
                 std::to_string(threads_[thread].line));
        }
    }
    all_barriers.fetch_add(1);
    if (++running_.phase > kMostPhases) {
        stop(std::string(launch_->name) + " does not end: block " + name_of(block_) + " has passed " +
             std::to_string(kMostPhases) + " barriers, the last one at line " + std::to_string(line));
    }
}

// The fiber for the position-th thread of a block that begins.
Fiber* Machine::fiber_for(std::size_t position) {
    if (kThreadSanitizer) {
        if (position == fibers_[set_].size()) {
            fibers_[set_].push_back(take_fiber());
        }
        return fibers_[set_][position];
    }
    if (free_.empty()) {
        fibers_[0].push_back(take_fiber());
        return fibers_[0].back();
    }
    Fiber* fiber = free_.back();
    free_.pop_back();
    return fiber;
}

void Machine::enter(std::size_t thread) {
    Thread& entered = threads_[thread];
    current_ = thread;
    running_.thread = static_cast<std::uint32_t>(thread);
    running_.stack_begin = entered.fiber->stack_begin();
    running_.stack_end = entered.fiber->stack_end();
    set_running(&running_);
    if (entered.line == kRunning) {
        entered.fiber->start(thread_body, this);
    } else {
        entered.line = kRunning;
        entered.fiber->resume();
    }
    set_running(nullptr);
    if (entered.fiber->returned()) {
        entered.line = kEnded;
        if (!kThreadSanitizer) {
            free_.push_back(entered.fiber);
        }
    }
}

void Machine::thread_body(void* machine) {
    auto& self = *static_cast<Machine*>(machine);
    acquired(&self.begin_);
    self.launch_->thread(self.launch_->parameters.get());
    released(&self.end_);
}

void Machine::barrier(int line) {
    Thread& waiting = threads_[current_];
    char* token = met_[running_.phase % 2];
    waiting.line = line;
    released(token);
    waiting.fiber->leave();
    acquired(token);
}

char* Machine::take_from_arena(std::size_t bytes) {
    char* taken = arena_ + used_;
    used_ += (bytes + kGap - 1) / kGap * kGap + kGap;
    return taken;
}

void* Machine::shared_memory(const SharedVariable& variable, std::size_t bytes) {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        if (variables_[i] == &variable) {
            return reinterpret_cast<void*>(running_.shared_begin[i]);
        }
    }
    shared_bytes_ += bytes;
    if (shared_bytes_ > kSharedLimit || variables_.size() == std::size(running_.shared_begin)) {
        stop(std::string(launch_->name) + " uses " + std::to_string(shared_bytes_) + " bytes of shared memory in " +
             std::to_string(variables_.size() + 1) + " variables");
    }
    auto* data = reinterpret_cast<volatile unsigned char*>(take_from_arena(bytes));
#if defined(HEADWAY_SIMT_ADDRESS_SANITIZER)
    __asan_unpoison_memory_region(data, bytes);
#endif
    for (std::size_t i = 0; i < bytes; ++i) {
        data[i] = 0xff;  // undefined at first; this is NaN
    }
    const std::size_t at = variables_.size();
    variables_.push_back(&variable);
    running_.shared_begin[at] = reinterpret_cast<std::uintptr_t>(data);
    running_.shared_end[at] = running_.shared_begin[at] + bytes;
    running_.shared_variables = static_cast<int>(at + 1);
    return reinterpret_cast<void*>(running_.shared_begin[at]);
}

}  // namespace

void run(const Launch& launch) {
    machine().run(launch);
}
void limit_blocks(unsigned most) {
    machine().limit_blocks(most);
}
void set_seed(std::uint64_t seed) {
    machine().seed(seed);
}
Counts counts() {
    return {all_launches.load(), all_blocks.load(), all_threads.load(), all_barriers.load()};
}
void stop(const std::string& what) {
    std::fprintf(stderr, "simt: %s\n", what.c_str());
    std::fflush(stderr);
    _exit(66);
}

uint3 thread_index() {
    return running_machine->thread().index;
}
uint3 block_index() {
    return running_machine->block();
}
dim3 block_size() {
    return running_machine->grid().threads;
}
dim3 grid_size() {
    return running_machine->grid().blocks;
}
void barrier(int line) {
    running_machine->barrier(line);
}
void* shared_memory(const SharedVariable& variable, std::size_t bytes) {
    return running_machine->shared_memory(variable, bytes);
}
bool mutated(int number) {
    return number == chosen_mutant;
}

}  // namespace headway::simt
