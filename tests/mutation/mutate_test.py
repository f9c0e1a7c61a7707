"""What mutate.py changes, and what it leaves alone."""

import unittest

import mutate


def after(line):
    return {mutant.after.strip() for mutant in mutate.mutants_of("engine/x.cpp", line)}


class Mutants(unittest.TestCase):
    def test_changes_operators_constants_and_conditions(self):
        self.assertIn("if (a <= b) {", after("    if (a < b) {"))
        self.assertIn("if (!(a < b)) {", after("    if (a < b) {"))
        self.assertIn("return n - 1;", after("    return n + 1;"))
        self.assertIn("return n + 2;", after("    return n + 1;"))
        self.assertIn("return a || b;", after("    return a && b;"))

    def test_removes_statements(self):
        self.assertIn("", after("    list.clear();"))
        self.assertIn("", after("    total += ns;"))
        self.assertNotIn("", after("    return clear();"))

    def test_leaves_strings_comments_types_and_macros(self):
        self.assertEqual(after('    // a < b'), set())
        self.assertEqual(after('#define N 1'), set())
        self.assertEqual(after('    put("a < b, 1");'), {""})
        self.assertEqual(after("    std::vector<int> all{};"), set())
        self.assertEqual(after("    std::uint32_t bits = x;"), set())

    def test_each_mutant_differs_from_its_line(self):
        line = "    for (int i = 0; i < 10 && !done; ++i) {"
        mutants = mutate.mutants_of("engine/x.cpp", line)
        self.assertGreaterEqual(len(mutants), 5)
        self.assertTrue(all(mutant.before != mutant.after for mutant in mutants))
        self.assertEqual(mutate.mutants_of("engine/x.cpp", line, lines={2}), [])

    def test_knows_tests_for_every_folder(self):
        for folder in mutate.FOLDERS:
            self.assertTrue(mutate.tests_of(folder + "/x.cpp"))


if __name__ == "__main__":
    unittest.main()
