#include "app/runner/torch/device.h"

#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace headway::torch_module {

namespace {

Host* the_host = nullptr;

const c10::DispatchKeySet kCpuKeys(c10::DispatchKey::CPU);
const c10::DispatchKeySet kMetaKeys(c10::DispatchKey::Meta);

// The context of a storage's memory: the block, and a CPU storage over the same bytes that does not own them. The
// engine keeps the bytes until every op that uses them has run.
struct Owner {
    Block* block;
    c10::intrusive_ptr<c10::StorageImpl> alias;
};

c10::intrusive_ptr<c10::StorageImpl> unowned_storage(void* data, std::size_t bytes) {
    return c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes,
                                                 c10::DataPtr(data, c10::Device(c10::kCPU)), nullptr, false);
}

void drop_owner(void* context) {
    auto* owner = static_cast<Owner*>(context);
    host().release(owner->block);
    delete owner;
}

Owner* owner_of(const c10::DataPtr& data) {
    return data.get_deleter() == &drop_owner ? static_cast<Owner*>(data.get_context()) : nullptr;
}
Owner* owner_of(const c10::Storage& storage) {
    return owner_of(storage.data_ptr());
}

struct DeviceAllocator final : c10::Allocator {
    c10::DataPtr allocate(std::size_t bytes) const override {
        device_used();
        if (bytes == 0) {
            return {nullptr, gpu(current_gpu())};
        }
        const std::uint32_t number = current_gpu();
        void* data = nullptr;
        Block* block = nullptr;
        try {
            block = host().allocate(bytes, number, current_stream(number), &data);
        } catch (const OutOfMemory& error) {
            TORCH_CHECK_WITH(OutOfMemoryError, false, error.what());
        }
        return {data, new Owner{block, unowned_storage(data, bytes)}, &drop_owner, gpu(number)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
};

// Host memory that the program asked to pin. It is ordinary memory; only that it was asked for matters.
void drop_pinned(void* data) {
    std::free(data);
}
struct PinnedAllocator final : c10::Allocator {
    c10::DataPtr allocate(std::size_t bytes) const override {
        constexpr std::size_t kAlignment = 64;
        void* data = std::aligned_alloc(kAlignment, (bytes / kAlignment + 1) * kAlignment);
        if (data == nullptr) {
            throw std::bad_alloc();
        }
        return {data, data, &drop_pinned, c10::Device(c10::kCPU)};
    }
};

at::Tensor over(c10::Storage storage, c10::DispatchKeySet keys, const at::Tensor& t) {
    auto impl = c10::make_intrusive<c10::TensorImpl>(std::move(storage), keys, t.dtype());
    impl->set_storage_offset(t.storage_offset());
    impl->set_sizes_and_strides(t.sizes(), t.strides());
    const c10::TensorImpl& like = *t.unsafeGetTensorImpl();
    if (like.is_wrapped_number()) {
        impl->set_wrapped_number(true);
    }
    if (t.is_conj()) {
        impl->_set_conj(true);
    }
    if (t.is_neg()) {
        impl->_set_neg(true);
    }
    return at::Tensor(std::move(impl));
}

}  // namespace

Host& host() {
    return *the_host;
}
void set_host(Host* host) {
    the_host = host;
}

c10::Allocator& device_allocator() {
    static DeviceAllocator allocator;
    return allocator;
}
c10::Allocator& pinned_allocator() {
    static PinnedAllocator allocator;
    return allocator;
}
bool is_pinned(const c10::Storage& storage) {
    return storage && storage.data_ptr().get_deleter() == &drop_pinned;
}

Block* block_of(const at::Tensor& t) {
    const Owner* owner = t.has_storage() ? owner_of(t.storage()) : nullptr;
    return owner != nullptr ? owner->block : nullptr;
}

Block* block_of(const c10::DataPtr& data) {
    const Owner* owner = owner_of(data);
    return owner != nullptr ? owner->block : nullptr;
}

std::size_t bytes_of(const at::Tensor& t) {
    return static_cast<std::size_t>(t.numel()) * t.itemsize();
}

at::Tensor cpu_alias(const at::Tensor& t) {
    TORCH_CHECK(t.layout() == c10::kStrided, "Headway's CUDA device has no ", t.layout(), " tensors");
    const Owner* owner = owner_of(t.storage());
    return over(owner != nullptr ? c10::Storage(owner->alias) : c10::Storage(unowned_storage(nullptr, 0)), kCpuKeys, t);
}

at::Tensor meta_like(const at::Tensor& t) {
    return over(c10::Storage(c10::Storage::use_byte_size_t(), t.storage().nbytes(),
                             c10::DataPtr(nullptr, c10::Device(c10::kMeta)), c10::GetAllocator(c10::kMeta), true),
                kMetaKeys, t);
}

at::Tensor cpu_tensor(const c10::Storage& storage, const at::Tensor& like) {
    return over(storage, kCpuKeys, like);
}

at::Tensor same_storage(const at::Tensor& t) {
    return cpu_tensor(t.storage(), t);
}

at::Tensor make(c10::IntArrayRef sizes, c10::IntArrayRef strides, c10::ScalarType dtype) {
    return at::Tensor(at::detail::empty_strided_generic(sizes, strides, &device_allocator(), kOurKeys, dtype));
}

void resize(const at::Tensor& t, c10::IntArrayRef sizes, c10::IntArrayRef strides) {
    const auto bytes = at::detail::computeStorageNbytes(sizes, strides, t.itemsize(), t.storage_offset());
    c10::StorageImpl& storage = *t.storage().unsafeGetStorageImpl();
    if (bytes > storage.nbytes()) {
        const OnGpu there(t);
        c10::DataPtr grown = device_allocator().allocate(bytes);
        if (Owner* before = owner_of(t.storage()); before != nullptr) {
            Operands operands;
            operands.reads = {before->block};
            operands.writes = {static_cast<Owner*>(grown.get_context())->block};
            OpText text{"aten::resize_", "", Family::copy};
            text.out_bytes = bytes;
            text.moved_bytes = 2 * storage.nbytes();
            Task* task = Task::take();
            task->stack = {at::Tensor(at::detail::make_tensor<c10::TensorImpl>(c10::Storage(before->alias), kCpuKeys,
                                                                               caffe2::TypeMeta::Make<char>())),
                           at::Tensor(at::detail::make_tensor<c10::TensorImpl>(
                               c10::Storage(static_cast<Owner*>(grown.get_context())->alias), kCpuKeys,
                               caffe2::TypeMeta::Make<char>()))};
            task->call = [](Task& copy) {
                const c10::Storage from = copy.stack[0].toTensor().storage(), to = copy.stack[1].toTensor().storage();
                std::memcpy(to.data(), from.data(), from.nbytes());
            };
            issue(host().signature(text), operands, task);
        }
        storage.set_data_ptr(std::move(grown));
        storage.set_nbytes(bytes);
    }
    t.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
}

// --- blockers ---

namespace {

struct NamedBlocker {
    const char* name;
    Blocker kind;
};
constexpr NamedBlocker kBlockers[] = {
    {"item", Blocker::item},    {"float", Blocker::item},    {"int", Blocker::item},         {"numpy", Blocker::numpy},
    {"tolist", Blocker::numpy}, {"print", Blocker::print},   {"bool", Blocker::boolean},     {"cpu", Blocker::copy},
    {"format", Blocker::print}, {"equal", Blocker::boolean}, {"allclose", Blocker::boolean}, {"to()", Blocker::copy},
    {"cuda", Blocker::copy},    {"copy", Blocker::copy},     {"save", Blocker::copy},
};
thread_local const NamedBlocker* current_blocker = nullptr;

}  // namespace

void set_blocker(const std::string& name) {
    current_blocker = nullptr;
    for (const NamedBlocker& known : kBlockers) {
        if (name == known.name) {
            current_blocker = &known;
        }
    }
}

BlockerName blocker_or(const char* name, Blocker kind) {
    return current_blocker != nullptr ? BlockerName{current_blocker->name, current_blocker->kind}
                                      : BlockerName{name, kind};
}

// --- issuing ---

namespace {

void add_once(std::vector<Block*>& to, Block* block) {
    for (const Block* known : to) {
        if (known == block) {
            return;
        }
    }
    to.push_back(block);
}

}  // namespace

void Operands::read(const at::Tensor& t) {
    if (Block* block = is_ours(t) ? block_of(t) : nullptr; block != nullptr) {
        add_once(reads, block);
    }
}
void Operands::write(const at::Tensor& t) {
    if (Block* block = is_ours(t) ? block_of(t) : nullptr; block != nullptr) {
        add_once(writes, block);
    }
}

namespace {

// The lane's own, empty between two tasks. It takes no memory of the frontend's allocations, and gives none back: two
// threads that do so for each op slow each other down.
Stack& lane_stack() {
    thread_local Stack stack;
    return stack;
}

void run_task(Task& task) {
    if (task.call != nullptr) {
        task.call(task);
        task.stack.clear();
        return;
    }
    Stack& stack = lane_stack();
    stack = task.stack;
    call_cpu_kernel(*task.op, stack, false);  // copied below
    for (std::size_t i = 0; i < task.checked.size(); ++i) {
        TORCH_CHECK(task.checked[i].sizes().equals(task.checked_sizes[i]), "an output has the size ",
                    c10::IntArrayRef(task.checked_sizes[i]), ", and the op gives ", task.checked[i].sizes(),
                    ": give it an output of this size, or an empty one");
        if (task.checked[i].is_conj()) {  // a note on this alias that its values are to be conjugated
            task.checked[i]._set_conj(false);
            task.checked[i].conj_physical_();
        }
    }
    if (task.results.empty()) {
        return;
    }
    std::vector<at::Tensor> returned;  // a return is a tensor, or a list of them
    for (const IValue& v : stack) {
        if (v.isTensorList()) {
            const auto list = v.toTensorVector();
            returned.insert(returned.end(), list.begin(), list.end());
        } else {
            returned.push_back(v.toTensor());
        }
    }
    TORCH_CHECK(returned.size() == task.results.size(), "PyTorch's kernel gave ", returned.size(), " tensors, and not ",
                task.results.size());
    for (std::size_t i = 0; i < task.results.size(); ++i) {
        if (!task.results[i].defined()) {
            continue;
        }
        const at::Tensor& made = returned[i];
        TORCH_CHECK(made.defined() && made.sizes().equals(task.results[i].sizes()) &&
                        (made.scalar_type() == task.results[i].scalar_type() ||
                         (made.scalar_type() == at::kFloat && task.results[i].scalar_type() == at::kHalf)),
                    "PyTorch's kernel gave another shape or type than was expected of it");
        task.results[i].copy_(made);
    }
}

std::string first_line(const char* text) {
    const std::string all(text);
    return all.substr(0, all.find('\n'));
}

// Tasks of this thread to use again. A thread may drop tasks while it ends, when they are gone.
thread_local bool spare_tasks_gone = false;
struct SpareTasks {
    std::vector<std::unique_ptr<Task>> tasks;
    ~SpareTasks() { spare_tasks_gone = true; }
};
thread_local SpareTasks spare;

}  // namespace

bool Task::run(void* context, std::string& error) {
    auto& task = *static_cast<Task*>(context);
    // A lane is one thread: two teams of threads on the same cores slow both.
    thread_local const bool one_thread = !host().virtual_time() && (at::set_num_threads(1), true);
    (void)one_thread;
    const PlainDispatch plain;
    const at::DisableRecordFunctionGuard not_profiled;
    try {
        run_task(task);
        lane_stack().clear();
        return true;
    } catch (const c10::Error& problem) {
        error = first_line(problem.what_without_backtrace());
    } catch (const std::exception& problem) {
        error = first_line(problem.what());
    } catch (...) {
        error = "unknown error";
    }
    if (task.op != nullptr) {
        error += " (in " + task.op->schema().name() + ")";
    }
    lane_stack().clear();
    return false;
}

void Task::drop(void* context) {
    auto* task = static_cast<Task*>(context);
    task->op = nullptr;
    task->call = nullptr;
    task->stack.clear();
    task->results.clear();
    task->checked.clear();
    task->checked_sizes.clear();
    std::unique_ptr<Task> done(task);
    if (!spare_tasks_gone && spare.tasks.size() < 4096) {
        spare.tasks.push_back(std::move(done));
    }
}

Task* Task::take() {
    if (spare_tasks_gone || spare.tasks.empty()) {
        return new Task();
    }
    Task* task = spare.tasks.back().release();
    spare.tasks.pop_back();
    return task;
}

Issued issue(const Signature* signature, const Operands& operands, Task* task) {
    Block* reads[64];
    std::vector<Block*> more;
    std::size_t count = 0;
    Block** list = reads;
    if (operands.reads.size() > 64) {
        more.resize(operands.reads.size());
        list = more.data();
    }
    for (Block* block : operands.reads) {
        bool written = false;
        for (const Block* out : operands.writes) {
            written |= out == block;
        }
        if (!written) {
            list[count++] = block;
        }
    }
    Issue what;
    what.signature = signature;
    what.reads = list;
    what.read_count = count;
    what.writes = operands.writes.data();
    what.write_count = operands.writes.size();
    what.run = &Task::run;
    what.drop = &Task::drop;
    what.work = task;
    what.device = current_gpu();
    what.stream = current_stream(what.device);
    if (operands.from >= 0) {
        what.from = operands.from;
        what.from_stream = current_stream(static_cast<std::uint32_t>(operands.from));
    }
    what.made = last_node();
    what.backward_of = current_backward();
    device_used();
    try {
        return host().issue(what);
    } catch (const std::exception& error) {
        Task::drop(task);
        fail(error);
    }
}

}  // namespace headway::torch_module
