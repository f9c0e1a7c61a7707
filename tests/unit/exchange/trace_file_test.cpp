#include "app/exchange/chrome/trace_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/exchange/chrome/chrome_reader.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::exchange {
namespace {

namespace fs = std::filesystem;

class TraceFile : public ::testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/headway-trace-XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        folder = name;
        for (int i = 0; i < 5000; ++i) {
            builder.exec(0, builder.issue({.begin = i * 10, .end = i * 10 + 5}), i * 10 + 5, i * 10 + 9);
        }
        run = builder.read();
        run->close();
    }
    void TearDown() override { fs::remove_all(folder); }
    static std::string content(const fs::path& path) {
        std::ostringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        return text.str();
    }
    fs::path folder;
    model::RecordingBuilder builder;
    std::unique_ptr<model::Run> run;
};

TEST_F(TraceFile, IsReadBackPlainAndCompressed) {
    for (const char* name : {"a.json", "a.json.gz", "A.JSON.GZ"}) {
        const fs::path path = folder / name;
        const auto written = write_trace_file(*run, path.string());
        ASSERT_TRUE(written) << written.error().message;
        const bool packed = content(path).starts_with("\x1f\x8b");
        EXPECT_EQ(packed, std::string(name) != "a.json");
        const auto read = read_trace(path.string());
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ((*read).run->op_count(), 5000u);
        EXPECT_TRUE((*read).notes.empty());
    }
}

TEST_F(TraceFile, CancellingLeavesNoFile) {
    int asked = 0;
    const auto written = write_trace_file(*run, (folder / "a.json").string(), [&asked] { return ++asked < 2; });
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message, "Cancelled; nothing was written.");
    EXPECT_EQ(asked, 2);
    EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(TraceFile, ReportsWhyTheFileCannotBeCreated) {
    const auto written = write_trace_file(*run, (folder / "none" / "a.json").string());
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().message.find("cannot write"), std::string::npos);
    EXPECT_FALSE(write_trace_file(*run, "/dev/full"));
}

}  // namespace
}  // namespace headway::exchange
