// Figures, animations and recordings, saved from the window.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <thread>

#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

class ExportTest : public WindowTest {
protected:
    // Files are written in the background: draws frames until this is done.
    void finish_writing() {
        while (state.exports.pictures.job().busy()) {
            frame();
        }
        frame();
    }
};

TEST_F(ExportTest, FiguresAreExported) {
    run_to_the_end();
    const auto written = [this] {
        finish_writing();
        std::multiset<std::string> kinds;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            kinds.insert(entry.path().extension());
        }
        return kinds;
    };
    for (const char* kind : {"SVG", "PDF", "PNG"}) {
        act("click:export");
        frames(2);
        act("click:export/dialog");
        frames(2);
        act(std::string("click:export/format/") + kind);
        act("click:export/write");
        EXPECT_FALSE(shown("export/write"));
        written();
        EXPECT_TRUE(shown("notice"));
    }
    EXPECT_EQ(written(), (std::multiset<std::string>{".pdf", ".png", ".svg"}));
    // The key twice, or the key and Enter, repeat the last export.
    act("click:export");
    frames(2);
    act("click:export/again");
    act("key:escape");
    EXPECT_EQ(written().size(), 4u) << "also in the same second";
    EXPECT_EQ(state.exports.choice().format, ExportChoice::Format::png);
    for (const char* second : {"f12", "enter"}) {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directory(folder);
        act("key:f12");
        EXPECT_TRUE(shown("export/write"));
        act(std::string("key:") + second);
        EXPECT_FALSE(shown("export/write"));
        EXPECT_EQ(written(), std::multiset<std::string>{".png"}) << second;
    }
    act("key:f12");
    act("key:escape");
    EXPECT_FALSE(shown("export/write"));
    int pictures = 0;
    app->on_picture([&pictures] { ++pictures; });
    act("click:export");
    frames(2);
    act("click:export/window");
    EXPECT_EQ(pictures, 1);
    act("key:shift+f12");
    EXPECT_EQ(pictures, 2);
    EXPECT_FALSE(shown("export/write"));
}

TEST_F(ExportTest, RecordingsAreSaved) {
    state.exports.save_recording();
    EXPECT_EQ(state.notices.all().back().text, "There is no run to save yet.");
    run_to_the_end();
    const std::size_t ops = session.b()->run()->op_count();
    state.exports.write_recording = [](const model::Run& run, const std::string& path,
                                       const std::function<bool()>& go_on) {
        EXPECT_TRUE(go_on());
        std::ofstream(path) << run.op_count();
        return core::Result<void>();
    };
    act("click:export");
    frames(2);
    act("click:export/recording");
    finish_writing();
    ASSERT_EQ(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()), 1);
    const auto path = std::filesystem::directory_iterator(folder)->path();
    EXPECT_TRUE(path.string().ends_with(".json.gz")) << path;
    std::size_t written = 0;
    std::ifstream(path) >> written;
    EXPECT_EQ(written, ops);
    EXPECT_EQ(state.notices.all().back().text, "The recording is in " + path.string());
}

TEST_F(ExportTest, TheLastRunIsSavedAlsoIfItIssuedNoOps) {
    std::size_t written = 1;
    state.exports.write_recording = [&written](const model::Run& run, const std::string&,
                                               const std::function<bool()>&) {
        written = run.op_count();
        return core::Result<void>();
    };
    run_to_the_end();
    session.settings.parameters[0].second = "0";
    act("run");
    act("wait");
    ASSERT_EQ(session.b()->phase(), session::Phase::failed);
    ASSERT_TRUE(session.a() != nullptr && !has_ops(session.b()));
    state.exports.save_recording();
    finish_writing();
    const bool recorded = session.b()->run() != nullptr;
    EXPECT_EQ(written, recorded ? 0u : 1u) << "A is another run";
    if (!recorded) {
        EXPECT_EQ(state.notices.all().back().text,
                  "The last run ended before it recorded anything: there is nothing to save.");
    }
}

TEST_F(ExportTest, TheWindowClosesWhenTheFileIsWhole) {
    run_to_the_end();
    std::atomic<bool> may_end{false};
    std::atomic<int> whole{0};
    state.exports.write_recording = [&](const model::Run&, const std::string&, const std::function<bool()>& go_on) {
        while (!may_end && go_on()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        whole += may_end ? 1 : 0;
        return core::Result<void>();
    };
    state.exports.save_recording();
    app->ask_to_close();
    frames(3);
    EXPECT_FALSE(app->may_close());
    may_end = true;
    finish_writing();
    EXPECT_TRUE(app->may_close());
    EXPECT_EQ(whole, 1);

    may_end = false;
    state.exports.save_recording();
    EXPECT_FALSE(app->may_close());
    app->ask_to_close();  // once more
    finish_writing();
    EXPECT_TRUE(app->may_close());
    EXPECT_EQ(whole, 1) << "given up";
}

// The dialog asks again, once for each time that something was edited.
TEST_F(ExportTest, EditsMadeWhileAFileIsWrittenAreNotLost) {
    run_to_the_end();
    std::ofstream(folder / "own.py") << "x = 1\n";
    ASSERT_TRUE(state.programs.open(folder / "own.py"));
    std::atomic<bool> may_end{false};
    state.exports.write_recording = [&](const model::Run&, const std::string&, const std::function<bool()>&) {
        while (!may_end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return core::Result<void>();
    };
    state.exports.save_recording();
    app->ask_to_close();
    frames(2);
    EXPECT_FALSE(shown("close/stay"));
    state.source.document()->text.type("y = 2\n");
    frames(2);
    EXPECT_FALSE(shown("close/stay")) << "the window could not close yet";
    may_end = true;
    finish_writing();
    frames(3);
    EXPECT_FALSE(app->may_close());
    ASSERT_TRUE(shown("close/discard"));
    may_end = false;
    state.exports.save_recording();
    act("click:close/discard");
    EXPECT_FALSE(app->may_close());
    state.source.document()->text.type("z = 3\n");
    may_end = true;
    finish_writing();
    frames(3);
    EXPECT_FALSE(app->may_close()) << "the last edit was not given up";
    act("click:close/discard");
    EXPECT_TRUE(app->may_close());
}

TEST_F(ExportTest, OnlyClosingItsNoticeCancelsAnExport) {
    run_to_the_end();
    std::atomic<bool> given_up{false};
    state.exports.write_recording = [&](const model::Run&, const std::string&, const std::function<bool()>& go_on) {
        while (go_on()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        given_up = true;
        return core::Result<void>(core::Error{core::ErrorKind::failed, "Cancelled; nothing was written."});
    };
    state.exports.save_recording();
    act("seconds:0.5");
    ASSERT_TRUE(state.notices.has(Notice::Kind::exporting));
    act("run");
    state.source.save();
    state.exports.write_again();  // "Another picture is being written"
    act("reset");
    act("seconds:0.1");
    EXPECT_TRUE(state.notices.has(Notice::Kind::exporting));
    EXPECT_FALSE(given_up);
    act("click:notice/" + std::to_string(static_cast<int>(Notice::Kind::exporting)) + "/close");
    finish_writing();
    EXPECT_TRUE(given_up);
    EXPECT_FALSE(state.notices.has(Notice::Kind::exporting));
}

TEST_F(ExportTest, WhileTheWindowIsToCloseTheNoticeSaysWhatItWaitsFor) {
    run_to_the_end();
    state.exports.write_recording = [](const model::Run&, const std::string&, const std::function<bool()>& go_on) {
        while (go_on()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return core::Result<void>(core::Error{core::ErrorKind::failed, "Cancelled; nothing was written."});
    };
    state.exports.save_recording();
    act("seconds:0.5");
    ASSERT_TRUE(state.notices.all().back().text.ends_with("(close this to cancel)"));
    app->ask_to_close();
    frames(2);
    EXPECT_TRUE(state.notices.all().back().text.ends_with(
        "(the window closes when this is done; close it again to stop and keep no file)"))
        << state.notices.all().back().text;
    app->ask_to_close();
    finish_writing();
    EXPECT_TRUE(app->may_close());
}

TEST_F(ExportTest, EveryChoiceOfTheExportIsOneClick) {
    run_to_the_end();
    act("key:f12");
    for (const char* mark :
         {"export/what/The view", "export/what/The whole run", "export/format/GIF", "export/seconds/15 s",
          "export/size/Poster", "export/scale/4×", "export/theme/Projector", "export/size/As the window"}) {
        ASSERT_TRUE(shown(mark)) << mark;
        act(std::string("click:") + mark);
    }
    const ExportChoice expected{ExportChoice::What::run,
                                ExportChoice::Format::gif,
                                figure::FigureSize::window,
                                figure::ThemeName::projector,
                                4,
                                15,
                                {}};
    EXPECT_EQ(state.exports.choice(), expected);
    EXPECT_FALSE(shown("export/what/A | B")) << "there is one run only";
    act("click:export/format/PDF");
    EXPECT_FALSE(shown("export/scale/4×"));
    EXPECT_FALSE(shown("export/seconds/15 s"));
    // A path of the user's own, in a folder that does not exist: the dialog says so and stays, and nothing is
    // remembered.
    type("export/path", "/nonexistent/own.pdf");
    frames(3);
    EXPECT_TRUE(shown("export/write"));
    EXPECT_NE(words().find("There is no folder /nonexistent"), std::string::npos);
    EXPECT_TRUE(state.notices.all().empty());
    EXPECT_EQ(state.exports.choice().folder, expected.folder);
    act("key:escape");
    frames(3);
    EXPECT_FALSE(shown("export/write"));
}

TEST_F(ExportTest, AFileIsReplacedOnlyWhenAskedTwice) {
    run_to_the_end();
    const auto content = [this](const char* name) {
        std::ifstream in(folder / name, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    for (const char* name : {"own.svg", "own.pdf"}) {
        std::ofstream(folder / name) << "mine";
    }
    act("key:f12");
    act("click:export/format/SVG");
    type("export/path", (folder / "own.svg").string());
    ASSERT_TRUE(shown("export/write")) << "Enter asked to write it";
    EXPECT_NE(words().find("own.svg exists; Export again replaces it"), std::string::npos);
    act("click:export/format/PDF");  // another path, which was not asked for
    act("click:export/write");
    ASSERT_TRUE(shown("export/write"));
    finish_writing();
    EXPECT_EQ(content("own.svg"), "mine");
    EXPECT_EQ(content("own.pdf"), "mine");
    act("click:export/write");
    frames(2);
    EXPECT_FALSE(shown("export/write"));
    finish_writing();
    EXPECT_EQ(content("own.svg"), "mine");
    EXPECT_EQ(content("own.pdf").substr(0, 4), "%PDF");
}

TEST_F(ExportTest, AnAnimationShowsBothRunsArrangedAsInTheWindow) {
    run_to_the_end();
    run_to_the_end();
    ASSERT_NE(session.a(), nullptr);
    state.arrangement.set({{"memory", 0, false, true, "Bytes held"}});
    ExportChoice& choice = state.exports.choice();
    choice.what = ExportChoice::What::both;
    choice.format = ExportChoice::Format::frames;
    choice.size = figure::FigureSize::column;
    choice.scale = choice.seconds = 1;
    act("key:f12");
    EXPECT_TRUE(shown("export/what/A | B"));
    act("key:enter");
    finish_writing();
    ASSERT_EQ(state.notices.all().size(), 1u);
    EXPECT_EQ(state.notices.all().front().tone, Notice::Tone::good) << state.notices.all().front().text;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    ASSERT_EQ(files.size(), 25u);
    const auto bytes = [](const std::filesystem::path& file) {
        std::ifstream in(file, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    // Its last frame equals the figure of both, with the lanes arranged as in the window.
    choice.format = ExportChoice::Format::png;
    const auto still = folder / "still.png";
    state.exports.write(still.string());
    finish_writing();
    EXPECT_EQ(bytes(files.back()), bytes(still));
    state.arrangement.set({});
    state.exports.write(still.string());
    finish_writing();
    EXPECT_NE(bytes(files.back()), bytes(still));
}

// The whole dialog is inside the window, on any screen.
TEST_F(ExportTest, TheExportDialogFitsSmallWindows) {
    run_to_the_end();
    for (const auto& [width, height] : {std::pair{1280, 720}, {1920, 1080}, {3840, 2160}}) {
        open(width, height);
        state.exports.choice().format = ExportChoice::Format::frames;
        act("key:f12");
        frames(3);
        for (const auto& [id, mark] : app->rects()) {
            if (id.starts_with("export/")) {
                EXPECT_GE(mark.x0, 0) << id;
                EXPECT_LE(mark.x1, mark.x0 < 0 ? 0 : static_cast<float>(width)) << id;
                EXPECT_LE(mark.y1, static_cast<float>(height)) << id;
            }
        }
        act("key:escape");
    }
}

}  // namespace
}  // namespace headway::ui::test
