#include "app/lesson/lesson.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/lesson/assets.h"
#include "app/lesson/detail_tab_names.h"

namespace headway::lesson {
namespace {

namespace fs = std::filesystem;

const char* const kGood =
    "---\n"
    "id: steps\n"
    "title: \"Steps: many\"\n"
    "program: increment\n"
    "barrier: behind:2\n"
    "parameters:\n"
    "  n: {value: 5, least: 1, most: 9, label: Steps}\n"
    "  wait:\n"
    "    value: once\n"
    "    choices: [once, each]\n"
    "  lr: {value: 0.5, least: 0, most: 1, fractions: true}\n"
    "---\n"
    "\n"
    "The *text*.\n"
    "---\n"
    "More.\n";

struct Folder {
    fs::path path = fs::temp_directory_path() / ("headway-lessons-" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    void add(const std::string& name, const std::string& content) const {
        fs::create_directories(path / name);
        std::ofstream(path / name / "lesson.md") << content;
    }
};

TEST(Lesson, IsReadFromFrontMatterAndText) {
    auto lesson = parse_lesson(kGood, "a/lesson.md");
    ASSERT_TRUE(lesson) << lesson.error().message;
    EXPECT_EQ(lesson->id, "steps");
    EXPECT_EQ(lesson->title, "Steps: many");
    EXPECT_EQ(lesson->program, "increment");
    EXPECT_EQ(lesson->device, "cpu");
    EXPECT_EQ(lesson->barrier, "behind:2");
    EXPECT_EQ(lesson->text, "The *text*.\n---\nMore.\n");
    ASSERT_EQ(lesson->parameters.size(), 3u);
    EXPECT_EQ(lesson->parameters[0].label, "Steps");
    EXPECT_EQ(lesson->parameters[0].most, 9);
    EXPECT_TRUE(lesson->parameters[0].whole);
    EXPECT_EQ(lesson->parameters[1].label, "wait");
    EXPECT_EQ(lesson->parameters[1].choices, (std::vector<std::string>{"once", "each"}));
    EXPECT_FALSE(lesson->parameters[2].whole);
    EXPECT_EQ(lesson->lines, (std::vector<std::uint32_t>{7, 8, 11}));
}

TEST(Lesson, WhatToTryAndToMakeIsApartFromTheText) {
    const std::string front =
        "---\nid: a\ntitle: A\nprogram: increment\npart: 2\nshows: Steps — in stages\nminutes: 4\n---\n";
    const auto lesson = parse_lesson(front +
                                         "First.\n\n**Try.** More\nsteps.\n\n```\n**Try.** is code here\n\nx\n```\n\n"
                                         "Last.\n\n**Make.** Another.\n",
                                     "l.md");
    ASSERT_TRUE(lesson) << lesson.error().message;
    EXPECT_EQ(lesson->text, "First.\n\n```\n**Try.** is code here\n\nx\n```\n\nLast.\n\n");
    EXPECT_EQ(lesson->try_text, "**Try.** More\nsteps.\n\n**Make.** Another.\n");
    EXPECT_EQ(lesson->part, 2);
    EXPECT_EQ(lesson->shows, "Steps — in stages");
    EXPECT_EQ(lesson->minutes, 4);
}

TEST(Lesson, WhatARunShowsIsApartFromTheTextToo) {
    const std::string front = "---\nid: a\ntitle: A\nprogram: increment\n---\n";
    for (const std::string begin : {"**Claim.** It waits.", "**Look at** the wait."}) {
        const auto lesson = parse_lesson(front + "First.\n\n" + begin + "\n\nMore.\n\n**Try.** It.\n", "l.md");
        ASSERT_TRUE(lesson) << lesson.error().message;
        EXPECT_EQ(lesson->text, "First.\n\n");
        EXPECT_EQ(lesson->claim_text, begin + "\n\nMore.\n\n");
        EXPECT_EQ(lesson->try_text, "**Try.** It.\n");
    }
}

TEST(Lesson, RefusesWhatTheMapCannotShow) {
    for (const char* line : {"part: 0", "part: 5", "part: 1.5", "part: x", "minutes: 0", "minutes: 1000", "shows: \"\"",
                             "shows: 1234567890123456789012345678901234567890123456789", "shows: [a]"}) {
        const auto lesson =
            parse_lesson(std::string("---\nid: a\ntitle: A\nprogram: increment\n") + line + "\n---\nText.\n", "l.md");
        ASSERT_FALSE(lesson) << line;
        EXPECT_EQ(lesson.error().line, 5u) << line;
    }
}

TEST(Lesson, AcceptsWindowsLineEndsAndByteOrderMark) {
    std::string content = "\xef\xbb\xbf";
    for (const char* c = kGood; *c != '\0'; ++c) {
        content += *c == '\n' ? "\r\n" : std::string(1, *c);
    }
    auto lesson = parse_lesson(content, "a/lesson.md");
    ASSERT_TRUE(lesson) << lesson.error().message;
    EXPECT_EQ(lesson->lines[0], 7u);
}

struct Broken {
    const char* what;
    std::string content;
    std::uint32_t line;
    const char* says;
};

std::string replaced(std::string from, std::string to) {
    std::string content = kGood;
    content.replace(content.find(from), from.size(), to);
    return content;
}

TEST(Lesson, InvalidLessonsAreRejectedWithALine) {
    const Broken cases[] = {
        {"no front matter", "id: x\n", 1, "three dashes"},
        {"empty", "", 1, "three dashes"},
        {"never closed", "---\nid: x\n", 1, "no closing line"},
        {"not YAML", replaced("title: \"Steps: many\"", "title: [a"), 0, "cannot be read"},
        {"a tab", replaced("  wait:\n", "\twait:\n"), 0, "cannot be read"},
        {"unknown key", replaced("title:", "titel:"), 3, "\"titel\" is not known"},
        {"key twice", replaced("program:", "title: a\nprogram:"), 4, "given twice"},
        {"bad id", replaced("id: steps", "id: Two words"), 2, "letters a to z"},
        {"no title", replaced("title: \"Steps: many\"\n", ""), 2, "has no title"},
        {"bad barrier", replaced("behind:2", "behind:x"), 5, "a barrier is none, op"},
        {"range", replaced("value: 5", "value: 0"), 7, "n must be from 1 to 9"},
        {"no limits", replaced("least: 1, ", ""), 7, "needs least and most"},
        {"upside down", replaced("least: 1,", "least: 20,"), 7, "least that is larger than its most"},
        {"choice", replaced("value: once", "value: never"), 9, "once or each"},
        {"unknown parameter key", replaced("label: Steps", "lable: Steps"), 7, "\"lable\" is not known"},
        {"parameter is no map", replaced("{value: 0.5, least: 0, most: 1, fractions: true}", "3"), 11, "must be a map"},
        {"limit is no number", replaced("most: 9", "most: many"), 7, "n.most must be a number"},
        {"bad view", replaced("barrier: behind:2", "view: table"), 5, "view must be"},
        {"bad streams", replaced("barrier: behind:2", "streams: 0"), 5, "streams must be"},
        {"bad costs", replaced("barrier: behind:2", "costs: fast"), 5, "costs must be"},
        {"speeds without GPUs", replaced("barrier: behind:2", "gpu_speeds: [1, 0.5]"), 5, "gpu_speeds must have"},
        {"too few speeds", replaced("barrier: behind:2", "gpu_speeds: [1]\ngpus: 2"), 5, "gpu_speeds must have"},
        {"no list of speeds", replaced("barrier: behind:2", "gpu_speeds: 1\ngpus: 2"), 5, "gpu_speeds must have"},
        {"speed of nothing", replaced("barrier: behind:2", "gpu_speeds: [1, 0]\ngpus: 2"), 5, "from 0.01 to 100"},
        {"no text", replaced("The *text*.\n---\nMore.\n", ""), 12, "no text"},
    };
    for (const auto& broken : cases) {
        auto lesson = parse_lesson(broken.content, "a/lesson.md");
        ASSERT_FALSE(lesson) << broken.what;
        EXPECT_NE(lesson.error().message.find(broken.says), std::string::npos)
            << broken.what << ": " << lesson.error().message;
        EXPECT_EQ(lesson.error().file, "a/lesson.md");
        if (broken.line != 0) {
            EXPECT_EQ(lesson.error().line, broken.line) << broken.what;
        } else {
            EXPECT_GT(lesson.error().line, 1u) << broken.what;
        }
    }
}

TEST(Lesson, GpusMayHaveSpeeds) {
    const auto lesson = parse_lesson(replaced("barrier: behind:2", "gpu_speeds: [1, 0.25]\ngpus: 2"), "a/lesson.md");
    ASSERT_TRUE(lesson) << lesson.error().message;
    EXPECT_EQ(lesson->gpu_speeds, (std::vector<double>{1, 0.25}));
}

TEST(Lesson, AnyLastingTabCanBeItsView) {
    for (const DetailTabName& tab : kDetailTabs) {
        const auto lesson = parse_lesson(replaced("barrier: behind:2", std::string("view: ") + tab.id), "a/lesson.md");
        ASSERT_TRUE(lesson) << lesson.error().message;
        EXPECT_EQ(lesson->view, tab.id);
    }
    EXPECT_TRUE(parse_lesson(replaced("barrier: behind:2", "view: formula"), "a/lesson.md"));
}

TEST(Lesson, ValidLessonsLoadNextToInvalidOnes) {
    Folder folder;
    folder.add("10-last", replaced("id: steps", "id: last"));
    folder.add("02-first", kGood);
    folder.add("03-broken", "---\nid: [\n---\nText\n");
    folder.add("04-same-id", kGood);
    fs::create_directories(folder.path / "05-empty");
    std::vector<core::Error> refused;
    auto lessons = load_lessons(folder.path, &refused);
    ASSERT_TRUE(lessons);
    ASSERT_EQ(lessons->size(), 2u);
    EXPECT_EQ((*lessons)[0].id, "steps");
    EXPECT_EQ((*lessons)[0].number, 2);
    EXPECT_EQ((*lessons)[1].id, "last");
    ASSERT_EQ(refused.size(), 3u);
    EXPECT_NE(refused[0].file.find("03-broken"), std::string::npos);
    EXPECT_NE(refused[1].message.find("already"), std::string::npos);
    EXPECT_NE(refused[2].message.find("no lesson.md in this folder"), std::string::npos);
    EXPECT_TRUE(refused[2].file.ends_with("05-empty")) << refused[2].file;
}

TEST(Lesson, FindsAFolderByTheIdInItsName) {
    const Folder folder;
    const fs::path& dir = folder.path;
    fs::create_directories(dir / "02-not-waiting");
    fs::create_directories(dir / "03-waiting");
    EXPECT_EQ(find_lesson_folder(dir, "waiting"), dir / "03-waiting");
    EXPECT_EQ(find_lesson_folder(dir, "not-waiting"), dir / "02-not-waiting");
    EXPECT_EQ(find_lesson_folder(dir, "03-waiting"), std::nullopt);
    EXPECT_EQ(find_lesson_folder(dir / "none", "waiting"), std::nullopt);
}

TEST(Lesson, PythonProgramsMustAssignTheirParameters) {
    Folder folder;
    const std::string front =
        "---\nid: mine\ntitle: Mine\nprogram: mine.py\nparameters:\n  n: {value: 3, least: 1, most: 9}\n---\nText.\n";
    folder.add("01-mine", front);
    const auto load = [&](const std::string& python) {
        std::ofstream(folder.path / "01-mine/mine.py") << python;
        std::vector<core::Error> refused;
        EXPECT_TRUE(load_lessons(folder.path, &refused));
        return refused;
    };
    std::vector<core::Error> refused;
    ASSERT_TRUE(load_lessons(folder.path, &refused));
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_NE(refused[0].message.find("mine.py is not in its folder"), std::string::npos);
    EXPECT_EQ(refused[0].line, 4u);
    EXPECT_TRUE(load("n = 5\n").empty());
    EXPECT_TRUE(load("import headway\nn=5\n").empty());
    for (const char* wrong : {"m = 5\n", "  n = 5\n", "n == 5\n", "number = 5\n", ""}) {
        refused = load(wrong);
        ASSERT_EQ(refused.size(), 1u) << wrong;
        EXPECT_EQ(refused[0].line, 6u);
        EXPECT_NE(refused[0].file.find("lesson.md"), std::string::npos);
        EXPECT_NE(refused[0].message.find("\"n = ...\""), std::string::npos) << refused[0].message;
    }
}

TEST(Lesson, AMissingFolderIsAnError) {
    auto lessons = load_lessons("/nonexistent/lessons");
    ASSERT_FALSE(lessons);
    EXPECT_EQ(lessons.error().kind, core::ErrorKind::unreadable);
}

TEST(Lesson, ShippedLessonsAreComplete) {
    std::vector<core::Error> refused;
    auto lessons = load_lessons(fs::path(HEADWAY_SOURCE_ASSETS) / "lessons", &refused);
    ASSERT_TRUE(lessons);
    for (const auto& error : refused) {
        ADD_FAILURE() << error.file << ":" << error.line << ": " << error.message;
    }
    EXPECT_GE(lessons->size(), 3u);
    for (const auto& lesson : *lessons) {
        EXPECT_GT(lesson.number, 0) << lesson.file;
        if (lesson.id.rfind("exercise-", 0) != 0) {  // those ask
            EXPECT_NE(lesson.claim_text.find("**Claim.**"), std::string::npos) << lesson.file;
            EXPECT_NE(lesson.claim_text.find("**Look at**"), std::string::npos) << lesson.file;
        }
    }
}

TEST(Assets, AreFoundForABuildAndAnInstallation) {
    Folder folder;
    fs::create_directories(folder.path / "tree/assets/lessons");
    fs::create_directories(folder.path / "tree/build/release");
    fs::create_directories(folder.path / "usr/bin");
    fs::create_directories(folder.path / "usr/share/headway/assets/lessons");
    EXPECT_EQ(*find_assets_dir(folder.path / "tree/build/release"), folder.path / "tree/assets");
    EXPECT_EQ(*find_assets_dir(folder.path / "usr/bin"), folder.path / "usr/share/headway/assets");
    EXPECT_FALSE(find_assets_dir(folder.path / "nowhere/at"));
}

}  // namespace
}  // namespace headway::lesson
