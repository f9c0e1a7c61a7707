// What the program does not order, where it orders its streams itself.
#include "app/model/analysis/races.h"
#include "app/model/explanation/facts.h"
#include "app/model/explanation/sentence_writer.h"
#include "app/model/run/devices.h"

namespace headway::model {
namespace {

// "matmul in line 12 in Stream 1"
void put_op(const Facts& f, SentenceWriter& writer, OpId id, core::Line line, const char* line_id, std::uint8_t lane) {
    const bool known = id <= f.run.op_count() && !f.run.is_folded(id);
    if (known) {
        writer.name(f.run.signature(f.run.op(id).signature).name);
    } else {
        writer.words("an op");
    }
    writer.line(" in ", line, line_id);
    if (lane < f.run.lanes().size()) {
        writer.words(" in ").name(stream_name(f.run, lane));
    }
}

Place place_of(const Run& run, OpId id, std::uint8_t lane) {
    Place place;
    place.row = Place::Row::lane;
    place.lane = lane;
    if (id <= run.op_count() && run.op(id).end_ns != kPending) {
        place.begin_ns = run.op(id).begin_ns;
        place.end_ns = run.op(id).end_ns;
    }
    return place;
}

}  // namespace

void add_races(const Facts& f, Candidates& to) {
    const std::vector<Race> found = races(f.run);
    if (found.empty()) {
        return;
    }
    const Race& race = found.front();
    SentenceWriter writer(f.run, SentenceKind::races);
    writer.words("The program has ").count("races", found.size(), "race", "races");
    writer.words(found.size() == 1 ? ": " : "; the first: ");
    put_op(f, writer, race.op, race.line, "line", race.lane);
    const RaceWords words = words_of(race.kind);
    writer.words(" ").words(words.does).words(" ");
    put_op(f, writer, race.other, race.other_line, "other_line", race.other_lane);
    writer.words(" ").words(words.done).words(", and nothing orders them. What is missing: ");
    writer.name(missing(f.run, race)).words(".");
    std::vector<Place> places;
    if (!f.run.is_folded(race.op) && !f.run.is_folded(race.other)) {
        places = {place_of(f.run, race.op, race.lane), place_of(f.run, race.other, race.other_lane)};
    }
    to.push_back({kAlways, writer.places(places).done()});
}

}  // namespace headway::model
