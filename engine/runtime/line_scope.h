// LineScope lives beside the Runtime that it marks.
#pragma once

#include "engine/runtime/runtime.h"
