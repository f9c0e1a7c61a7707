// The recording of a process that has ended, for the process that supervises it. Both functions take the recording's
// descriptor and read and write it as a file, because the program may have done anything to its memory.
//
// Threads: one.
#pragma once

#include <string_view>

namespace headway::trace {

// Whether the header or the order of the chunks is one that Headway does not write: the program can write into the
// memory that it records into. False for a run that has not begun. Records are not looked at.
[[nodiscard]] bool is_damaged(int recording);

// Records this error (JSON, as MetaType::error) as the run's, and that the run failed. False, and nothing is changed,
// if the run had not begun or had ended by itself, or if there is no room.
bool record_error(int recording, std::string_view error);

}  // namespace headway::trace
