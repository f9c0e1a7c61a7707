#include "app/model/analysis/races.h"

#include "app/model/run/devices.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace headway::model {

namespace {

core::Line line_of(const Run& run, OpId id) {
    return id <= run.op_count() && !run.is_folded(id) ? run.op(id).line : 0;
}

Race race_from(const Run& run, const trace::OrderRecord& order) {
    return {order.kind,
            order.op,
            order.other,
            order.buffer,
            order.other_buffer,
            line_of(run, order.op),
            line_of(run, order.other),
            order.lane,
            order.other_lane,
            0};
}

}  // namespace

std::vector<Race> races(const Run& run) {
    std::vector<Race> found;
    std::map<std::tuple<trace::OrderKind, core::Line, core::Line, std::uint8_t, std::uint8_t>, std::size_t> places;
    for (const trace::OrderRecord& order : run.orders()) {
        if (!trace::is_race(order.kind) || order.op > run.op_count()) {
            continue;
        }
        const Race race = race_from(run, order);
        const auto [place, first] =
            places.try_emplace({race.kind, race.line, race.other_line, race.lane, race.other_lane}, found.size());
        if (first) {
            found.push_back(race);
        }
        ++found[place->second].pairs;
    }
    return found;
}

std::vector<Race> races_of(const Run& run, OpId op) {
    constexpr std::ptrdiff_t kLookedAt = 10'000;  // of the orders of later ops
    constexpr std::size_t kMost = 16;
    std::vector<Race> found;
    const auto& orders = run.orders();
    const auto first = std::lower_bound(orders.begin(), orders.end(), op,
                                        [](const trace::OrderRecord& o, OpId wanted) { return o.op < wanted; });
    const auto end = first + std::min(kLookedAt, orders.end() - first);
    for (auto order = first; order != end && found.size() < kMost; ++order) {
        if (trace::is_race(order->kind) && order->op <= run.op_count() && (order->op == op || order->other == op)) {
            found.push_back(race_from(run, *order));
            found.back().pairs = 1;
        }
    }
    return found;
}

RaceWords words_of(trace::OrderKind kind) {
    switch (kind) {
        case trace::OrderKind::write_read:
            return {"writes what", "reads"};
        case trace::OrderKind::write_write:
            return {"writes what", "writes"};
        case trace::OrderKind::reuse:
            return {"writes memory that", "uses"};
        default:
            return {"reads what", "writes"};
    }
}

const char* word_of(trace::OrderKind kind) {
    constexpr std::array kWords = {"",      "stream_wait", "read_write", "write_read", "write_write",
                                   "reuse", "begin",       "host_wait"};
    return kWords[std::min(static_cast<std::size_t>(kind), kWords.size() - 1)];
}

std::string missing(const Run& run, const Race& race) {
    const std::string later = stream_name(run, race.lane), earlier = stream_name(run, race.other_lane);
    if (race.kind == trace::OrderKind::reuse) {
        return "record_stream of the dropped tensor for " + earlier + ", or " + later + " waits for " + earlier;
    }
    return later + " waits for " + earlier + " (wait_stream, or an event)";
}

}  // namespace headway::model
