// The command line: any words give a command or a one-sentence error. Accepted options are within their limits.
#include <cstdint>
#include <string>
#include <vector>

#include "app/runner/command_line/command_line.h"
#include "engine/trace/barrier_names.h"
#include "tests/fuzz/require.h"

namespace {

void check(const headway::runner::RunOptions& options) {
    require(options.workers >= 1 && options.streams >= 1);
    require(options.budget <= std::uint64_t{1} << 62);
    for (const auto& [name, value] : options.set) {
        require(!name.empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace headway::runner;
    namespace trace = headway::trace;
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const auto bytes = parse_bytes(text, "--budget"); bytes) {
        require(*bytes > 0 && *bytes <= std::uint64_t{1} << 62);
    }
    if (const auto barrier = trace::barrier_called(text); barrier) {
        const auto again = trace::barrier_called(trace::word_of(*barrier));
        require(again && *again == *barrier);
    }
    const auto words = split_options(text);
    if (!words) {
        require(!words.error().message.empty());
        return 0;
    }
    const auto line = parse_command_line(*words);
    if (!line) {
        require(!line.error().message.empty());
        return 0;
    }
    check(line->run);
    check(line->compare.a);
    check(line->compare.b);
    return 0;
}
