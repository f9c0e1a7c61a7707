// Brings the number formatting of app/model/numbers/format.h into the namespace of figures and the window.
#pragma once

#include "app/model/numbers/format.h"

namespace headway::figure {

using model::budget_in_both_units;
using model::budget_text;
using model::bytes_text;
using model::compact_count_text;
using model::count_text;
using model::duration_text;
using model::percent_text;
using model::place_text;
using model::tick_text;
using model::Ticks;
using model::ticks_for;
using model::times_text;

}  // namespace headway::figure
