// NVTX ranges: names each launch for Nsight Systems: "matmul 1024×512, op 17, line 31". Costs nothing if no tool is
// attached.
//
// Threads: the launching thread.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <string>

#include "engine/devices/op.h"

namespace headway::devices::cuda {

class NvtxRanges {
public:
    NvtxRanges() : domain_(nvtxDomainCreateA("headway")) {}
    ~NvtxRanges() {
        if (domain_ != nullptr) {
            nvtxDomainDestroy(domain_);
        }
    }
    NvtxRanges(const NvtxRanges&) = delete;
    NvtxRanges& operator=(const NvtxRanges&) = delete;

    // The range of one launch.
    class Range {
    public:
        Range(NvtxRanges& ranges, const Command& command) : domain_(ranges.domain_) {
            if (domain_ != nullptr) {
                const Signature& s = *command.signature;
                std::string text =
                    std::string(name_of(s.kind)) + " " + to_label(s.out) + ", op " + std::to_string(command.op);
                if (command.line != 0 && command.line != 0xffff) {
                    text += ", line " + std::to_string(command.line);
                }
                nvtxEventAttributes_t attributes{};
                attributes.version = NVTX_VERSION;
                attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
                attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
                attributes.message.ascii = text.c_str();
                nvtxDomainRangePushEx(domain_, &attributes);
            }
        }
        ~Range() {
            if (domain_ != nullptr) {
                nvtxDomainRangePop(domain_);
            }
        }
        Range(const Range&) = delete;
        Range& operator=(const Range&) = delete;

    private:
        nvtxDomainHandle_t domain_;
    };

private:
    nvtxDomainHandle_t domain_;  // null if no tool is attached
};

}  // namespace headway::devices::cuda
