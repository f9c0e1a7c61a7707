#include "app/model/report/races_json.h"

#include "app/model/analysis/races.h"
#include "app/model/run/devices.h"

namespace headway::model {

using Json = nlohmann::ordered_json;

Json races_json(const Run& run, bool whole) {
    Json list = Json::array();
    for (const Race& race : races(run)) {
        const auto op = [&run](OpId id, core::Line line, std::uint8_t lane) {
            Json entry;
            entry["op"] = id;
            entry["name"] = run.is_folded(id) ? Json(nullptr) : Json(run.signature(run.op(id).signature).name);
            entry["line"] = core::number_of(line);
            entry["file"] = run.file(core::file_of(line));
            entry["lane"] = lane < run.lanes().size() ? Json(stream_name(run, lane)) : Json(nullptr);
            return entry;
        };
        Json entry;
        entry["kind"] = word_of(race.kind);
        entry["op"] = op(race.op, race.line, race.lane);
        entry["other"] = op(race.other, race.other_line, race.other_lane);
        entry["buffer"] = race.buffer;
        entry["other_buffer"] = race.kind == trace::OrderKind::reuse ? Json(race.other_buffer) : Json(nullptr);
        entry["missing"] = missing(run, race);
        entry["pairs"] = whole ? Json(race.pairs) : Json(nullptr);
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace headway::model
