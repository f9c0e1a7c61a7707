#include "app/check/mutants.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace headway::check {
namespace {

const std::vector<std::string> kProgram{"import headway as hw", "n = 4  # rounds 5", "for i in range(n):",
                                        "    x = f(i) + 1",     "    g(\"a + 1\")",  "hw.waitall()"};

TEST(Mutants, ChangeOnePlaceEach) {
    const auto mutants = mutants_of(kProgram, {"n"});
    std::vector<std::string> names;
    for (const Mutant& mutant : mutants) {
        names.push_back(mutant.name);
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"line 4: without x = f(i) + 1", "line 4: twice x = f(i) + 1",
                                        "line 4: after line 5 x = f(i) + 1", "line 4: a barrier after x = f(i) + 1",
                                        "line 4: x = f(i) - 1", "line 4: x = f(i) + 2", "line 5: without g(\"a + 1\")",
                                        "line 5: twice g(\"a + 1\")", "line 5: a barrier after g(\"a + 1\")",
                                        "line 6: without hw.waitall()", "line 6: twice hw.waitall()"}));
    EXPECT_NE(mutants[0].text.find("    pass\n"), std::string::npos);
    EXPECT_NE(mutants[3].text.find("    x = f(i) + 1\n    hw.waitall()\n"), std::string::npos);
}

TEST(Mutants, LeaveParametersAlone) {
    const auto with = mutants_of(kProgram, {}), without = mutants_of(kProgram, {"n"});
    EXPECT_GT(with.size(), without.size());
    EXPECT_TRUE(std::any_of(with.begin(), with.end(), [](const Mutant& m) { return m.name == "line 2: n = 5"; }));
}

}  // namespace
}  // namespace headway::check
