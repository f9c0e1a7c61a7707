#include "app/ui/lesson/show_places.h"

#include <algorithm>

namespace headway::ui {

void show_places(ViewControl& view, const model::Run& run, const std::vector<model::Place>& places) {
    constexpr double kAround = 0.04;  // of the run, on each side of a moment
    const model::Run::Measured part = run.measured();
    model::Place place = places[0];
    for (const model::Place& other : places) {
        place.begin_ns = std::min(place.begin_ns, other.begin_ns);
        place.end_ns = std::max(place.end_ns, other.end_ns);
    }
    if (place.begin_ns <= part.begin_ns && place.end_ns >= part.end_ns) {
        view.fit();
        return;
    }
    const model::ProgramTime& time = run.program_time();
    const double begin = time.program_ns(place.begin_ns), end = time.program_ns(place.end_ns);
    const double around = begin == end ? kAround * view.whole().span_ns() : 0;
    const ViewControl::View whole = view.whole();
    view.show({std::max(begin - around, std::min(begin, whole.begin_ns)),
               std::min(end + around, std::max(end, whole.end_ns))});
}

}  // namespace headway::ui
