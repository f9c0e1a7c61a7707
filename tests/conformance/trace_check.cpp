#include "tests/conformance/trace_check.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/trace/frontend_records.h"
#include "engine/trace/reader.h"

namespace headway {

namespace {

using trace::FrontendKind;

struct Op {
    trace::IssueRecord issue;
    std::vector<core::BufferId> reads{};
    std::vector<std::pair<core::BufferId, bool>> writes{};  // and whether the op creates it
    std::uint64_t begin = 0, end = 0;
    int executions = 0;
};

struct Buffer {
    core::OpId writer = 0;
    std::vector<core::OpId> readers;  // since the last write
    std::vector<core::OpId> writers;  // all writers, in the order of issue
};

template <class Record>
std::vector<Record> all_records(const trace::Reader& reader, trace::StreamId id) {
    std::vector<Record> all;
    for (auto some = reader.records<Record>(id, 0); !some.empty(); some = reader.records<Record>(id, all.size())) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

// What each wait claims to have waited for, checked when all executions are known.
struct Wait {
    trace::WaitRecord record;
    core::OpId target_op;  // the last writer of the awaited buffer at that time
};

class Check {
public:
    Check(trace::Reader& reader, std::uint32_t lanes, const std::vector<std::uint32_t>& later_devices)
        : reader_(reader), lanes_(lanes), later_devices_(later_devices) {}

    TraceSummary run() {
        read_frontend();
        read_lanes();
        if (summary_.problem.empty()) {
            check_dependencies();
            check_waits();
            check_drops();
            count_overlaps();
        }
        return std::move(summary_);
    }

private:
    template <class... Parts>
    void problem(const Parts&... parts) {
        if (summary_.problem.empty()) {
            std::ostringstream text;
            (text << ... << parts);
            summary_.problem = text.str();
        }
    }

    void read_frontend() {
        ops_.emplace_back();  // ops count from 1
        std::unordered_map<core::BufferId, core::OpId> writer;
        for (const auto& record : all_records<trace::FrontendRecord>(reader_, trace::kFrontendStream)) {
            const FrontendKind kind = trace::kind_of(record);
            if (kind == FrontendKind::issue) {
                Op& op = ops_.emplace_back();
                op.issue = trace::as<trace::IssueRecord>(record);
                note_reads(op, op.issue);
                note_write(op, op.issue);
                writer[op.issue.out] = static_cast<core::OpId>(ops_.size() - 1);
            } else if (kind == FrontendKind::more_inputs) {
                note_reads(ops_.back(), trace::as<trace::MoreInputsRecord>(record));
            } else if (kind == FrontendKind::more_output) {
                const auto output = trace::as<trace::MoreOutputRecord>(record);
                note_write(ops_.back(), output);
                writer[output.out] = static_cast<core::OpId>(ops_.size() - 1);
            } else if (kind == FrontendKind::wait) {
                const auto wait = trace::as<trace::WaitRecord>(record);
                waits_.push_back({wait, wait.target != 0 ? writer[wait.target] : 0});
                if (wait.issued != ops_.size() - 1) {
                    problem("a wait says that ", wait.issued, " ops had been issued, but there were ", ops_.size() - 1);
                }
            }
        }
        summary_.ops = ops_.size() - 1;
        summary_.waits = waits_.size();
        if (reader_.header().lost_records.load() != 0) {
            problem(reader_.header().lost_records.load(), " records were lost");
        }
    }

    template <class Record>
    static void note_reads(Op& op, const Record& record) {
        for (const core::BufferId in : {record.in0, record.in1}) {
            if (in != 0) {
                op.reads.push_back(in);
            }
        }
    }
    template <class Record>
    static void note_write(Op& op, const Record& record) {
        if (record.out != 0) {
            op.writes.emplace_back(record.out, record.fresh_output());
        }
    }

    void read_lanes() {
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            std::uint64_t lane_end = 0, part_begin = 0, part_end = 0;
            core::OpId last = 0;
            for (const auto& record :
                 all_records<trace::ExecRecord>(reader_, {trace::StreamKind::lane, static_cast<std::uint8_t>(lane)})) {
                const core::OpId id = record.id();
                if (record.is_part()) {
                    const std::uint64_t end = record.begin + trace::unpack_duration(record.duration);
                    if (record.begin < std::max(lane_end, part_end)) {
                        problem("lane ", lane, " began a part before the end of what was before it");
                    }
                    part_begin = part_end == 0 ? record.begin : part_begin;
                    part_end = end;
                    ++summary_.parts;
                    continue;
                }
                if (id == 0 || id >= ops_.size()) {
                    return problem("lane ", lane, " executed op ", id, ", which was not issued");
                }
                Op& op = ops_[id];
                op.begin = record.begin;
                op.end = record.begin + trace::unpack_duration(record.duration);
                ++op.executions;
                if (op.issue.lane != lane) {
                    problem("op ", id, " was issued to lane ", int{op.issue.lane}, " and executed in lane ", lane);
                }
                if (id <= last) {
                    problem("lane ", lane, " executed op ", id, " after op ", last);
                }
                if (op.begin < lane_end) {
                    problem("lane ", lane, " began op ", id, " ", lane_end - op.begin, " ticks before the end of op ",
                            last);
                }
                if (part_end != 0 && (part_begin < op.begin || part_end > op.end)) {
                    problem("parts of op ", id, " lie outside of it");
                }
                part_end = 0;
                if (op.begin < op.issue.begin) {
                    problem("op ", id, " began before it was issued");
                }
                last = id;
                lane_end = op.end;
            }
        }
        for (std::size_t id = 1; id < ops_.size(); ++id) {
            if (ops_[id].executions != 1) {
                return problem("op ", id, " was executed ", ops_[id].executions, " times");
            }
        }
    }

    void depends(core::OpId id, core::OpId on, const char* why, core::BufferId buffer) {
        if (on == 0 || on == id) {
            return;
        }
        const Op& op = ops_[id];
        const Op& before = ops_[on];
        ++summary_.dependencies;
        summary_.across_lanes += op.issue.lane != before.issue.lane ? 1 : 0;
        if (op.begin < before.end) {
            problem("op ", id, " in lane ", int{op.issue.lane}, " began ", before.end - op.begin,
                    " ticks before the end of op ", on, " in lane ", int{before.issue.lane}, ", ", why, " of buffer ",
                    buffer);
        }
    }

    void check_dependencies() {
        for (core::OpId id = 1; id < ops_.size(); ++id) {
            for (const core::BufferId in : ops_[id].reads) {
                Buffer& buffer = buffers_[in];
                if (buffer.writer == 0) {
                    problem("op ", id, " reads buffer ", in, ", which nobody wrote");
                }
                depends(id, buffer.writer, "the last writer", in);
                buffer.readers.push_back(id);
            }
            for (const auto& [out, fresh] : ops_[id].writes) {
                Buffer& buffer = buffers_[out];
                if (fresh && buffer.writer != 0) {
                    problem("op ", id, " makes buffer ", out, " a second time");
                }
                if (!fresh && buffer.writer == 0) {
                    problem("op ", id, " changes buffer ", out, ", which nobody wrote");
                }
                depends(id, buffer.writer, "the writer before", out);
                for (const core::OpId reader : buffer.readers) {
                    depends(id, reader, "a reader", out);
                }
                buffer.readers.clear();
                buffer.writer = id;
            }
        }
    }

    void check_waits() {
        // The latest end of the first n ops: of all devices, and by device.
        std::vector<std::vector<std::uint64_t>> ended(later_devices_.size() + 2,
                                                      std::vector<std::uint64_t>(ops_.size()));
        for (std::size_t id = 1; id < ops_.size(); ++id) {
            const std::size_t device =
                1 + static_cast<std::size_t>(std::count_if(later_devices_.begin(), later_devices_.end(),
                                                           [&](auto first) { return ops_[id].issue.lane >= first; }));
            for (std::size_t of = 0; of < ended.size(); ++of) {
                ended[of][id] = of == 0 || of == device ? std::max(ended[of][id - 1], ops_[id].end) : ended[of][id - 1];
            }
        }
        for (const Wait& wait : waits_) {
            const auto& record = wait.record;
            if (record.wait_kind == trace::WaitKind::paused) {
                continue;
            }
            const std::uint64_t end = record.begin + trace::unpack_duration(record.duration);
            const auto& all_ended =
                ended[std::min<std::size_t>(static_cast<std::size_t>(record.device() + 1), ended.size() - 1)];
            const std::uint64_t needed = record.target != 0    ? ops_[wait.target_op].end
                                         : record.through != 0 ? all_ended[record.through]
                                                               : all_ended[record.issued];
            // The op barrier waits for the op just issued; because it follows every op, that means all ops.
            if (end < needed) {
                problem("a wait of kind ", static_cast<int>(record.wait_kind), " after op ", record.issued, " ended ",
                        needed - end, " ticks before what it waited for");
            }
        }
    }

    void check_drops() {
        std::unordered_map<core::BufferId, core::OpId> dropped;
        for (const auto& record : all_records<trace::DropRecord>(reader_, {trace::StreamKind::drops, 0})) {
            if (!dropped.emplace(record.buffer, record.after).second) {
                problem("buffer ", record.buffer, " was dropped twice");
            }
        }
        for (core::OpId id = 1; id < ops_.size(); ++id) {
            std::vector<core::BufferId> used = ops_[id].reads;
            for (const auto& [out, fresh] : ops_[id].writes) {
                used.push_back(out);
            }
            for (const core::BufferId buffer : used) {
                const auto found = dropped.find(buffer);
                if (found != dropped.end() && id > found->second) {
                    problem("op ", id, " uses buffer ", buffer, ", which was dropped after op ", found->second);
                }
            }
        }
    }

    void count_overlaps() {
        std::vector<const Op*> by_begin;
        for (std::size_t id = 1; id < ops_.size(); ++id) {
            by_begin.push_back(&ops_[id]);
        }
        // Failed ops take no time; at equal times they come first.
        std::sort(by_begin.begin(), by_begin.end(),
                  [](const Op* a, const Op* b) { return std::pair(a->begin, a->end) < std::pair(b->begin, b->end); });
        std::uint64_t latest = 0;
        for (const Op* op : by_begin) {
            summary_.overlapping += op->begin < latest ? 1 : 0;
            latest = std::max(latest, op->end);
        }
    }

    trace::Reader& reader_;
    const std::uint32_t lanes_;
    const std::vector<std::uint32_t> later_devices_;
    std::vector<Op> ops_;
    std::vector<Wait> waits_;
    std::unordered_map<core::BufferId, Buffer> buffers_;
    TraceSummary summary_;
};

}  // namespace

TraceSummary check_trace(trace::Recording& recording, std::uint32_t lanes,
                         const std::vector<std::uint32_t>& later_devices) {
    auto reader = trace::Reader::open(recording.fd());
    if (!reader) {
        TraceSummary summary;
        summary.problem = reader.error().message;
        return summary;
    }
    (*reader)->poll();
    return Check(**reader, lanes, later_devices).run();
}

}  // namespace headway
