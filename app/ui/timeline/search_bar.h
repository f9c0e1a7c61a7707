// Finds ops and waits in the runs that are shown: a field over the timeline, a count, and the way from one to the next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/analysis/search.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class SearchBar {
public:
    // One that was found, in the run at this place of the timeline.
    struct Place {
        int run = 0;
        model::Found found;
    };
    static constexpr std::size_t kMost = 100'000;  // kept in each run; beyond, only counted

    static constexpr float kHeight = 40;  // design px

    explicit SearchBar(Ui& ui) : ui_(ui) {}

    void open();  // and takes the keyboard
    void close();
    [[nodiscard]] bool is_open() const { return open_; }

    using Runs = std::vector<std::shared_ptr<const model::Run>>;
    // Looks again when the words or the runs are not those of the last time, for a few milliseconds in each frame;
    // `revision` changes with what is in the runs. While one of them `grows` it takes less of a frame.
    void find_in(const Runs& runs, std::uint64_t revision, bool grows);
    void forget();  // no run is shown
    // Has not looked at everything yet, or not shown it; while a run grows frames come anyway.
    [[nodiscard]] bool busy() const { return open_ && !grows_ && (!walks_.empty() || fresh_); }
    // The one after, or before, the one chosen last (or the first); null when nothing was found.
    const Place* step(int direction);
    [[nodiscard]] const std::vector<Place>& places() const { return places_; }
    [[nodiscard]] const Place* at() const { return at_ < places_.size() ? &places_[at_] : nullptr; }

    // Draws the field with its right edge at `right`; returns the direction that was asked for, 0 for none.
    int draw(float right, float top);

private:
    void begin(const Runs& runs);
    void end();  // what the walks found is what there is

    Ui& ui_;
    bool open_ = false, focus_ = false;
    int asked_ = 0;  // a direction to go to once all has been looked at
    struct Walk {
        std::shared_ptr<const model::Run> run;
        model::SearchWalk walk;
    };
    std::vector<std::weak_ptr<const model::Run>> runs_;  // only to know them again
    std::optional<model::Query> query_;
    std::vector<Walk> walks_;  // of each run, while they go on
    bool complete_ = false;    // all has been looked at, for these words
    bool fresh_ = false;       // in this frame
    bool grows_ = false;
    std::string text_, searched_, problem_;
    std::uint64_t revision_ = ~std::uint64_t{0};
    std::vector<Place> places_;
    std::size_t count_ = 0, at_ = ~std::size_t{0};
};

}  // namespace headway::ui
