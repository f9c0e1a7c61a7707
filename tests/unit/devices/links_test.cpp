// Which links a copy uses in each topology, and what it takes.
#include "engine/devices/simulated/links.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace headway::devices {
namespace {

LinkCosts costs() {
    LinkCosts costs;
    costs.pcie = {1000, 0, 0.5, 0, 0};
    costs.nvlink = {100, 0, 0.125, 0, 0};
    return costs;
}

std::string names(const Links& links, std::uint32_t from, std::uint32_t to) {
    std::string all;
    for (std::uint32_t set = links.between(from, to); set != 0; set &= set - 1) {
        all += (all.empty() ? "" : " + ") + links.list()[static_cast<std::size_t>(std::countr_zero(set))].name;
    }
    return all;
}

TEST(Links, AllCopiesShareTheBusWithoutNvlink) {
    const Links links(Topology::pcie, 4, costs());
    EXPECT_EQ(links.list().size(), 2u);
    EXPECT_EQ(names(links, 4, 0), "PCIe to the GPUs");
    EXPECT_EQ(names(links, 3, 4), "PCIe to the host");
    EXPECT_EQ(names(links, 0, 1), "PCIe to the GPUs + PCIe to the host");
    EXPECT_EQ(links.between(255, 2), links.between(4, 0));  // any number from the CPU's on is the host
}

TEST(Links, PairsJoinNeighboursAndLeaveAnOddOneAlone) {
    const Links links(Topology::pairs, 5, costs());
    EXPECT_EQ(names(links, 0, 1), "NVLink 0 → 1");
    EXPECT_EQ(names(links, 3, 2), "NVLink 3 → 2");
    EXPECT_EQ(names(links, 1, 2), "PCIe to the GPUs + PCIe to the host");
    EXPECT_EQ(names(links, 4, 3), "PCIe to the GPUs + PCIe to the host");
    EXPECT_EQ(links.list().size(), 2u + 4u);
}

TEST(Links, ARingJoinsTheLastToTheFirst) {
    for (std::uint32_t gpus = 2; gpus <= core::kMaxGpus; ++gpus) {
        const Links links(Topology::ring, gpus, costs());
        std::set<std::uint32_t> used;
        for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
            const std::uint32_t next = (gpu + 1) % gpus;
            EXPECT_EQ(names(links, gpu, next), "NVLink " + std::to_string(gpu) + " → " + std::to_string(next));
            used.insert(links.between(gpu, next));
            used.insert(links.between(next, gpu));
        }
        EXPECT_EQ(used.size(), 2 * gpus - (gpus == 2 ? 2u : 0u)) << gpus;
        EXPECT_LE(links.list().size(), VirtualLanes::kLinks);
    }
}

TEST(Links, ACopyTakesItsLatencyAndItsBytes) {
    const Links links(Topology::ring, 4, costs());
    EXPECT_EQ(links.cost_on(links.between(0, 1), 8000).ns, 100u + 1000u);
    EXPECT_EQ(links.cost_on(links.between(0, 2), 8000).ns, 1000u + 4000u);
    EXPECT_EQ(links.cost_on(links.between(4, 2), 8000).ns, 1000u + 4000u);
    EXPECT_EQ(links.cost_on(links.between(0, 1), 8000).links, links.between(0, 1));
}

TEST(Links, WordsAreReadBack) {
    for (const Topology topology : {Topology::pcie, Topology::pairs, Topology::ring}) {
        EXPECT_EQ(topology_called(word_of(topology)), topology);
    }
    EXPECT_FALSE(topology_called("mesh"));
}

}  // namespace
}  // namespace headway::devices
