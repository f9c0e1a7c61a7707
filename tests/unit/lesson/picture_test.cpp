#include "app/lesson/picture.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace headway::lesson {
namespace {

TEST(Picture, IsParsed) {
    const auto picture = parse_picture("frontend iiww.p\nlane .mm.c.\nlane ..yy..\nmemory 012998\n");
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_EQ(picture->columns(), 6u);
    EXPECT_EQ(picture->frontend, "iiww.p");
    ASSERT_EQ(picture->lanes.size(), 2u);
    EXPECT_EQ(picture->lanes[1], "..yy..");
    EXPECT_EQ(picture->memory, "012998");
}

TEST(Picture, RefusesWhatItDoesNotKnow) {
    for (const char* text :
         {"", "frontend\n", "frontend ii\n", "memory 00\n", "lane mm\nfrontend ii\nmemory 00\n",
          "frontend ii\nlane m\nmemory 00\n", "frontend iq\nmemory 00\n", "frontend ii\nlane mq\nmemory 00\n",
          "frontend ii\nmemory a0\n", "front ii\nmemory 00\n"}) {
        EXPECT_FALSE(parse_picture(text)) << text;
    }
    EXPECT_FALSE(parse_picture("frontend " + std::string(1000, 'i') + "\nmemory " + std::string(1000, '0') + "\n"));
}

TEST(Picture, AnyBytesAreParsedOrRefused) {
    std::mt19937 random(3);
    const std::string letters = "frontend lane memory\nii..mm0099";
    for (int i = 0; i < 20'000; ++i) {
        std::string text = "frontend ii\nlane mm\nmemory 09\n";
        for (int k = 0; k < 3; ++k) {
            text[random() % text.size()] = letters[random() % letters.size()];
        }
        const auto picture = parse_picture(text);
        if (picture) {
            ASSERT_EQ(picture->memory.size(), picture->columns());
        }
    }
}

}  // namespace
}  // namespace headway::lesson
