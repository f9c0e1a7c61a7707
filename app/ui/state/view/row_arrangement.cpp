#include "app/ui/state/view/row_arrangement.h"

#include "app/model/user_data/user_data.h"

namespace headway::ui {

core::Result<std::vector<std::string>> RowArrangement::use_folder(const std::filesystem::path& folder) {
    folder_ = folder;
    std::vector<std::string> remarks;
    auto read = model::read_arrangements(model::arrangement_file(folder), &remarks);
    if (!read) {
        return read.error();
    }
    all_ = std::move(*read);
    kept_ = ++revision_;
    return remarks;
}

// Program and kind of device of the last run, or, if none is shown, of the current settings.
std::pair<std::string, std::string> RowArrangement::arranged() const {
    for (const auto* execution : {session_.b(), session_.a()}) {
        if (execution != nullptr && execution->run() != nullptr) {
            return {execution->run()->info().program, execution->run()->info().device_kind};
        }
    }
    return {std::filesystem::path(session_.settings.program).filename().string(), session_.settings.device};
}

const model::Arrangement& RowArrangement::shown() const {
    const auto [program, device] = arranged();
    return all_.of(program, device);
}

void RowArrangement::set(model::Arrangement arrangement) {
    if (const auto [program, device] = arranged(); arrangement != all_.of(program, device)) {
        all_.set(program, device, std::move(arrangement));
        changed_.emplace(program, device);
        ++revision_;
    }
}

std::string RowArrangement::save() {
    if (folder_.empty() || kept_ == revision_) {
        return {};
    }
    kept_ = revision_;
    const auto file = model::arrangement_file(folder_);
    // Another window may have saved the arrangements of other programs meanwhile.
    if (auto saved = model::read_arrangements(file, nullptr)) {
        for (const auto& [program, device] : changed_) {
            saved->set(program, device, all_.of(program, device));
        }
        all_ = std::move(*saved);
    }
    const auto written = model::write_arrangements(file, all_);
    if (written) {
        changed_.clear();
    }
    return written ? std::string() : "The arrangement of the lanes could not be saved:  " + written.error().message;
}

}  // namespace headway::ui
