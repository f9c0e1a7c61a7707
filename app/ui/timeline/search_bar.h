// Finds ops and waits in the runs shown: a field above the timeline, the number of results, and steps between them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/analysis/search.h"
#include "app/session/execution.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class SearchBar {
public:
    // One result, in the run at this index of the timeline.
    struct Place {
        int run = 0;
        model::Found found;
        std::size_t number = 0;  // among all results, from 1: not all are stored
    };
    static constexpr std::size_t kMost = 100'000;  // results stored per run; beyond that they are only counted

    static constexpr float kHeight = 40;  // design px
    [[nodiscard]] float width() const;    // in px

    explicit SearchBar(Ui& ui) : ui_(ui) {}

    void open();  // and takes the keyboard focus
    void close();
    [[nodiscard]] bool is_open() const { return open_; }

    using Runs = std::vector<std::shared_ptr<const model::Run>>;
    // Searches again when the query or the runs have changed, for a few milliseconds per frame; less of each frame
    // while one of them `grows`.
    void find_in(const Runs& runs, session::RunsVersion version, bool grows);
    void forget();  // no run is shown
    // The search has not finished, or its result is not on the screen yet. Not while a run grows: frames come anyway.
    [[nodiscard]] bool busy() const { return open_ && !grows_ && (!walks_.empty() || fresh_); }
    // The result after, or before, the one chosen last (or the first); null when there are none.
    const Place* step(int direction);
    [[nodiscard]] const std::vector<Place>& places() const { return places_; }
    [[nodiscard]] const Place* at() const { return at_ < places_.size() ? &places_[at_] : nullptr; }

    // Draws the field with its right edge at `right`. Returns the direction that was asked for, 0 for none.
    int draw(float right, float top);

private:
    void begin(const Runs& runs);
    void end();  // takes over the results of the walks
    // "1,204 not searched: only sums are kept"; empty: all was searched.
    [[nodiscard]] std::string note() const;

    Ui& ui_;
    bool open_ = false, focus_ = false;
    int asked_ = 0;  // direction of a step requested before the search was complete
    struct Walk {
        std::shared_ptr<const model::Run> run;
        model::SearchWalk walk;
    };
    std::vector<std::weak_ptr<const model::Run>> runs_;  // only to recognise them
    std::optional<model::Query> query_;
    std::vector<Walk> walks_;  // one per run, while searching
    bool complete_ = false;    // everything has been searched for this query
    bool fresh_ = false;       // results have changed in this frame
    bool grows_ = false;
    std::string text_, searched_, problem_;
    session::RunsVersion version_;  // that was searched last
    std::vector<Place> places_;
    std::size_t count_ = 0, not_searched_ = 0, at_ = ~std::size_t{0};
};

}  // namespace headway::ui
