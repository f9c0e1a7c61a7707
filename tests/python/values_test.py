"""Values are the same as in the framework, or refused with a sentence that says what is missing."""

import unittest

from running import main, run


class Random(unittest.TestCase):
    SEEDED = (
        ("import torch", "torch.manual_seed(%d)", "torch.randn(2, 2).tolist()"),
        ("from mxnet import np", "np.random.seed(%d)", "np.random.normal(size=(2, 2)).tolist()"),
        ("import tensorflow as tf", "tf.random.set_seed(%d)", "str(tf.random.normal((2, 2)))"),
    )

    def test_the_same_seed_twice_gives_the_same_numbers(self):
        for head, seed, draw in self.SEEDED:
            text = "\n".join(
                [
                    head,
                    "first = " + draw,
                    seed % 0,
                    "a, b = %s, %s" % (draw, draw),
                    seed % 0,
                    "c, d = %s, %s" % (draw, draw),
                    seed % 7,
                    "e = " + draw,
                    seed % -1,
                    "print(a == c, b == d, a == b, a == e, a == first)",
                    "",
                ]
            )
            outcome = run(text)
            self.assertEqual(outcome.out, "True True False False False\n", head + outcome.err)
            self.assertEqual(run(text, "--seed", "1").out, outcome.out)

    def test_without_a_seed_the_runs_own_decides(self):
        text = "import torch\nprint(torch.randn(3).tolist())\n"
        self.assertEqual(run(text).out, run(text).out)
        self.assertNotEqual(run(text).out, run(text, "--seed", "1").out)
        seeded = "import torch\ntorch.manual_seed(3)\nprint(torch.randn(3).tolist())\n"
        self.assertEqual(run(seeded).out, run(seeded).out)

    def test_bounds_in_the_other_order_give_the_same_interval(self):
        for text in ("import headway as hw\nx = hw.uniform(3, 2, (99,))\n",
                     "from mxnet import np\nx = np.random.uniform(3, 2, size=(99,))\n",
                     "import tensorflow as tf\nx = tf.random.uniform((99,), 3, 2)\n"):
            with self.subTest(text=text):
                outcome = run(text + "v = x.numpy() if hasattr(x, 'numpy') else x.asnumpy()\n"
                              "print(v.min() >= 2, v.max() <= 3, v.max() > v.min() + 0.5)\n")
                self.assertEqual(outcome.out, "True True True\n", outcome.err)

    def test_a_seed_of_one_op_is_refused(self):
        outcome = run("import tensorflow as tf\ntf.random.normal((2,), seed=1)\n")
        self.assertEqual(outcome.status, 1)
        self.assertIn("tf.random.set_seed(1)", outcome.report["error"]["message"])


class Rows(unittest.TestCase):
    """Rows are copies here and views in the frameworks, so writes to either side are refused."""

    def refused(self, body, words, head="import torch\nx = torch.ones(4, 2)\n"):
        outcome = run(head + body)
        self.assertEqual(outcome.status, 1, body + outcome.out)
        self.assertIn(words, outcome.report["error"]["message"])

    def test_writing_to_rows_is_refused(self):
        words = "write to its rows, as in x[1:3] += 5"
        for body in (
            "r = x[1:3]\nr += 5\n",
            "def f():\n    r = x[0]\n    r -= 5\nf()\n",
            "for r in x:\n    r *= 2\n",
            "x[1:3].add_(5)\n",
            "x[0][1] = 5\n",
            "r = x[1:3]\nr[0] = 5\n",
            "r = x[1:3].view(4)\nr += 5\n",
            "r = x[1:3].detach()\nr.zero_()\n",
            "r = x.t()\nr += 5\n",
            "r = x.T\nr += 5\n",
        ):
            with self.subTest(body=body):
                self.refused(body, words)
        for head in ("from mxnet import np\nx = np.ones((4, 2))\n", "import headway\nx = headway.ones(4, 2)\n"):
            self.refused("r = x[1:3]\nr += 5\n", words, head)

    def test_rows_of_a_tensor_that_was_written_since_are_refused(self):
        words = "has been written since"
        for body in (
            "r = x[1:3]\nx += 5\nprint(r)\n",
            "r = x[1:3]\nx[0] = 5\nr + 1\n",
            "r = x[1:3]\nq = r[0]\nx[0] = 5\nq.item\nq.sum()\n",
            "r = x[1:3]\nv = x.view(8)\nv += 5\nr.tolist()\n",
            "r = x[0].view(2, 1)\nx.zero_()\nr @ r.t()\n",
            "r = x.t()\nx += 5\nr.mean()\n",
        ):
            with self.subTest(body=body):
                self.refused(body, words)

    def test_unobservable_writes_are_allowed(self):
        outcome = run(
            "import torch\nx = torch.ones(4, 2)\nx[1:3] += 5\nx[0] *= 3\nr = x[1]\nx = x + 1\nprint(r.tolist())\n"
            "c = x[2].clone()\nc += 1\nx += 1\nprint(c.tolist(), x.tolist())\n"
            "for i in range(4):\n    row = x[i]\n    x[i] = row * 2\nprint(x[3].tolist())\n"
            "v = x.view(8)\nv += 1\nprint(x[3].tolist())\n"
        )
        self.assertEqual(
            outcome.out.splitlines(),
            [
                "[6.0, 6.0]",
                "[8.0, 8.0] [[5.0, 5.0], [8.0, 8.0], [8.0, 8.0], [3.0, 3.0]]",
                "[6.0, 6.0]",
                "[7.0, 7.0]",
            ],
            outcome.err,
        )

    def test_rows_of_a_released_tensor_are_writable(self):
        outcome = run(
            "import torch\nx = torch.ones(4, 2)\nx = x[1:3]\nx += 5\nprint(x.tolist())\n"
            "r = torch.ones(4, 2)[0]\nr *= 3\nprint(r.tolist())\n"
        )
        self.assertEqual(outcome.out.splitlines(), ["[[6.0, 6.0], [6.0, 6.0]]", "[3.0, 3.0]"], outcome.err)
        for body in (
            "v = x.view(8)\nx = x[1:3]\nx += 5\n",  # v still refers to the same values
            "w = torch.ones(2, 2, requires_grad=True)\nw.sum().backward()\ng = w.grad[0]\ng += 1\n",
        ):
            self.refused(body, "write to its rows")

    def test_tensors_of_tensorflow_are_immutable(self):
        outcome = run("import tensorflow as tf\nx = tf.ones((2,))\ny = x\ny += 1\ny *= 3\nprint(x, y)\n")
        self.assertIn("[1. 1.]", outcome.out)
        self.assertIn("[6. 6.]", outcome.out)
        self.refused("x[0] = 1.0\n", "do not change", "import tensorflow as tf\nx = tf.ones((2,))\n")


class Functions(unittest.TestCase):
    """Functions of one array are those of the same name in Python's math."""

    DIALECTS = (
        ("import torch as module", "module.tensor(%s)", ()),
        ("from mxnet import np as module", "module.array(%s)", ()),
        ("import tensorflow as module", "module.constant(%s)", ("log",)),
    )

    def test_of_one_array(self):
        for head, make, without in self.DIALECTS:
            text = """%s
import math, headway_math
x = [0.25, 1.0, 2.0]
for name in headway_math.OF_ONE:
    if name in %r:
        assert not hasattr(module, name), name
        continue
    values = getattr(module, name)(%s)
    wanted = [getattr(math, name)(v) for v in x]
    print(name, all(abs(values[i].item() - wanted[i]) < 1e-5 for i in range(3)))
"""
            with self.subTest(head=head):
                outcome = run(text % (head, without, make % "x"))
                self.assertEqual(outcome.status, 0, outcome.err)
                lines = outcome.out.splitlines()
                self.assertGreaterEqual(len(lines), 2)
                self.assertTrue(all(line.endswith(" True") for line in lines), outcome.out)


class Inputs(unittest.TestCase):
    """What tensors are made of."""

    def test_text_is_refused(self):
        for head, make in (("import headway as hw", "hw.tensor(%s)"), ("import torch", "torch.tensor(%s)"),
                           ("import torch", "torch.tensor(%s, dtype=torch.float32)"),
                           ("from mxnet import np", "np.array(%s)"), ("import tensorflow as tf", "tf.constant(%s)")):
            for values, kind, item in (("'abc'", "str", "'abc'"), ("['a', 'b']", "str", "'a'"),
                                       ("[1, '2']", "str", "'2'"), ("b'abc'", "bytes", "b'abc'")):
                with self.subTest(make=make, values=values):
                    outcome = run("%s\n%s\n" % (head, make % values), timeout=20)
                    self.assertIn("TypeError: a tensor is made of numbers, not of %s: %s, at" % (kind, item),
                                  outcome.report["error"]["message"])

    def test_lists_without_an_end_are_refused(self):
        for head, make in (("import headway as hw", "hw.tensor(x)"), ("import torch", "torch.tensor(x)"),
                           ("import tensorflow as tf", "tf.constant(x)")):
            with self.subTest(make=make):
                outcome = run("%s\nx = []\nx.append(x)\n%s\n" % (head, make), timeout=20)
                self.assertIn("a tensor has at most 8 dimensions", outcome.report["error"]["message"])

    def test_lists_of_unequal_lengths_are_refused(self):
        for values in ("[[1, 2], [3]]", "[[1, 2], 3]", "[3, [1, 2]]"):
            with self.subTest(values=values):
                outcome = run("import torch\ntorch.tensor(%s)\n" % values)
                self.assertIn("nested lists must have equal lengths", outcome.report["error"]["message"])

    def test_a_tensor_of_one_element_is_a_number(self):
        outcome = run("import torch\na = torch.ones(2).sum()\n"
                      "print(torch.tensor([a, a * 2]), torch.tensor([[a], [3]]), torch.tensor([torch.tensor(7)]))\n"
                      "torch.tensor([torch.ones(2)])\n")
        self.assertEqual(outcome.out, "tensor([2., 4.]) tensor([[2.],\n        [3.]]) tensor([7])\n")
        self.assertIn("only a tensor with one element can become a Python number", outcome.report["error"]["message"])
        self.assertEqual(run("import headway as hw\na = hw.ones(2).sum()\nprint(hw.tensor([a, 3]))\n").out,
                         "Tensor([2., 3.])\n")

    def test_tensorflow_converts_numbers_and_lists(self):
        for body, shown in (("tf.add(1, x)", "[2. 2.]"), ("tf.add(x, [1.0, 2.0])", "[2. 3.]"),
                            ("tf.multiply(2, x)", "[2. 2.]"), ("tf.add(1.0, 2.0)", "3."),
                            ("tf.reduce_sum([1.0, 2.0])", "3."), ("tf.reduce_mean([1.0, 2.0])", "1.5"),
                            ("tf.nn.relu([-1.0, 2.0])", "[0. 2.]"), ("tf.identity([1.0])", "[1.]"),
                            ("tf.matmul([[2.0]], [[3.0]])", "[[6.]]")):
            with self.subTest(body=body):
                outcome = run("import tensorflow as tf\nx = tf.ones((2,))\nprint(%s)\n" % body)
                self.assertIn("tf.Tensor(%s, shape" % shown, outcome.out.replace("\n", ""), outcome.err)
        outcome = run("import tensorflow as tf\ntf.reduce_sum([1, 2])\n")
        self.assertIn("float32 tensors only, and this one is of integers", outcome.report["error"]["message"])

    def test_equal_arguments_of_other_types_are_traced_again(self):
        outcome = run("import tensorflow as tf\n@tf.function\ndef f(x, n):\n    return n\nx = tf.ones((2,))\n"
                      "print(f(x, 1), f(x, True), f(x, 1.0), f(x, (1,)), f(x, (True,)), f(x, 1))\n")
        self.assertEqual(outcome.out, "1 True 1.0 (1,) (True,) 1\n", outcome.err)


class Types(unittest.TestCase):
    def test_integers_and_booleans_print_as_such(self):
        for body, shown in (
            ("torch.tensor([1, 2, 300])", "tensor([  1,   2, 300])"),
            ("torch.tensor([[True], [False]])", "tensor([[ True],\n        [False]])"),
            ("torch.tensor([1, 2.5])", "tensor([1.0000, 2.5000])"),
            ("torch.tensor([1, 2], dtype=torch.float32)", "tensor([1., 2.])"),
            ("torch.tensor(3)", "tensor(3)"),
            ("torch.full((2,), 7)", "tensor([7, 7])"),
            ("torch.full((2,), 7.0)", "tensor([7., 7.])"),
            ("torch.ones(2) > 0", "tensor([True, True])"),
            ("(torch.ones(2) != 1)[0:1]", "tensor([False])"),
            ("(torch.ones(2) > 0).dtype", "torch.bool"),
            ("(torch.ones(2) > 0).tolist(), torch.tensor([4]).item()", "[True, True] 4"),
            ("torch.ones(2) * (torch.ones(2) > 2)", "tensor([0., 0.])"),
        ):
            with self.subTest(body=body):
                outcome = run("import torch\nprint(%s)\n" % body)
                self.assertEqual(outcome.out, shown + "\n", outcome.err)
        mxnet = run("from mxnet import np\nprint(np.array([1, 2]), np.array([1, 2]) > 1)\n")
        self.assertEqual(mxnet.out, "[1. 2.] [False  True]\n", mxnet.err)  # its arrays are float32 by default
        tensorflow = run("import tensorflow as tf\nprint(tf.constant([1, 2]), tf.constant([1.0]) > 0)\n")
        self.assertEqual(
            tensorflow.out,
            "tf.Tensor([1 2], shape=(2,), dtype=int32) tf.Tensor([ True], shape=(1,), dtype=bool)\n",
            tensorflow.err,
        )

    def test_results_of_another_type_are_refused(self):
        for body, words in (
            ("torch.tensor([1, 2]) + 1", "float32 tensors only, and this one is of integers"),
            ("(torch.ones(2) > 0).sum()", "float32 tensors only, and this one is of booleans"),
            ("torch.tensor([1]).requires_grad_()", "float32 tensors only"),
            ("torch.ones(2, dtype=int)", "tensors of torch.float32 only, not of"),
            ("torch.tensor([1], dtype='torch.int64')", "torch.float32 only, not of torch.int64"),
            ("torch.tensor([1 << 30])", "exact up to 16,777,216"),
        ):
            with self.subTest(body=body):
                outcome = run("import torch\n%s\n" % body)
                self.assertEqual(outcome.status, 1, body)
                self.assertIn(words, outcome.report["error"]["message"])
        outcome = run("from mxnet import np\nnp.ones(2, dtype='int32')\n")
        self.assertIn("float32 only, not of int32", outcome.report["error"]["message"])
        text = "import tensorflow as tf\n@tf.function\ndef f(a):\n    return a > 0\nf(tf.ones((2,)))\n"
        self.assertIn("no integers or booleans", run(text).report["error"]["message"])


if __name__ == "__main__":
    main()
