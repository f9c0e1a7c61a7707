// Programs that differ from one in one small place, as a careless learner's might. The self-test of an exercise wants
// its checks to notice each of them.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

namespace headway::check {

struct Mutant {
    std::string name;  // "line 7: without hw.waitall()"; the same for the same program
    std::string text;  // of the program
};

// Each statement of one line is left out; if it calls something, also repeated, or exchanged with the next one at its
// indentation; each number grows by one; each + becomes - and the other way round, * becomes +, @ becomes *; a barrier
// is added after each statement. Top-level assignments to a parameter are left alone, since the check sets these
// values.
std::vector<Mutant> mutants_of(const std::vector<std::string>& lines, const std::vector<std::string>& parameters);

}  // namespace headway::check
