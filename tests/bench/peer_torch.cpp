// libtorch on the CPU: an op runs on the calling thread, so issuing it takes as long as the whole.
#include <torch/torch.h>

#include "tests/bench/harness.h"

extern "C" void openblas_set_num_threads(int) __attribute__((weak));

namespace headway::bench {

int run(Harness& harness) {
    at::set_num_threads(1);
    if (openblas_set_num_threads != nullptr) {
        openblas_set_num_threads(1);
    }
    pin_to(frontend_core());
    const std::string peer = "libtorch";
    const std::string note = "synchronous";
    const auto x = torch::ones({2});

    const Body fresh = [&](Measure& measure, long n) {
        measure.begin();
        for (long i = 0; i < n; ++i) {
            auto y = x + 1;
            keep(&y);
        }
        measure.done();
    };
    harness.row(peer, "a10k", kSmall, fresh, note);
    harness.row(peer, "a1m", kLarge, fresh, note);
    harness.row(
        peer, "b", kLarge,
        [&](Measure& measure, long n) {
            auto z = x;
            measure.begin();
            for (long i = 0; i < n; ++i) {
                z = z + 1;
            }
            measure.done();
        },
        note);
    harness.row(peer, "d", kSmall, fresh, note);
    harness.row(
        peer, "e_sync", kProducts,
        [](Measure& measure, long n) {
            measure.begin();
            for (long i = 0; i < n; ++i) {
                auto p = torch::randn({1000, 1000});
                auto q = torch::mm(p, p);
                keep(&q);
            }
            measure.done();
        },
        note + "; its own randn");
    harness.row(
        peer, "f", kIdleOps,
        [&](Measure& measure, long n) {
            double whole = 0;
            for (long i = 0; i < n; ++i) {
                sleep_us(2000);
                const auto begin = now_ns();
                auto y = x + 1;
                whole += static_cast<double>(now_ns() - begin);
            }
            measure.set_totals(whole, whole);
        },
        note);
    return 0;
}

}  // namespace headway::bench
