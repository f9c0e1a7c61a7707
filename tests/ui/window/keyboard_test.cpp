// The window used by keyboard alone, with keyboard layouts of several countries.
#include <map>

#include "app/platform/key_layout.h"
#include "app/ui/widgets/widgets.h"
#include "tests/ui/window/window_fixture.h"
#include "tests/unit/figure/script.h"

namespace headway::ui::test {
namespace {

platform::KeyName keyboard(std::map<char, std::string> moved) {
    return [moved = std::move(moved)](int key) {
        const auto found = moved.find(static_cast<char>(key));
        if (found != moved.end()) {
            return found->second;
        }
        return key >= 'A' && key <= 'Z' ? std::string(1, static_cast<char>(key - 'A' + 'a'))
               : key < 128              ? std::string(1, static_cast<char>(key))
                                        : std::string();
    };
}
const platform::KeyName kAmerican = keyboard({});
const platform::KeyName kGerman = keyboard(
    {{'Y', "z"}, {'Z', "y"}, {'[', "ü"}, {']', "+"}, {'/', "-"}, {'-', "ß"}, {';', "ö"}, {'=', "´"}, {'\'', "ä"}});
const platform::KeyName kFrench = keyboard({{'Q', "a"},
                                            {'A', "q"},
                                            {'W', "z"},
                                            {'Z', "w"},
                                            {';', "m"},
                                            {'M', ","},
                                            {',', ";"},
                                            {'.', ":"},
                                            {'/', "!"},
                                            {'[', "^"},
                                            {'0', "à"},
                                            {'-', ")"}});

TEST(KeyLayout, KeysActAsWhatIsPrintedOnThem) {
    EXPECT_EQ(platform::acting_key('Z', kAmerican), 'Z');
    EXPECT_EQ(platform::acting_key('Z', kGerman), 'Y');
    EXPECT_EQ(platform::acting_key('Y', kGerman), 'Z');
    EXPECT_EQ(platform::acting_key('A', kFrench), 'Q');
    EXPECT_EQ(platform::acting_key('M', kFrench), ',');
    EXPECT_EQ(platform::acting_key(';', kFrench), 'M');
    // Characters that an American keyboard does not have act from the key at the American position.
    EXPECT_EQ(platform::acting_key('[', kGerman), '[');
    EXPECT_EQ(platform::acting_key('0', kFrench), '0');
    EXPECT_EQ(platform::acting_key(290, kGerman), 290);  // F1
}

TEST(KeyLayout, LabelsAreThoseOfTheActingKey) {
    for (const auto& [name, sign, label] : {std::tuple{kAmerican, 'W', "W"},
                                            {kAmerican, '[', "["},
                                            {kGerman, 'Y', "Y"},
                                            {kGerman, '[', "ü"},
                                            {kGerman, '-', "-"},
                                            {kFrench, 'A', "A"},
                                            {kFrench, 'M', "M"},
                                            {kFrench, '[', "^"},
                                            {kFrench, '0', "à"}}) {
        EXPECT_EQ(platform::label_of(sign, name), label);
    }
}

TEST(KeyLayout, TheListOfKeysUsesTheLabels) {
    gfx::ImGuiContextOwner imgui;
    gfx::Fonts fonts;
    WidgetRects marks;
    Ui ui{fonts, marks};
    EXPECT_EQ(keys_here(ui, "[  ]"), "[  ]");
    ui.key_label = [](char sign) { return platform::label_of(sign, kGerman); };
    EXPECT_EQ(keys_here(ui, "[  ]"), "ü  +");
    EXPECT_EQ(keys_here(ui, "/,  N  Shift N"), "/,  N  Shift N");  // that key acts as "-" there; the character is typed
    EXPECT_EQ(keys_here(ui, "Ctrl Shift P"), "Ctrl Shift P");
    EXPECT_EQ(keys_here(ui, "=  -"), "´  -");
    EXPECT_EQ(keys_here(ui, "Alt ↑  Alt ↓"), "Alt ↑  Alt ↓");
}

class KeyboardTest : public WindowTest {
protected:
    // Presses Tab until this control has the focus.
    void go_to(const std::string& id) {
        for (int i = 0; i < 200; ++i) {
            act("key:tab");
            if (app->focus_ring().at() == id) {
                return;
            }
        }
        FAIL() << id << " cannot be reached";
    }
};

TEST_F(KeyboardTest, TabReachesEveryControlOnce) {
    const auto ids = FocusRing::order(app->rects());
    ASSERT_GT(ids.size(), 10u);
    std::vector<std::string> reached;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        act("key:tab");
        reached.push_back(app->focus_ring().at());
    }
    EXPECT_EQ(reached, ids);
    act("key:tab");
    EXPECT_EQ(app->focus_ring().at(), ids.front());
    act("key:shift+tab");
    EXPECT_EQ(app->focus_ring().at(), ids.back());
    act("key:escape");
    EXPECT_TRUE(app->focus_ring().at().empty());
}

TEST_F(KeyboardTest, ArrowsChooseInAMenuThatTheMouseOpened) {
    ASSERT_EQ(session.settings.device, "simulated");
    act("key:down");
    EXPECT_TRUE(app->focus_ring().at().empty());  // no menu is open
    act("click:device");
    frames(3);
    act("key:down");
    EXPECT_EQ(app->focus_ring().at(), "device/cpu");
    act("key:down");
    EXPECT_EQ(app->focus_ring().at(), "device/simulated");
    act("key:up");
    act("key:enter");
    frames(6);
    EXPECT_EQ(session.settings.device, "cpu");
}

TEST_F(KeyboardTest, EnterClicksTheFocusedControl) {
    run_to_the_end();
    act("move:5,300");
    go_to("detail/Graph");
    act("key:enter");
    frames(6);
    EXPECT_EQ(state.details.shown, "graph");
    act("key:right");
    EXPECT_EQ(app->focus_ring().at(), "detail/Threads");
    act("key:space");  // and does not start a run
    frames(6);
    EXPECT_EQ(state.details.shown, "threads");
    EXPECT_FALSE(session.live());
    act("key:escape");
    act("key:space");
    frames(2);
    EXPECT_EQ(session.started(), 2u);
}

TEST_F(KeyboardTest, TypedCharactersActOnAnyLayout) {
    // As on a keyboard where "?" is Shift with another key.
    gfx::inject::text("?");
    frames(2);
    EXPECT_TRUE(state.look.show_keys);
    gfx::inject::text("?");
    frames(2);
    EXPECT_FALSE(state.look.show_keys);
    session.show(figure::test::training({}, 6, true));
    frames(10);
    gfx::inject::text("/");
    frames(3);
    EXPECT_TRUE(shown("search/text"));
}

}  // namespace
}  // namespace headway::ui::test
