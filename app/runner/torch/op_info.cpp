#include "app/runner/torch/op_info.h"

#include <mutex>
#include <unordered_set>

namespace headway::torch_module {

namespace {

std::mutex all_mutex;
std::vector<OpInfo*>& all_infos() {
    static auto* all = new std::vector<OpInfo*>;
    return *all;
}

bool writes(const c10::Argument& a) {
    if (a.alias_info() == nullptr) {
        return false;
    }
    bool any = a.alias_info()->isWrite();
    for (const auto& contained : a.alias_info()->containedTypes()) {
        any |= contained.isWrite();
    }
    return any;
}

// Kernels of losses resize their output for intermediate values, so they must not write into the program's tensor.
bool needs_new_outputs(const std::string& name) {
    return name.find("loss") != std::string::npos || name == "aten::binary_cross_entropy";
}

// The overload with a CPU kernel that takes the same arguments, and in addition a tensor to write for each return; if
// not `with_outputs`, the overload that lacks these.
c10::optional<c10::OperatorHandle> find_overload(const c10::FunctionSchema& like, bool with_outputs) {
    static const auto* by_name = [] {
        auto* all = new std::unordered_multimap<std::string, c10::OperatorName>;
        for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
            all->emplace(name.name, name);
        }
        return all;
    }();
    const auto range = by_name->equal_range(like.name());
    for (auto it = range.first; it != range.second; ++it) {
        const auto found = c10::Dispatcher::singleton().findSchema(it->second);
        if (!found || !found->hasKernelForDispatchKey(c10::DispatchKey::CPU)) {
            continue;
        }
        const auto& shorter = (with_outputs ? like : found->schema()).arguments();
        const auto& longer = (with_outputs ? found->schema() : like).arguments();
        bool fits = longer.size() == shorter.size() + like.returns().size();
        for (std::size_t i = 0; fits && i < longer.size(); ++i) {
            fits = i < shorter.size() ? longer[i].name() == shorter[i].name() && !writes(shorter[i]) &&
                                            *longer[i].type() == *shorter[i].type()
                                      : writes(longer[i]) && longer[i].type()->kind() == c10::TypeKind::TensorType;
        }
        if (fits) {
            return found;
        }
    }
    return c10::nullopt;
}

void look_at_schema(OpInfo& op) {
    const auto& schema = op.handle.schema();
    op.name = schema.name();
    const auto& args = schema.arguments();
    for (std::size_t i = 0; i < args.size(); ++i) {
        op.written.push_back(writes(args[i]));
        op.any_written |= op.written.back();
        if (args[i].name() == "generator") {
            op.generator = static_cast<int>(i);
        } else if (args[i].name() == "output_mask") {
            op.output_mask = static_cast<int>(i);
        }
    }
    for (const auto& returned : schema.returns()) {
        int which = kNew;
        if (returned.alias_info() != nullptr) {
            op.view |= !writes(returned);
            for (std::size_t i = 0; i < args.size() && writes(returned); ++i) {
                if (args[i].alias_info() != nullptr &&
                    args[i].alias_info()->beforeSets() == returned.alias_info()->beforeSets()) {
                    which = static_cast<int>(i);
                }
            }
        }
        op.returns.push_back(which);
    }
    static const std::unordered_set<std::string> by_values{"aten::nonzero",
                                                           "aten::masked_select",
                                                           "aten::bincount",
                                                           "aten::_unique",
                                                           "aten::_unique2",
                                                           "aten::unique_dim",
                                                           "aten::histc",
                                                           "aten::unique_consecutive",
                                                           "aten::repeat_interleave",
                                                           "aten::unique_dim_consecutive"};
    op.foreach = op.name.rfind("aten::_foreach_", 0) == 0;
    op.waits_always = op.handle.hasTag(at::Tag::dynamic_output_shape) || by_values.count(op.name) != 0;
    for (const auto& returned : schema.returns()) {
        const auto kind = returned.type()->kind();
        op.waits_always |= kind != c10::TypeKind::TensorType && kind != c10::TypeKind::ListType;
    }
    // Their shape functions and their CPU kernels disagree on the outputs.
    op.no_meta = op.name == "aten::native_batch_norm" || op.name == "aten::_embedding_bag" ||
                 op.name == "aten::_embedding_bag_forward_only";
    if (op.name == "aten::native_batch_norm") {
        op.written[3] = op.written[4] = true;  // the running statistics; missing in the schema
    } else if (needs_new_outputs(op.name)) {
        if (op.any_written) {
            op.functional = find_overload(schema, false);
        }
    } else if (!op.any_written && !op.view && !op.no_meta) {
        op.out = find_overload(schema, true);
    }
}

// By schema. When a thread ends, the next new thread takes them over.
using Infos = std::unordered_map<const void*, OpInfo*>;
std::vector<Infos*>& spare_infos() {
    static auto* all = new std::vector<Infos*>;
    return *all;
}
struct InfosOfThread {
    Infos* infos = nullptr;
    InfosOfThread() {
        const std::lock_guard lock(all_mutex);
        if (spare_infos().empty()) {
            infos = new Infos;
        } else {
            infos = spare_infos().back();
            spare_infos().pop_back();
        }
    }
    ~InfosOfThread() {
        const std::lock_guard lock(all_mutex);
        spare_infos().push_back(infos);
    }
};

}  // namespace

OpInfo& info_of(const c10::OperatorHandle& handle) {
    thread_local const InfosOfThread of_thread;
    OpInfo*& info = (*of_thread.infos)[&handle.schema()];
    if (info == nullptr) {
        info = new OpInfo(handle);
        look_at_schema(*info);
        const std::lock_guard lock(all_mutex);
        all_infos().push_back(info);
    }
    return *info;
}

std::string issue_counts() {
    std::unordered_map<std::string, std::array<std::uint64_t, kWays>> sums;
    {
        const std::lock_guard lock(all_mutex);
        for (const OpInfo* op : all_infos()) {
            auto& sum = sums[op->name];
            for (std::size_t i = 0; i < kWays; ++i) {
                sum[i] += op->count[i];
            }
        }
    }
    std::string json = "{";
    for (const auto& [name, count] : sums) {
        if (count[0] + count[1] + count[2] == 0) {
            continue;
        }
        json += (json.size() > 1 ? ", \"" : "\"") + name + "\": [" + std::to_string(count[0]) + ", " +
                std::to_string(count[1]) + ", " + std::to_string(count[2]) + "]";
    }
    return json + "}";
}

}  // namespace headway::torch_module
