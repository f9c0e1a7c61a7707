// y = x + 1, repeated: the cost of one op, with a wait after each one or one wait at the end.
#include "app/runner/programs/program.h"

namespace headway::runner {
namespace {

class Increment final : public Program {
public:
    std::string name() const override { return "increment"; }
    std::string title() const override { return "y = x + 1, many times"; }
    std::vector<lesson::Parameter> parameters() const override {
        return {
            {"n", "Steps", "How many times y = x + 1 is issued", "10000", 1, 1'000'000'000, true, {}},
            {"wait", "Wait", "After every step, or once when all are issued", "once", 0, 0, true, {"once", "each"}},
            {"size", "Elements of x", "Larger tensors make each step longer", "2", 1, 1'000'000, true, {}},
        };
    }

    void run(ProgramContext& context) const override {
        auto& rt = context.runtime();
        const auto n = context.whole("n");
        const bool wait_each = context.word("wait") == "each";

        // Warm-up: allocates x and the memory for y.
        runtime::Tensor x = at_line(rt).ones({1, context.whole("size")});
        (x + 1.0f).wait_to_read();
        at_line(rt).waitall();

        rt.events.measure_begin();
        const auto begin_ns = context.now_ns();
        rt.events.scope_begin(wait_each ? "wait each time" : "wait once");
        for (std::int64_t i = 0; i < n; ++i) {
            const runtime::Tensor y = x + 1.0f;
            if (wait_each) {
                at_line(rt).waits.to_read(y);
            }
        }
        const auto issued_ns = context.now_ns();
        if (!wait_each) {
            at_line(rt).waitall();
        }
        rt.events.scope_end(wait_each ? "wait each time" : "wait once");
        const auto done_ns = context.now_ns();
        rt.events.measure_end();

        context.printf("%lld %s, waiting %s: issued after %s, finished after %s", static_cast<long long>(n),
                       n == 1 ? "step" : "steps",
                       wait_each ? "for each" : "once", time_text(issued_ns - begin_ns).c_str(),
                       time_text(done_ns - begin_ns).c_str());
    }
};

}  // namespace

std::unique_ptr<Program> make_increment() {
    return std::make_unique<Increment>();
}

}  // namespace headway::runner
