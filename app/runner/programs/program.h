// A program that uses the C++ frontend: it issues ops, delimits minibatches and scopes, and prints.
//
// Threads: run() is called on the frontend thread and uses the context there only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lesson/parameter.h"
#include "engine/runtime/runtime.h"

namespace headway::runner {

// The interface of a running program to its run.
class ProgramContext {
public:
    ProgramContext(runtime::Runtime& runtime, const std::map<std::string, std::string>& parameters)
        : runtime_(runtime), parameters_(parameters) {}
    virtual ~ProgramContext() = default;
    ProgramContext(const ProgramContext&) = delete;
    ProgramContext& operator=(const ProgramContext&) = delete;

    [[nodiscard]] runtime::Runtime& runtime() { return runtime_; }

    // Parameter values; they were checked against the program's list before the run.
    [[nodiscard]] std::int64_t whole(const std::string& name) const;
    [[nodiscard]] double number(const std::string& name) const;
    [[nodiscard]] const std::string& word(const std::string& name) const;

    // Prints a line to the program's output.
    virtual void print(std::string_view line) = 0;
    // Formats as printf does, then prints.
    [[gnu::format(printf, 2, 3)]] void printf(const char* format, ...);

    // Stores the program's results in the recording, as one JSON object.
    virtual void set_result(const std::string& json) = 0;

    // The program has run to its end, or to this error: its ops are waited for, and the recording is complete. What its
    // process does then (exit handlers, threads) has no effect on how the run ended. Without a call, the run ends when
    // run() returns.
    virtual void end(std::optional<core::Error> /*error*/) {}

    // The run's clock; in virtual time on a simulated device.
    [[nodiscard]] virtual std::int64_t now_ns() const = 0;
    // Memory use as the operating system reports it; on a simulated device, the live bytes.
    [[nodiscard]] virtual std::uint64_t memory_bytes() = 0;
    // Describes what memory_bytes() counts: "resident memory of the process".
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
    [[nodiscard]] virtual std::string frontend() const { return "C++"; }  // the frontend's language
    [[nodiscard]] virtual std::vector<lesson::Parameter> parameters() const = 0;
    // The barrier policy that the program is written with; as_written for a program without minibatches.
    [[nodiscard]] virtual trace::BarrierPolicy written_barrier() const { return {}; }

    // Throws runtime::ProgramError when an op fails or the user stops the run.
    virtual void run(ProgramContext& context) const = 0;
};

// Attributes ops issued through the result to the caller's source line.
inline runtime::Runtime& at_line(runtime::Runtime& runtime,
                                 const core::SourceLocation& where = core::SourceLocation::current()) {
    runtime.lines.set(runtime.lines.at(where));
    return runtime;
}

// A duration as programs print it, with three digits: "1.38 ms".
std::string time_text(std::int64_t ns);

// The built-in programs, in the order in which they are taught.
std::vector<std::unique_ptr<Program>> built_in_programs();

std::unique_ptr<Program> make_increment();
std::unique_ptr<Program> make_matmul();
std::unique_ptr<Program> make_train();

}  // namespace headway::runner
