// The main function of the programs that measure rows: those that define run().
#include "tests/bench/harness.h"

int main(int argc, char** argv) {
    headway::bench::Harness harness(argc, argv);
    return headway::bench::run(harness);
}
