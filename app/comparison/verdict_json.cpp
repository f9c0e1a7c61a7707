#include "app/comparison/verdict_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace headway::comparison {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t rounded(double value) {
    return static_cast<std::int64_t>(std::llround(value));
}

Json medians_of(const std::array<MedianAndRange, 2>& of) {
    return {{"a", rounded(of[0].median)}, {"b", rounded(of[1].median)}};
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json finding_json(const Finding& finding, const char* claim) {
    if (finding.claim == Claim::unknown) {
        return {{"claim", claim}, {"subject", nullptr}, {"ratio", nullptr},
                {"p", nullptr},   {"medians", nullptr}, {"spreads", nullptr}};
    }
    Json json{{"claim", claim}};
    json["subject"] = finding.subject == 0 ? Json() : Json(std::string(1, finding.subject));
    json["ratio"] = finding.ratio == 0 ? Json() : Json(finding.ratio);
    json["p"] = finding.p ? Json(*finding.p) : Json();
    json["medians"] = medians_of(finding.of);
    const auto spread = [](const MedianAndRange& s) { return Json::array({rounded(s.least), rounded(s.most)}); };
    json["spreads"] = {{"a", spread(finding.of[0])}, {"b", spread(finding.of[1])}};
    return json;
}

}  // namespace

Json verdict_json(const Verdict& verdict) {
    Json json{{"runs", verdict.runs},
              {"simulated", verdict.simulated},
              {"a", text_or_null(verdict.names.a)},
              {"b", text_or_null(verdict.names.b)},
              {"time", finding_json(verdict.time, word_of_time(verdict.time.claim))},
              {"memory", finding_json(verdict.memory, word_of(verdict.memory.claim))},
              {"headway", finding_json(verdict.headway, word_of(verdict.headway.claim))},
              {"ops", medians_of(verdict.ops)},
              {"waits", medians_of(verdict.waits)}};
    if (verdict.equal_ops.matched > 0) {
        json["equal_ops"] = {{"matched", verdict.equal_ops.matched},
                             {"ratio", verdict.equal_ops.ratio},
                             {"slower", std::string(1, verdict.equal_ops.slower)},
                             {"in_every_run", verdict.equal_ops.in_every_run}};
    } else {
        json["equal_ops"] = nullptr;
    }
    json["races"] = {{"a", verdict.races[0]}, {"b", verdict.races[1]}};
    json["unfinished"] = {{"a", verdict.unfinished[0]}, {"b", verdict.unfinished[1]}};
    json["busy_runs"] = verdict.busy_runs;
    json["reason"] = text_or_null(verdict.reason);
    json["sentence"] = verdict.sentence;
    json["evidence"] = verdict.evidence;
    return json;
}

}  // namespace headway::comparison
