#include "app/questions/look.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "app/check/run_facts.h"
#include "app/check/run_functions.h"
#include "app/lesson/detail_tab_names.h"

namespace headway::questions {
namespace {

using expression::Record;
using expression::Value;
using model::Place;

constexpr std::array<std::pair<std::string_view, Place::Row>, 4> kRows{{{"frontend", Place::Row::frontend},
                                                                        {"headway", Place::Row::headway},
                                                                        {"lanes", Place::Row::lane},
                                                                        {"memory", Place::Row::memory}}};

// Beyond that, places in one row are shown as one.
constexpr std::size_t kMostPlaces = 100;

// A time of an op, a wait or a scope.
core::Result<std::int64_t> time_of(const Record& record, std::string_view field) {
    const auto value = record.field(field);
    if (!value) {
        return expression::sentence(expression::with_article(record.kind()) + " has no time");
    }
    if (!*value) {
        return value->error();
    }
    const double* number = (*value)->number();
    if (number == nullptr) {
        return expression::sentence(expression::with_article(record.kind()) + " has no time");
    }
    return static_cast<std::int64_t>(*number);
}

core::Result<Place> place_of(const Value& value, const model::Run& run) {
    const Record* record = value.record();
    if (record == nullptr) {
        return expression::sentence(value.type_words() + " is nothing to look at; an op, a wait or a scope is");
    }
    const auto begin = time_of(*record, "begin_ns"), end = time_of(*record, "end_ns");
    if (!begin || !end) {
        return begin ? end.error() : begin.error();
    }
    Place place;
    place.begin_ns = *begin;
    place.end_ns = *end;
    const check::Event event = check::event_of(*record);
    if (event.op != 0) {
        place.row = Place::Row::lane;
        place.lane = static_cast<int>(run.op(event.op).lane);
        place.line = run.op(event.op).line;
    } else if (event.wait >= 0) {
        place.row = Place::Row::frontend;
        place.wait = static_cast<int>(event.wait);
        place.line = run.waits()[static_cast<std::size_t>(event.wait)].line;
    }
    return place;
}

}  // namespace

core::Result<LookTarget> parse_look(std::string_view address) {
    LookTarget look;
    if (lesson::is_detail_tab(address)) {
        look.tab = address;
        return look;
    }
    const std::size_t at = address.find('@');
    const std::string_view first = address.substr(0, at);
    const auto* const row =
        std::find_if(kRows.begin(), kRows.end(), [&](const auto& known) { return known.first == first; });
    if (row != kRows.end()) {
        look.row = Place{};
        look.row->row = row->second;
        if (at == std::string_view::npos) {
            return look;
        }
        address.remove_prefix(at + 1);
    }
    auto parsed = check::parse_known<expression::Expression>(address, check::run_fact_names());
    if (!parsed) {
        return parsed.error();
    }
    look.what = std::move(*parsed);
    return look;
}

core::Result<std::vector<Place>> places_of(const LookTarget& look, const Record& facts, const model::Run& run) {
    const model::Run::Measured part = run.measured();
    if (!look.what) {
        Place place = look.row.value_or(Place{});
        place.begin_ns = part.begin_ns;
        place.end_ns = part.end_ns;
        return std::vector<Place>{place};
    }
    const auto value = look.what->evaluate(facts);
    if (!value) {
        return expression::sentence(expression::without_column(value.error().message));
    }
    const expression::List one{*value};
    const expression::List& all = value->list() != nullptr ? *value->list() : one;
    if (all.empty()) {
        return expression::sentence("there is nothing of the kind in this run");
    }
    std::vector<Place> places;
    for (const Value& each : all) {
        auto place = place_of(each, run);
        if (!place) {
            return place.error();
        }
        if (look.row) {
            place->row = look.row->row;
            place->lane = place->wait = -1;
        }
        const auto same_row = std::find_if(places.begin(), places.end(), [&](const Place& other) {
            return other.row == place->row && other.lane == place->lane;
        });
        if (all.size() > kMostPlaces && same_row != places.end()) {
            same_row->begin_ns = std::min(same_row->begin_ns, place->begin_ns);
            same_row->end_ns = std::max(same_row->end_ns, place->end_ns);
            same_row->wait = -1;
        } else {
            places.push_back(*place);
        }
    }
    return places;
}

}  // namespace headway::questions
