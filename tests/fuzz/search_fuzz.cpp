// Queries: any words give a query or a one-sentence error; the hits of a query exist in the run, match and are sorted.
#include <cstdint>
#include <memory>
#include <string>

#include "app/exchange/chrome/chrome_reader.h"
#include "app/model/analysis/search.h"
#include "tests/fuzz/require.h"

namespace {

using namespace headway;

// Ops of several names and lengths on two threads, and waits for a GPU.
const model::Run& some_run() {
    static const auto read = [] {
        std::string events;
        for (int i = 0; i < 40; ++i) {
            const std::string at = std::to_string(100 * i);
            const std::string thread = std::to_string(1 + i % 2);
            const std::string name = i % 7 == 0 ? "cudaDeviceSynchronize" : i % 3 == 0 ? "aten::matmul" : "aten::add_";
            events += R"({"ph":"X","cat":"cpu_op","pid":1,"tid":)" + thread + R"(,"ts":)" + at + R"(,"dur":)" +
                      std::to_string(1 + i * i) + R"(,"name":")" + name + R"("},)";
        }
        events.pop_back();
        return exchange::read_chrome_trace("[" + events + "]", "t.json");
    }();
    require(read.has_value());
    return *read.value().run;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto query = model::parse_query({reinterpret_cast<const char*>(data), size});
    if (!query) {
        const std::string& message = query.error().message;
        require(!message.empty() && message.find('\n') == std::string::npos);
        return 0;
    }
    constexpr std::size_t kLimit = 10;
    const model::Run& run = some_run();
    std::size_t count = 0;
    const auto found = model::search(run, *query, kLimit, &count);
    require(found.size() <= kLimit && count >= found.size() && (count == found.size() || found.size() == kLimit));
    require(!query->empty() || found.empty());
    for (std::size_t i = 0; i < found.size(); ++i) {
        require(i == 0 || found[i - 1].ns <= found[i].ns);
        const bool is_op = found[i].op != 0;
        require(is_op ? query->ops && found[i].op <= run.op_count()
                      : query->waits && found[i].wait >= 0 &&
                            static_cast<std::size_t>(found[i].wait) < run.waits().size());
        require(!is_op || query->op == 0 || found[i].op == query->op);
        require(!is_op || !query->lane || run.op(found[i].op).lane == *query->lane);
    }
    return 0;
}
