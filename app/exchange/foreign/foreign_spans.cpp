#include "app/exchange/foreign/foreign_spans.h"

#include <algorithm>

#include "app/exchange/files/chrome_event.h"

namespace headway::exchange {

namespace {

constexpr std::size_t kMostSignatures = 60'000;

}  // namespace

std::string label_of(const ForeignTrack& track) {
    if (!track.name.empty()) {
        return track.name.substr(0, track.name.find_last_not_of(' ') + 1);
    }
    return track.tid.empty() ? "thread of " + (track.pid.empty() ? "no name" : track.pid) : "thread " + track.tid;
}

ForeignOps::Made ForeignOps::made_of(const ForeignSpan& span, std::uint8_t lane, const char* called) {
    Made made;
    made.op.lane = lane;
    made.op.signature = signature_of(span.name, called);
    made.op.flags = trace::kNotIssued;
    made.exec.begin_ns = span.begin_ns;
    made.exec.end_ns = span.end_ns;
    made.op.issue_begin_ns = made.op.issue_end_ns = made.exec.begin_ns;
    return made;
}

std::uint16_t ForeignOps::signature_of(std::uint32_t name, const char* called) {
    const std::uint64_t key = std::uint64_t{name} * 2 + (called != nullptr ? 1 : 0);
    const auto [at, fresh] = signature_ids_.try_emplace(key, std::uint16_t{0});
    if (fresh) {
        const bool room = builder_.signatures.size() < kMostSignatures;
        const std::string full = room ? text_from("\"" + trace_.names[name] + "\"") : "(one of too many names)";
        model::Signature signature;
        signature.name = called != nullptr ? called : short_kernel_name(full);
        signature.shapes = signature.name == full ? std::string() : full.substr(0, 300);
        signature.family = family_of(full);
        if (signature.name.empty()) {
            signature.name = "(no name)";
        }
        if (builder_.signatures.size() <= kMostSignatures) {
            builder_.signatures.push_back(std::move(signature));
        }
        at->second = static_cast<std::uint16_t>(builder_.signatures.size() - 1);
    }
    return at->second;
}

void ForeignOps::finish() {
    // An op without a known issue gets the issue time of the next known one in its lane at the latest, so that it
    // does not delay that one.
    std::vector<std::int64_t> next_ns(builder_.lanes.size(), INT64_MAX);
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) {
        if ((made->op.flags & trace::kNotIssued) != 0) {
            made->op.issue_begin_ns = std::min(made->op.issue_begin_ns, next_ns[made->op.lane]);
            made->op.issue_end_ns = made->op.issue_begin_ns;
        }
        next_ns[made->op.lane] = made->op.issue_begin_ns;
    }
    std::stable_sort(made_.begin(), made_.end(), [](const Made& a, const Made& b) {
        return a.op.issue_begin_ns != b.op.issue_begin_ns ? a.op.issue_begin_ns < b.op.issue_begin_ns
                                                          : a.exec.begin_ns < b.exec.begin_ns;
    });
    builder_.ops.reserve(made_.size());
    for (Made& op : made_) {
        builder_.ops.push_back(op.op);
        op.exec.op = static_cast<core::OpId>(builder_.ops.size());
        builder_.lanes[op.op.lane].push_back(op.exec);
    }
    made_ = {};
}

}  // namespace headway::exchange
