// Exercise files: any input gives an exercise or a one-sentence error with a line of the file. The expressions of an
// exercise that is read can be evaluated: on the facts of a run that never began, each gives a value or one sentence.
#include <cstdint>
#include <memory>
#include <string>

#include "app/check/judge.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace headway::check;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto exercise = parse_exercise(text, "exercise.md");
    if (!exercise) {
        const auto& error = exercise.error();
        require(!error.message.empty() && error.file == "exercise.md" && error.line != 0);
        return 0;
    }
    require(!exercise->cases.empty() && !exercise->checks.empty() && !exercise->cases.front().hidden);
    const auto cases = draw_cases(*exercise, "key");
    require(cases == draw_cases(*exercise, "key") && cases.size() == exercise->cases.size());
    CaseRun run;
    run.with = cases.front();
    run.run = run.reference = std::make_shared<RunData>();
    CheckReport report;
    judge(*exercise, {&run, 1}, {}, report);
    require(report.checks.size() == exercise->checks.size() + 1);
    require(report_from(as_json(report)).has_value());
    return 0;
}
