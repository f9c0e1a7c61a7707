// The keys under which an op's shapes are remembered.
#include <cstring>

#include "app/runner/torch/op_info.h"

namespace headway::torch_module {

namespace {

void put(std::string& key, std::int64_t n) {
    key.append(reinterpret_cast<const char*>(&n), sizeof n);
}

}  // namespace

void append_tensor(std::string& key, const at::Tensor& t, bool strides) {
    if (!t.defined()) {
        key.push_back('U');
        return;
    }
    key.push_back('T');
    key.push_back(static_cast<char>(t.scalar_type()));
    key.push_back(static_cast<char>((t.unsafeGetTensorImpl()->is_wrapped_number() ? 1 : 0) | (is_ours(t) ? 2 : 0)));
    key.push_back(static_cast<char>(t.dim()));
    const auto dims = static_cast<std::size_t>(t.dim());
    key.append(reinterpret_cast<const char*>(t.sizes().data()), dims * 8);
    if (strides) {
        key.append(reinterpret_cast<const char*>(t.strides().data()), dims * 8);
    }
}

bool append_value(std::string& key, const IValue& v) {
    if (v.isNone()) {
        key.push_back('N');
    } else if (v.isTensor()) {
        append_tensor(key, v.toTensor(), true);
    } else if (v.isTensorList() || v.isOptionalTensorList()) {
        key.push_back('L');
        for (const IValue& item : v.toListRef()) {
            append_value(key, item);
        }
        key.push_back('E');
    } else if (v.isInt() || v.isBool()) {
        key.push_back(v.isInt() ? 'I' : 'B');
        put(key, v.isInt() ? v.toInt() : static_cast<std::int64_t>(v.toBool()));
    } else if (v.isDouble()) {
        key.push_back('D');
        std::int64_t bits = 0;
        const double value = v.toDouble();
        std::memcpy(&bits, &value, sizeof bits);
        put(key, bits);
    } else if (v.isIntList() || v.isBoolList() || v.isDoubleList()) {
        key.push_back('J');
        for (const IValue& item : v.toListRef()) {
            append_value(key, item);
        }
        key.push_back('E');
    } else if (v.isString()) {
        key.push_back('S');
        put(key, static_cast<std::int64_t>(v.toStringRef().size()));
        key += v.toStringRef();
    } else if (v.isDevice() || v.isGenerator()) {
        key.push_back('?');
    } else {
        return false;
    }
    return true;
}

}  // namespace headway::torch_module
