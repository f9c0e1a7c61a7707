// What expressions can ask about a run: its ops, waits, scopes and numbers, what the program printed, and the values
// that it computed. All of it comes from the recording, apart from the printed lines and the program's text.
//
// Only the measured part of the run counts: what began before hw.measure() is the warm-up. Of a very long run ops and
// other events are not listed: asking for them is an error.
//
// Threads: any that may read the run; a run that does not grow any more may be read by several.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/check/case.h"
#include "app/expression/value.h"
#include "app/model/run/run.h"

namespace headway::check {

struct RunData {
    std::shared_ptr<const model::Run> run;  // null: the program never began
    std::string printed;                    // what it wrote to stdout
    std::vector<std::string> source;        // the lines of the program's text
};

// The facts of one run: ops, waits, report, … Parts keep the data alive.
std::shared_ptr<const expression::Record> make_run_facts(std::shared_ptr<const RunData> data);

// The facts of a case: those of the run of the learner's program; `reference`, the facts of the reference's run in the
// same case; `start`, the program to start from (its source only); `case`, the case's values, and whether it is hidden.
std::shared_ptr<const expression::Record> make_case_facts(std::shared_ptr<const RunData> run,
                                                          std::shared_ptr<const RunData> reference,
                                                          const std::vector<std::string>& start, const Case& with);

// The facts of a case, with those of `more`. One that could not be computed has an error as its value.
struct NamedFact {
    std::string name;
    core::Result<expression::Value> value;
};
std::shared_ptr<const expression::Record> with_facts(std::shared_ptr<const expression::Record> facts,
                                                     std::vector<NamedFact> more);

// The names of the facts of a run, and of a case.
std::vector<std::string> run_fact_names();
std::vector<std::string> fact_names();

// An op or a wait as the record of an expression; null for other records.
struct Event {
    const RunData* data = nullptr;
    core::OpId op = 0;       // of an op
    std::int64_t wait = -1;  // index of a wait
    std::uint32_t line = 0;
};
[[nodiscard]] Event event_of(const expression::Record& record);

}  // namespace headway::check
