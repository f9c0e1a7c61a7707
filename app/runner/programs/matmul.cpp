// Random matrices, each multiplied with itself: one stopwatch for issuing, one for executing.
#include "app/runner/programs/program.h"

namespace headway::runner {
namespace {

class Matmul final : public Program {
public:
    std::string name() const override { return "matmul"; }
    std::string title() const override { return "Random matrices and their products"; }
    std::vector<lesson::Parameter> parameters() const override {
        return {
            {"reps", "Products", "How many matrices are made and multiplied", "10", 1, 1000, true, {}},
            {"size", "Rows and columns", "The matrices are square", "1000", 1, 8000, true, {}},
            {"wait", "Wait", "After every product, or once when all are issued", "once", 0, 0, true, {"once", "each"}},
        };
    }

    void run(ProgramContext& context) const override {
        auto& rt = context.runtime();
        const auto reps = context.whole("reps");
        const auto size = context.whole("size");
        const bool wait_each = context.word("wait") == "each";
        const auto product = [&] {
            const runtime::Tensor a = at_line(rt).randn({size, size});
            return at_line(rt).matmul(a, a);
        };

        product().wait_to_read();  // warm-up: wakes the workers and allocates memory

        rt.events.measure_begin();
        const auto begin_ns = context.now_ns();
        rt.events.scope_begin("products");
        for (std::int64_t i = 0; i < reps; ++i) {
            const runtime::Tensor b = product();
            if (wait_each) {
                b.wait_to_read();
            }
        }
        const auto issued_ns = context.now_ns();
        at_line(rt).waitall();
        rt.events.scope_end("products");
        const auto done_ns = context.now_ns();
        rt.events.measure_end();

        context.printf("issued:   %s", time_text(issued_ns - begin_ns).c_str());
        context.printf("finished: %s", time_text(done_ns - begin_ns).c_str());
    }
};

}  // namespace

std::unique_ptr<Program> make_matmul() {
    return std::make_unique<Matmul>();
}

}  // namespace headway::runner
