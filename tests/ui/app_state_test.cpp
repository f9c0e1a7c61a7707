#include "app/ui/state/app_state.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/ui/shell/app.h"
#include "app/ui/shell/status_bar.h"

namespace headway::ui {
namespace {

std::vector<lesson::Lesson> lessons() {
    lesson::Lesson train;
    train.id = "train";
    train.number = 3;
    train.title = "Training";
    train.program = "train";
    train.device = "simulated";
    train.barrier = "minibatch";
    lesson::Parameter batches;
    batches.name = "batches";
    batches.value = "4";
    batches.least = 1;
    batches.most = 1000;
    train.parameters = {batches};
    lesson::Lesson increment = train;
    increment.id = increment.program = "increment";
    increment.device = "cpu";
    increment.barrier = "as-written";
    increment.parameters.clear();
    return {train, increment};
}

class AppStateTest : public ::testing::Test {
protected:
    AppStateTest() {
        char name[] = "/tmp/headway-pictures-XXXXXX";
        folder = mkdtemp(name);
        state.exports.folder = folder;
        state.source.files.home = folder.string() + "-home";
        state.programs.choose("train");
    }
    ~AppStateTest() override {
        std::filesystem::remove_all(folder);
        std::filesystem::remove_all(state.source.files.home);
    }
    void finish() {
        while (session.live() || session.behind()) {
            state.poll(5);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        state.poll(5);
    }
    // Starts this Python program.
    void start(const std::string& program) {
        const auto file = folder / "program.py";
        std::ofstream(file) << program;
        session.settings.program = file.string();
        session.settings.parameters.clear();
        ASSERT_TRUE(session.start());
    }
    // Waits until the picture is written, or its failure is reported.
    void finish_picture() {
        while (state.exports.pictures.job().busy()) {
            state.poll(5);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    session::Session session{{HEADWAY_RUNNER, 256 << 20, false}};
    AppState state{session, lessons()};
    std::filesystem::path folder;
};

TEST_F(AppStateTest, ALessonAppliesItsSettings) {
    EXPECT_EQ(session.settings.program, "train");
    EXPECT_EQ(session.settings.device, "simulated");
    EXPECT_EQ(session.settings.barrier.kind, trace::BarrierKind::minibatch);
    EXPECT_EQ(state.settings.parameter("batches"), "4");
    EXPECT_TRUE(state.programs.choose("increment"));
    EXPECT_EQ(session.settings.device, "cpu");
    EXPECT_TRUE(session.settings.parameters.empty());
    EXPECT_FALSE(state.programs.choose("nothing"));
    EXPECT_EQ(state.programs.lesson()->id, "increment");
}

TEST_F(AppStateTest, TheStatusNamesHowARunEnded) {
    EXPECT_EQ(phase_text(state), "ready");
    const auto status_of = [this](const std::string& program) {
        start("import ctypes, os\nimport headway as hw\nx = hw.ones(3)\n" + program + "\n");
        finish();
        return phase_text(state);
    };
    EXPECT_EQ(status_of("x.wait_to_read()"), "finished");
    EXPECT_EQ(status_of("1 / 0"), "failed");
    EXPECT_EQ(status_of("os._exit(3)"), "crashed");
    EXPECT_EQ(status_of("at = next(l for l in open('/proc/self/maps') if 'memfd:headway' in l)\n"
                        "ctypes.memset(int(at.split('-')[0], 16) + (2 << 20), 0xcc, 64)"),
              "damaged");
}

TEST_F(AppStateTest, ParametersAreValidatedAndReset) {
    const auto& batches = state.programs.lesson()->parameters.front();
    EXPECT_EQ(state.settings.set_parameter(batches, "12"), "");
    EXPECT_EQ(state.settings.parameter("batches"), "12");
    EXPECT_FALSE(state.settings.at_default(batches));
    EXPECT_NE(state.settings.set_parameter(batches, "0"), "");
    EXPECT_NE(state.settings.set_parameter(batches, "many"), "");
    EXPECT_EQ(state.settings.parameter("batches"), "12");
    state.settings.reset_parameters(state.programs.lesson());
    EXPECT_TRUE(state.settings.at_default(batches));
}

TEST_F(AppStateTest, AnUnavailableDeviceCannotBeChosen) {
    state.settings.set_device("cuda");
    EXPECT_EQ(session.settings.device, "simulated");
    state.settings.set_device("cpu");
    EXPECT_EQ(session.settings.device, "cpu");
}

TEST_F(AppStateTest, WritesFiguresAndSaysWhere) {
    state.exports.write_as("png");
    ASSERT_EQ(state.notices.all().size(), 1u);
    EXPECT_NE(state.notices.all().front().text.find("no run yet"), std::string::npos);
    state.run();
    finish();
    for (const char* extension : {"png", "svg", "pdf"}) {
        state.exports.write_as(extension);
        finish_picture();
        ASSERT_EQ(state.notices.all().size(), 1u);
        EXPECT_EQ(state.notices.all().front().tone, Notice::Tone::good) << state.notices.all().front().text;
    }
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        EXPECT_GT(entry.file_size(), 1000u);
        ++files;
    }
    EXPECT_EQ(files, 3u);
    state.exports.folder = "/nonexistent";
    state.exports.write_as("png");
    finish_picture();
    ASSERT_EQ(state.notices.all().size(), 1u);
    EXPECT_EQ(state.notices.all().front().tone, Notice::Tone::bad);
}

TEST_F(AppStateTest, APictureHasTheVerdictOfItsRuns) {
    for (const trace::BarrierKind barrier : {trace::BarrierKind::none, trace::BarrierKind::op}) {
        session.settings.barrier = {barrier, 0};
        state.run();
        finish();
    }
    const std::string before = state.comparing.verdict()->sentence;
    session.settings.barrier = {trace::BarrierKind::none, 0};
    state.run();
    finish();
    const auto picture = state.exports.picture_of();
    ASSERT_TRUE(picture && picture->verdict);
    EXPECT_NE(picture->verdict->sentence, before) << "nothing has drawn the new verdict";
    EXPECT_EQ(picture->verdict->sentence, state.comparing.verdict()->sentence);
}

// The run of a picture may be removed before the picture is finished.
TEST_F(AppStateTest, APictureOutlivesItsRun) {
    state.run();
    finish();
    state.exports.choice().scale = 4;
    state.exports.write_as("png");
    state.reset();
    finish_picture();
    ASSERT_EQ(state.notices.all().size(), 1u);
    EXPECT_EQ(state.notices.all().front().tone, Notice::Tone::good) << state.notices.all().front().text;
    EXPECT_FALSE(std::filesystem::is_empty(folder));
}

double cpu_ms(clockid_t of) {
    timespec now{};
    clock_gettime(of, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// While a long run is recording, the UI thread spends almost no time on its picture, and events recorded meanwhile are
// not in it.
TEST_F(AppStateTest, APictureOfARecordingRunIsDrawnInTheBackground) {
    constexpr std::size_t kOps = 200'000;
    start("import time\nimport headway as hw\nx = hw.ones(1)\nfor i in range(200_000):\n    x += 1\n"
          "while True:\n    time.sleep(1)\n");
    ASSERT_FALSE(HasFatalFailure());
    while (session.live() && (session.b()->run() == nullptr || session.b()->run()->op_count() < kOps)) {
        state.poll(20);
    }
    ASSERT_TRUE(session.live()) << session.b()->ending();
    for (const auto format : {ExportChoice::Format::png, ExportChoice::Format::frames}) {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directory(folder);
        state.exports.choice().format = format;
        state.exports.choice().scale = state.exports.choice().seconds = 1;
        const double own = cpu_ms(CLOCK_THREAD_CPUTIME_ID), all = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
        state.exports.write_again();
        const double asked = cpu_ms(CLOCK_THREAD_CPUTIME_ID) - own;
        ASSERT_TRUE(state.exports.pictures.job().busy()) << state.notices.all().front().text;
        while (!state.exports.pictures.take()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        const double drawn = cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - all;
        EXPECT_GT(drawn, 30) << "otherwise this tests nothing";
        EXPECT_LT(asked, drawn / 10);
        EXPECT_FALSE(std::filesystem::is_empty(folder));
    }
    // Also cancelled while the recording is being read.
    state.exports.write_again();
    state.exports.pictures.cancel();
    finish_picture();
    EXPECT_NE(state.notices.all().back().text.find("Cancelled"), std::string::npos) << state.notices.all().back().text;
    EXPECT_TRUE(session.live());
    session.stop_at_once();
    EXPECT_GE(session.b()->run()->op_count(), kOps);
}

TEST_F(AppStateTest, OnePictureAtATime) {
    state.run();
    finish();
    state.exports.choice().format = ExportChoice::Format::frames;
    state.exports.choice().seconds = 60;
    state.exports.write_again();
    EXPECT_TRUE(state.exports.pictures.job().busy());
    state.exports.write_as("svg");
    ASSERT_EQ(state.notices.all().size(), 1u);
    EXPECT_NE(state.notices.all().front().text.find("Another picture"), std::string::npos);
    state.exports.pictures.cancel();
    finish_picture();
    EXPECT_NE(state.notices.all().front().text.find("Cancelled"), std::string::npos)
        << state.notices.all().front().text;
    EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(AppStateTest, ReportsWhichClipboardToolIsMissing) {
    state.run();
    finish();
    setenv("DISPLAY", ":77", 1);
    unsetenv("WAYLAND_DISPLAY");
    const std::string path = std::getenv("PATH");
    setenv("PATH", folder.c_str(), 1);
    state.exports.copy();
    ASSERT_EQ(state.notices.all().size(), 1u);
    EXPECT_NE(state.notices.all().front().text.find("the package xclip"), std::string::npos)
        << state.notices.all().front().text;
    setenv("WAYLAND_DISPLAY", "wayland-77", 1);
    state.exports.copy();
    EXPECT_NE(state.notices.all().front().text.find("the package wl-clipboard"), std::string::npos)
        << state.notices.all().front().text;
    unsetenv("WAYLAND_DISPLAY");
    // A substitute for the tool receives a PNG.
    const auto tool = folder / "xclip", taken = folder / "taken.png";
    std::ofstream(tool) << "#!/bin/sh\n/bin/cat > " << taken.string() << "\n";
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
    state.exports.copy();
    finish_picture();
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(state.notices.all().front().tone, Notice::Tone::good) << state.notices.all().front().text;
    std::ifstream in(taken, std::ios::binary);
    std::string begin(4, ' ');
    in.read(begin.data(), 4);
    EXPECT_EQ(begin, "\x89PNG");
}

TEST(ExportChoiceTest, IsRememberedWithoutInvalidEntries) {
    ExportChoice choice{ExportChoice::What::view,
                        ExportChoice::Format::mp4,
                        figure::FigureSize::two_columns,
                        figure::ThemeName::projector,
                        6,
                        15,
                        "/tmp/a folder"};
    EXPECT_EQ(export_choice_from(text_of(choice)), choice);
    EXPECT_EQ(export_choice_from("format=exe\nscale=99\nsize=page\n=\nwhat\n\nfolder=relative\nseconds=-1\x01"),
              ExportChoice());
    EXPECT_EQ(export_choice_from("scale=3").scale, 3);
}

TEST_F(AppStateTest, TheLastChoiceIsRestoredAtTheNextStart) {
    const auto kept = folder / "kept";
    state.use_data_folder(kept);
    state.run();
    finish();
    state.exports.choice().size = figure::FigureSize::column;
    state.exports.write_as("svg");
    finish_picture();
    AppState next(session, lessons());
    next.use_data_folder(kept);
    EXPECT_EQ(next.exports.choice().format, ExportChoice::Format::svg);
    EXPECT_EQ(next.exports.choice().size, figure::FigureSize::column);
}

TEST_F(AppStateTest, AFailureIsANoticeUntilTheNextRun) {
    session.settings.parameters = {{"batches", "nonsense"}};
    state.run();
    finish();
    ASSERT_EQ(state.notices.all().size(), 1u);
    EXPECT_EQ(state.notices.all().front().kind, Notice::Kind::run);
    EXPECT_EQ(state.notices.all().front().tone, Notice::Tone::bad);
    state.settings.reset_parameters(state.programs.lesson());
    state.run();
    EXPECT_TRUE(state.notices.all().empty());
    finish();
    EXPECT_TRUE(state.notices.all().empty());
}

TEST(Steps, SayEachTimeWhyARunCannotBeStarted) {
    session::Session session({"/nonexistent/headway-runner", 256 << 20, false});
    AppState state(session, lessons());
    state.programs.choose("increment");
    for (int attempt = 0; attempt < 2; ++attempt) {
        state.step_op();
        state.poll(5);
        EXPECT_TRUE(state.notices.has(Notice::Kind::run));
    }
}

TEST_F(AppStateTest, TheViewCoversBothRuns) {
    session.settings.barrier = {trace::BarrierKind::none, 0};
    state.run();
    finish();
    session.settings.barrier = {trace::BarrierKind::op, 0};
    state.run();
    finish();
    const auto whole = state.timeline.view.whole();
    EXPECT_LE(whole.begin_ns, 0);
    EXPECT_GE(whole.end_ns, static_cast<double>(session.b()->numbers().total_ns));
    EXPECT_GE(whole.end_ns, static_cast<double>(session.a()->numbers().total_ns));
    EXPECT_TRUE(state.timeline.view.following());
}

TEST_F(AppStateTest, ScalesInSteps) {
    state.look.scale_up();
    EXPECT_GT(state.look.user_scale, 1);
    state.look.scale_down();
    EXPECT_FLOAT_EQ(state.look.user_scale, 1);
    for (int i = 0; i < 50; ++i) {
        state.look.scale_down();
    }
    EXPECT_GE(state.look.user_scale, 0.5f);
    for (int i = 0; i < 50; ++i) {
        state.look.scale_up();
    }
    EXPECT_LE(state.look.user_scale, 3);
    state.look.user_scale = 0.5f;  // as chosen at the start
    state.look.scale_down();
    EXPECT_FLOAT_EQ(state.look.user_scale, 0.5f) << "smaller, never larger";
    state.look.user_scale = 4;
    state.look.scale_up();
    EXPECT_FLOAT_EQ(state.look.user_scale, 4);
}

// A runner that reports a GPU, after a delay.
class SlowRunner {
public:
    SlowRunner() {
        char name[] = "/tmp/headway-slow-runner-XXXXXX";
        close(mkstemp(name));
        path = name;
        std::ofstream(path)
            << "#!/bin/sh\nsleep 0.3\n"
               "echo '[{\"kind\":\"cpu\",\"available\":true},{\"kind\":\"cuda\",\"available\":true}]'\n";
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    ~SlowRunner() { std::filesystem::remove(path); }
    std::string path;
};

TEST(Devices, AnEarlyChoiceIsAppliedOnceDevicesAreKnown) {
    const SlowRunner runner;
    for (const std::string last : {"cuda", "cpu"}) {
        session::Session session({runner.path, 16 << 20, true});
        AppState state{session, {}};
        state.settings.set_device("cuda");
        EXPECT_EQ(session.settings.device, "cpu") << "it is not known yet";
        if (last == "cpu") {
            state.settings.set_device("cpu");  // and changed back
        }
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (session.looking_for_devices() && std::chrono::steady_clock::now() < end) {
            state.poll(5);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        state.poll(5);
        EXPECT_EQ(session.settings.device, last);
    }
}

TEST(AutomaticScale, FollowsTheScreenAndTheWindow) {
    EXPECT_FLOAT_EQ(automatic_scale(1920, 1080, 1), 1);
    EXPECT_FLOAT_EQ(automatic_scale(3840, 2160, 1), 2);
    EXPECT_FLOAT_EQ(automatic_scale(3840, 2160, 2), 2);
    EXPECT_FLOAT_EQ(automatic_scale(1280, 720, 1), 1);
    // A small window on a dense screen is not scaled beyond what fits.
    EXPECT_LT(automatic_scale(1920, 1080, 2), 1.7f);
}

TEST(PictureName, ContainsOnlyCharactersAllowedInFileNames) {
    const std::string name = picture_name("a/b c", "svg");
    EXPECT_EQ(name.find("headway-a_b_c-"), 0u);
    EXPECT_TRUE(name.ends_with(".svg"));
}

}  // namespace
}  // namespace headway::ui
