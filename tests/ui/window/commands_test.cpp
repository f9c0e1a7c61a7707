// The table of commands, and the keys that it binds.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

TEST_F(WindowTest, CommandsHaveUniqueNamesAndKeys) {
    std::set<std::string> ids, titles;
    std::vector<std::pair<const Command*, Chord>> chords;
    for (const Command& command : app->commands().all()) {
        EXPECT_TRUE(ids.insert(command.id).second) << command.id;
        EXPECT_TRUE(titles.insert(command.title).second) << command.title;
        EXPECT_FALSE(command.title.empty()) << command.id;
        EXPECT_TRUE(command.help.empty() || !command.keys.empty()) << command.id;
        for (const Chord& chord : chords_of(command.keys)) {
            for (const auto& [other, taken] : chords) {
                const bool replay = command.scope == Command::Scope::replay;
                EXPECT_FALSE(taken == chord && replay == (other->scope == Command::Scope::replay))
                    << command.id << " and " << other->id;
            }
            chords.emplace_back(&command, chord);
        }
    }
}

TEST(Chords, AreReadAsTheyAreShown) {
    EXPECT_EQ(chords_of("Ctrl Shift P"), (std::vector<Chord>{{gfx::Key::p, 0, true, true, false}}));
    EXPECT_EQ(chords_of("End, L"), (std::vector<Chord>{{gfx::Key::end}, {gfx::Key::l}}));
    EXPECT_EQ(chords_of(","), (std::vector<Chord>{{gfx::Key::comma, ','}}));
    EXPECT_EQ(chords_of("Alt ←"), (std::vector<Chord>{{gfx::Key::left, 0, false, false, true}}));
    EXPECT_TRUE(chords_of("").empty());
    EXPECT_TRUE(chords_of("Space")[0].types_text());
    EXPECT_FALSE(chords_of("F5")[0].types_text());
    EXPECT_FALSE(chords_of("Ctrl O")[0].types_text());
}

}  // namespace
}  // namespace headway::ui::test
