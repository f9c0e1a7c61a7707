#include "app/figure/animation.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/unit/figure/script.h"

namespace headway::figure {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

// A temporary folder, and a PATH with only the programs that a test adds.
class Animations : public ::testing::Test {
protected:
    void SetUp() override {
        std::string name = ::testing::TempDir() + "headway-animation-XXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        const char* path = std::getenv("PATH");
        path_ = path != nullptr ? path : "";
        fs::create_directory(folder_ / "bin");
        setenv("PATH", (folder_ / "bin").c_str(), 1);
        options_.width_px = 320;
        options_.height_px = 180;
    }
    void TearDown() override {
        setenv("PATH", path_.c_str(), 1);
        fs::remove_all(folder_);
    }
    void install(const std::string& name, const std::string& script) {
        std::ofstream(folder_ / "bin" / name) << "#!/bin/sh\nPATH=/usr/bin:/bin\n" << script;
        chmod((folder_ / "bin" / name).c_str(), 0755);
    }
    [[nodiscard]] std::set<std::string> files(const fs::path& where) const {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(where)) {
            names.insert(entry.path().filename().string());
        }
        return names;
    }
    fs::path folder_;
    std::string path_;
    FigureOptions options_;
};

TEST_F(Animations, RecognisesAnimationPaths) {
    for (const char* path : {"a.gif", "b.MP4", "f/frame-%04d.png", "%d.png", "f/a%%.png"}) {
        EXPECT_TRUE(is_animation_path(path)) << path;
    }
    for (const char* path : {"a.png", "a.svg", "50%/a.png", "gif", ".gif", "f/.mp4"}) {
        EXPECT_FALSE(is_animation_path(path)) << path;
    }
    for (const char* path : {"%s.png", "a%d%d.png", "a%.png", "a%4.png", "a%99999999999d.png", "a%n.png"}) {
        EXPECT_FALSE(check_animation_path(path)) << path;
    }
    EXPECT_TRUE(check_animation_path("frame-%04d.png"));
    EXPECT_EQ(first_frame("f/frame-%04d.png"), "f/frame-0001.png");
    EXPECT_EQ(first_frame("a.gif"), "a.gif");
}

TEST_F(Animations, ASeriesIsNumberedAndDeterministic) {
    const auto run = test::training({}, 6, true);
    for (const char* name : {"one", "two"}) {
        const auto done =
            write_animation((folder_ / name / "frame-%03d.png").string(), *run, nullptr, options_, {1.2, 10});
        ASSERT_TRUE(done) << done.error().message;
    }
    std::set<std::string> expected;
    for (int i = 1; i <= 12; ++i) {
        expected.insert("frame-0" + std::string(i < 10 ? "0" : "") + std::to_string(i) + ".png");
    }
    EXPECT_EQ(files(folder_ / "one"), expected);
    std::set<std::string> different;
    for (const std::string& name : expected) {
        EXPECT_EQ(contents(folder_ / "one" / name), contents(folder_ / "two" / name)) << name;
        different.insert(contents(folder_ / "one" / name));
    }
    EXPECT_EQ(different.size(), 10U);  // the last sixth repeats the final frame
}

TEST_F(Animations, CancellingLeavesNoFiles) {
    const auto run = test::training({}, 6, true);
    double seen = -1;
    const auto done = write_animation((folder_ / "series" / "%d.png").string(), *run, nullptr, options_, {1, 10},
                                      [&seen](double share) {
                                          EXPECT_GT(share, seen);
                                          seen = share;
                                          return share < 0.5;
                                      });
    EXPECT_FALSE(done);
    EXPECT_EQ(files(folder_), std::set<std::string>{"bin"});
    const auto nowhere =
        write_animation((folder_ / "no" / "such" / "%d.png").string(), *run, nullptr, options_, {1, 10});
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().kind, core::ErrorKind::unreadable);
}

TEST_F(Animations, MissingFfmpegIsReported) {
    const auto run = test::tiny();
    for (const char* name : {"a.gif", "a.mp4"}) {
        const auto done = write_animation((folder_ / name).string(), *run, nullptr, options_, {1, 2});
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().kind, core::ErrorKind::unavailable);
        EXPECT_NE(done.error().message.find("ffmpeg"), std::string::npos);
    }
    EXPECT_EQ(files(folder_), std::set<std::string>{"bin"});
}

// A script in place of ffmpeg counts the bytes of its input and writes the count to the output file.
TEST_F(Animations, FfmpegGetsEveryFrameAndTheFileIsComplete) {
    install("ffmpeg", "for last; do :; done; { echo \"$*\"; wc -c; } > \"$last\"\n");
    const auto run = test::training({}, 6, true);
    for (const char* name : {"a.gif", "a.mp4"}) {
        const auto done = write_animation((folder_ / name).string(), *run, nullptr, options_, {1, 6});
        ASSERT_TRUE(done) << done.error().message;
        const std::string said = contents(folder_ / name);
        EXPECT_NE(said.find("-s 320x180 -r 6 -i pipe:0"), std::string::npos) << said;
        EXPECT_NE(said.find("\n" + std::to_string(320 * 180 * 4 * 6)), std::string::npos) << said;
    }
    EXPECT_EQ(files(folder_), (std::set<std::string>{"bin", "a.gif", "a.mp4"}));
}

TEST_F(Animations, ErrorsOfFfmpegAreReported) {
    install("ffmpeg", "echo first >&2; echo 'Unknown encoder libx264' >&2; exit 1\n");
    const auto run = test::training({}, 6, true);
    const auto done = write_animation((folder_ / "a.mp4").string(), *run, nullptr, options_, {2, 25});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message, "ffmpeg failed: Unknown encoder libx264.");
    EXPECT_EQ(files(folder_), std::set<std::string>{"bin"});
}

}  // namespace
}  // namespace headway::figure
