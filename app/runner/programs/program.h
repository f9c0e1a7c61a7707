// A program on the C++ frontend: it issues ops, marks its minibatches and scopes, and prints.
//
// Threads: run() is called on the frontend thread and uses the context there only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/lesson/parameter.h"
#include "engine/runtime/runtime.h"

namespace headway::runner {

// What a program may touch while it runs.
class ProgramContext {
public:
    ProgramContext(runtime::Runtime& runtime, const std::map<std::string, std::string>& parameters)
        : runtime_(runtime), parameters_(parameters) {}
    virtual ~ProgramContext() = default;
    ProgramContext(const ProgramContext&) = delete;
    ProgramContext& operator=(const ProgramContext&) = delete;

    [[nodiscard]] runtime::Runtime& runtime() { return runtime_; }

    // Parameters, checked against the program's list before the run.
    [[nodiscard]] std::int64_t whole(const std::string& name) const;
    [[nodiscard]] double number(const std::string& name) const;
    [[nodiscard]] const std::string& word(const std::string& name) const;

    // A line of the program's own output.
    virtual void print(std::string_view line) = 0;
    // Formats as printf does, then prints.
    [[gnu::format(printf, 2, 3)]] void printf(const char* format, ...);

    // What the program reports of itself, kept in the recording: one JSON object.
    virtual void set_result(const std::string& json) = 0;

    // The run's clock: it goes on in virtual time on a simulated device.
    [[nodiscard]] virtual std::int64_t now_ns() const = 0;
    // Memory as an operating system's tool would show it. On a simulated device: the live bytes.
    [[nodiscard]] virtual std::uint64_t memory_bytes() = 0;
    // What memory_bytes() counts: "resident memory of the process".
    [[nodiscard]] virtual const char* memory_words() = 0;

private:
    runtime::Runtime& runtime_;
    const std::map<std::string, std::string>& parameters_;
};

class Program {
public:
    virtual ~Program() = default;

    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual std::string title() const = 0;
    [[nodiscard]] virtual std::string frontend() const { return "C++"; }  // the language that issues
    [[nodiscard]] virtual std::vector<lesson::Parameter> parameters() const = 0;
    // The barrier at the minibatch marks that the program is written with; as_written for a program without marks.
    [[nodiscard]] virtual trace::BarrierPolicy written_barrier() const { return {}; }

    // Throws runtime::ProgramError when an op fails, and when the learner stops it.
    virtual void run(ProgramContext& context) const = 0;
};

// What is called on the result belongs to the caller's source line.
inline runtime::Runtime& at_line(runtime::Runtime& runtime,
                                 const core::SourceLocation& where = core::SourceLocation::current()) {
    runtime.set_line(runtime.line_of(where));
    return runtime;
}

// A time as programs print it, in three digits: "1.38 ms".
std::string time_text(std::int64_t ns);

// Those that are built in, in the order in which they are taught.
std::vector<std::unique_ptr<Program>> built_in_programs();

std::unique_ptr<Program> make_increment();
std::unique_ptr<Program> make_matmul();
std::unique_ptr<Program> make_train();

}  // namespace headway::runner
