// The texts of a figure: the finding, the names of the runs, their settings.
//
// Threads: any that may read the runs.
#pragma once

#include <cstdint>
#include <string>

#include "app/figure/figure.h"
#include "app/model/description/numbers.h"
#include "app/model/run/run.h"

namespace headway::figure {

// The finding of one run: its barrier and its result.
std::string finding_of(const model::Run& run, const model::Numbers& numbers);
// "recorded by another program: 12 events left out, 3 repaired"; empty for a complete recording by Headway.
std::string source_of(const model::RunInfo& info);
// A run's label: its barrier and, if `other` is given, the settings in which it differs from that run.
std::string run_label(const model::Run& run, const model::Run* other);
// "Xeon, 2 workers".
std::string device_of(const model::RunInfo& info);
// All devices of a run: "…, 2 streams and …, 1 worker".
std::string devices_of(const model::Run& run);
// Program, parameters and device, and a note of what two runs have in common.
std::string subtitle_of(const model::Run& a, const model::Run* b);
// The title until a finding is known: "A: no minibatch barrier; B: barrier every minibatch".
std::string heading_of(const model::Run& a, const model::Run* b);
// The provenance of the numbers in one line: version, program, devices, settings, date. `evidence`: the runs that a
// comparison is based on.
std::string caption_of(const model::Run& a, const model::Numbers& na, const model::Run* b, const model::Numbers& nb,
                       const std::string& evidence);

}  // namespace headway::figure
