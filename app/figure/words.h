// What a figure says in words: the finding, what a run is called, its settings.
//
// Threads: any that may read the runs.
#pragma once

#include <cstdint>
#include <string>

#include "app/figure/figure.h"
#include "app/model/run/run.h"

namespace headway::figure {

// Of one run: what it is called and what it came to.
std::string finding_of(const model::Run& run, const model::Numbers& numbers);
// "recorded by another program: 12 events left out, 3 repaired"; empty for a run of the engine, of which nothing was
// lost on the way here.
std::string source_of(const model::RunInfo& info);
// What one run is called; beside another, with what they differ in.
std::string run_label(const model::Run& run, const model::Run* other);
// "Xeon, 2 workers".
std::string device_of(const model::RunInfo& info);
// The same of all devices of a run: "…, 2 streams and …, 1 worker".
std::string devices_of(const model::Run& run);
// Program, parameters and device, and what two runs have in common.
std::string subtitle_of(const model::Run& a, const model::Run* b);
// The runs alone, as long as nothing is found: "A: no barrier; B: barrier every minibatch".
std::string heading_of(const model::Run& a, const model::Run* b);
// Everything that says where the numbers come from, in one line; `evidence`: what a comparison rests on.
std::string caption_of(const model::Run& a, const model::Numbers& na, const model::Run* b, const model::Numbers& nb,
                       const std::string& evidence);

}  // namespace headway::figure
