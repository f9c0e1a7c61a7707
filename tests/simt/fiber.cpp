// Compiled without sanitizers: the fields of a fiber are read on both sides of a change.
#include "tests/simt/fiber.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

#if defined(HEADWAY_SIMT_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(HEADWAY_SIMT_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace headway::simt {

#if defined(__x86_64__)

// Saves the registers that a call preserves, and continues where `to` was saved. ucontext would make two system calls
// for each change.
extern "C" void headway_simt_change(void** from, void* to);
asm(R"(
.text
.hidden headway_simt_change
.type headway_simt_change, @function
headway_simt_change:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size headway_simt_change, .-headway_simt_change

# The first address that a new fiber returns to: %rbx is the function, %r12 its argument.
.hidden headway_simt_first
.type headway_simt_first, @function
headway_simt_first:
    movq %r12, %rdi
    callq *%rbx
    ud2
.size headway_simt_first, .-headway_simt_first
)");
extern "C" void headway_simt_first();

namespace {

void change(void** from, void** to) {
    headway_simt_change(from, *to);
}

void* first_context(char* stack, std::size_t bytes, void (*body)(Fiber*), Fiber* self) {
    auto** top = reinterpret_cast<void**>(stack + bytes);
    *--top = nullptr;  // the end of the stack for a debugger; twice, so that it stays aligned
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(headway_simt_first);
    *--top = nullptr;                        // rbp
    *--top = reinterpret_cast<void*>(body);  // rbx
    *--top = self;                           // r12
    for (int i = 0; i < 3; ++i) {
        *--top = nullptr;  // r13, r14, r15
    }
    return top;
}

void forget_context(void*) {}

}  // namespace

#else

namespace {

void change(void** from, void** to) {
    if (*from == nullptr) {
        *from = new ucontext_t;
    }
    swapcontext(static_cast<ucontext_t*>(*from), static_cast<ucontext_t*>(*to));
}

void enter_body(unsigned body_high, unsigned body_low, unsigned self_high, unsigned self_low) {
    const auto pointer = [](unsigned high, unsigned low) {
        return static_cast<std::uintptr_t>((std::uint64_t{high} << 32) | low);
    };
    reinterpret_cast<void (*)(Fiber*)>(pointer(body_high, body_low))(
        reinterpret_cast<Fiber*>(pointer(self_high, self_low)));
}

void* first_context(char* stack, std::size_t bytes, void (*body)(Fiber*), Fiber* self) {
    auto* made = new ucontext_t;
    getcontext(made);
    made->uc_stack.ss_sp = stack;
    made->uc_stack.ss_size = bytes;
    made->uc_link = nullptr;
    const auto b = std::uint64_t{reinterpret_cast<std::uintptr_t>(body)};
    const auto s = std::uint64_t{reinterpret_cast<std::uintptr_t>(self)};
    makecontext(made, reinterpret_cast<void (*)()>(enter_body), 4, static_cast<unsigned>(b >> 32),
                static_cast<unsigned>(b), static_cast<unsigned>(s >> 32), static_cast<unsigned>(s));
    return made;
}

void forget_context(void* context) {
    delete static_cast<ucontext_t*>(context);
}

}  // namespace

#endif

Fiber::Fiber() {
    void* mapped = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (mapped == MAP_FAILED) {
        std::perror("simt: no memory for the stack of a fiber");
        std::abort();
    }
    stack_ = static_cast<char*>(mapped);
#if defined(HEADWAY_SIMT_THREAD_SANITIZER)
    of_thread_sanitizer_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(HEADWAY_SIMT_THREAD_SANITIZER)
    __tsan_destroy_fiber(of_thread_sanitizer_);
#endif
    munmap(stack_, kStackBytes);
    forget_context(context_);
#if !defined(__x86_64__)
    forget_context(caller_);
#endif
}

void Fiber::start(Function function, void* argument) {
    function_ = function;
    argument_ = argument;
    forget_context(context_);
    context_ = first_context(stack_, kStackBytes, body, this);
    enter();
}

void Fiber::resume() {
    enter();
}

void Fiber::enter() {
#if defined(HEADWAY_SIMT_THREAD_SANITIZER)
    caller_of_thread_sanitizer_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(of_thread_sanitizer_, __tsan_switch_to_fiber_no_sync);
#endif
#if defined(HEADWAY_SIMT_ADDRESS_SANITIZER)
    __sanitizer_start_switch_fiber(&caller_fake_stack_, stack_, kStackBytes);
#endif
    change(&caller_, &context_);
#if defined(HEADWAY_SIMT_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(caller_fake_stack_, nullptr, nullptr);
#endif
}

void Fiber::go_back(bool for_good) {
    static_cast<void>(for_good);
#if defined(HEADWAY_SIMT_THREAD_SANITIZER)
    __tsan_switch_to_fiber(caller_of_thread_sanitizer_, __tsan_switch_to_fiber_no_sync);
#endif
#if defined(HEADWAY_SIMT_ADDRESS_SANITIZER)
    __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack_, caller_stack_, caller_stack_bytes_);
#endif
    change(&context_, &caller_);
#if defined(HEADWAY_SIMT_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(fake_stack_, &caller_stack_, &caller_stack_bytes_);
#endif
}

void Fiber::leave() {
    go_back(false);
}

void Fiber::body(Fiber* self) {
#if defined(HEADWAY_SIMT_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(nullptr, &self->caller_stack_, &self->caller_stack_bytes_);
#endif
    self->function_(self->argument_);
    self->function_ = nullptr;
    self->go_back(true);
    std::abort();  // a fiber that has returned was resumed
}

void released([[maybe_unused]] void* token) {
#if defined(HEADWAY_SIMT_THREAD_SANITIZER)
    __tsan_release(token);
#endif
}
void acquired([[maybe_unused]] void* token) {
#if defined(HEADWAY_SIMT_THREAD_SANITIZER)
    __tsan_acquire(token);
#endif
}

}  // namespace headway::simt
