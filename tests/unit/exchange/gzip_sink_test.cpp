#include "app/exchange/files/gzip_sink.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace headway::exchange {
namespace {

std::string unpacked(const std::string& packed, std::size_t room) {
    std::string text(room, '\0');
    z_stream stream{};
    EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    text.resize(text.size() - stream.avail_out);
    inflateEnd(&stream);
    return text;
}

TEST(GzipSink, RoundTrips) {
    std::string original;
    std::string packed;
    GzipSink sink([&](std::string_view bytes) {
        packed += bytes;
        return true;
    });
    std::uint32_t random = 1;
    for (int piece = 0; piece < 200; ++piece) {
        std::string text;
        for (int i = 0; i < piece * 37; ++i) {
            random = random * 1664525u + 1013904223u;
            text += static_cast<char>(random >> 24);
        }
        original += text;
        ASSERT_TRUE(sink.write(text));
    }
    ASSERT_TRUE(sink.finish());
    EXPECT_EQ(unpacked(packed, original.size() + 1), original);
}

TEST(GzipSink, WritesAValidEmptyFile) {
    std::string packed;
    GzipSink sink([&](std::string_view bytes) {
        packed += bytes;
        return true;
    });
    ASSERT_TRUE(sink.finish());
    EXPECT_EQ(unpacked(packed, 10), "");
}

TEST(GzipSink, StopsWhenTheSinkFails) {
    GzipSink sink([](std::string_view) { return false; });
    static_cast<void>(sink.write(std::string(1 << 20, 'x')));  // it may only buffer this
    EXPECT_FALSE(sink.finish());
}

}  // namespace
}  // namespace headway::exchange
