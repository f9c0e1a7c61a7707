// What the recording says about the further devices of a run.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/devices/simulated/simulated.h"
#include "engine/runtime/runtime.h"
#include "engine/trace/reader.h"

namespace headway::runtime {
namespace {

TEST(DeviceRecord, IsJsonWhateverTheNames) {
    const auto recording = std::move(*trace::Recording::create(std::size_t{64} << 20));
    auto costs = devices::constant_costs(1, 1, 1);
    costs.name = "a \"big\" one\n";
    costs.source = "C:\\costs\x1f~";
    devices::DeviceSet machine(std::make_unique<devices::SimulatedDevice>(costs, 2, *recording));
    machine.add_gpu(std::make_unique<devices::SimulatedDevice>(costs, 2, *recording, machine.next_slot(), "simulated"));
    const Runtime rt(machine, *recording, {});
    const auto reader = std::move(*recording->reader());
    reader->poll();
    std::string json;
    reader->each_meta([&](trace::MetaType type, std::uint16_t id, std::string_view text) {
        if (type == trace::MetaType::device) {
            EXPECT_EQ(id, 1u);
            json += text;
        }
    });
    EXPECT_EQ(json, R"({"kind":"simulated","name":"a \"big\" one  (C:\\costs ~), 2 streams","simulated":true,)"
                    R"("first_lane":2,"lanes":["Stream 0","Stream 1"]})");
}

}  // namespace
}  // namespace headway::runtime
