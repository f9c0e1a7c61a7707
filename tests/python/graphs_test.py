"""tf.function: traced once, issued as one op; and the lessons on the fake CUDA device made of threads, if built."""

import os
import unittest

from running import main, run

FAKE = os.environ.get("HEADWAY_TEST_FAKE_CUDA")

STEP = """
import tensorflow as tf
traces = []
@tf.function
def step(a, b):
    traces.append(1)
    c = tf.matmul(a, b) + a
    return c, (tf.reduce_sum(c), "text")
a = tf.ones((2, 2))
b = tf.ones((2, 2)) * 2.0
"""


class Traced(unittest.TestCase):
    def test_a_call_is_one_op(self):
        for device in ("cpu", "simulated"):
            outcome = run(STEP + "for _ in range(5):\n    c, (s, t) = step(a, b)\nprint(c.numpy(), s.numpy(), t, len(traces))\n",
                          "--device", device)
            self.assertEqual(outcome.status, 0, outcome.err)
            self.assertEqual(outcome.out, "[[5. 5.]\n [5. 5.]] 20.0 text 1\n")
            self.assertEqual(outcome.report["ops"], 3 + 5 + (2 if device == "simulated" else 0))  # copies of numpy()
            self.assertEqual(outcome.report["parts"], 5 * 3)

    def test_other_shapes_or_arguments_are_traced_again(self):
        outcome = run(STEP + "step(a, b)\nstep(tf.ones((2, 2)), b)\nstep(tf.ones((1, 2)), b)\nprint(len(traces))\n")
        self.assertEqual(outcome.out, "2\n", outcome.err)
        text = ("import tensorflow as tf\n@tf.function\ndef f(a, up=True):\n    return a + 1.0 if up else a - 1.0\n"
                "a = tf.ones(2)\nprint(f(a).numpy(), f(a, up=False).numpy(), f(a, up=True).numpy())\n")
        self.assertEqual(run(text).out, "[2. 2.] [0. 0.] [2. 2.]\n")

    def test_reading_values_during_tracing_is_an_error_with_its_line(self):
        outcome = run("import tensorflow as tf\n@tf.function\ndef f(a):\n    return a * float(a)\nf(tf.ones(()))\n")
        self.assertEqual(outcome.status, 1)
        self.assertIn("while a function is traced", outcome.report["error"]["message"])
        after = run("import tensorflow as tf\n@tf.function\ndef f(a):\n    return a * float(a)\n"
                    "try:\n    f(tf.ones(()))\nexcept Exception:\n    print((tf.ones(2) + 1.0).numpy())\n")
        self.assertEqual(after.out, "[2. 2.]\n", after.err)

    def test_functions_call_functions_and_keep_constants(self):
        text = ("import tensorflow as tf\n"
                "@tf.function\ndef f(a):\n    return a + tf.constant([1.0, 2.0])\n"
                "@tf.function\ndef g(a):\n    return f(a) * 2.0\n"
                "a = tf.ones(2)\nprint(f(a).numpy(), g(a).numpy(), g(g(a)).numpy())\n")
        self.assertEqual(run(text).out, "[2. 3.] [4. 6.] [10. 16.]\n")

    def test_random_numbers_are_drawn_in_each_call(self):
        text = ("import tensorflow as tf\n@tf.function\ndef f():\n    return tf.random.normal((1000,))\n"
                "x, y = f().numpy(), f().numpy()\nprint((x != y).all(), abs(x.mean()) < 0.2)\n")
        self.assertEqual(run(text).out, "True True\n")

    def test_any_program_can_be_issued_as_graphs(self):
        text = ("import torch\nx = torch.ones(4, device='cuda')\n"
                "for _ in range(50):\n    x = x * 0.5 + 1\nprint(x)\n")
        one_by_one = run(text, "--device", "simulated")
        graphs = run(text, "--device", "simulated", "--issue", "graph")
        self.assertEqual(one_by_one.out, graphs.out)
        self.assertEqual(one_by_one.report["ops"], 101 + 1)  # and print's copy
        self.assertEqual(graphs.report["ops"], 1 + 1)
        self.assertEqual(graphs.report["parts"], 101)


@unittest.skipUnless(FAKE and os.path.exists(FAKE), "the CUDA made of threads was not built")
class OnTheCudaDevice(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ.update(HEADWAY_CUDA_DRIVER="libc.so.6", HEADWAY_CUDA_MODULE=FAKE)

    def test_lessons_run(self):
        for lesson in ("eager-and-graph", "dependency-graph", "blockers", "streams", "free-policies"):
            with self.subTest(lesson):
                outcome = run(lesson, "--device", "cuda")
                self.assertEqual(outcome.status, 0, outcome.err)
                self.assertEqual(outcome.report["device"]["kind"], "cuda")

    def test_a_traced_function_is_a_graph_whose_kernels_are_its_parts(self):
        outcome = run(STEP + "for _ in range(5):\n    c, (s, t) = step(a, b)\nprint(s.numpy())\n", "--device", "cuda")
        self.assertEqual(outcome.out, "20.0\n", outcome.err)
        self.assertEqual(outcome.report["ops"], 3 + 5 + 1)  # numpy() copies
        self.assertEqual(outcome.report["parts"], 5 * 4)  # that product takes two kernels


if __name__ == "__main__":
    main()
