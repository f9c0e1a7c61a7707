#include "app/model/user_data/user_data.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace headway::model {
namespace {

class UserDataFolder : public testing::Test {
protected:
    ~UserDataFolder() override {
        for (const auto& [name, value] : before_) {
            set(name, value);
        }
    }
    static void set(const char* name, const std::optional<std::string>& value) {
        if (value) {
            setenv(name, value->c_str(), 1);
        } else {
            unsetenv(name);
        }
    }
    static std::optional<std::string> now(const char* name) {
        const char* value = std::getenv(name);
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    }

private:
    const std::array<std::pair<const char*, std::optional<std::string>>, 2> before_{
        {{"XDG_DATA_HOME", now("XDG_DATA_HOME")}, {"HOME", now("HOME")}}};
};

TEST_F(UserDataFolder, IsWhereTheEnvironmentSaysWithAnAbsolutePath) {
    set("XDG_DATA_HOME", "/data");
    set("HOME", "/home/a");
    EXPECT_EQ(user_data_folder(), "/data/headway");
    for (const std::optional<std::string>& no_path :
         {std::optional<std::string>(), std::optional<std::string>(""), std::optional<std::string>("data")}) {
        set("XDG_DATA_HOME", no_path);
        set("HOME", "/home/a");
        EXPECT_EQ(user_data_folder(), "/home/a/.local/share/headway");
        set("HOME", no_path);
        EXPECT_TRUE(user_data_folder().is_absolute());
        EXPECT_EQ(user_data_folder().filename(), "headway-" + std::to_string(getuid()));
    }
}

}  // namespace
}  // namespace headway::model
