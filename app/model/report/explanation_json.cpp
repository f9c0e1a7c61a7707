#include "app/model/report/explanation_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/model/explanation/explanation.h"

namespace headway::model {
namespace {

using Json = nlohmann::ordered_json;

Json place_json(const Run& run, const Place& place) {
    Json json;
    json["row"] = word_of(place.row);
    if (place.row == Place::Row::lane) {
        json["lane"] = place.lane < 0 ? Json(nullptr) : Json(run.lanes()[static_cast<std::size_t>(place.lane)].name);
    }
    json["begin_ns"] = place.begin_ns;
    json["end_ns"] = place.end_ns;
    if (place.wait >= 0) {
        json["wait"] = run.waits()[static_cast<std::size_t>(place.wait)].name;
    }
    if (core::number_of(place.line) != 0) {
        json["line"] = core::number_of(place.line);
        json["file"] = run.file(core::file_of(place.line));
    }
    return json;
}

}  // namespace

Json explanation_json(const Run& run, const Numbers& numbers) {
    Json list = Json::array();
    for (const Sentence& sentence : explain(run, numbers).sentences) {
        Json entry;
        entry["kind"] = word_of(sentence.kind);
        entry["text"] = sentence.text;
        entry["numbers"] = Json::array();
        for (const SentenceNumber& number : sentence.numbers) {
            const Json value = number.unit == Unit::share ? Json(number.value) : Json(std::llround(number.value));
            entry["numbers"].push_back(
                {{"id", number.id}, {"unit", word_of(number.unit)}, {"value", value}, {"text", number.text}});
        }
        entry["names"] = sentence.names;
        entry["shows"] = Json::array();
        for (const Place& place : sentence.places) {
            entry["shows"].push_back(place_json(run, place));
        }
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace headway::model
