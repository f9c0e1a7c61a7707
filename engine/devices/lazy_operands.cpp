#include "engine/devices/lazy_operands.h"

#include <string>

#include "engine/core/bytes.h"

namespace headway::devices {

namespace {

float* memory_of(Device& own, core::BufferId buffer) {
    float* data = own.lazy_data(buffer);
    for (core::DeviceId number = 0; data == nullptr && number < core::kMaxDevices; ++number) {
        data = own.peer(number) != nullptr ? own.peer(number)->lazy_data(buffer) : nullptr;
    }
    return data;
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
    const Signature& signature = *command.signature;
    own.poison().fail(command, core::ErrorKind::out_of_memory,
                      "out of memory" + own.where() + ": " + name_of(signature.kind) + " giving " +
                          to_string(signature.out) + " asked for " + core::bytes_text(signature.out_bytes) +
                          " when it started, and " + core::bytes_text(in_use_bytes) +
                          (budget_bytes != 0 ? " of the budget of " + core::budget_in_both_units(budget_bytes) : "") +
                          " were live");
}

}  // namespace headway::devices
