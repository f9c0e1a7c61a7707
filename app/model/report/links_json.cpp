#include "app/model/report/links_json.h"

#include <nlohmann/json.hpp>

namespace headway::model {

using Json = nlohmann::ordered_json;

Json links_json(const Run& run, bool whole) {
    if (run.links().empty()) {
        return nullptr;
    }
    const Run::Measured part = run.measured();
    Json list = Json::array();
    for (const Link& link : run.links()) {
        std::int64_t busy_ns = 0;
        std::uint64_t copies = 0, bytes = 0;
        for (const OpId id : link.ops) {
            if (id >= part.first && id <= part.last) {
                const Op& op = run.op(id);
                const Signature& copy = run.signature(op.signature);
                busy_ns += op.end_ns - op.begin_ns;
                bytes += devices::copied_bytes(copy.out_bytes, copy.moved_bytes);
                ++copies;
            }
        }
        Json entry{{"name", link.name}, {"copies", copies}, {"bytes", bytes}, {"busy_ns", busy_ns}};
        for (const char* sum : {"copies", "bytes", "busy_ns"}) {
            entry[sum] = whole ? entry[sum] : Json(nullptr);
        }
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace headway::model
