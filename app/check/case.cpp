#include "app/check/case.h"

namespace headway::check {

namespace {

// SplitMix64: well distributed from any seed.
class Random {
public:
    explicit Random(const std::string& key) : state_(std::stoull(hash_of(key), nullptr, 16)) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::uint64_t below(std::uint64_t count) { return next() % count; }

private:
    std::uint64_t state_;
};

std::string with_values(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
    for (const auto& [name, value] : values) {
        const std::string place = "{" + name + "}";
        for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size())) {
            text.replace(at, place.size(), value);
        }
    }
    return text;
}

}  // namespace

std::vector<Case> draw_cases(const Exercise& exercise, const std::string& key) {
    Random random(exercise.hash + key);
    std::vector<Case> cases;
    for (const CasePlan& plan : exercise.cases) {
        Case drawn;
        drawn.hidden = plan.hidden;
        drawn.seed = plan.hidden ? 1 + random.below(1'000'000'000) : 0;
        for (const Choice& choice : plan.choices) {
            const auto span = static_cast<std::uint64_t>(choice.most - choice.least) + 1;
            drawn.values.emplace_back(choice.name,
                                      choice.values.empty()
                                          ? std::to_string(choice.least + static_cast<std::int64_t>(random.below(span)))
                                          : choice.values[random.below(choice.values.size())]);
        }
        drawn.costs = with_values(exercise.costs, drawn.values);
        cases.push_back(std::move(drawn));
    }
    return cases;
}

}  // namespace headway::check
