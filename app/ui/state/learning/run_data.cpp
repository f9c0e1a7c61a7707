#include "app/ui/state/learning/run_data.h"

#include <sstream>
#include <string>

namespace headway::ui {

std::shared_ptr<const check::RunData> data_of(const session::Execution& execution) {
    auto data = std::make_shared<check::RunData>();
    data->run = execution.shared_run();
    for (const session::OutputLine& line : execution.output()) {
        data->printed += line.error ? "" : line.text + "\n";
    }
    std::istringstream text(execution.settings.text);
    for (std::string line; std::getline(text, line);) {
        data->source.push_back(line);
    }
    return data;
}

}  // namespace headway::ui
