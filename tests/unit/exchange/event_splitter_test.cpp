#include "app/exchange/files/event_splitter.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace headway::exchange {
namespace {

// Brackets and quotes in strings, escapes before quotes, at each alignment to blocks of 64 bytes.
TEST(EventSplitter, FindsEventsWithAnyStringContents) {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        std::string text = "[";
        std::vector<std::string> events;
        for (int i = 0; i < 20; ++i) {
            std::string name;
            for (std::uint32_t k = random() % 70; k > 0; --k) {
                constexpr const char* kParts[] = {"\\\\", "\\\"", "{", "}", "[", "]", "x", " ", "\\n", ","};
                name += kParts[random() % 10];
            }
            events.push_back("{\"name\":\"" + name + "\",\"args\":{\"a\":[{},[]]}}");
            text += (i == 0 ? "" : ",") + std::string(random() % 5, ' ') + events.back();
        }
        text += "]";
        const auto source = trace_in_memory(text);
        EventSplitter splitter(*source);
        EventBatch batch;
        std::vector<std::string> found;
        while (*splitter.next(batch)) {
            for (const auto& span : batch.events) {
                found.emplace_back(batch.data + span.begin, span.end - span.begin);
            }
        }
        ASSERT_EQ(found, events) << text;
        EXPECT_FALSE(splitter.cut_off());
    }
}

// A run with tens of thousands of signatures has that much metadata.
TEST(EventSplitter, KeepsLargeMetadata) {
    const std::string large = "{\"a\":\"" + std::string(std::size_t{5} << 20, 'x') + "\"}";
    const std::string text = "{\"otherData\":" + large + ",\"other\":" + large + ",\"traceEvents\":[]}";
    const auto source = trace_in_memory(text);
    EventSplitter splitter(*source);
    EventBatch batch;
    EXPECT_FALSE(*splitter.next(batch));
    ASSERT_EQ(splitter.values().count("otherData"), 1u);
    EXPECT_EQ(splitter.values().at("otherData"), large);
    EXPECT_EQ(splitter.values().count("other"), 0u);
}

}  // namespace
}  // namespace headway::exchange
