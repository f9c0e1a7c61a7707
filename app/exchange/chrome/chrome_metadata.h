// What "otherData" of Headway's own traces contains: the run's settings, files, signatures, the measured part and
// outcome. Private to app/exchange.
//
// Threads: any.
#pragma once

#include <string>

#include "app/exchange/files/json_text.h"
#include "app/exchange/foreign/run_builder.h"
#include "app/json/json.h"
#include "app/model/run/run.h"
#include "app/model/run/saved_folds.h"

namespace headway::exchange {

// `folds`: null unless the run was folded.
void write_metadata(const model::Run& run, const model::SavedFolds* folds, JsonText& to);

// Returns a sentence about a device whose range of lanes is impossible, or "".
std::string read_metadata(json::Value run, RunBuilder& builder);

}  // namespace headway::exchange
