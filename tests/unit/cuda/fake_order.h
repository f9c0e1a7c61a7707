// The order checker of the fake CUDA. Two accesses to the same bytes of device or page-locked memory, one of which
// writes, conflict. CUDA must order the later one after the earlier one: by the order of a stream, by events that a
// stream waits for, or because the host had waited for the first before it launched the second. Where it does not, the
// checker names both commands.
//
// It looks at commands when they are launched and compares vector clocks: what a stream or the host has waited for, not
// what has in fact run already. So a missing wait is found however the threads of the fake are scheduled. The one thing
// that depends on time is what the program itself learns by asking (cudaEventQuery); a test that needs to find the same
// each time holds the streams meanwhile.
//
// Host threads share one clock: what one of them has waited for, all are taken to know. Whether they tell each other is
// for the thread sanitizer to check, and so are accesses by the host itself and by host functions. A kernel is taken to
// access all of its op's operands.
//
// Threads: any, with the fake's mutex locked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headway::fake {

// How many commands of each stream, by the stream's number, are known to be done.
using Clock = std::vector<std::uint32_t>;
void join(Clock& clock, const Clock& other);

struct Access {
    const void* data = nullptr;
    std::size_t bytes = 0;
    bool writes = false;
};

class OrderCheck {
public:
    void add_memory(const void* data, std::size_t bytes);
    void remove_memory(const void* data);

    // The next command of the stream. Returns one sentence for each access that is not ordered.
    [[nodiscard]] std::vector<std::string> launched(int stream, const std::string& what,
                                                    const std::vector<Access>& accesses);
    // Returns false if the stream is already ordered after all of it.
    bool stream_waits(int stream, const Clock& event);
    [[nodiscard]] Clock of_stream(int stream);  // an event that is recorded now
    void host_knows(const Clock& event);
    void host_knows_stream(int stream);
    void host_knows_all();

private:
    struct Range {
        std::uintptr_t begin = 0, end = 0;
        [[nodiscard]] bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
        [[nodiscard]] bool contains(const Range& other) const { return begin <= other.begin && other.end <= end; }
    };
    struct Earlier {
        Range range;
        int stream = 0;
        std::uint32_t number = 0;  // of the command in its stream, from 1
        bool writes = false;
        std::string what;
    };
    struct Block {
        std::uintptr_t end = 0;
        std::vector<Earlier> accesses;  // those that a later one may conflict with
    };
    Clock& clock_of(int stream);

    std::map<std::uintptr_t, Block> blocks_;
    std::vector<Clock> streams_;
    Clock host_;
};

}  // namespace headway::fake
