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
    // Call after all events. `values`: the other members of the trace's object. Appends a sentence to `notes` for
    // each kind of event that was repaired or left out.
    virtual core::Result<RunBuilder> finish(const std::map<std::string, std::string>& values, TraceNotes& notes) = 0;
};

// Headway's own format, as written by chrome_writer.h. Needs "otherData", which precedes the events.
std::unique_ptr<TraceFormat> own_format(const std::string& other_data);
// The format of torch.profiler and all other programs. `name`: the file's, for the title.
std::unique_ptr<TraceFormat> foreign_format(const std::string& name);

// True if "otherData" is Headway's, of this or an older version.
bool is_own(const std::string& other_data);

}  // namespace headway::exchange
