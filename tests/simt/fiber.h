// A function with a stack of its own, which one thread of the operating system enters and leaves at will.
//
// Each change from one fiber to another is announced to the address and thread sanitizers. The thread sanitizer sees each
// fiber as a thread, so what two fibers do is unordered unless released() and acquired() order it.
//
// Threads: one fiber is used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headway::simt {

class Fiber {
public:
    using Function = void (*)(void* argument);

    Fiber();
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // Runs `function` until it leaves or returns. Only if the last function has returned.
    void start(Function function, void* argument);
    // Continues after leave().
    void resume();
    // From inside: back to the caller of start() or resume().
    void leave();
    [[nodiscard]] bool returned() const { return function_ == nullptr; }

    [[nodiscard]] std::uintptr_t stack_begin() const { return reinterpret_cast<std::uintptr_t>(stack_); }
    [[nodiscard]] std::uintptr_t stack_end() const { return stack_begin() + kStackBytes; }

    static constexpr std::size_t kStackBytes = std::size_t{256} << 10;

private:
    static void body(Fiber* self);
    void enter();
    void go_back(bool for_good);

    char* stack_ = nullptr;
    Function function_ = nullptr;
    void* argument_ = nullptr;
    void* context_ = nullptr;  // where this fiber, or its caller, continues
    void* caller_ = nullptr;
    [[maybe_unused]] void* of_thread_sanitizer_ = nullptr;
    [[maybe_unused]] void* caller_of_thread_sanitizer_ = nullptr;
    void* fake_stack_ = nullptr;
    void* caller_fake_stack_ = nullptr;
    const void* caller_stack_ = nullptr;
    std::size_t caller_stack_bytes_ = 0;
};

// For the thread sanitizer: what came before released(token) precedes what comes after acquired(token).
void released(void* token);
void acquired(void* token);

}  // namespace headway::simt
