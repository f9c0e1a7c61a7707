// The two kinds of Chrome traces, each read event by event into a builder. Private to app/exchange.
//
// Threads: one.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "app/exchange/files/chrome_event.h"
#include "app/exchange/files/trace_notes.h"
#include "app/exchange/foreign/run_builder.h"

namespace headway::exchange {

class TraceFormat {
public:
    virtual ~TraceFormat() = default;
    virtual void take(const ChromeEvent& event) = 0;
    // All events have been taken. `values`: what stands beside them. Sentences about what was repaired or left out go
    // to `notes`.
    virtual core::Result<RunBuilder> finish(const std::map<std::string, std::string>& values, TraceNotes& notes) = 0;
};

// Headway's own, as chrome_writer.h makes them. Needs "otherData", which stands before the events.
std::unique_ptr<TraceFormat> own_format(const std::string& other_data);
// torch.profiler's and all others. `name`: the file's, for the title.
std::unique_ptr<TraceFormat> foreign_format(const std::string& name);

// Whether that "otherData" is ours; a note says when it is a later version of it.
bool is_own(const std::string& other_data);

}  // namespace headway::exchange
