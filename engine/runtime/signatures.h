// Interned shapes and op signatures. Looking up the signature of the same op on the same shapes as before costs two
// comparisons.
//
// Threads: the frontend only. References stay valid for the object's lifetime. Functions that return a signature raise
// ProgramError for a new one if a recording can hold no more.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/result.h"
#include "engine/devices/op.h"
#include "engine/memory/pool.h"
#include "engine/runtime/frontend/source_lines.h"
#include "engine/runtime/tensor.h"
#include "engine/trace/recorder.h"

namespace headway::runtime {

// Everything that determines an op's signature.
struct SignatureKey {
    devices::OpKind kind = devices::OpKind::none;
    std::uint16_t flags = 0;  // see SignatureFlag; axes in the high byte
    ShapeId in0 = 0, in1 = 0;
    std::uint32_t extra = 0;  // the output's shape (creation) or a number of rows (slices)
    friend bool operator==(const SignatureKey&, const SignatureKey&) = default;
};
static_assert(sizeof(SignatureKey) == 16);

enum SignatureFlag : std::uint16_t {
    kInPlace = 1,
    kTransposeA = 2,
    kTransposeB = 4,
    kAllAxes = 8,
    kKeepDimension = 16,
    kToProgram = 32,  // copy_to_host into memory of the program instead of a tensor
};
constexpr std::uint16_t axis_flags(int axis0, int axis1 = 0) {
    return static_cast<std::uint16_t>(axis0 << 8 | axis1 << 12);
}

struct Entry {
    SignatureKey key;
    devices::Signature signature;
    ShapeId out = 0;
};

// An opaque op: what a device's cost model and the recording need to know of it.
struct OpaqueDescription {
    devices::OpKind kind = devices::OpKind::opaque;  // or copy_to_device, copy_to_host, for what they cost
    devices::Family family = devices::Family::other;
    std::string name, shapes;     // "aten::addmm", "float32 (64×8)·(8×4)"
    std::uint64_t out_bytes = 0;  // of its first output, if the op creates it
    std::uint64_t flops = 0, moved_bytes = 0;
};

class Signatures {
public:
    Signatures(trace::Recording& recording, const SourceLines& lines, memory::Pool& pool, std::uint64_t seed);

    // The id of a shape; ids count from 1.
    ShapeId intern(const Shape& shape);
    [[nodiscard]] const Shape& shape(ShapeId id) const { return shapes_[id - 1]; }

    // The signature for a key if it is the last one of its kind, otherwise null. Costs two comparisons.
    [[nodiscard]] const Entry* recent(const SignatureKey& key) const {
        const Entry* last = last_[static_cast<std::size_t>(key.kind)];
        return last != nullptr && last->key == key ? last : nullptr;
    }
    // The signature for any key. Fails with one sentence that names the op and its shapes if they do not fit.
    core::Result<const Entry*> find(const SignatureKey& key);
    // The signature of a composite of `steps`, in this order; equal steps give the same signature.
    const devices::Signature& composite(std::string_view name, const std::vector<const devices::Signature*>& steps);
    // The signature of an opaque op; equal descriptions give the same one.
    const devices::Signature& opaque(const OpaqueDescription& description);
    // The signature of memory that is taken before an opaque op is issued.
    const devices::Signature& allocation(std::uint64_t bytes);

private:
    struct KeyHash {
        std::size_t operator()(const SignatureKey& key) const;
    };
    struct ShapeHash {
        std::size_t operator()(const Shape& shape) const;
    };
    core::Result<std::unique_ptr<Entry>> make(const SignatureKey& key);
    struct BodyHash {
        std::size_t operator()(const std::pair<std::string, std::vector<const devices::Signature*>>& body) const;
    };
    // Assigns an id and writes the signature to the trace. Signatures that differ in numbers have different ids and
    // texts ("(2×2) #2"), and only those. ProgramError if all ids are in use.
    void announce(devices::Signature& signature, const std::string& name, const std::string& shapes);
    void announce(Entry& entry);

    trace::Recording& recording_;
    const SourceLines& lines_;
    memory::Pool& pool_;
    std::uint64_t seed_;
    std::deque<Shape> shapes_;
    std::unordered_map<Shape, ShapeId, ShapeHash> shape_ids_;
    std::unordered_map<SignatureKey, std::unique_ptr<Entry>, KeyHash> entries_;
    std::unordered_map<std::pair<std::string, std::vector<const devices::Signature*>>,
                       std::unique_ptr<devices::Signature>, BodyHash>
        composites_;
    std::unordered_map<std::uint16_t, std::unique_ptr<devices::Signature>> opaque_;  // by id
    std::unordered_map<std::uint64_t, std::unique_ptr<devices::Signature>> allocations_;
    std::unordered_map<std::string, std::uint16_t> ids_;    // by the text and the numbers written to the trace
    std::unordered_map<std::string, std::uint32_t> texts_;  // how many ids have this text
    std::array<const Entry*, devices::kOpKinds> last_{};
};

}  // namespace headway::runtime
