#include "app/ui/state/program/included_files.h"

#include "app/lesson/assets.h"

namespace headway::ui {

IncludedFiles::IncludedFiles() : recordings_(lesson::find_recordings()) {}

const std::vector<check::Exercise>& IncludedFiles::exercises() {
    if (!exercises_) {
        const auto assets = lesson::find_assets_dir();
        exercises_ = assets ? check::load_exercises(*assets / "exercises") : std::vector<check::Exercise>();
    }
    return *exercises_;
}

}  // namespace headway::ui
