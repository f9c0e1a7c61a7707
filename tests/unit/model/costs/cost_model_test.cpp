#include "app/model/costs/cost_model_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace headway::model {
namespace {

using devices::CostModel;
using devices::Family;
using devices::OpKind;

constexpr const char* kGood = R"({
  "name": "test", "source": "made up", "t1_ns": 7, "t3_ns": 9,
  "families": {
    "create": {"base_ns": 1}, "elementwise": {"base_ns": 100, "bytes_per_s": 1e9, "flops_per_s": 2e9},
    "matmul": {"base_ns": 2.5}, "reduce": {"base_ns": 1}, "update": {"base_ns": 1}, "copy": {"base_ns": 1},
    "random": {"base_ns": 1}, "other": {"base_ns": 0}
  },
  "ops": {"copy_to_host": {"base_ns": 50, "bytes_per_s": 5e8}}
})";

std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

std::string message_of(const std::string& text) {
    const auto model = parse_cost_model(text, "m.json");
    EXPECT_FALSE(model) << "accepted";
    return model ? "" : model.error().message;
}

TEST(CostModel, AnOpTakesItsBaseAndTheLongerOfArithmeticAndTraffic) {
    const auto model = parse_cost_model(kGood, "m.json");
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->t1_ns, 7u);
    EXPECT_EQ(model->t3_ns, 9u);
    devices::Signature s;
    s.kind = OpKind::add;
    s.family = Family::elementwise;
    s.flops = 1000;
    s.moved_bytes = 400;
    EXPECT_EQ(model->execute_ns(s), 600u);  // 100 + max(1000 / 2, 400)
    s.moved_bytes = 700;
    EXPECT_EQ(model->execute_ns(s), 800u);
    s.kind = OpKind::copy_to_host;  // has its own constants
    s.family = Family::copy;
    EXPECT_EQ(model->execute_ns(s), 1450u);
    s.kind = OpKind::matmul;
    s.family = Family::matmul;
    EXPECT_EQ(model->execute_ns(s), 3u);  // rounded
    s.simulated_ns = 12345;
    EXPECT_EQ(model->execute_ns(s), 12345u);
    CostModel slow = *model;
    slow.speed = 0.25;
    EXPECT_EQ(slow.execute_ns(s), 49380u);
    s.simulated_ns = 0;
    EXPECT_EQ(slow.execute_ns(s), 10u) << "rounded once";
    s.simulated_ns = 1e300;
    EXPECT_EQ(model->execute_ns(s), 1'000'000'000'000'000u);
}

TEST(CostModel, EachOpMayHaveItsOwnCosts) {
    for (std::size_t kind = 1; kind < devices::kOpKinds; ++kind) {
        const std::string name = devices::name_of(static_cast<OpKind>(kind));
        const auto model = parse_cost_model(with(kGood, "copy_to_host", name), "m.json");
        ASSERT_TRUE(model) << model.error().message;
        devices::Signature s;
        s.kind = static_cast<OpKind>(kind);
        EXPECT_EQ(model->execute_ns(s), 50u) << name;
    }
}

TEST(CostModel, RoundTripsThroughJson) {
    for (const char* file : {"/default.json", "/cpu.json"}) {
        const auto model = load_cost_model(std::string(HEADWAY_COST_MODELS) + file);
        ASSERT_TRUE(model) << model.error().message;
        const auto again = parse_cost_model(json_of(*model).dump(), "again.json");
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(json_of(*again), json_of(*model));
        EXPECT_EQ(again->lanes_share, model->lanes_share);
        devices::Signature s;
        for (std::size_t family = 0; family < CostModel::kFamilies; ++family) {
            s.family = static_cast<Family>(family);
            s.flops = 123'456'789;
            s.moved_bytes = 98'765'432;
            EXPECT_EQ(again->execute_ns(s), model->execute_ns(s));
        }
    }
}

TEST(CostModel, HostCostsAreReadAndErrorsReported) {
    const auto host = load_host_costs(HEADWAY_COST_MODELS "/host.json");
    ASSERT_TRUE(host) << host.error().message;
    EXPECT_EQ(host->source, "round numbers, not measured");
    EXPECT_GT(host->line_ns, 0);
    const auto again = parse_host_costs(json_of(*host).dump(), "again.json");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(json_of(*again), json_of(*host));
    EXPECT_EQ(parse_host_costs(with(json_of(*host).dump(), "line_ns", "row_ns"), "h.json").error().message,
              "The cost model h.json cannot be used: row_ns is not a field of a cost model.");
    EXPECT_EQ(
        parse_host_costs(R"({"name": "h", "source": "s", "line_ns": 1, "print_ns": 1})", "h.json").error().message,
        "The cost model h.json cannot be used: numpy is missing.");
}

TEST(CostModel, DefaultIsIssueBoundOnSmallOpsAndExecutionBoundOnLargeOnes) {
    const auto model = load_cost_model(HEADWAY_COST_MODELS "/default.json");
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->source, "round numbers, not measured");
    devices::Signature s;
    s.kind = OpKind::add_scalar;
    s.family = Family::elementwise;
    s.flops = 2;
    s.moved_bytes = 16;
    EXPECT_LT(model->execute_ns(s), model->t1_ns);
    s.flops = 10'000'000;
    s.moved_bytes = 80'000'000;
    EXPECT_GT(model->execute_ns(s), model->t1_ns);
    s.kind = OpKind::matmul;
    s.family = Family::matmul;
    s.flops = 2'000'000'000;  // 1000³
    s.moved_bytes = 12'000'000;
    EXPECT_EQ(model->execute_ns(s), 3000u + 133'333u);
}

TEST(CostModel, TheLongestCostIsAccepted) {
    const auto model = parse_cost_model(with(kGood, "\"t1_ns\": 7", "\"t1_ns\": 1e15"), "m.json");
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->t1_ns, 1'000'000'000'000'000u);
    EXPECT_FALSE(parse_cost_model(with(kGood, "\"t1_ns\": 7", "\"t1_ns\": 1.1e15"), "m.json"));
}

TEST(CostModel, LinksHaveNoFlops) {
    const auto message_of_links = [](const char* nvlink) {
        const std::string links = R"({"name": "l", "source": "s", "pcie": {"base_ns": 1}, "nvlink": )";
        const auto costs = parse_link_costs(links + nvlink + "}", "l.json");
        return costs ? std::string() : costs.error().message;
    };
    EXPECT_EQ(message_of_links(R"({"base_ns": 1, "bytes_per_s": 1e9})"), "");
    EXPECT_EQ(message_of_links(R"({"base_ns": 1, "flops_per_s": 1e9})"),
              "The cost model l.json cannot be used: nvlink.flops_per_s is not a field of a link.");
}

TEST(CostModel, ErrorsAreOneSentenceWithThePlace) {
    EXPECT_EQ(load_cost_model("/nowhere/m.json").error().message, "The cost model /nowhere/m.json cannot be read.");
    EXPECT_EQ(message_of(with(kGood, "\"t1_ns\": 7,", "\"t1_ns\": 7")),
              "The cost model m.json is not valid JSON at line 2.");
    EXPECT_EQ(message_of(with(kGood, "{\"base_ns\": 0}", "{\"base_ns\": }")),
              "The cost model m.json is not valid JSON at line 6.");
    EXPECT_EQ(message_of(""), "The cost model m.json is not valid JSON at line 1.");
    EXPECT_EQ(message_of("[]"), "The cost model m.json cannot be used: the file must hold a JSON object.");
    const std::string start = "The cost model m.json cannot be used: ";
    EXPECT_EQ(message_of(with(kGood, "\"t1_ns\": 7", "\"t1_ns\": -1")),
              start + "t1_ns must be a number of nanoseconds from 0 to 1e15.");
    EXPECT_EQ(message_of(with(kGood, "\"t3_ns\": 9", "\"t3_ns\": \"9\"")),
              start + "t3_ns must be a number of nanoseconds from 0 to 1e15.");
    EXPECT_EQ(message_of(with(kGood, "\"source\": \"made up\",", "")), start + "source is missing.");
    EXPECT_EQ(message_of(with(kGood, "\"made up\"", "7")), start + "source must be a text.");
    EXPECT_EQ(message_of(with(kGood, "\"t1_ns\": 7", "\"t1_ns\": 7, \"lanes_share\": 1")),
              start + "lanes_share must be true or false.");
    EXPECT_EQ(message_of(with(kGood, "\"reduce\": {\"base_ns\": 1},", "")), start + "families.reduce is missing.");
    EXPECT_EQ(message_of(with(kGood, "\"matmul\": {\"base_ns\": 2.5}", "\"matmul\": {}")),
              start + "families.matmul.base_ns is missing.");
    EXPECT_EQ(message_of(with(kGood, "\"matmul\": {\"base_ns\": 2.5}", "\"matmul\": 3")),
              start + "families.matmul must be an object.");
    EXPECT_EQ(message_of(with(kGood, "5e8", "0")),
              start + "ops.copy_to_host.bytes_per_s must be a number of 1 or more a second.");
    EXPECT_EQ(message_of(with(kGood, "copy_to_host", "copy_to_mars")), start + "ops holds a name that is not an op.");
    EXPECT_EQ(message_of(with(kGood, "\"copy_to_host\"", "\"noop\": {\"base_ns\": 1}, \"copy_to_mars\"")),
              start + "ops holds a name that is not an op.");
    EXPECT_EQ(message_of(with(kGood, "\"random\"", "\"chance\": {\"base_ns\": 1}, \"random\"")),
              start + "families holds a name that is not a family of ops.");
    EXPECT_EQ(message_of(with(kGood, "bytes_per_s", "bytes_per_ms")),
              start + "families.elementwise.bytes_per_ms is not a field of a cost model.");
    EXPECT_EQ(parse_cost_model("", "m.json").error().kind, core::ErrorKind::unreadable);
}

}  // namespace
}  // namespace headway::model
