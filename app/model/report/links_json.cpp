#include "app/model/report/links_json.h"

#include <nlohmann/json.hpp>

namespace headway::model {

using Json = nlohmann::ordered_json;

Json links_json(const Run& run, const Tally& tally, bool whole) {
    if (!run.info().links) {
        return nullptr;
    }
    const auto& links = run.info().links->list();
    Json list = Json::array();
    for (std::size_t i = 0; i < links.size(); ++i) {
        const Tally::OfLink sums = i < tally.links.size() ? tally.links[i] : Tally::OfLink{};
        Json entry{{"name", links[i].name}, {"copies", sums.copies}, {"bytes", sums.bytes}, {"busy_ns", sums.busy_ns}};
        for (const char* sum : {"copies", "bytes", "busy_ns"}) {
            entry[sum] = whole ? entry[sum] : Json(nullptr);
        }
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace headway::model
