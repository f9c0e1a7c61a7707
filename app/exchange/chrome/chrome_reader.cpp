#include "app/exchange/chrome/chrome_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>

#include "app/exchange/chrome/chrome_formats.h"
#include "app/exchange/files/event_splitter.h"
#include "app/exchange/files/trace_source.h"
#include "engine/core/system/unique_fd.h"

namespace headway::exchange {

namespace {

using OpenSource = std::function<core::Result<std::unique_ptr<TraceSource>>()>;

core::Error in_file(const std::string& name, core::Error error) {
    if (error.message.find(name) == std::string::npos) {
        error.message = name + ": " + error.message;
    }
    return error;
}

// "line 3, byte 120": the position of an offset, found by reading the file again up to there.
std::string place_text(const OpenSource& open, std::uint64_t offset) {
    std::uint64_t line = 1;
    if (auto source = open()) {
        std::vector<char> piece(1 << 16);
        for (std::uint64_t at = 0; at < offset;) {
            auto got = (*source)->read(piece.data(), std::min<std::uint64_t>(piece.size(), offset - at));
            if (!got || *got == 0) {
                break;
            }
            at += *got;
            line += static_cast<std::uint64_t>(
                std::count(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(*got), '\n'));
        }
    }
    return "line " + std::to_string(line) + ", byte " + std::to_string(offset);
}

core::Result<ReadTrace> read_events(const OpenSource& open, const std::string& name, ReadProgress* progress) {
    auto source = open();
    if (!source) {
        return in_file(name, source.error());
    }
    EventSplitter splitter(**source);
    EventParser parser;
    EventBatch batch;
    std::unique_ptr<TraceFormat> format;
    ReadTrace trace;
    while (true) {
        auto more = splitter.next(batch);
        if (!more) {
            return in_file(name, more.error());
        }
        if (!*more) {
            break;
        }
        if (progress != nullptr) {
            if (progress->cancel.load(std::memory_order_relaxed)) {
                return cancelled(name);
            }
            progress->permille.store(static_cast<int>((*source)->share_read() * 900), std::memory_order_relaxed);
        }
        if (!format) {
            const auto metadata = splitter.values().find("otherData");
            trace.own = metadata != splitter.values().end() && is_own(metadata->second);
            format = trace.own ? own_format(metadata->second) : foreign_format(name);
        }
        parser.parse(batch, [&format](const ChromeEvent& event) { format->take(event); });
    }
    const EventCounts& counts = parser.counts();
    if (!format) {
        const auto metadata = splitter.values().find("otherData");
        if (metadata == splitter.values().end() || !is_own(metadata->second)) {
            return in_file(name, {core::ErrorKind::unreadable,
                                  (*source)->damaged() ? "its compressed data are damaged before the first event"
                                  : splitter.cut_off() ? "not a Chrome trace, or cut off before its first event"
                                                       : "not a Chrome trace: there are no events in it"});
        }
        trace.own = true;
        format = own_format(metadata->second);  // a run without events
    }
    if (counts.events == 0 && counts.broken > 0) {
        return in_file(
            name, {core::ErrorKind::unreadable, "not a Chrome trace: what should be its first event cannot be read (" +
                                                    place_text(open, counts.first_broken) + ")"});
    }
    TraceNotes notes;
    if (splitter.cut_off()) {
        notes.say(std::string("The ") + ((*source)->damaged() ? "compressed file is damaged" : "file is cut off or damaged") +
                  ": its " + counted(counts.events, "event", "events") + " up to there " +
                  (counts.events == 1 ? "is" : "are") + " shown.");
    }
    if (splitter.text_after()) {
        notes.say("The file goes on after the end of its trace (" + place_text(open, *splitter.text_after()) +
                  "); what follows is not shown.");
    }
    if (counts.broken > 0) {
        notes.left_out(counts.broken, counted(counts.broken, "event", "events") + " could not be read and " +
                                          verb(counts.broken, "was", "were") + " left out (the first at " +
                                          place_text(open, counts.first_broken) + ").");
    }
    notes.repaired(counts.mended, counted(counts.mended, "event", "events") +
                                      " contained bytes that are not text; these were replaced.");
    notes.left_out(splitter.other_elements(),
                   counted(splitter.other_elements(), "value", "values") + " among the events " +
                       verb(splitter.other_elements(), "was not an event and was", "were not events and were") +
                       " left out.");
    auto builder = format->finish(splitter.values(), notes);
    if (!builder) {
        return in_file(name, builder.error());
    }
    format.reset();
    builder->info.left_out += notes.left_out();
    builder->info.repaired += notes.repaired();
    builder->info.file_cut_off = builder->info.file_cut_off || splitter.cut_off();
    trace.notes = notes.sentences();
    auto reader = record(std::move(*builder));
    if (!reader) {
        return in_file(name, reader.error());
    }
    if (progress != nullptr) {
        progress->permille.store(930, std::memory_order_relaxed);
    }
    trace.run = builder->folds == nullptr ? std::make_unique<model::Run>(std::move(*reader))
                                          : std::make_unique<model::Run>(std::move(*reader), std::move(builder->folds));
    while (trace.run->update(50)) {
        if (progress != nullptr && progress->cancel.load(std::memory_order_relaxed)) {
            return cancelled(name);
        }
    }
    trace.run->close();
    if (const std::uint64_t folded = trace.run->folded_ops(); folded > 0) {
        trace.notes.push_back("Of this run's " + counted(trace.run->op_count(), "op") + " " + core::count_text(folded) +
                              " are in the file as sums only.");
    }
    if (trace.run->op_count() == 0 && trace.run->waits().empty() && !trace.own) {
        std::string message = "no event in this trace has a duration, so there is nothing to show";
        for (const std::string& note : trace.notes) {  // these may contain the reason
            message += message.size() < 300 ? "; " + note.substr(0, note.size() - 1) : std::string();
        }
        return in_file(name, {core::ErrorKind::unreadable, message});
    }
    return trace;
}

// Headway's recordings begin with a magic number.
core::Result<ReadTrace> read_recording(int fd, const std::string& path) {
    auto reader = trace::Reader::open(fd);
    if (!reader) {
        return in_file(path, reader.error());
    }
    ReadTrace trace;
    trace.own = true;
    trace.run = std::make_unique<model::Run>(std::move(*reader));
    trace.run->update();
    trace.run->close();
    return trace;
}

}  // namespace

core::Error cancelled(const std::string& path) {
    return {core::ErrorKind::stopped, "opening " + path + " was cancelled"};
}

core::Result<ReadTrace> read_trace(const std::string& path, ReadProgress* progress) {
    std::error_code ignored;
    if (!std::filesystem::is_fifo(path, ignored)) {  // a pipe is opened once
        core::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (!fd) {
            return core::Error{core::ErrorKind::unreadable, path + " cannot be opened: " + std::strerror(errno)};
        }
        std::uint64_t word = 0;
        if (pread(fd.get(), &word, sizeof word, 0) == sizeof word && word == trace::kMagic) {
            return read_recording(fd.get(), path);
        }
    }
    return read_events([&path] { return open_trace_file(path); }, path, progress);
}

core::Result<ReadTrace> read_chrome_trace(std::string_view bytes, const std::string& name) {
    return read_events([bytes]() -> core::Result<std::unique_ptr<TraceSource>> { return trace_in_memory(bytes); }, name,
                       nullptr);
}

}  // namespace headway::exchange
