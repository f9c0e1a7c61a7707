"""What translate.py makes of CUDA kernels: all launches and shared variables, every line at its number, and nothing
else changed.

    translate_test.py KERNELS.cu
"""

import pathlib
import re
import sys
import unittest

from translate import mutants, translated

KERNELS = pathlib.Path(sys.argv.pop(1)).read_text(encoding="utf-8")


class Translate(unittest.TestCase):
    def test_launches_become_calls_with_their_arguments(self):
        text = translated("    reduce<Op>\n        <<<f(a, b), dim3(1, 2)>>>(x,\n y[g(1)]);\nnext();", "k.cu", False)
        self.assertEqual(text, '#line 1 "k.cu"\n    ::headway::simt::launch(::headway::simt::Grid(f(a, b), dim3(1, 2)),'
                               ' "reduce<Op>", [](auto... simt_arguments) { reduce<Op>(simt_arguments...); }, x,\n'
                               ' y[g(1)])\n;\nnext();')

    def test_a_launch_without_arguments(self):
        self.assertIn("nothing(simt_arguments...); })", translated("nothing<<<1, 1>>>();", "k.cu", False))

    def test_shared_variables_are_taken_for_each_block(self):
        text = translated("__shared__ float tile[kTile][kTile + 1];", "k.cu", False)
        self.assertIn("auto& tile = ::headway::simt::shared<float [kTile][kTile + 1]>(tile_place);", text)

    def test_all_of_the_kernels_is_translated_and_the_rest_unchanged(self):
        for mutate in (False, True):
            text = translated(KERNELS, "k.cu", mutate)
            self.assertNotIn("<<<", text)
            self.assertNotIn("__shared__", text)
            self.assertEqual(text.count("simt::launch("), KERNELS.count("<<<"))
            self.assertEqual(text.count("\n") - 1, KERNELS.count("\n"))
            if mutate:
                continue
            # Lines without a launch, a shared variable or the header are the same.
            for before, after in zip(KERNELS.splitlines(), text.splitlines()[1:]):
                if not re.search("<<<|>>>|simt::|__shared__|cuda_runtime.h", before + after):
                    self.assertIn(after.strip("; "), before + ";")

    def test_changes_are_in_device_code_only(self):
        code = ("int host(int n) { return n < 3; }\n"
                "__device__ bool one(int i) { return i < 4 && i > 1; }\n"
                "__global__ void two(int n) { for (int i = 0; i < f(n, 2); ++i) { __syncthreads(); } }\n")
        self.assertEqual([(kind, code[begin:end].strip()) for _, kind, begin, end, _ in mutants(code)],
                         [("bound", "i < 4"), ("bound", "i > 1"), ("bound", "i < f(n, 2)"),
                          ("barrier", "__syncthreads();")])


if __name__ == "__main__":
    unittest.main()
