// Figures as files: formats, errors, and what happens to a file that was there before.
#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/figure/figure.h"
#include "app/render/fonts.h"
#include "app/render/writers.h"
#include "tests/unit/figure/script.h"

namespace headway::figure {
namespace {

std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

class FigureFiles : public ::testing::Test {
protected:
    void SetUp() override {
        std::string name = ::testing::TempDir() + "headway-figure-XXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override {
        chmod(folder_.c_str(), 0700);
        for (const std::string& name : files()) {
            unlink((folder_ + "/" + name).c_str());
            rmdir((folder_ + "/" + name).c_str());
        }
        rmdir(folder_.c_str());
    }
    [[nodiscard]] std::vector<std::string> files() const {
        std::vector<std::string> names;
        if (DIR* dir = opendir(folder_.c_str())) {
            while (const dirent* entry = readdir(dir)) {
                const std::string name = entry->d_name;
                if (name != "." && name != "..") {
                    names.push_back(name);
                }
            }
            closedir(dir);
        }
        return names;
    }
    std::string folder_;
    FontSet fonts_;
};

TEST_F(FigureFiles, AllThreeFormatsAreDeterministic) {
    const auto a = test::training({}, 60, false);
    const auto b = test::training({}, 60, true);
    for (const char* extension : {"png", "svg", "pdf", "PNG"}) {
        const std::string one = folder_ + "/one." + extension;
        const std::string two = folder_ + "/two." + extension;
        ASSERT_TRUE(write_figure(one, *a, b.get(), {})) << extension;
        ASSERT_TRUE(write_figure(two, *a, b.get(), {})) << extension;
        EXPECT_GT(contents(one).size(), 10'000U);
        EXPECT_EQ(contents(one), contents(two)) << extension;
    }
    EXPECT_TRUE(contents(folder_ + "/one.png").starts_with("\x89PNG"));
    EXPECT_TRUE(contents(folder_ + "/one.pdf").starts_with("%PDF"));
    EXPECT_TRUE(contents(folder_ + "/one.svg").starts_with("<?xml"));
    EXPECT_NE(contents(folder_ + "/one.svg").find("One run each says nothing about time"), std::string::npos);
}

TEST_F(FigureFiles, UnknownExtensionIsAUsageError) {
    const auto run = test::tiny();
    for (const char* name : {"/x.jpg", "/png", "/.png", "/x.", "/x"}) {
        const auto written = write_figure(folder_ + name, *run, nullptr, {});
        ASSERT_FALSE(written) << name;
        EXPECT_EQ(written.error().kind, core::ErrorKind::usage);
        EXPECT_FALSE(check_figure_path(folder_ + name));
    }
    EXPECT_TRUE(files().empty());
}

TEST_F(FigureFiles, AFailedWriteLeavesNoFile) {
    const auto run = test::tiny();
    const auto nowhere = write_figure(folder_ + "/no/such/folder.png", *run, nullptr, {});
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().kind, core::ErrorKind::unreadable);
    ASSERT_EQ(mkdir((folder_ + "/folder.png").c_str(), 0700), 0);
    EXPECT_FALSE(write_figure(folder_ + "/folder.png", *run, nullptr, {}));
    EXPECT_EQ(files(), std::vector<std::string>{"folder.png"});
}

// A full disk, simulated by the limit on file sizes: the old file stays, and no temporary file is left.
TEST_F(FigureFiles, FullDiskKeepsTheOldFile) {
    const std::string path = folder_ + "/figure.svg";
    ASSERT_TRUE(write_whole(path, "old"));
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    auto* handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 4096;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = write_whole(path, std::string(100'000, 'x'));
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind, core::ErrorKind::unreadable);
    EXPECT_EQ(contents(path), "old");
    EXPECT_EQ(files(), std::vector<std::string>{"figure.svg"});
}

TEST_F(FigureFiles, ReplacesAFileWholeAndKeepsItsMode) {
    const std::string path = folder_ + "/figure.svg";
    ASSERT_TRUE(write_whole(path, "a much longer old text"));
    ASSERT_EQ(chmod(path.c_str(), 0640), 0);
    ASSERT_TRUE(write_whole(path, "new"));
    EXPECT_EQ(contents(path), "new");
    struct stat now {};
    ASSERT_EQ(stat(path.c_str(), &now), 0);
    EXPECT_EQ(now.st_mode & 0777, 0640U);
    EXPECT_EQ(files().size(), 1U);
}

TEST_F(FigureFiles, ScaleMultipliesThePixelsOfAPng) {
    DisplayList list;
    list.width_px = 30;
    list.height_px = 20;
    list.add(Rect{{0, 0, 30, 20}, rgb(0xffffff)});
    const auto png = png_bytes(list, 2.5F, fonts_);
    ASSERT_TRUE(png);
    const auto number = [&](std::size_t at) {
        return static_cast<unsigned>(static_cast<unsigned char>((*png)[at + 2])) << 8 |
               static_cast<unsigned char>((*png)[at + 3]);
    };
    EXPECT_EQ(number(16), 75U);
    EXPECT_EQ(number(20), 50U);
    EXPECT_EQ(png_bytes(list, 1e6F, fonts_).error().kind, core::ErrorKind::usage);
}

TEST_F(FigureFiles, NoCharacterStopsAPicture) {
    DisplayList list;
    list.width_px = 300;
    list.height_px = 20;
    list.add(Text{{10, 15}, "a\xFF \xEF\xBF\xBE \xEF\xB7\x90 \xF0\x9F\xBF\xBF \x01 b", rgb(0)});
    EXPECT_TRUE(png_bytes(list, 1, fonts_));
}

TEST(Svg, EscapesTextAndClosesEveryElement) {
    DisplayList list;
    list.width_px = 100;
    list.height_px = 100;
    list.add(ClipPush{{0, 0, 50, 50}});
    list.add(Text{{1, 2}, "a<b> & \"c\" \x01 \xff", rgb(0x123456)});
    list.add(Hatch{{0, 0, 40, 40}, rgb(0x111111), rgb(0x222222), rgb(0x333333)});
    list.point(0, 0);
    list.point(10, 10);
    list.add(Area{0, 2, 20, 0, faded(rgb(0xff0000), 0.5), rgb(0x00ff00)});
    list.add(Polyline{0, 2, rgb(0)});
    list.add(Arrow{{Point{0, 0}, Point{5, 0}, Point{5, 10}, Point{10, 10}}, rgb(0), 1, 3, 2});
    list.add(ClipPop{});
    const std::string svg = svg_text(list, {"T & t", "", ""});
    EXPECT_NE(svg.find("a&lt;b&gt; &amp; &quot;c&quot; \uFFFD \uFFFD"), std::string::npos) << svg;
    // Every element is closed, in order.
    std::vector<std::string> open;
    for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
        const std::size_t end = svg.find('>', at);
        ASSERT_NE(end, std::string::npos);
        std::string tag = svg.substr(at + 1, end - at - 1);
        ASSERT_EQ(tag.find('<'), std::string::npos);
        if (tag[0] == '?' || tag.back() == '/') {
            continue;
        }
        if (tag[0] == '/') {
            ASSERT_FALSE(open.empty());
            EXPECT_EQ(open.back(), tag.substr(1));
            open.pop_back();
        } else {
            open.push_back(tag.substr(0, tag.find(' ')));
        }
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(svg, svg_text(list, {"T & t", "", ""}));
}

}  // namespace
}  // namespace headway::figure
