#include "engine/devices/lazy_operands.h"

#include <string>

#include "engine/core/count_text.h"

namespace headway::devices {

namespace {

float* memory_of(Device& own, core::BufferId buffer) {
    float* data = own.lazy_data(buffer);
    return data == nullptr && own.peer() != nullptr ? own.peer()->lazy_data(buffer) : data;
}

}  // namespace

void find_lazy_inputs(Device& own, Command& command) {
    if (command.in0 == nullptr && command.in0_id != 0) {
        command.in0 = memory_of(own, command.in0_id);
    }
    if (command.in1 == nullptr && command.in1_id != 0) {
        command.in1 = memory_of(own, command.in1_id);
    }
}

void fail_without_memory(Device& own, const Command& command, std::uint64_t in_use_bytes, std::uint64_t budget_bytes) {
    own.poison().fail(command, core::ErrorKind::out_of_memory,
                      "out of memory" + own.where() + ": " + core::count_text(command.signature->out_bytes) +
                          " bytes asked for when the op started, " + core::count_text(in_use_bytes) + " in use" +
                          (budget_bytes != 0 ? " of a budget of " + core::count_text(budget_bytes) : std::string()));
}

}  // namespace headway::devices
