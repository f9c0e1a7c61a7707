// A CUDA device on the fake CUDA, with a recording and functions to read it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/devices/cuda_loader.h"
#include "engine/runtime/runtime.h"
#include "engine/trace/reader.h"
#include "tests/unit/cuda/fake_cuda.h"
#include "tests/unit/runtime/failure_of.h"

// The module's entry function, linked instead of loaded.
extern "C" bool headway_cuda_open(std::uint32_t abi, const headway::devices::CudaOptions* options,
                                  headway::trace::Recording* recording, headway::devices::Device** device, char* text,
                                  std::size_t text_bytes);

namespace headway {

inline core::Result<std::unique_ptr<devices::Device>> open_fake(const devices::CudaOptions& options,
                                                                trace::Recording& recording) {
    std::array<char, 512> text{};
    devices::Device* device = nullptr;
    if (!headway_cuda_open(devices::kCudaModuleAbi, &options, &recording, &device, text.data(), text.size())) {
        return core::Error{core::ErrorKind::unavailable, text.data()};
    }
    return std::unique_ptr<devices::Device>(device);
}

// Calls it; if it throws a ProgramError, adds the sentence to `failures`.
template <class Call>
void note_failure(std::vector<std::string>& failures, Call call) {
    try {
        call();
    } catch (const runtime::ProgramError& error) {
        failures.emplace_back(error.what());
    }
}

class CudaTest : public testing::Test {
protected:
    void SetUp() override {
        fake::reset();
        fake::collect_order_problems();
    }
    void TearDown() override {
        stop();
        fake::reset();
        EXPECT_EQ(fake::take_order_problems(), std::vector<std::string>());
    }

    void start(const devices::CudaOptions& options = {}, const runtime::Settings& settings = {}) {
        stop();
        recording = std::move(*trace::Recording::create(std::size_t{1} << 28));
        auto opened = open_fake(options, *recording);
        ASSERT_TRUE(opened) << opened.error().message;
        device = std::move(*opened);
        rt = std::make_unique<runtime::Runtime>(*device, *recording, settings);
    }
    void stop() {
        rt.reset();
        device.reset();
    }

    template <class Record>
    [[nodiscard]] std::vector<Record> records_of(trace::StreamId stream) const {
        auto reader = std::move(*trace::Reader::open(recording->fd()));
        reader->poll();
        std::vector<Record> all;
        while (all.size() < reader->size(stream)) {
            const auto some = reader->records<Record>(stream, all.size());
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }
    [[nodiscard]] std::vector<trace::ExecRecord> records(trace::StreamId stream) const {
        return records_of<trace::ExecRecord>(stream);
    }
    [[nodiscard]] std::vector<trace::ExecRecord> lane_records(std::uint8_t lane) const {
        return records({trace::StreamKind::lane, lane});
    }

    std::unique_ptr<trace::Recording> recording;
    std::unique_ptr<devices::Device> device;
    std::unique_ptr<runtime::Runtime> rt;
};

// An op that runs until open() is called.
class Gate {
public:
    ~Gate() { open(); }
    void open() { open_.store(true); }
    static void run(const devices::Command& command, void* gate) {
        auto& self = *static_cast<Gate*>(gate);
        self.entered_.store(true);
        while (!self.open_.load()) {
            std::this_thread::yield();
        }
        for (std::int64_t i = 0; i < command.signature->elements; ++i) {
            command.out[i] = 7.0f;
        }
    }
    [[nodiscard]] bool entered() const { return entered_.load(); }

private:
    std::atomic<bool> open_{false}, entered_{false};
};

template <class Condition>
void wait_until(Condition condition) {
    while (!condition()) {
        std::this_thread::yield();
    }
}

using runtime::failure_of;
using runtime::has;

}  // namespace headway
