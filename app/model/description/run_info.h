// Reads the description of a run, which recordings and Headway's trace files hold as the same JSON.
#pragma once

#include "app/json/json.h"
#include "app/model/description/description.h"

namespace headway::model {

// Fills in all but `barrier_changes` and `no_minibatches`. Missing and unexpected values are tolerated.
void read_run_info(json::Value run, RunInfo& info);
// The part that is known later: the program's torch.
void read_torch(json::Value torch, RunInfo& info);

}  // namespace headway::model
