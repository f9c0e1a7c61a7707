// Programs from disk and the learner's copies, without drawing.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "app/ui/dialogs/confinement_note.h"
#include "app/ui/dialogs/dialogs.h"
#include "app/ui/shell/status_bar.h"
#include "app/ui/source/step_controls.h"
#include "app/ui/state/app_state.h"

namespace headway::ui {
namespace {

namespace fs = std::filesystem;
using session::Phase;

class AppPrograms : public ::testing::Test {
protected:
    AppPrograms() {
        char name[] = "/tmp/headway-programs-XXXXXX";
        folder = mkdtemp(name);
        state.source.files.home = folder / "home";
        write("lessons/small/small.py", "n = 3\nprint('n is', n)\n");
        write("lessons/small/small_torch.py", "import torch\nn = 3\nprint('torch')\n");
        write("lessons/small/lesson.md",
              "---\nid: small\ntitle: Small\nprogram: small.py\ntabs:\n  pytorch: small_torch.py\n"
              "parameters:\n  n: {value: 3, least: 1, most: 9}\n---\nWords.\n");
    }
    ~AppPrograms() override { fs::remove_all(folder); }
    fs::path write(const std::string& name, const std::string& bytes) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name, std::ios::binary) << bytes;
        return folder / name;
    }
    static std::string read(const fs::path& path) { return editor::read_file(path, 1 << 20).value_or("(nothing)"); }
    std::string problem(const fs::path& path) {
        const auto opened = state.programs.open(path);
        return opened ? "" : opened.error().message;
    }
    bool poll_until(const std::function<bool()>& done) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!done()) {
            state.poll(5);
            if (std::chrono::steady_clock::now() > end) {
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return true;
    }
    // Runs the program and returns its output.
    std::string run() {
        state.run();
        EXPECT_TRUE(poll_until([&] { return !session.live(); }));
        std::string text;
        for (const auto& line : session.b()->output()) {
            text += line.text + "\n";
        }
        return text;
    }
    bool no_python() { return session.b() != nullptr && session.b()->ending().find("no Python") != std::string::npos; }
    fs::path folder;
    session::Session session{{HEADWAY_RUNNER, 256 << 20, false}};
    AppState state{session, {}};
};

TEST_F(AppPrograms, AFailureIsToldWhileOpsAreStillToBeExecuted) {
    ASSERT_EQ(problem(write("a.py",
                            "import headway as hw\nx = hw.ones(2)\nfor i in range(20):\n    x = x + 1\n"
                            "raise ValueError('no such thing')\n")),
              "");
    session.hold_backend(true);
    state.run();
    ASSERT_TRUE(poll_until([&] { return !session.live() || !state.notices.all().empty(); }));
    if (no_python()) {
        GTEST_SKIP() << session.b()->ending();
    }
    ASSERT_TRUE(session.live()) << session.b()->ending();
    const std::string failure = "Failed after issuing 21 ops: ValueError: no such thing, at a.py:5.";
    EXPECT_EQ(state.notices.all().front().text,
              failure + " Ops that it had issued are still to be executed; Stop drops them.");
    EXPECT_EQ(state.notices.all().front().tone, Notice::Tone::bad);
    EXPECT_EQ(phase_text(state), "failed");
    EXPECT_EQ(status_parts(state).back(), "failed, 21 ops still to execute");
    session.stop();
    ASSERT_TRUE(poll_until([&] { return !session.live() && !session.behind(); }));
    EXPECT_EQ(session.b()->phase(), Phase::failed);
    EXPECT_TRUE(session.b()->ending().starts_with(failure)) << session.b()->ending();
    ASSERT_EQ(state.notices.all().size(), 1u);
    EXPECT_EQ(state.notices.all().front().text, session.b()->ending());
    EXPECT_EQ(status_parts(state).back(), "failed");
}

TEST_F(AppPrograms, OpeningRunsNothing) {
    const auto path = write("a.py", "open('ran', 'w')\n");
    ASSERT_EQ(problem(path), "");
    EXPECT_EQ(session.b(), nullptr);
    EXPECT_EQ(state.programs.lesson()->title, "a.py");
    EXPECT_EQ(state.source.document()->text.text(), "open('ran', 'w')\n");
    EXPECT_EQ(session.settings.program, path.string());
    EXPECT_TRUE(state.source.tabs().empty());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(fs::exists(folder / "ran"));
}

// A recorded run without its program is shown on its own, and no other program is run with it.
TEST_F(AppPrograms, ARecordingIsShownInPlaceOfALesson) {
    ASSERT_EQ(problem(write("a.py", "x = 1\n")), "");
    state.programs.choose_recording(write("torch.json", "[]"));
    EXPECT_EQ(state.programs.lesson()->title, "torch.json");
    EXPECT_EQ(state.source.document(), nullptr);
    EXPECT_TRUE(state.source.tabs().empty());
    EXPECT_EQ(session.settings.program, "");
    state.run();
    EXPECT_EQ(session.b(), nullptr) << "there is nothing to run";
    EXPECT_FALSE(state.programs.choose("torch.json")) << "it is no lesson";
    std::string opened;
    state.programs.open_recording = [&opened](const std::string& path) {
        opened = path;
        return core::Result<void>();
    };
    state.programs.go_to(state.programs.index());
    EXPECT_EQ(opened, (folder / "torch.json").string()) << "choosing it opens it again";
    ASSERT_EQ(problem(folder / "a.py"), "");
    EXPECT_EQ(state.source.document()->text.text(), "x = 1\n");
    EXPECT_EQ(session.settings.program, (folder / "a.py").string());
}

TEST_F(AppPrograms, SaysWhyAPathCannotBeOpened) {
    EXPECT_NE(problem(folder / "none.py").find("there is no file"), std::string::npos);
    EXPECT_NE(problem(write("a.xyz", "x")).find("is not a program"), std::string::npos);
    EXPECT_NE(problem(folder).find("lesson.md"), std::string::npos);
    EXPECT_NE(problem(write("b.ipynb", "x")).find("b.ipynb: this is not a notebook"), std::string::npos);
    write("broken/lesson.md", "---\nid: broken\ntitle: B\nprogram: gone.py\n---\nWords.\n");
    EXPECT_NE(problem(folder / "broken").find("gone.py is not in its folder"), std::string::npos);
    write("worse/lesson.md", "---\nid: [\n---\nWords.\n");
    EXPECT_NE(problem(folder / "worse").find("lesson.md:"), std::string::npos);
    EXPECT_EQ(state.programs.lesson(), nullptr);
    state.programs.open_recording = [](const std::string& path) {
        return core::Result<void>(core::Error{core::ErrorKind::unreadable, "recording " + path});
    };
    EXPECT_NE(problem(folder / "a.xyz").find("recording "), std::string::npos);
}

TEST_F(AppPrograms, RunsTheEditorsTextAndKeepsTheFile) {
    const auto path = write("a.py", "print('file')\n");
    ASSERT_EQ(problem(path), "");
    const std::string first = run();
    if (no_python()) {
        GTEST_SKIP() << session.b()->ending();
    }
    EXPECT_EQ(first, "file\n");
    state.source.document()->text.select_all();
    state.source.document()->text.type("print('edited')");
    EXPECT_EQ(run(), "edited\n");
    EXPECT_EQ(read(path), "print('file')\n");
    state.source.save();
    EXPECT_EQ(read(path), "print('edited')");
    EXPECT_EQ(run(), "edited\n");
    EXPECT_TRUE(session.settings.source.empty());
}

// Without one, a relative path would name a file in the folder that the window was started in.
TEST(WithoutATemporaryFolder, AnEditedProgramIsNotRunAndNoFileIsWritten) {
    char name[] = "/tmp/headway-nowhere-XXXXXX";
    const fs::path folder = mkdtemp(name), before = fs::current_path();
    fs::current_path(folder);
    fs::create_directories("source");
    std::ofstream("source/a.py") << "mine\n";
    std::ofstream("a.py") << "print(1)\n";
    {
        const char* set = std::getenv("TMPDIR");
        const std::string saved = set != nullptr ? set : "";
        setenv("TMPDIR", "/nonexistent", 1);
        session::Session session({HEADWAY_RUNNER, 256 << 20, false});
        saved.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", saved.c_str(), 1);
        AppState state(session, {});
        ASSERT_TRUE(state.programs.open(folder / "a.py"));
        state.source.document()->text.type("x = 2\n");
        state.run();
        EXPECT_EQ(session.b(), nullptr);
        ASSERT_EQ(state.notices.all().size(), 1u);
        EXPECT_EQ(state.notices.all().front().text,
                  "What is in the editor cannot be run: no temporary folder can be made in /nonexistent: No such file "
                  "or directory; set TMPDIR to a folder that you can write in, and start Headway again.");
    }
    EXPECT_EQ(editor::read_file(folder / "source/a.py", 100).value_or(""), "mine\n");
    fs::current_path(before);
    fs::remove_all(folder);
}

TEST_F(AppPrograms, ALessonFromDiskIsRunWithItsParameters) {
    ASSERT_EQ(problem(folder / "lessons" / "small"), "");
    EXPECT_EQ(state.programs.lesson()->id, "small");
    ASSERT_EQ(state.source.tabs().size(), 2u);
    EXPECT_EQ(state.source.tabs()[0].label, "Headway");
    EXPECT_EQ(state.source.tabs()[1].label, "PyTorch");
    state.settings.set_parameter(state.programs.lesson()->parameters[0], "5");
    const std::string first = run();
    if (no_python()) {
        GTEST_SKIP() << session.b()->ending();
    }
    EXPECT_EQ(first, "n is 5\n");
    // The learner's copy, and then the lesson's own program again.
    state.source.document()->text.replace_all("n = 1\nprint('copy', n)\n");
    EXPECT_EQ(run(), "copy 5\n");
    EXPECT_EQ(read(folder / "lessons/small/small.py"), "n = 3\nprint('n is', n)\n");
    EXPECT_EQ(read(folder / "home/small/small.py"), "n = 1\nprint('copy', n)\n");
    state.source.revert();
    EXPECT_EQ(run(), "n is 5\n");
    EXPECT_FALSE(fs::exists(folder / "home/small/small.py"));
    state.source.set_tab("pytorch");
    EXPECT_EQ(state.source.document()->name(), "small_torch.py");
    // A path to lesson.md opens the lesson, too.
    ASSERT_EQ(problem(folder / "lessons/small/lesson.md"), "");
    EXPECT_EQ(state.programs.lessons().size(), 1u);
}

TEST_F(AppPrograms, ADocumentsTabsAreOffered) {
    const auto path = write(
        "a.md", "Words\n\n```python\n#@tab mxnet\nprint('mx')\n```\n\n```python\n#@tab pytorch\nprint('pt')\n```\n");
    ASSERT_EQ(problem(path), "");
    ASSERT_EQ(state.source.tabs().size(), 2u);
    EXPECT_EQ(state.source.tab(), "mxnet");
    const std::string first = run();
    if (no_python()) {
        GTEST_SKIP() << session.b()->ending();
    }
    EXPECT_EQ(first, "mx\n");
    state.source.set_tab("pytorch");
    EXPECT_EQ(run(), "pt\n");
}

TEST_F(AppPrograms, FollowsChangesByAnotherEditor) {
    const auto path = write("a.py", "x = 1\n");
    ASSERT_EQ(problem(path), "");
    write("a.py", "x = 2\n");
    ASSERT_TRUE(poll_until([&] { return state.source.document()->text.text() == "x = 2\n"; }));
    state.source.document()->text.type("# ");
    write("a.py", "x = 3\n");
    ASSERT_TRUE(poll_until([&] { return state.source.document()->disk() == editor::Document::Disk::changed; }));
    EXPECT_EQ(state.source.document()->text.text(), "# x = 2\n");
    EXPECT_EQ(state.source.files.unsaved().size(), 1u);
}

TEST_F(AppPrograms, LinesOfTheRunAreLinesOfTheEditor) {
    const auto path = write("a.py", "x = 1\ny = 2\n1 / 0\n");
    ASSERT_EQ(problem(path), "");
    run();
    if (no_python()) {
        GTEST_SKIP() << session.b()->ending();
    }
    EXPECT_EQ(state.lines.failed(), 3u);
    state.source.document()->text.place({0, 0});
    state.source.document()->text.paste("# new\n");
    EXPECT_EQ(state.lines.failed(), 4u);
    state.source.document()->text.undo();
    // Breakpoints stop at their line and remain in the document.
    state.lines.set_breakpoint(2, true);
    state.run();
    ASSERT_TRUE(poll_until([&] { return session.stopped(); }));
    EXPECT_EQ(state.lines.current(), 2u);
    state.run_to_line(3);
    ASSERT_TRUE(poll_until([&] { return session.stopped() && state.lines.current() == 3; }));
    write("b.py", "z = 1\n");
    ASSERT_EQ(problem(folder / "b.py"), "");
    EXPECT_EQ(state.lines.current(), 0u);  // another text is shown
    ASSERT_EQ(problem(path), "");
    EXPECT_EQ(state.lines.current(), 3u);
    state.stop();
    ASSERT_TRUE(poll_until([&] { return !session.live(); }));
    EXPECT_EQ(state.source.document()->breakpoints().count(2), 1u);
}

TEST(Folders, ProgramsMayNotWriteInAHomeFolder) {
    ASSERT_EQ(setenv("HOME", "/tmp", 1), 0);
    EXPECT_FALSE(may_write_in("/"));
    EXPECT_FALSE(may_write_in("/tmp"));
    EXPECT_FALSE(may_write_in("/tmp/../tmp/"));
    EXPECT_TRUE(may_write_in("/tmp/project"));
    EXPECT_EQ(without_tilde("~/x"), "/tmp/x");
    EXPECT_EQ(without_tilde("~x"), "~x");
}

TEST_F(AppPrograms, OffersPathsThatCompleteTheInput) {
    write("p/one.py", "");
    write("p/one.bin", "");
    write("p/only/x.py", "");
    write("p/two.md", "");
    const std::string begin = (folder / "p").string() + "/";
    EXPECT_EQ(path_choices(begin), (std::vector<std::string>{begin + "only/", begin + "one.py", begin + "two.md"}));
    EXPECT_EQ(path_choices(begin + "on"), (std::vector<std::string>{begin + "only/", begin + "one.py"}));
    EXPECT_TRUE(path_choices("/nonexistent/x").empty());
}

TEST(SlowMotion, GoesFromOneMillisecondToTenSeconds) {
    EXPECT_EQ(delay_ns_at(0), 0u);
    EXPECT_EQ(delay_ns_at(1), 10'000'000'000u);
    EXPECT_EQ(delay_ns_at(0.0601f), 1'000'000u);
    for (const std::uint64_t ms : {1u, 10u, 100u, 1000u, 10000u}) {
        EXPECT_EQ(delay_ns_at(share_of_delay(ms * 1'000'000) + 1e-4f), ms * 1'000'000) << ms;
    }
    EXPECT_EQ(share_of_delay(0), 0);
}

TEST(ConfinementNote, NamesFoldersAndLimits) {
    const confinement::Support full{7, true};
    session::Settings settings;
    settings.limits = {1u << 30, 0, 0, 8};
    const auto text = [&](const std::string& folder, bool writable) {
        return confinement_sentences(settings, full, folder, writable);
    };
    EXPECT_NE(text("/x", true).find("only in /x, a temporary folder"), std::string::npos) << text("/x", true);
    EXPECT_EQ(text("/x", false).find("only in /x"), std::string::npos);
    EXPECT_NE(text("/x", false).find("holds too many of your own files"), std::string::npos);
    EXPECT_NE(text("", true).find("A run takes at most 1 GiB of memory and 8 processes."), std::string::npos);
    settings.confined = false;
    EXPECT_NE(text("/x", true).find("write anywhere"), std::string::npos);
}

}  // namespace
}  // namespace headway::ui
