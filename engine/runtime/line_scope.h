// Makes LineScope available; it is declared with Runtime.
#pragma once

#include "engine/runtime/runtime.h"
