// How the user has arranged the rows of the timeline: for the program shown and its kind of device; others have their
// own.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/model/user_data/arrangement.h"
#include "app/session/session.h"

namespace headway::ui {

class RowArrangement {
public:
    explicit RowArrangement(const session::Session& session) : session_(session) {}

    // Reads what is saved in the folder, and saves there from now on. Returns remarks on entries that were not taken.
    core::Result<std::vector<std::string>> use_folder(const std::filesystem::path& folder);
    [[nodiscard]] const model::Arrangement& shown() const;
    void set(model::Arrangement arrangement);
    [[nodiscard]] std::uint64_t revision() const { return revision_; }
    // Saves it if it has changed. Returns the reason why it could not be saved, or "".
    std::string save();

private:
    [[nodiscard]] std::pair<std::string, std::string> arranged() const;

    const session::Session& session_;
    std::filesystem::path folder_;
    model::Arrangements all_;
    std::set<std::pair<std::string, std::string>> changed_;  // program and device; not saved yet
    std::uint64_t revision_ = 0, kept_ = 0;
};

}  // namespace headway::ui
