// The text of an op's card: when it was issued and ran, its dependencies and delays, the buffers that it retains, its
// matching op in the other run, its parts. No ImGui.
//
// Threads: any that may read the run.
#pragma once

#include <string>
#include <vector>

#include "app/ui/timeline/hover_card.h"

namespace headway::ui {

// "#1,040".
std::string named(core::OpId op);
// "#1,040, #1,041 and 12 more". `count`: the total, a lower bound if `at_least`; `ops` holds the first of them.
std::string list_of(const std::vector<core::OpId>& ops);
std::string list_of(const std::vector<core::OpId>& ops, std::size_t count, bool at_least);

// `ns_per_px`: the resolution at which moments are printed.
void describe_op(const model::Run& run, core::OpId op, double ns_per_px, const CardDetails& details, Card& card);
// For a composite op: its parts. `part`, an index into Run::parts(), is the one pointed at; -1: none.
void describe_part(const model::Run& run, core::OpId op, int part, Card& card);
// The op's launch on the GPU's driver, if the run has launch records.
void describe_launch(const model::Run& run, core::OpId op, Card& card);

}  // namespace headway::ui
