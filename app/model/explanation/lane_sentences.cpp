// Whether lanes worked at the same time, and why they were idle.
#include <algorithm>
#include <array>
#include <utility>

#include "app/model/analysis/idle.h"
#include "app/model/analysis/overlap.h"
#include "app/model/explanation/facts.h"
#include "app/model/explanation/sentence_writer.h"
#include "app/model/replay/what_if.h"
#include "app/model/run/devices.h"

namespace headway::model {
namespace {

using Row = Place::Row;

const char* copies_between(const Overlap& overlap) {
    return !overlap.gpu_copies   ? "Copies between host and device"
           : overlap.host_copies ? "Copies between host and GPUs, and between GPUs,"
                                 : "Copies between GPUs";
}

constexpr const char* kNever = " executed ops, but never at the same time.";

// Without the share of a run that was paused: lanes go on meanwhile, and the run's time excludes pauses.
void say_overlap(const Facts& f, SentenceWriter& writer, std::int64_t overlap_ns) {
    writer.words(" executed ops at the same time for ").time("overlap_ns", overlap_ns);
    if (f.unpaused()) {
        writer.words(" (").share("share", overlap_ns, f.numbers.total_ns).words(" of the run)");
    }
    writer.words(".");
}

void add_overlap(const Facts& f, Candidates& to) {
    if (f.lanes_used < 2) {
        return;
    }
    const Overlap overlap = overlap_of(f.run);
    // "Both", if the run has no others.
    const bool both_devices = f.run.devices().size() == 2, both_lanes = f.run.lanes().size() == 2;
    if (f.devices_used > 1) {
        SentenceWriter writer(f.run, SentenceKind::devices_overlap);
        const char* devices = both_devices ? "Both devices" : "Two devices";
        if (overlap.devices_ns == 0 && f.devices_used == 2) {
            writer.words(devices).words(kNever);
        } else if (overlap.devices_ns == 0) {
            writer.words("No two of the devices ever executed ops at the same time.");
        } else {
            writer.words(f.devices_used == 2 ? devices : "Two or more devices");
            say_overlap(f, writer, overlap.devices_ns);
        }
        to.push_back({kInformative, writer.place(f.whole(Row::lane)).done()});
    } else if (overlap.several_ns > 0) {
        SentenceWriter writer(f.run, SentenceKind::lanes_overlap);
        if (f.lanes_used == 2) {
            writer.words(both_lanes ? "Both lanes" : "Two lanes");
        } else {
            writer.words("Two or more of the ").count("lanes", f.lanes_used, "lane", "lanes");
        }
        say_overlap(f, writer, overlap.several_ns);
        to.push_back({kInformative, writer.place(f.whole(Row::lane)).done()});
    } else {
        SentenceWriter writer(f.run, SentenceKind::no_overlap);
        if (f.lanes_used == 2) {
            writer.words(both_lanes ? "Both lanes" : "Two lanes").words(kNever);
        } else {
            writer.words("No two of the ")
                .count("lanes", f.lanes_used, "lane", "lanes")
                .words(" ever executed ops at the same time.");
        }
        to.push_back({kInformative, writer.place(f.whole(Row::lane)).done()});
    }
    if (overlap.copies_ns > 0) {
        SentenceWriter writer(f.run, SentenceKind::copies_overlap);
        writer.words(copies_between(overlap)).words(" took ").time("copies_ns", overlap.copies_ns);
        if (overlap.beside_ns == 0) {
            writer.words("; no other lane computed meanwhile.");
        } else {
            writer.words("; for ").time("beside_ns", overlap.beside_ns).words(" of that another lane computed.");
        }
        to.push_back({kUseful, writer.place(f.whole(Row::lane)).done()});
    }
}

void add_idle(const Facts& f, Candidates& to) {
    constexpr double kLeast = 0.1;  // smaller shares of idle time need no reason
    const Numbers& n = f.numbers;
    if (idle_share(n).value_or(0) < kLeast || n.cut_off) {
        return;
    }
    const IdleCauses idle = idle_causes(f.run);
    std::int64_t frameworks_ns = 0, barriers_ns = 0;
    for (const auto& [kind, sum] : f.wait_sums) {
        if (trace::is_barrier(kind)) {
            (is_the_frameworks(f.run, kind) ? frameworks_ns : barriers_ns) += sum.ns;
        }
    }
    const std::array<std::pair<std::int64_t, const char*>, 8> causes{
        {{idle.frontend_ns, "because the frontend was at work and had issued nothing more"},
         {idle.barrier_ns, frameworks_ns > barriers_ns
                               ? "because the frontend was in a wait of the framework's own and issued nothing"
                               : "because the frontend was in a barrier and issued nothing"},
         {idle.blocker_ns, "because the frontend waited for a value and issued nothing"},
         {idle.limit_ns, "because the frontend was stopped by a limit and issued nothing"},
         {idle.dependency_ns, "because the next op needed a result of another lane"},
         {idle.link_ns, "because the next op was a copy and waited for a link that carried another one"},
         {idle.handover_ns, "in hand-overs: the next op was ready, and the lane had not started it"},
         {idle.done_ns, "because all ops were issued and none was left for the lane"}}};
    const auto most =
        *std::max_element(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (most.first <= 0) {
        return;
    }
    SentenceWriter writer(f.run, SentenceKind::idle);
    if (f.lanes_used == 1) {
        writer.name(stream_name(f.run, f.busiest_lane)).words(" was idle for ");
    } else {
        writer.words("The ").count("lanes", f.lanes_used, "lane was", "lanes were").words(" idle for ");
    }
    writer.time("idle_ns", idle.all_ns())
        .words(f.lanes_used == 1 ? "" : " in all")
        .words(", ")
        .time("cause_ns", most.first)
        .words(" of that ")
        .words(most.second);
    const Gap gap = longest_gap(f.run);
    if (gap.end_ns > gap.begin_ns && f.unpaused()) {
        writer.words("; the longest gap is ").time("gap_ns", gap.end_ns - gap.begin_ns);
        Place place;
        place.row = Row::lane;
        place.lane = static_cast<int>(gap.lane);
        place.begin_ns = gap.begin_ns;
        place.end_ns = gap.end_ns;
        writer.place(place);
    } else {
        writer.place(f.whole(Row::lane));
    }
    to.push_back({kUseful, writer.words(".").done()});
}

}  // namespace

void add_lanes(const Facts& f, Candidates& to) {
    if (!f.numbers.capabilities.backend || !f.numbers.capabilities.tensors || f.folded || f.long_run ||
        f.numbers.ops == 0) {
        return;
    }
    add_overlap(f, to);
    add_idle(f, to);
}

}  // namespace headway::model
