// What a card says of one op: when it was issued and ran, what it needed and what held it up, the buffers that it
// holds, its match in the other run, the ops that it consists of. No ImGui.
//
// Threads: any that may read the run.
#pragma once

#include <string>
#include <vector>

#include "app/ui/timeline/hover_card.h"

namespace headway::ui {

// "#1,040".
std::string named(core::OpId op);
// "#1,040, #1,041 and 12 more"; of `count` in all, or at least, where these are the first of them.
std::string list_of(const std::vector<core::OpId>& ops);
std::string list_of(const std::vector<core::OpId>& ops, std::size_t count, bool at_least);

// `ns_per_px`: how exactly moments are to be told.
void describe_op(const model::Run& run, core::OpId op, double ns_per_px, const CardFindings& details, Card& card);
// Of a composite op: what it consists of; `part`, an index into Run::parts(), is the one pointed at, -1: none.
void describe_part(const model::Run& run, core::OpId op, int part, Card& card);
// Its way to the GPU's driver, where the run tells of that.
void describe_launch(const model::Run& run, core::OpId op, Card& card);

}  // namespace headway::ui
