// StarPU: one CPU worker, the main thread submits. y is a fresh data handle, unregistered after its use. A task costs
// kilobytes here, so the long workloads have 100,000 ops.
#include <starpu.h>

#include "tests/bench/bench_kernels.h"
#include "tests/bench/harness.h"

namespace headway::bench {
namespace {

constexpr long kLong = 100'000;

float* floats(void* buffer) {
    return reinterpret_cast<float*>(STARPU_VECTOR_GET_PTR(buffer));
}

starpu_codelet codelet(void (*function)(void*[], void*), int buffers, starpu_data_access_mode mode0 = STARPU_R,
                       starpu_data_access_mode mode1 = STARPU_W) {
    starpu_codelet c;
    starpu_codelet_init(&c);
    c.where = STARPU_CPU;
    c.cpu_funcs[0] = function;
    c.nbuffers = buffers;
    c.modes[0] = mode0;
    c.modes[1] = mode1;
    return c;
}

starpu_codelet add_codelet = codelet([](void* b[], void*) { add_one(floats(b[0]), floats(b[1])); }, 2);
starpu_codelet increment_codelet = codelet([](void* b[], void*) { add_one(floats(b[0]), floats(b[0])); }, 1, STARPU_RW);
starpu_codelet empty_codelet = codelet([](void*[], void*) { nothing(); }, 0);
starpu_codelet random_codelet = codelet([](void* b[], void*) { fill_random(floats(b[0]), 1); }, 1, STARPU_W);
starpu_codelet product_codelet = codelet([](void* b[], void*) { multiply(floats(b[0]), floats(b[1])); }, 2);

starpu_data_handle_t fresh_handle(std::size_t n) {
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, -1, 0, static_cast<std::uint32_t>(n), sizeof(float));
    return handle;
}

template <class Issue>
void timed(Measure& measure, Issue issue) {
    measure.begin();
    issue();
    measure.issued();
    starpu_task_wait_for_all();
    measure.done();
}

void rows(Harness& harness, starpu_data_handle_t x) {
    const std::string peer = "StarPU";
    const Body fresh = [x](Measure& measure, long n) {
        timed(measure, [&] {
            for (long i = 0; i < n; ++i) {
                auto y = fresh_handle(2);
                starpu_task_insert(&add_codelet, STARPU_R, x, STARPU_W, y, 0);
                starpu_data_unregister_submit(y);
            }
        });
    };
    harness.row(peer, "a10k", kSmall, fresh);
    harness.row(peer, "a1m", kLong, fresh, "100,000 ops");
    harness.row(
        peer, "b", kLong,
        [x](Measure& measure, long n) {
            timed(measure, [&] {
                for (long i = 0; i < n; ++i) {
                    starpu_task_insert(&increment_codelet, STARPU_RW, x, 0);
                }
            });
        },
        "100,000 ops");
    harness.row(
        peer, "c", kLong,
        [](Measure& measure, long n) {
            timed(measure, [&] {
                for (long i = 0; i < n; ++i) {
                    starpu_task_insert(&empty_codelet, 0);
                }
            });
        },
        "100,000 ops");
    harness.row(peer, "d", kSmall, [x](Measure& measure, long n) {
        measure.begin();
        for (long i = 0; i < n; ++i) {
            auto y = fresh_handle(2);
            starpu_task_insert(&add_codelet, STARPU_R, x, STARPU_W, y, 0);
            starpu_data_acquire(y, STARPU_R);
            starpu_data_release(y);
            starpu_data_unregister_submit(y);
        }
        measure.done();
        starpu_task_wait_for_all();
    });
    const auto products = [](bool sync) {
        return [sync](Measure& measure, long n) {
            timed(measure, [&] {
                for (long i = 0; i < n; ++i) {
                    auto p = fresh_handle(kSquare);
                    auto q = fresh_handle(kSquare);
                    starpu_task_insert(&random_codelet, STARPU_W, p, 0);
                    starpu_task_insert(&product_codelet, STARPU_R, p, STARPU_W, q, 0);
                    starpu_data_unregister_submit(p);
                    if (sync) {
                        starpu_data_acquire(q, STARPU_R);
                        starpu_data_release(q);
                    }
                    starpu_data_unregister_submit(q);
                }
            });
        };
    };
    harness.row(peer, "e_sync", kProducts, products(true));
    harness.row(peer, "e_async", kProducts, products(false));
    harness.row(peer, "f", kIdleOps, [x](Measure& measure, long n) {
        double issue = 0, whole = 0;
        for (long i = 0; i < n; ++i) {
            sleep_us(2000);
            const auto begin = now_ns();
            starpu_task_insert(&increment_codelet, STARPU_RW, x, 0);
            const auto issued = now_ns();
            starpu_data_acquire(x, STARPU_R);
            whole += static_cast<double>(now_ns() - begin);
            issue += static_cast<double>(issued - begin);
            starpu_data_release(x);
        }
        measure.set_totals(issue, whole);
    });
}

}  // namespace

int run(Harness& harness) {
    if (harness.only_lists()) {
        rows(harness, nullptr);
        return 0;
    }
    devices::kernels::use_one_blas_thread();
    setenv("STARPU_SILENT", "1", 0);
    setenv("STARPU_WORKERS_CPUID", std::to_string(worker_core()).c_str(), 1);
    starpu_conf settings;
    starpu_conf_init(&settings);
    settings.ncpus = 1;
    settings.ncuda = 0;
    settings.nopencl = 0;
    if (starpu_init(&settings) != 0) {
        return 1;
    }
    pin_to(frontend_core());
    static float input[2] = {1, 1};
    starpu_data_handle_t x;
    starpu_vector_data_register(&x, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(input), 2, sizeof(float));
    rows(harness, x);
    starpu_data_unregister(x);
    starpu_shutdown();
    return 0;
}

}  // namespace headway::bench
