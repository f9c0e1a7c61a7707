#include "app/figure/figure.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/comparison/naming.h"
#include "app/figure/figure_numbers.h"
#include "app/figure/words.h"
#include "app/render/fonts.h"
#include "app/render/writers.h"
#include "tests/unit/figure/overlap.h"
#include "tests/unit/figure/script.h"

namespace headway::figure {
namespace {

std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

// All text of a picture in drawing order, with wrapped lines joined.
std::string in_one_line(const DisplayList& list) {
    std::string all;
    for (const Item& item : list.items) {
        if (const auto* text = std::get_if<Text>(&item)) {
            all += (all.empty() ? "" : " ") + text->text;
        }
    }
    return all;
}

class Figures : public ::testing::Test {
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

TEST_F(Figures, TextNeverOverlapsNorLeavesThePicture) {
    const auto a = test::training({}, 60, false);
    const auto b = test::training({}, 60, true);
    const auto tiny = test::tiny();
    const auto failed = test::failing();
    const auto many = test::increments(20'000, 4, true);
    for (auto [first, second] : {std::pair{a.get(), b.get()},
                                 {a.get(), nullptr},
                                 {b.get(), nullptr},
                                 {tiny.get(), nullptr},
                                 {failed.get(), a.get()},
                                 {many.get(), nullptr}}) {
        for (auto [width, height] :
             {std::pair{1600.0F, 900.0F}, {900.0F, 700.0F}, {2400.0F, 900.0F}, {500.0F, 300.0F}}) {
            FigureOptions options;
            options.width_px = width;
            options.height_px = height;
            const DisplayList list = figure(*first, second, options, fonts_);
            EXPECT_EQ(test::overlapping_text(list, fonts_), "") << width << "×" << height;
            for (const Item& item : list.items) {
                if (const auto* text = std::get_if<Text>(&item)) {
                    const Box box = box_of(*text, fonts_);
                    EXPECT_GE(box.x0, 0) << text->text;
                    EXPECT_LE(box.x1, list.width_px) << text->text << " at " << width;
                    EXPECT_GE(box.y0, 0) << text->text;
                    EXPECT_LE(box.y1, list.height_px) << text->text;
                }
            }
        }
    }
}

// The y of a row's name; -1 if it is not drawn.
float y_of(const DisplayList& list, const std::string& name) {
    for (const Item& item : list.items) {
        if (const auto* text = std::get_if<Text>(&item); text != nullptr && text->text == name) {
            return text->baseline.y;
        }
    }
    return -1;
}

TEST_F(Figures, RowsFollowTheArrangement) {
    test::Settings settings;
    settings.lanes = 2;
    const auto a = test::training(settings, 30, true);
    const auto b = test::training(settings, 30, false);
    for (const FigureSize size : kFigureSizes) {
        FigureOptions options;
        options.size = size;
        DisplayList list = figure(*a, b.get(), options, fonts_);
        EXPECT_LT(y_of(list, "Frontend"), y_of(list, "Memory")) << word_of(size);
        EXPECT_EQ(y_of(list, "Store"), -1);
        options.arrangement = {{"memory", 200, false, true, "Store"},
                               {"lane 1", 0, false, false, ""},
                               {"frontend", 0, true, false, ""},
                               {"lane 7", 0, false, false, "not there"}};
        list = figure(*a, b.get(), options, fonts_);
        EXPECT_EQ(y_of(list, "Memory"), -1) << word_of(size);
        EXPECT_LT(y_of(list, "Store"), y_of(list, "Worker 1")) << word_of(size);
        EXPECT_LT(y_of(list, "Worker 1"), y_of(list, "Frontend")) << word_of(size);
        EXPECT_EQ(y_of(list, "issues, waits"), -1) << "folded up, " << word_of(size);
        EXPECT_EQ(test::overlapping_text(list, fonts_), "") << word_of(size);
    }
}

TEST_F(Figures, CustomHeightsAreProportionalToTheWindows) {
    const auto run = test::training({}, 30, true);
    FontSet fonts;
    const TimelineRun shown{run.get(), 0, {}, {}, -1};
    TimelineOptions options;
    options.area = {0, 0, 1600, 100'000};  // so that every row has its greatest height
    options.theme = &theme(ThemeName::light);
    options.measure = &fonts;
    options.view = whole_view(std::span(&shown, 1), false);
    options.style = look_of(FigureSize::column).timeline;
    const auto height = [&] {
        const TimelineLayout layout = layout_timeline(std::span(&shown, 1), options);
        for (const RowBox& row : layout.rows) {
            if (row.kind == RowKind::memory) {
                return row.box.height();
            }
        }
        return 0.0F;
    };
    const float usual = height();
    const model::Arrangement twice{{"memory", 2 * window_style().memory_row_px, false, false, ""}};
    options.arrangement = &twice;
    EXPECT_NEAR(height(), 2 * usual, 1.5F);
    options.style = window_style();
    EXPECT_NEAR(height(), twice[0].height_px, 1.0F);  // the window uses the height as given
}

TEST_F(Figures, EachSizeHasItsDimensionsAndReadableText) {
    const auto a = test::training({}, 60, false);
    const auto b = test::training({}, 60, true);
    const auto failed = test::failing();
    const auto many = test::increments(20'000, 4, true);
    struct Expected {
        FigureSize size;
        float width_px, height_px;  // 0: as high as needed
        float least_text_pt;        // at the figure's printed size
    };
    for (const Expected& expected : {Expected{FigureSize::slide, 1280, 720, 8.5F},
                                     {FigureSize::column, 85 * 96 / 25.4F, 0, 8},
                                     {FigureSize::two_columns, 178 * 96 / 25.4F, 0, 8},
                                     {FigureSize::poster, 600 * 96 / 25.4F, 337.5F * 96 / 25.4F, 13}}) {
        for (auto [first, second] :
             {std::pair{a.get(), b.get()}, {a.get(), nullptr}, {failed.get(), a.get()}, {many.get(), nullptr}}) {
            FigureOptions options;
            options.size = expected.size;
            const DisplayList list = figure(*first, second, options, fonts_);
            EXPECT_EQ(test::overlapping_text(list, fonts_), "") << word_of(expected.size);
            EXPECT_NEAR(list.width_px, expected.width_px, 0.01F) << word_of(expected.size);
            if (expected.height_px > 0) {
                EXPECT_NEAR(list.height_px, expected.height_px, 0.01F) << word_of(expected.size);
            }
            for (const Item& item : list.items) {
                if (const auto* text = std::get_if<Text>(&item)) {
                    const Box box = box_of(*text, fonts_);
                    EXPECT_GE(box.x0, 0) << text->text << " on " << word_of(expected.size);
                    EXPECT_LE(box.x1, list.width_px) << text->text << " on " << word_of(expected.size);
                    EXPECT_LE(box.y1, list.height_px) << text->text << " on " << word_of(expected.size);
                    EXPECT_GE(text->size_px * 0.75F, expected.least_text_pt)
                        << text->text << " on " << word_of(expected.size);
                }
            }
        }
    }
}

TEST_F(Figures, AViewShowsOnlyItsTimeRangeAndNamesIt) {
    const auto run = test::training({}, 60, true);
    FigureOptions options;
    const double end_ns = static_cast<double>(run->end_ns() - run->measure_begin_ns());
    options.view = TimelineView{end_ns / 4, end_ns / 2};
    const DisplayList list = figure(*run, nullptr, options, fonts_);
    EXPECT_NE(test::find_text(list, "Shown: "), nullptr);
    EXPECT_EQ(test::find_text(figure(*run, nullptr, {}, fonts_), "Shown: "), nullptr);
}

// A replay shows the figure with later events covered: never more than had happened.
TEST_F(Figures, AReplayEndsWithTheWholeFigure) {
    const auto a = test::training({}, 20, false);
    const auto b = test::training({}, 20, true);
    for (const FigureSize size : kFigureSizes) {
        FigureOptions options;
        options.size = size;
        Replay replay(*a, b.get(), options, fonts_);
        const DisplayList whole = figure(*a, b.get(), options, fonts_);
        const auto last = png_bytes(replay.at(1), 1, fonts_), expected = png_bytes(whole, 1, fonts_);
        ASSERT_TRUE(last && expected);
        EXPECT_EQ(*last, *expected) << word_of(size);
        const DisplayList half = replay.at(0.5);
        EXPECT_EQ(half.width_px, whole.width_px);
        EXPECT_EQ(half.height_px, whole.height_px) << word_of(size);
        EXPECT_NE(test::find_text(half, "issued"), nullptr);
        EXPECT_EQ(test::find_text(half, "peak memory"), nullptr);
        // The cursor's line is the last item of the timeline, so nothing covers it.
        const auto pixels = pixels_of(replay.at(0), 1, fonts_);
        ASSERT_TRUE(pixels);
        const auto late = pixels_of(replay.at(0.9), 1, fonts_);
        ASSERT_TRUE(late);
        EXPECT_NE(pixels->bgrx, late->bgrx);
    }
}

// Totals and the finding do not appear before the end.
TEST_F(Figures, AReplayShowsNoLaterTotals) {
    const auto run = test::increments(50'000, 1, true);
    for (const FigureSize size : {FigureSize::page, FigureSize::slide, FigureSize::column}) {
        FigureOptions options;
        options.size = size;
        Replay replay(*run, nullptr, options, fonts_);
        for (const Item& item : replay.at(0.5).items) {
            if (const auto* text = std::get_if<Text>(&item)) {
                for (const char* total : {"50,000", "49,999"}) {
                    EXPECT_EQ(text->text.find(total), std::string::npos) << text->text;
                }
                EXPECT_EQ(text->text.find(finding(*run, nullptr).substr(0, 30)), std::string::npos) << text->text;
            }
        }
        if (size != FigureSize::column) {  // rows of a column have no second line
            EXPECT_NE(test::find_text(replay.at(1), "50,000"), nullptr) << word_of(size);
        }
    }
    const auto failed = test::failing();
    Replay replay(*failed, nullptr, {}, fonts_);
    EXPECT_EQ(test::find_text(replay.at(0.3), "Failed"), nullptr);
    EXPECT_NE(test::find_text(replay.at(1), "Failed"), nullptr);
    EXPECT_EQ(replay.at(0.3).height_px, replay.at(1).height_px);
}

// As in the report, ops before measuring are not counted.
TEST_F(Figures, AReplayCountsTheMeasuredOps) {
    test::Script script;
    for (int i = 0; i < 7; ++i) {
        script.issue({"warm", "(1)", devices::Family::other, 4}, 1000, 1000);
    }
    script.wait(trace::WaitKind::waitall, "waitall");
    script.measure_begin();
    for (int i = 0; i < 5; ++i) {
        script.issue({"op", "(1)", devices::Family::other, 4}, 1000, 1000);
    }
    script.wait(trace::WaitKind::waitall, "waitall");
    script.measure_end();
    script.issue({"after", "(1)", devices::Family::other, 4}, 1000, 1000);
    const auto run = script.finish();
    ASSERT_EQ(run->numbers().ops, 5u);
    const std::vector<TimelineRun> shown{{run.get(), 'B', "", ""}};
    const auto issued = [&](double ns) {
        const auto columns = columns_at(shown, ns);
        const auto column =
            std::find_if(columns.begin(), columns.end(), [](const auto& c) { return std::string("issued") == c.head; });
        return column == columns.end() ? std::string("none") : column->cells.at(0);
    };
    EXPECT_EQ(issued(-1), "0");
    EXPECT_EQ(issued(0), "0");
    EXPECT_EQ(issued(2500), "2");
    EXPECT_EQ(issued(1e9), "5");
}

TEST_F(Figures, TitleIsTheFinding) {
    const auto a = test::training({}, 60, false);
    const auto b = test::training({}, 60, true);
    const std::string words = finding(*a, b.get());
    // On a real clock one run of each says nothing about time, and about memory only large differences.
    EXPECT_TRUE(words.starts_with("One run each says nothing about time; A (no barrier) needs ")) << words;
    EXPECT_NE(words.find("× the memory of B (barrier every minibatch): "), std::string::npos) << words;
    EXPECT_TRUE(finding(*b, nullptr).starts_with("Barrier every minibatch: ")) << finding(*b, nullptr);
    EXPECT_NE(finding(*b, a.get()).find("; B (no barrier) needs "), std::string::npos) << finding(*b, a.get());
    const DisplayList list = figure(*a, b.get(), {}, fonts_);
    EXPECT_NE(in_one_line(list).find(words), std::string::npos) << words;
    EXPECT_NE(in_one_line(list).find("one run each"), std::string::npos);  // in the caption
    FigureOptions options;
    options.title = "My own title";
    EXPECT_EQ(test::find_text(figure(*a, b.get(), options, fonts_), words), nullptr);
}

// The sentence and the number of runs come from a verdict of more runs than are drawn.
TEST_F(Figures, ShowTheVerdictOfAllRuns) {
    const auto a = test::training({}, 60, false);
    const auto b = test::training({}, 60, true);
    comparison::Side side_a = comparison::side_of(*a, a->numbers()), side_b = comparison::side_of(*b, b->numbers());
    for (int i = 1; i < 6; ++i) {
        side_a.samples.push_back(side_a.samples.front());
        side_b.samples.push_back(side_b.samples.front());
        side_a.samples.back().numbers.total_ns += i;
        side_b.samples.back().numbers.total_ns += i;
    }
    side_a.warmed_up = side_b.warmed_up = true;
    FigureOptions options;
    options.verdict = comparison::verdict_of(side_a, side_b);
    ASSERT_EQ(options.verdict->time.claim, comparison::Claim::more);
    for (const FigureSize size : {FigureSize::page, FigureSize::slide, FigureSize::column, FigureSize::two_columns}) {
        options.size = size;
        const DisplayList list = figure(*a, b.get(), options, fonts_);
        const std::string all = in_one_line(list);
        EXPECT_NE(all.find(options.verdict->clauses[0]), std::string::npos) << word_of(size) << "\n" << all;
        EXPECT_NE(all.find("6 runs each after one to warm up"), std::string::npos) << word_of(size) << "\n" << all;
        EXPECT_EQ(test::overlapping_text(list, fonts_), "") << word_of(size);
    }
}

TEST_F(Figures, NameTheEventsLeftOutOfAFile) {
    const auto theirs = test::spans(10, 2);
    EXPECT_NE(test::find_text(figure(*theirs, nullptr, {}, fonts_), "theirs.json · recorded by another program"),
              nullptr);
    model::RunInfo info;
    EXPECT_EQ(source_of(info), "");
    info.left_out = 1;
    EXPECT_EQ(source_of(info), "1 event left out");
    info.left_out = 1200;
    info.repaired = 3;
    info.foreign = true;
    EXPECT_EQ(source_of(info), "recorded by another program: 1,200 events left out, 3 repaired");
    info.left_out = 0;
    EXPECT_EQ(source_of(info), "recorded by another program: 3 events repaired");
    info.repaired = 1;
    info.file_cut_off = true;
    EXPECT_EQ(source_of(info), "recorded by another program: 1 event repaired, file cut off");
}

TEST_F(Figures, CountTheIssuesInTheTrace) {
    test::Settings settings;
    settings.foreign = true;
    settings.device_kind = "cuda";
    settings.unlaunched = 3;
    test::Script script(settings);
    for (int i = 0; i < 5; ++i) {
        script.issue({"gemm", "", test::Family::matmul, 0}, 100, 900, 0);
    }
    const auto run = script.finish();
    ASSERT_TRUE(run->capabilities().issues);
    const DisplayList list = figure(*run, nullptr, {}, fonts_);
    EXPECT_NE(test::find_text(list, "2 issues"), nullptr);
    EXPECT_NE(test::find_text(list, "5 ops"), nullptr);
    TimelineRun shown;
    shown.run = run.get();
    for (const auto& column : columns_at({&shown, 1}, 1e9)) {
        EXPECT_TRUE(column.head != "issued" || column.cells[0] == "2") << column.cells[0];
    }
}

TEST_F(Figures, OmitWhatTheTraceLacks) {
    const auto theirs = test::spans(100, 4);
    const DisplayList alone = figure(*theirs, nullptr, {}, fonts_);
    for (const char* words : {"issue", "blocked", "idle", "headway", "memory", "t₁", "t₃", "predicted", "regime",
                              "seed", "recorder", "barrier", "ahead", "peak", "t₂", " op"}) {
        EXPECT_EQ(test::find_text(alone, words), nullptr) << words;
    }
    EXPECT_NE(test::find_text(alone, "theirs.json: 100 µs, 400 spans"), nullptr) << finding(*theirs, nullptr);
    // Compared with a complete run, missing numbers are shown as dashes.
    const auto ours = test::training({}, 5, true);
    const DisplayList both = figure(*theirs, ours.get(), {}, fonts_);
    int dashes = 0;
    for (const Item& item : both.items) {
        const auto* text = std::get_if<Text>(&item);
        dashes += text != nullptr && text->text == "–" ? 1 : 0;
    }
    EXPECT_EQ(dashes, 10);  // issue, blocked, idle, headway, memory, t1, t2, t3, predicted, regime
    EXPECT_EQ(finding(*theirs, ours.get()).find("memory"), std::string::npos) << finding(*theirs, ours.get());
    EXPECT_EQ(test::overlapping_text(both, fonts_), "");
}

TEST_F(Figures, EqualRunsShowNoDifference) {
    const auto a = test::training({}, 10, true);
    const auto b = test::training({}, 10, true);
    const std::string words = finding(*a, b.get());
    EXPECT_TRUE(words.starts_with("One run each says nothing about time; no large difference in memory")) << words;
}

TEST_F(Figures, SimulatedRunsAreLabelled) {
    const auto run = test::tiny();
    EXPECT_NE(test::find_text(figure(*run, nullptr, {}, fonts_), "SIMULATED"), nullptr);
    const auto real = test::training({}, 2, true);
    EXPECT_EQ(test::find_text(figure(*real, nullptr, {}, fonts_), "SIMULATED"), nullptr);
}

TEST_F(Figures, ErrorIsShownWithItsLine) {
    const auto run = test::failing();
    const DisplayList list = figure(*run, nullptr, {}, fonts_);
    const Text* text = test::find_text(list, "Failed at train.cpp:31");
    ASSERT_NE(text, nullptr);
    EXPECT_NE(text->text.find("needs 2.1 MB"), std::string::npos);
}

// Recognises a stop by its message in old recordings, whose errors have no kind; a failure with the same message stays
// a failure.
TEST_F(Figures, AStoppedRunIsNotAFailure) {
    const auto ended = [](const std::string& message, const std::string& kind) {
        test::Script script;
        script.issue({"relu", "(4)", devices::Family::elementwise, 16}, 1000, 3000);
        script.error(message, "/home/someone/train.py", 7, 0, kind);
        return script.finish();
    };
    const auto says = [&](const model::Run& run, const char* words) {
        return test::find_text(figure(run, nullptr, {}, fonts_), words) != nullptr;
    };
    for (const char* kind : {"stopped", ""}) {
        const auto run = ended("stopped after 1 op, at train.py:7", kind);
        EXPECT_TRUE(run->error()->stopped()) << kind;
        EXPECT_TRUE(says(*run, "The run was stopped after 1 op, at train.py:7."));
        EXPECT_TRUE(says(*run, "arrier: stopped after "));
        EXPECT_FALSE(says(*run, "ailed")) << kind;
    }
    for (const char* kind : {"failed", "of a later version"}) {
        const auto run = ended("stopped by a wall", kind);
        EXPECT_FALSE(run->error()->stopped()) << kind;
        EXPECT_TRUE(says(*run, "Failed at train.py:7: stopped by a wall")) << kind;
    }
}

TEST_F(Figures, LegendListsOnlyWhatOccurs) {
    const auto run = test::increments(10, 1, false);
    const DisplayList list = figure(*run, nullptr, {}, fonts_);
    EXPECT_NE(test::find_text(list, "elementwise"), nullptr);
    EXPECT_EQ(test::find_text(list, "matmul"), nullptr);
    EXPECT_EQ(test::find_text(list, "update"), nullptr);
    EXPECT_EQ(test::find_text(list, "many at once"), nullptr);
    const auto many = test::increments(100'000, 1, false);
    EXPECT_NE(test::find_text(figure(*many, nullptr, {}, fonts_), "many at once"), nullptr);
}

TEST_F(Figures, AllThreeFormatsAreDeterministic) {
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

TEST_F(Figures, UnknownExtensionIsAUsageError) {
    const auto run = test::tiny();
    for (const char* name : {"/x.jpg", "/png", "/.png", "/x.", "/x"}) {
        const auto written = write_figure(folder_ + name, *run, nullptr, {});
        ASSERT_FALSE(written) << name;
        EXPECT_EQ(written.error().kind, core::ErrorKind::usage);
        EXPECT_FALSE(check_figure_path(folder_ + name));
    }
    EXPECT_TRUE(files().empty());
}

TEST_F(Figures, AFailedWriteLeavesNoFile) {
    const auto run = test::tiny();
    const auto nowhere = write_figure(folder_ + "/no/such/folder.png", *run, nullptr, {});
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().kind, core::ErrorKind::unreadable);
    ASSERT_EQ(mkdir((folder_ + "/folder.png").c_str(), 0700), 0);
    EXPECT_FALSE(write_figure(folder_ + "/folder.png", *run, nullptr, {}));
    EXPECT_EQ(files(), std::vector<std::string>{"folder.png"});
}

// A full disk, simulated by the limit on file sizes: the old file stays, and no temporary file is left.
TEST_F(Figures, FullDiskKeepsTheOldFile) {
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

TEST_F(Figures, ReplacesAFileWholeAndKeepsItsMode) {
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

TEST_F(Figures, ScaleMultipliesThePixelsOfAPng) {
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

TEST(RunLabel, NamesTheParametersThatDiffer) {
    const auto with = [](std::map<std::string, std::string> parameters) {
        test::Settings settings;
        settings.parameters = std::move(parameters);
        test::Script script(settings);
        return script.finish();
    };
    const auto a = with({{"n", "5"}, {"batch_size", "8"}, {"wait", "each"}});
    const auto b = with({{"n", "5"}, {"batch_size", "9"}, {"wait", "each"}});
    const auto parameters = [](const model::Run& x, const model::Run& y) {
        return comparison::parameters_of(x.info(), y.info());
    };
    EXPECT_EQ(parameters(*a, *a), "");
    EXPECT_EQ(parameters(*a, *b), "batch_size=8");
    EXPECT_EQ(run_label(*b, a.get()), run_label(*b, nullptr) + ", batch_size=9");
    const auto c = with({{"n", "6"}, {"batch_size", "9"}, {"wait", "once"}});
    EXPECT_EQ(parameters(*a, *c), "batch_size=8, n=5 …");
}

TEST_F(Figures, ShowBookmarks) {
    const auto run = test::training({}, 6, true);
    FigureOptions options;
    const auto path = folder_ + "/figure.svg";
    ASSERT_TRUE(write_figure(path, *run, nullptr, options));
    EXPECT_EQ(contents(path).find("here it waits"), std::string::npos);
    options.bookmarks_a = {{1000, 1000, "here it waits"}};
    ASSERT_TRUE(write_figure(path, *run, nullptr, options));
    EXPECT_NE(contents(path).find("here it waits"), std::string::npos);
}

}  // namespace
}  // namespace headway::figure
