// How Run::update() reads each stream, as far as the records before them have been taken.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/model/run/intake.h"
#include "app/model/run/saved_folds.h"

namespace headway::model {

namespace {

constexpr std::uint64_t kRecordsAtOnce = 1u << 12;  // frontend records taken before the other streams are checked

// Calls take(record) for each record of the stream from `next` on, and moves `next` behind them.
template <class Record, class Take>
void take_all(trace::Reader& reader, trace::StreamKind kind, std::uint64_t& next, Take take) {
    while (true) {
        const auto records = reader.records<Record>({kind, 0}, next);
        if (records.empty()) {
            return;
        }
        for (const Record& record : records) {
            take(record);
        }
        next += records.size();
    }
}

}  // namespace

bool Run::take_frontend(std::uint64_t end, std::int64_t& horizon_ns) {
    const std::uint64_t stop = std::min(end, intake_->frontend + kRecordsAtOnce);
    const std::uint64_t start = intake_->frontend;
    std::uint64_t last_begin = 0;
    while (intake_->frontend < stop) {
        const auto records =
            reader_->records<trace::FrontendRecord>(trace::kFrontendStream, intake_->frontend);
        const std::size_t count = std::min<std::size_t>(records.size(), stop - intake_->frontend);
        if (count == 0) {
            break;
        }
        for (std::size_t i = 0; i < count; ++i) {
            take(records[i]);
        }
        last_begin = records[count - 1].begin;
        intake_->issued_ns = ns_from_ticks(last_begin);
        intake_->frontend += count;
    }
    // The records that list further inputs and outputs of the last op belong to it; no drop may be taken before
    // them.
    for (bool more = true; more && intake_->frontend > start && intake_->frontend < end;) {
        const auto records =
            reader_->records<trace::FrontendRecord>(trace::kFrontendStream, intake_->frontend);
        const auto kind = records.empty() ? trace::FrontendKind::issue : trace::kind_of(records[0]);
        more = kind == trace::FrontendKind::more_inputs || kind == trace::FrontendKind::more_output;
        if (more) {
            take(records[0]);
            ++intake_->frontend;
        }
    }
    const bool any = intake_->frontend > start;
    if (any && intake_->frontend < end) {
        horizon_ns = ns_from_ticks(last_begin);
    }
    return any;
}

std::string Run::reading_text() const {
    using trace::StreamKind;
    std::uint64_t taken = intake_->frontend, recorded = reader_->size(trace::kFrontendStream);
    for (std::size_t lane = 0; lane < intake_->lanes.size(); ++lane) {
        taken += intake_->lanes[lane];
        recorded += reader_->size({StreamKind::lane, static_cast<std::uint8_t>(lane)});
    }
    return "reading the recording, " + std::to_string(recorded == 0 ? 100 : taken * 100 / recorded) + " %";
}

bool Run::take_lanes(std::int64_t horizon_ns) {
    bool any = false;
    const std::size_t recorded = reader_->lanes();
    while (lanes_.size() < recorded) {
        lanes_.push_back({"Lane " + std::to_string(lanes_.size())});
    }
    intake_->lanes.resize(recorded, 0);
    intake_->parts.resize(recorded);
    for (std::size_t lane = 0; lane < recorded; ++lane) {
        const trace::StreamId id{trace::StreamKind::lane, static_cast<std::uint8_t>(lane)};
        std::uint64_t& next = intake_->lanes[lane];
        const std::uint64_t stop = next + 2 * kRecordsAtOnce;
        bool held = false;
        while (next < stop && !held) {
            const auto records = reader_->records<trace::ExecRecord>(id, next);
            if (records.empty()) {
                break;
            }
            for (const trace::ExecRecord& record : records.first(std::min<std::size_t>(records.size(), stop - next))) {
                const OpId op = record.id();
                const std::int64_t begin_ns = ns_from_ticks(record.begin);
                if (record.is_part()) {
                    ++next;
                    any = true;  // a composite op may have more parts than one call takes
                    intake_->parts[lane].push_back(
                        {begin_ns, end_of(record.begin, record.duration), 0, record.part_signature()});
                    continue;
                }
                if (op > ops_.size() || begin_ns > horizon_ns) {
                    held = true;  // its issue has not been taken yet
                    break;
                }
                ++next;
                any = true;
                take_exec(lane, op, record.failed(), begin_ns, end_of(record.begin, record.duration));
            }
        }
    }
    return any;
}

bool Run::take_drops(std::uint64_t end, std::int64_t horizon_ns) {
    bool any = false;
    std::uint64_t& next = intake_->drops;
    while (next < end) {
        const auto records = reader_->records<trace::DropRecord>({trace::StreamKind::drops, 0}, next);
        if (records.empty()) {
            return any;
        }
        for (const trace::DropRecord& record : records.first(std::min<std::size_t>(records.size(), end - next))) {
            const std::int64_t ns = ns_from_ticks(record.time);
            if (record.after > ops_.size() || ns >= horizon_ns) {
                return any;  // earlier records have not been taken yet
            }
            ++next;
            any = true;
            see(ns);
            if (BufferState* buffer = intake_->memory.find(record.buffer, ops_.size())) {
                intake_->memory.dropped(record.buffer, *buffer, ns);
            }
        }
    }
    return any;
}

void Run::take_samples() {
    const auto take = [this](const trace::SampleRecord& record) {
        const std::int64_t ns = ns_from_ticks(record.time);
        if (info_.live_sampled) {
            live_.set(ns, static_cast<std::int64_t>(record.live_bytes));
        }
        if (record.resident_bytes != 0 || !info_.live_sampled) {
            resident_.set(ns, static_cast<std::int64_t>(record.resident_bytes));
        }
        reserved_.set(ns, static_cast<std::int64_t>(record.reserved_bytes));
        if (devices_.size() > 1) {
            take_reserved_of_devices(record);
        }
    };
    take_all<trace::SampleRecord>(*reader_, trace::StreamKind::samples, intake_->samples, take);
}

// The samples of the other devices were recorded before the sum, with the same time.
void Run::take_reserved_of_devices(const trace::SampleRecord& sum) {
    const std::int64_t ns = ns_from_ticks(sum.time);
    std::uint64_t first_bytes = sum.reserved_bytes;
    for (std::size_t device = 1; device < devices_.size(); ++device) {
        std::uint64_t& next = intake_->device_samples[device];
        std::uint64_t bytes = 0;
        for (bool earlier = true; earlier;) {
            const auto records = reader_->records<trace::SampleRecord>(
                {trace::StreamKind::samples, static_cast<std::uint8_t>(device)}, next);
            earlier = !records.empty() && records[0].time <= sum.time;
            if (earlier) {
                bytes = records[0].reserved_bytes;
                ++next;
            }
        }
        devices_[device].reserved.set(ns, static_cast<std::int64_t>(bytes));
        first_bytes -= std::min(bytes, first_bytes);
    }
    devices_[0].reserved.set(ns, static_cast<std::int64_t>(first_bytes));
}

// Copies on one link may be in several lanes, whose records are read one lane after the other. So a copy is added to
// its links only when no copy that began earlier can follow.
void Run::take_transfers() {
    auto& transfers = intake_->transfers;
    if (transfers.empty()) {
        return;
    }
    if (!folded_parts_.empty() || restoring_ != nullptr) {
        links_.clear();
        transfers.clear();
        return;
    }
    std::int64_t until_ns = closed_ ? kPending : intake_->issued_ns;
    for (std::size_t lane = 0; lane < lanes_.size() && !closed_; ++lane) {
        if (open_ops_[lane] != 0) {
            until_ns = std::min(until_ns, lanes_[lane].ops.empty() ? 0 : ops_[lanes_[lane].ops.back() - 1].end_ns);
        }
    }
    std::sort(transfers.begin(), transfers.end(),
              [this](OpId a, OpId b) { return std::pair(op(a).begin_ns, a) < std::pair(op(b).begin_ns, b); });
    std::size_t taken = 0;
    for (; taken < transfers.size() && op(transfers[taken]).begin_ns < until_ns; ++taken) {
        const Op& copy = op(transfers[taken]);
        const Signature& what = signature(copy.signature);
        for (std::size_t i = 0; i < links_.size(); ++i) {
            Link& link = links_[i];
            if ((copy.links >> i & 1) == 0 || (!link.ops.empty() && op(link.ops.back()).begin_ns > copy.begin_ns)) {
                continue;
            }
            link.ops.push_back(transfers[taken]);
            link.index.add(copy.begin_ns, copy.end_ns - copy.begin_ns, what.family, false);
            const std::uint64_t before = link.bytes_through.empty() ? 0 : link.bytes_through.back();
            link.bytes_through.push_back(before + devices::copied_bytes(what.out_bytes, what.moved_bytes));
        }
    }
    transfers.erase(transfers.begin(), transfers.begin() + static_cast<std::ptrdiff_t>(taken));
}

void Run::take_launches() {
    std::uint64_t& next = intake_->launches;
    while (true) {
        const auto records = reader_->records<trace::ExecRecord>({trace::StreamKind::launch, 0}, next);
        for (const trace::ExecRecord& record : records) {
            const OpId op = record.id();
            if (op > ops_.size()) {
                return;  // its issue has not been taken yet
            }
            ++next;
            if (op != 0) {
                if (restoring_ != nullptr) {
                    restoring_->catch_up_launches();
                }
                launches_.push_back({ns_from_ticks(record.begin), end_of(record.begin, record.duration), op});
                launch_index_.add(launches_.back().begin_ns, launches_.back().end_ns - launches_.back().begin_ns,
                                  devices::Family::other, false);
            }
        }
        if (records.empty()) {
            return;
        }
    }
}

void Run::take_driver_events() {
    const auto take = [this](const trace::DriverRecord& record) {
        driver_events_.push_back({ns_from_ticks(record.begin), end_of(record.begin, record.duration), record.kind,
                                  record.bytes, record.stream});
    };
    take_all<trace::DriverRecord>(*reader_, trace::StreamKind::driver, intake_->driver, take);
}

void Run::take_holds() {
    const auto take = [this](const trace::ExecRecord& record) {
        if (record.op < core::kMaxTraceLanes) {
            holds_.add({ns_from_ticks(record.begin), end_of(record.begin, record.duration), record.op});
        }
    };
    take_all<trace::ExecRecord>(*reader_, trace::StreamKind::holds, intake_->holds, take);
}

// The ops that they name may not have been read yet. Invalid orders of damaged recordings are left out.
void Run::take_orders() {
    const auto take = [this](const trace::OrderRecord& record) {
        const bool pair = trace::is_wait(record.kind) || trace::is_race(record.kind);
        const bool known =
            pair ? record.other != 0 && record.other < record.op : record.kind == trace::OrderKind::begin;
        if (known && record.op < trace::kFailedOp && record.lane < core::kMaxTraceLanes &&
            record.other_lane < core::kMaxTraceLanes && (orders_.empty() || record.op >= orders_.back().op)) {
            orders_.push_back(record);
            has_races_ = has_races_ || trace::is_race(record.kind);
        }
    };
    take_all<trace::OrderRecord>(*reader_, trace::StreamKind::orders, intake_->orders, take);
}

void Run::take_costs() {
    // Stored in sixteenths of a nanosecond; traces read from a file already have this unit.
    const double unit = clock() == trace::ClockKind::recorded_ns ? 1 : ns_per_tick_ * kCostUnits;
    // Limit the value to the largest one that a trace file can store.
    const auto short_ns = [unit](std::uint16_t ticks) {
        return std::min(std::round(ticks * unit), 65'535.0) / kCostUnits;
    };
    const auto take = [&](const trace::CostRecord& record) {
        Cost cost;
        cost.kind = record.kind;
        cost.begin_ns = cost.end_ns = ns_from_ticks(record.begin);
        cost.sampling_ns = short_ns(record.sampling);
        if (record.kind == trace::CostKind::totals) {
            cost.minor_faults = record.duration;
            cost.major_faults = record.weight;
        } else {
            cost.end_ns = end_of(record.begin, record.duration);
            cost.weight = record.weight;
            cost.stamp_ns = short_ns(record.stamp);
        }
        if (record.kind == trace::CostKind::totals || record.kind == trace::CostKind::recording) {
            cost.language_ns = ns_from_ticks(reader_->header().first_ticks + record.amount);
        } else {
            cost.amount_ns = record.amount;
        }
        costs_.push_back(cost);
    };
    take_all<trace::CostRecord>(*reader_, trace::StreamKind::costs, intake_->costs, take);
}

}  // namespace headway::model
