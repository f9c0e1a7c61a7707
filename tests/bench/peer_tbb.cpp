// oneTBB's task_group, which has no dependences, and its flow graph. Two threads in all: the frontend joins the work
// while it waits.
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include "tests/bench/bench_kernels.h"
#include "tests/bench/harness.h"

namespace headway::bench {
namespace {

using tbb::flow::continue_msg;

class Pinner : public tbb::task_scheduler_observer {
public:
    Pinner() { observe(true); }
    ~Pinner() override { observe(false); }
    void on_scheduler_entry(bool worker) override { pin_to(worker ? worker_core() : frontend_core()); }
};

template <class Issue, class Wait>
void timed(Measure& measure, Issue issue, Wait wait) {
    measure.begin();
    issue();
    measure.issued();
    wait();
    measure.done();
}

void groups(Harness& harness, float* x) {
    const std::string peer = "oneTBB task_group";
    tbb::task_group group;
    const auto wait = [&] { group.wait(); };
    const Body fresh = [&](Measure& measure, long n) {
        timed(
            measure,
            [&] {
                for (long i = 0; i < n; ++i) {
                    float* y = new_floats(2);
                    group.run([x, y] {
                        add_one(x, y);
                        std::free(y);
                    });
                }
            },
            wait);
    };
    harness.row(peer, "a10k", kSmall, fresh, "no dependences");
    harness.row(peer, "a1m", kLarge, fresh, "no dependences");
    harness.row(peer, "c", kLarge, [&](Measure& measure, long n) {
        timed(
            measure,
            [&] {
                for (long i = 0; i < n; ++i) {
                    group.run([] { nothing(); });
                }
            },
            wait);
    });
    harness.row(
        peer, "d", kSmall,
        [&](Measure& measure, long n) {
            measure.begin();
            for (long i = 0; i < n; ++i) {
                float* y = new_floats(2);
                group.run([x, y] { add_one(x, y); });
                group.wait();
                std::free(y);
            }
            measure.done();
        },
        "the waiter runs the task");
    harness.row(
        peer, "f", kIdleOps,
        [&](Measure& measure, long n) {
            double issue = 0, whole = 0;
            for (long i = 0; i < n; ++i) {
                sleep_us(2000);
                const auto begin = now_ns();
                group.run([x] { add_one(x, x); });
                const auto issued = now_ns();
                group.wait();
                whole += static_cast<double>(now_ns() - begin);
                issue += static_cast<double>(issued - begin);
            }
            measure.set_totals(issue, whole);
        },
        "the waiter may run the task");
}

void flow_graphs(Harness& harness, float* x) {
    namespace flow = tbb::flow;
    const std::string peer = "oneTBB flow graph";
    flow::graph graph;
    const auto wait = [&] { graph.wait_for_all(); };

    flow::function_node<float*, continue_msg> add_node(graph, flow::unlimited, [x](float* y) {
        add_one(x, y);
        std::free(y);
        return continue_msg();
    });
    const Body fresh = [&](Measure& measure, long n) {
        timed(
            measure,
            [&] {
                for (long i = 0; i < n; ++i) {
                    add_node.try_put(new_floats(2));
                }
            },
            wait);
    };
    harness.row(peer, "a10k", kSmall, fresh, "function_node, unlimited");
    harness.row(peer, "a1m", kLarge, fresh, "function_node, unlimited");

    flow::function_node<float*, continue_msg> serial_node(graph, flow::serial, [](float* p) {
        add_one(p, p);
        return continue_msg();
    });
    harness.row(
        peer, "b", kLarge,
        [&](Measure& measure, long n) {
            timed(
                measure,
                [&] {
                    for (long i = 0; i < n; ++i) {
                        serial_node.try_put(x);
                    }
                },
                wait);
        },
        "serial function_node: a FIFO, not a dependence");

    flow::function_node<continue_msg, continue_msg> empty_node(graph, flow::unlimited, [](const continue_msg& message) {
        nothing();
        return message;
    });
    harness.row(peer, "c", kLarge, [&](Measure& measure, long n) {
        timed(
            measure,
            [&] {
                for (long i = 0; i < n; ++i) {
                    empty_node.try_put(continue_msg());
                }
            },
            wait);
    });
    harness.row(
        peer, "d", kSmall,
        [&](Measure& measure, long n) {
            measure.begin();
            for (long i = 0; i < n; ++i) {
                add_node.try_put(new_floats(2));
                graph.wait_for_all();
            }
            measure.done();
        },
        "the waiter may run the task");

    flow::function_node<long, float*> random_node(graph, flow::unlimited, [](long i) {
        float* p = new_floats(kSquare);
        fill_random(p, i);
        return p;
    });
    flow::function_node<float*, continue_msg> product_node(graph, flow::unlimited, [](float* p) {
        float* q = new_floats(kSquare);
        multiply(p, q);
        std::free(p);
        std::free(q);
        return continue_msg();
    });
    flow::make_edge(random_node, product_node);
    harness.row(peer, "e_sync", kProducts, [&](Measure& measure, long n) {
        measure.begin();
        for (long i = 0; i < n; ++i) {
            random_node.try_put(i);
            graph.wait_for_all();
        }
        measure.done();
    });
    harness.row(
        peer, "e_async", kProducts,
        [&](Measure& measure, long n) {
            timed(
                measure,
                [&] {
                    for (long i = 0; i < n; ++i) {
                        random_node.try_put(i);
                    }
                },
                wait);
        },
        "both threads work");
}

}  // namespace

int run(Harness& harness) {
    devices::kernels::use_one_blas_thread();
    [[maybe_unused]] const int threads =
        tbb::this_task_arena::max_concurrency();  // oneTBB reads the affinity mask once
    pin_to(frontend_core());
    tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
    Pinner pinner;
    static float x[2] = {1, 1};
    groups(harness, x);
    flow_graphs(harness, x);
    return 0;
}

}  // namespace headway::bench
