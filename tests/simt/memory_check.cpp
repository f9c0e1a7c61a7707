// Compiled without sanitizers; without them the kernels' accesses arrive here.
#include "tests/simt/memory_check.h"

#include <dlfcn.h>

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "tests/simt/gpu.h"

namespace headway::simt {

namespace {

constexpr std::uint32_t kMany = 0xffffffff;  // threads or blocks
constexpr std::size_t kUnit = 4;             // bytes of a cell
constexpr std::size_t kCells = 1024;         // of a page
constexpr std::size_t kMostPages = 4096;     // then all are forgotten at the next launch

constexpr std::size_t kNear = 64;  // bytes: a report names memory at this distance

// Who touched a unit of memory last.
struct Access {
    std::uint32_t launch = 0, block = 0, thread = 0, phase = 0;
};
struct Cell {
    Access write, read;
};
struct Page {
    Cell cells[kCells];
};

struct Allocation {
    std::uintptr_t begin = 0, end = 0;
};

std::mutex& memory_mutex = *new std::mutex;
std::map<std::uintptr_t, std::uintptr_t>& device_memory = *new std::map<std::uintptr_t, std::uintptr_t>;

struct Checker {
    const Running* running = nullptr;
    std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages;
    std::uintptr_t last_number[4] = {~std::uintptr_t{0}, ~std::uintptr_t{0}, ~std::uintptr_t{0}, ~std::uintptr_t{0}};
    Page* last_page[4] = {};
    Allocation recent[4];  // of device memory, in this launch
    int next = 0;
    std::uint32_t launch = 0;
};
thread_local Checker checker;

std::string thread_name(const Running& r) {
    return "thread " + std::to_string(r.thread) + " of block " + std::to_string(r.block);
}
std::string thread_name(const Access& a) {
    return (a.thread == kMany ? "several threads" : "thread " + std::to_string(a.thread)) +
           (a.block == kMany ? " of several blocks" : " of block " + std::to_string(a.block));
}

// "kernels.cu:215", where the tool that knows is installed.
std::string place_of(const void* address) {
    Dl_info info{};
    if (dladdr(address, &info) == 0) {
        return "an unknown place";
    }
    const auto offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(info.dli_fbase) - 1;
    char command[512];
    std::snprintf(command, sizeof command, "addr2line -s -e '%s' 0x%lx 2>/dev/null", info.dli_fname,
                  static_cast<unsigned long>(offset));
    std::string line;
    if (FILE* tool = popen(command, "r")) {
        char text[256] = {};
        if (std::fgets(text, sizeof text, tool) != nullptr) {
            line = text;
        }
        pclose(tool);
    }
    line = line.substr(0, line.find_first_of("\n "));
    return line.empty() || line.starts_with("?") ? "an unknown place" : line;
}

[[noreturn]] void report(const std::string& what, const void* place) {
    const Running& r = *checker.running;
    checker.running = nullptr;
    stop(what + ", in " + r.kernel + " at " + place_of(place));
}

std::string bytes(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

// Where an address is that a kernel must not use.
std::string description_of(std::uintptr_t at) {
    const Running& r = *checker.running;
    for (int i = 0; i < r.shared_variables; ++i) {
        if (at >= r.shared_end[i] && at < r.shared_end[i] + kNear) {
            return bytes(at - r.shared_end[i]) + " after a shared variable of " +
                   bytes(r.shared_end[i] - r.shared_begin[i]);
        }
    }
    const std::lock_guard lock(memory_mutex);
    auto after = device_memory.upper_bound(at);
    if (after != device_memory.begin()) {
        const auto before = std::prev(after);
        if (at - before->second < kNear) {
            return bytes(at - before->second) + " after device memory of " + bytes(before->second - before->first);
        }
    }
    if (after != device_memory.end() && after->first - at < kNear) {
        return bytes(after->first - at) + " before device memory of " + bytes(after->second - after->first);
    }
    return "in no device memory, shared memory or stack of its own";
}

bool in_device_memory(std::uintptr_t at, std::size_t size) {
    for (const Allocation& known : checker.recent) {
        if (at >= known.begin && at + size <= known.end) {
            return true;
        }
    }
    const std::lock_guard lock(memory_mutex);
    auto after = device_memory.upper_bound(at);
    if (after == device_memory.begin()) {
        return false;
    }
    const auto found = std::prev(after);
    if (at + size > found->second) {
        return false;
    }
    checker.recent[checker.next++ % 4] = {found->first, found->second};
    return true;
}

Cell& cell_of(std::uintptr_t unit) {
    const std::uintptr_t number = unit / kCells;
    const auto slot = number % 4;
    if (checker.last_number[slot] != number) {
        auto& page = checker.pages[number];
        if (page == nullptr) {
            page = std::make_unique<Page>();
        }
        checker.last_number[slot] = number;
        checker.last_page[slot] = page.get();
    }
    return checker.last_page[slot]->cells[unit % kCells];
}

// Whether an earlier access of this launch is ordered before one of the running thread.
bool ordered(const Access& earlier, const Running& r) {
    return earlier.launch != r.launch ||
           (earlier.block == r.block && (earlier.thread == r.thread || earlier.phase < r.phase));
}

[[maybe_unused]] void check(const void* pointer, std::size_t size, bool writes, const void* place) {
    if (checker.running == nullptr) {
        return;  // the launching code
    }
    const Running& r = *checker.running;
    const auto at = reinterpret_cast<std::uintptr_t>(pointer);
    if (at >= r.stack_begin && at < r.stack_end) {
        return;
    }
    if (at >= r.parameters_begin && at + size <= r.parameters_end && !writes) {
        return;
    }
    const char* verb = writes ? " writes " : " reads ";
    const bool shared = at >= r.arena_begin && at < r.arena_end;
    bool allowed = false;
    if (shared) {
        for (int i = 0; i < r.shared_variables; ++i) {
            allowed |= at >= r.shared_begin[i] && at + size <= r.shared_end[i];
        }
    } else {
        allowed = in_device_memory(at, size);
    }
    if (!allowed) {
        report("memory: " + thread_name(r) + verb + bytes(size) + " " + description_of(at), place);
    }
    for (std::uintptr_t unit = at / kUnit; unit <= (at + size - 1) / kUnit; ++unit) {
        Cell& cell = cell_of(unit);
        if (shared && (cell.write.launch != r.launch || cell.write.block != r.block)) {
            if (!writes) {
                report("memory: " + thread_name(r) + " reads shared memory that its block has not written", place);
            }
            cell = {};  // of an earlier block
        }
        if (!ordered(cell.write, r)) {
            report("race: " + thread_name(r) + verb + bytes(size) + " that " + thread_name(cell.write) + " wrote",
                   place);
        }
        const Access now{r.launch, r.block, r.thread, r.phase};
        if (writes) {
            if (!ordered(cell.read, r)) {
                report("race: " + thread_name(r) + verb + bytes(size) + " that " + thread_name(cell.read) + " read",
                       place);
            }
            cell.write = now;
        } else if (cell.read.launch != r.launch) {
            cell.read = now;
        } else if (cell.read.block != r.block) {
            cell.read.block = kMany;
            cell.read.thread = kMany;
        } else if (cell.read.phase != r.phase) {
            cell.read = now;
        } else if (cell.read.thread != r.thread) {
            cell.read.thread = kMany;
        }
    }
}

}  // namespace

void add_device_memory(const void* data, std::size_t bytes) {
    const std::lock_guard lock(memory_mutex);
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    device_memory[begin] = begin + bytes;
}

void remove_device_memory(const void* data) {
    const std::lock_guard lock(memory_mutex);
    device_memory.erase(reinterpret_cast<std::uintptr_t>(data));
}

void set_running(const Running* running) {
    checker.running = running;
    if (running != nullptr && running->launch != checker.launch) {
        checker.launch = running->launch;
        for (Allocation& known : checker.recent) {
            known = {};
        }
        if (checker.pages.size() > kMostPages) {
            checker.pages.clear();
            for (auto& number : checker.last_number) {
                number = ~std::uintptr_t{0};
            }
        }
    }
}

}  // namespace headway::simt

// What the compiler calls before each access. With the thread sanitizer linked, its own functions are called instead.
#if !defined(HEADWAY_SIMT_ADDRESS_SANITIZER) && !defined(HEADWAY_SIMT_THREAD_SANITIZER)
#pragma GCC visibility push(hidden)
extern "C" {

#define HEADWAY_ACCESS(size)                                                \
    void __tsan_read##size(void* at) {                                      \
        headway::simt::check(at, size, false, __builtin_return_address(0)); \
    }                                                                       \
    void __tsan_write##size(void* at) {                                     \
        headway::simt::check(at, size, true, __builtin_return_address(0));  \
    }
HEADWAY_ACCESS(1)
HEADWAY_ACCESS(2)
HEADWAY_ACCESS(4)
HEADWAY_ACCESS(8)
HEADWAY_ACCESS(16)
#undef HEADWAY_ACCESS
void __tsan_read_range(void* at, std::size_t size) {
    headway::simt::check(at, size, false, __builtin_return_address(0));
}
void __tsan_write_range(void* at, std::size_t size) {
    headway::simt::check(at, size, true, __builtin_return_address(0));
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
}
#pragma GCC visibility pop
#endif
