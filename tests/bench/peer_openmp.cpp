// GCC's OpenMP tasks with depend: the frontend is the thread of `single`, one more thread works. Beyond 64 waiting
// tasks a thread the frontend runs tasks itself.
#include <omp.h>

#include "tests/bench/bench_kernels.h"
#include "tests/bench/harness.h"

namespace headway::bench {
namespace {

float input[2] = {1, 1};

// Issues in a team of two threads and waits for all tasks.
template <class Issue>
void in_team(Measure& measure, Issue issue) {
#pragma omp parallel num_threads(2)
    {
        pin_to(omp_get_thread_num() == 0 ? frontend_core() : worker_core());
#pragma omp barrier
#pragma omp master
        {
            measure.begin();
            issue();
            measure.issued();
#pragma omp taskwait
            measure.done();
        }
#pragma omp barrier
    }
}

void fresh(Measure& measure, long n) {
    in_team(measure, [n] {
        float* x = input;
        for (long i = 0; i < n; ++i) {
            float* y = new_floats(2);
#pragma omp task firstprivate(x, y) depend(in : x[0]) depend(out : y[0])
            {
                add_one(x, y);
                std::free(y);
            }
        }
    });
}

void chain(Measure& measure, long n) {
    in_team(measure, [n] {
        float* x = input;
        for (long i = 0; i < n; ++i) {
#pragma omp task firstprivate(x) depend(inout : x[0])
            add_one(x, x);
        }
    });
}

void empty(Measure& measure, long n) {
    in_team(measure, [n] {
        for (long i = 0; i < n; ++i) {
#pragma omp task
            nothing();
        }
    });
}

void wait_each(Measure& measure, long n) {
    in_team(measure, [n] {
        float* x = input;
        for (long i = 0; i < n; ++i) {
            float* y = new_floats(2);
#pragma omp task firstprivate(x, y) depend(in : x[0]) depend(out : y[0])
            add_one(x, y);
#pragma omp taskwait
            std::free(y);
        }
    });
}

template <bool Sync>
void products(Measure& measure, long n) {
    in_team(measure, [n] {
        for (long i = 0; i < n; ++i) {
            float* p = new_floats(kSquare);
            float* q = new_floats(kSquare);
#pragma omp task firstprivate(p, i) depend(out : p[0])
            fill_random(p, i);
#pragma omp task firstprivate(p, q) depend(in : p[0]) depend(out : q[0])
            {
                multiply(p, q);
                std::free(p);
                std::free(q);
            }
            if (Sync) {
#pragma omp taskwait
            }
        }
    });
}

void after_idle(Measure& measure, long n) {
    double issue = 0, whole = 0;
#pragma omp parallel num_threads(2)
    {
        pin_to(omp_get_thread_num() == 0 ? frontend_core() : worker_core());
#pragma omp barrier
#pragma omp master
        for (long i = 0; i < n; ++i) {
            float* x = input;
            sleep_us(2000);
            const auto begin = now_ns();
#pragma omp task firstprivate(x) depend(inout : x[0])
            add_one(x, x);
            const auto issued = now_ns();
#pragma omp taskwait
            whole += static_cast<double>(now_ns() - begin);
            issue += static_cast<double>(issued - begin);
        }
#pragma omp barrier
    }
    measure.set_totals(issue, whole);
}

}  // namespace

int run(Harness& harness) {
    devices::kernels::use_one_blas_thread();
    const std::string peer = "GCC OpenMP";
    const std::string throttled = "past 128 tasks the frontend works too";
    harness.row(peer, "a10k", kSmall, fresh, throttled);
    harness.row(peer, "a1m", kLarge, fresh, throttled);
    harness.row(peer, "b", kLarge, chain, throttled);
    harness.row(peer, "c", kLarge, empty, "no depend");
    harness.row(peer, "d", kSmall, wait_each, "the waiter may run the task");
    harness.row(peer, "e_sync", kProducts, products<true>);
    harness.row(peer, "e_async", kProducts, products<false>, "both threads work");
    harness.row(peer, "f", kIdleOps, after_idle, "the waiter may run the task");
    return 0;
}

}  // namespace headway::bench
