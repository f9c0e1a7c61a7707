#include "app/session/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>

namespace headway::session {
namespace {

namespace fs = std::filesystem;

class Folders : public ::testing::Test {
protected:
    Folders() {
        char name[] = "/tmp/headway-folders-XXXXXX";
        parent = mkdtemp(name);
    }
    ~Folders() override { fs::remove_all(parent); }
    fs::path parent;
};

TEST_F(Folders, AFolderGoesWithItsWindow) {
    std::string path;
    {
        const TemporaryFolder folder(parent);
        path = folder.path();
        EXPECT_TRUE(fs::is_directory(path));
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(Folders, SaysWhyAFolderCannotBeMade) {
    const TemporaryFolder folder(parent / "missing");
    EXPECT_EQ(folder.path(), "");
    EXPECT_EQ(folder.problem(), "no temporary folder can be made in " + (parent / "missing").string() +
                                    ": No such file or directory; set TMPDIR to a folder that you can write in, and "
                                    "start Headway again");
    EXPECT_EQ(TemporaryFolder(parent).problem(), "");
}

TEST_F(Folders, ARunningWindowKeepsItsFolder) {
    const TemporaryFolder first(parent);
    std::ofstream(fs::path(first.path()) / "kept.txt") << "x";
    const TemporaryFolder second(parent);
    EXPECT_NE(first.path(), second.path());
    EXPECT_TRUE(fs::exists(fs::path(first.path()) / "kept.txt"));
}

TEST_F(Folders, TheNextWindowRemovesTheFolderOfAKilledOne) {
    const pid_t child = fork();
    if (child == 0) {
        const TemporaryFolder folder(parent);
        std::ofstream(fs::path(folder.path()) / "left.txt") << "x";
        fs::create_directories(fs::path(folder.path()) / "a" / "b");
        _exit(0);  // without its destructor
    }
    waitpid(child, nullptr, 0);
    ASSERT_FALSE(fs::is_empty(parent));
    { const TemporaryFolder next(parent); }
    EXPECT_TRUE(fs::is_empty(parent));
}

TEST_F(Folders, OtherNamesAndLinksStay) {
    fs::create_directories(parent / "headway-other1");
    fs::create_directories(parent / "headway-window-notes");
    fs::create_directories(parent / "target");
    fs::create_directory_symlink(parent / "target", parent / "headway-window-abcdef");
    { const TemporaryFolder folder(parent); }
    for (const char* name : {"headway-other1", "headway-window-notes", "target", "headway-window-abcdef"}) {
        EXPECT_TRUE(fs::exists(parent / name)) << name;
    }
}

}  // namespace
}  // namespace headway::session
