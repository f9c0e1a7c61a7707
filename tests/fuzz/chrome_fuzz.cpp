// Chrome traces: any input gives a run, with notes, or a one-sentence error. A run that was read is written and read
// again, and must be unchanged.
#include <cstdint>
#include <string>

#include "app/exchange/chrome/chrome_reader.h"
#include "app/exchange/chrome/chrome_writer.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/views.h"

namespace {

using namespace headway;

std::string exported(const model::Run& run) {
    std::string text;
    static_cast<void>(exchange::write_chrome_trace(run, [&](std::string_view bytes) {
        text += bytes;
        return true;
    }));
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto first = exchange::read_chrome_trace({reinterpret_cast<const char*>(data), size}, "t.json");
    if (!first) {
        require(first.error().message.find("t.json") != std::string::npos);
        return 0;
    }
    const model::Run& run = *first.value().run;
    for (const auto& lane : run.lanes()) {
        for (const core::OpId op : lane.ops) {
            require(op >= 1 && op <= run.op_count() && run.op(op).begin_ns <= run.op(op).end_ns);
        }
    }
    fuzz::view(run, {data, size});
    const auto second = exchange::read_chrome_trace(exported(run), "t.json");
    require(second.has_value() && second.value().own && second.value().run->op_count() == run.op_count());
    require(second.value().run->waits().size() == run.waits().size());
    return 0;
}
