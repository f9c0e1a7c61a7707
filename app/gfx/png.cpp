#include "app/gfx/png.h"

#include <png.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace headway::gfx {

core::Result<void> write_png(const std::string& path, std::span<const std::uint8_t> rgba, int width, int height) {
    const auto error = [&path](const std::string& why) {
        return core::Error{core::ErrorKind::unreadable, "cannot write " + path + ": " + why};
    };
    if (width < 1 || height < 1 ||
        rgba.size() < static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4) {
        return error("there are no pixels");
    }
    png_image image;
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = PNG_FORMAT_RGBA;
    const std::string temporary = path + ".part" + std::to_string(getpid());
    if (png_image_write_to_file(&image, temporary.c_str(), 0, rgba.data(), width * 4, nullptr) == 0) {
        std::remove(temporary.c_str());
        return error(image.message);
    }
    if (std::rename(temporary.c_str(), path.c_str()) != 0) {
        const std::string why = std::strerror(errno);
        std::remove(temporary.c_str());
        return error(why);
    }
    return {};
}

}  // namespace headway::gfx
