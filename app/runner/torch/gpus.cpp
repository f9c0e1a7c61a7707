// What PyTorch keeps for each of the run's GPUs: each thread's current one and its streams, and generators of random
// numbers.
#include <ATen/CPUGeneratorImpl.h>

#include <array>
#include <mutex>

#include "app/runner/torch/device.h"

namespace headway::torch_module {

namespace {

// All zeros at first, so that a use need not look whether it has been made.
struct ThreadState {
    std::uint32_t gpu;
    std::array<std::uint32_t, kMostDevices> streams;  // the current one of each GPU, plus 1; 0: the default one
};
thread_local ThreadState of_thread;

}  // namespace

std::uint32_t current_gpu() {
    return of_thread.gpu;
}
void set_current_gpu(std::uint32_t number) noexcept {
    of_thread.gpu = number;
}

std::string no_gpu(std::uint32_t number) {
    const std::uint32_t gpus = host().devices();
    const std::string last = std::to_string(gpus - 1);
    return "this run has " +
           (gpus == 1 ? std::string("one GPU") : std::to_string(gpus) + " GPUs, cuda:0 to cuda:" + last) +
           (number < kMostDevices ? "; run it on simulated with --gpus " + std::to_string(number + 1) +
                                        " or more (in the window under Engine)"
                                  : ", and " + std::to_string(kMostDevices) + " at most");
}

std::uint32_t gpu_number(const c10::Device& device) {
    if (!device.has_index()) {
        return current_gpu();
    }
    const auto number = static_cast<std::uint32_t>(device.index());
    TORCH_CHECK(number < host().devices(), "CUDA error: invalid device ordinal. There is no ", device, ": ",
                no_gpu(number));
    return number;
}

OnGpu::OnGpu(const at::Tensor& t)
    : OnGpu(is_ours(t) ? static_cast<std::uint32_t>(t.device().index()) : current_gpu()) {}

std::uint32_t current_stream(std::uint32_t number) {
    const std::uint32_t stream = of_thread.streams[number];
    return stream != 0 ? stream - 1 : host().default_stream(number);
}
void set_current_stream(std::uint32_t stream) {
    of_thread.streams[host().device_of(stream)] = stream + 1;
}

// --- random numbers ---

namespace {

std::mutex generators_mutex;
at::Generator& generator_of(std::uint32_t number) {
    static auto* all = [] {
        auto* made = new std::array<at::Generator, kMostDevices>;
        for (at::Generator& each : *made) {
            each = at::detail::createCPUGenerator(c10::default_rng_seed_val);
        }
        return made;
    }();
    return (*all)[number];
}

}  // namespace

at::Generator generator() {
    const std::lock_guard lock(generators_mutex);
    return generator_of(current_gpu());
}

void seed(std::int64_t value) {
    const std::lock_guard lock(generators_mutex);
    generator_of(current_gpu()) = at::detail::createCPUGenerator(static_cast<std::uint64_t>(value));
}

void set_generator_state(const at::Tensor& state) {
    at::Generator fresh = at::detail::createCPUGenerator(0);
    fresh.set_state(state);
    const std::lock_guard lock(generators_mutex);
    generator_of(current_gpu()) = fresh;
}

Block* generator_block(bool own) {
    const std::uint32_t number = own ? current_gpu() : 0;
    std::uint32_t lanes = host().lanes(number);
    for (std::uint32_t other = 1; !own && other < host().devices(); ++other) {
        lanes += host().lanes(other);
    }
    if (lanes == 1) {
        return nullptr;
    }
    static std::array<Block*, kMostDevices + 1> blocks{};
    Block*& block = blocks[own ? number : kMostDevices];
    const std::lock_guard lock(generators_mutex);
    if (block == nullptr) {
        block = host().ordering_block(number);
    }
    return block;
}

}  // namespace headway::torch_module
