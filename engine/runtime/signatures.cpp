#include "engine/runtime/signatures.h"

#include <algorithm>
#include <functional>

#include "engine/core/count_text.h"

namespace headway::runtime {

using core::Error;
using core::ErrorKind;
using core::Result;
using devices::Family;
using devices::OpKind;
using devices::ShapeRule;
using devices::Signature;

namespace {

std::size_t mix(std::size_t seed, std::size_t value) {
    return (seed ^ value) * 0x9e3779b97f4a7c15ull + (seed >> 29);
}

Error shape_error(std::string message) {
    return {ErrorKind::shape, std::move(message), {}, 0, 0};
}

std::string named(OpKind kind) {
    return devices::name_of(kind);
}

// What costs depend on, as a key.
std::string numbers_of(const trace::SignatureInfo& info) {
    return std::to_string(info.out_bytes) + ',' + std::to_string(info.flops) + ',' + std::to_string(info.moved_bytes) +
           ',' + std::to_string(info.op_kind) + ',' + std::to_string(info.family);
}

// NumPy's rule: axes are aligned at the last one; two axes must be equal or one of them 1.
bool broadcast(const Shape& a, const Shape& b, Shape& out) {
    out = Shape();
    out.rank = std::max(a.rank, b.rank);
    for (int i = 1; i <= out.rank; ++i) {
        const auto x = i <= a.rank ? a[a.rank - i] : 1;
        const auto y = i <= b.rank ? b[b.rank - i] : 1;
        if (x != y && x != 1 && y != 1) {
            return false;
        }
        out[out.rank - i] = x == 1 ? y : x;
    }
    return true;
}

// The steps in a contiguous operand along each axis of the output; 0 along broadcast axes.
devices::Strides strides_over(const Shape& operand, const Shape& out) {
    devices::Strides strides;
    std::int64_t step = 1;
    for (int i = 1; i <= operand.rank; ++i) {
        const auto n = operand[operand.rank - i];
        strides.step[static_cast<std::size_t>(out.rank - i)] = n == 1 ? 0 : step;
        step *= n;
    }
    return strides;
}

// Whether a shape has more than 2^44 elements: no computer holds that many, and below it sizes in bytes cannot
// overflow. Call before elements(), which would overflow. Sides of 0 count as 1, because the partial products overflow
// as well.
bool too_large(const Shape& shape) {
    double n = 1;
    for (int i = 0; i < shape.rank; ++i) {
        n *= shape[i] == 0 ? 1 : static_cast<double>(shape[i]);
    }
    return n > 17592186044416.0;
}

std::string between_brackets(const Shape& shape) {
    return "(" + to_label(shape) + ")";
}

}  // namespace

std::size_t Signatures::KeyHash::operator()(const SignatureKey& key) const {
    std::size_t h = static_cast<std::size_t>(key.kind) | static_cast<std::size_t>(key.flags) << 16;
    h = mix(h, key.in0);
    h = mix(h, key.in1);
    return mix(h, key.extra);
}

std::size_t Signatures::ShapeHash::operator()(const Shape& shape) const {
    std::size_t h = static_cast<std::size_t>(shape.rank);
    for (int i = 0; i < shape.rank; ++i) {
        h = mix(h, static_cast<std::size_t>(shape[i]));
    }
    return h;
}

Signatures::Signatures(trace::Recording& recording, const SourceLines& lines, memory::Pool& pool, std::uint64_t seed)
    : recording_(recording), lines_(lines), pool_(pool), seed_(seed) {}

ShapeId Signatures::intern(const Shape& shape) {
    const auto [entry, fresh] = shape_ids_.try_emplace(shape, static_cast<ShapeId>(shapes_.size() + 1));
    if (fresh) {
        shapes_.push_back(shape);
    }
    return entry->second;
}

Result<const Entry*> Signatures::find(const SignatureKey& key) {
    auto found = entries_.find(key);
    if (found == entries_.end()) {
        auto made = make(key);
        if (!made) {
            return made.error();
        }
        found = entries_.emplace(key, std::move(*made)).first;
    }
    last_[static_cast<std::size_t>(key.kind)] = found->second.get();
    return found->second.get();
}

Result<std::unique_ptr<Entry>> Signatures::make(const SignatureKey& key) {
    auto entry = std::make_unique<Entry>();
    entry->key = key;
    Signature& s = entry->signature;
    s.kind = key.kind;
    s.seed = seed_;
    s.in_place = (key.flags & kInPlace) != 0;
    s.transpose_a = (key.flags & kTransposeA) != 0;
    s.transpose_b = (key.flags & kTransposeB) != 0;
    const Shape a = key.in0 != 0 ? shape(key.in0) : Shape();
    const Shape b = key.in1 != 0 ? shape(key.in1) : Shape();
    s.in0 = a;
    s.in1 = b;
    s.inputs = static_cast<std::uint8_t>((key.in0 != 0 ? 1 : 0) + (key.in1 != 0 ? 1 : 0));
    const int axis0 = key.flags >> 8 & 0xf;
    const int axis1 = key.flags >> 12 & 0xf;

    const devices::OpRow& op = devices::row_of(key.kind);
    s.family = key.kind == OpKind::add_scaled && s.in_place ? Family::update : op.family;
    std::int64_t terms = 1;  // of the sum in each element

    switch (op.shape) {
        case ShapeRule::none:
            return shape_error(named(key.kind) + " cannot be issued");
        case ShapeRule::empty:
            s.out = Shape{0};
            break;
        case ShapeRule::given:
            s.out = shape(key.extra);
            break;
        case ShapeRule::same:
        case ShapeRule::into_rows:
            s.out = a;
            break;
        case ShapeRule::equal:
            if (a != b) {
                return shape_error(named(key.kind) + ": shapes " + to_string(a) + " and " + to_string(b) + " differ");
            }
            s.out = a;
            break;
        case ShapeRule::broadcast:
            if (!broadcast(a, b, s.out) || (s.in_place && s.out != a)) {
                return shape_error(named(key.kind) + (s.in_place ? " in place" : "") + ": shapes " + to_string(a) +
                                   " and " + to_string(b) + " do not fit together");
            }
            s.contiguous = a == s.out && b == s.out;
            s.stride0 = strides_over(a, s.out);
            s.stride1 = strides_over(b, s.out);
            break;
        case ShapeRule::product: {
            if (a.rank != 2 || b.rank != 2) {
                return shape_error("matmul: needs two matrices, got " + to_string(a) + " and " + to_string(b));
            }
            s.m = s.transpose_a ? a[1] : a[0];
            s.k = s.transpose_a ? a[0] : a[1];
            s.n = s.transpose_b ? b[0] : b[1];
            if (s.k != (s.transpose_b ? b[1] : b[0])) {
                return shape_error("matmul: shapes " + to_string(a) + (s.transpose_a ? " transposed" : "") + " and " +
                                   to_string(b) + (s.transpose_b ? " transposed" : "") + " do not fit together");
            }
            constexpr std::int64_t kBlasLimit = 0x7fffffff;
            if (s.m > kBlasLimit || s.n > kBlasLimit || s.k > kBlasLimit) {
                return shape_error("matmul: a side of " + to_string(a) + " or " + to_string(b) +
                                   " is above 2147483647");
            }
            s.out = Shape{s.m, s.n};
            terms = s.k;
            break;
        }
        case ShapeRule::reduced:
            if ((key.flags & kAllAxes) != 0) {
                s.reduced = a.elements();
            } else {
                s.reduced = a[axis0];
                for (int i = 0; i < a.rank; ++i) {
                    if (i < axis0) {
                        s.outer *= a[i];
                    } else if (i > axis0) {
                        s.inner *= a[i];
                    }
                    if (i != axis0) {
                        s.out[s.out.rank++] = a[i];
                    } else if ((key.flags & kKeepDimension) != 0) {
                        s.out[s.out.rank++] = 1;
                    }
                }
            }
            terms = s.reduced;
            break;
        case ShapeRule::exchanged:
            s.out = a;
            std::swap(s.out[axis0], s.out[axis1]);
            s.stride0 = strides_over(a, a);
            std::swap(s.stride0.step[static_cast<std::size_t>(axis0)], s.stride0.step[static_cast<std::size_t>(axis1)]);
            s.contiguous = false;
            break;
        case ShapeRule::rows:
            s.out = a;
            s.out[0] = key.extra;
            break;
    }

    if (too_large(s.out)) {
        return shape_error(named(key.kind) + ": a tensor of shape " + to_string(s.out) + " is too large to address");
    }
    s.elements = s.out.elements();
    s.out_bytes = (key.flags & kToProgram) != 0 ? 0 : static_cast<std::uint64_t>(s.elements) * sizeof(float);
    s.flops = op.flops * static_cast<std::uint64_t>(s.elements) * static_cast<std::uint64_t>(terms);
    const auto moved_elements =
        op.shape == ShapeRule::rows        ? 2 * s.elements
        : op.shape == ShapeRule::into_rows ? 2 * b.elements()
        : key.kind == OpKind::copy_to_device && key.in0 == 0
            ? 2 * s.elements  // the program's memory is read
            : (key.in0 != 0 ? a.elements() : 0) + (key.in1 != 0 ? b.elements() : 0) + s.elements;
    s.moved_bytes = static_cast<std::uint64_t>(moved_elements) * sizeof(float);
    s.size_class = pool_.size_class(s.out_bytes);
    entry->out = intern(s.out);
    announce(*entry);
    return entry;
}

void Signatures::announce(Entry& entry) {
    Signature& s = entry.signature;
    std::string shapes;
    if (s.kind == OpKind::matmul) {
        shapes = "(" + to_label(Shape{s.m, s.k}) + ")·(" + to_label(Shape{s.k, s.n}) + ")";
    } else if (s.inputs == 2 && s.in0 != s.in1) {
        shapes = between_brackets(s.in0) + ", " + between_brackets(s.in1);
    } else if (const Shape& input = entry.key.in0 != 0 ? s.in0 : s.in1; s.inputs >= 1 && input != s.out) {
        shapes = between_brackets(input) + " → " + between_brackets(s.out);
    } else if (s.kind != OpKind::noop) {
        shapes = between_brackets(s.out);
    }
    if ((entry.key.flags & kToProgram) != 0) {
        shapes += " → program";
    }
    announce(s, std::string(devices::name_of(s.kind)) + (s.in_place ? "_" : ""), shapes);
}

void Signatures::announce(Signature& s, const std::string& name, const std::string& shapes) {
    constexpr std::size_t kMostIds = 0xffff;
    const trace::SignatureInfo info{static_cast<std::uint16_t>(s.kind),
                                    static_cast<std::uint8_t>(s.family),
                                    s.inputs,
                                    0,
                                    s.out_bytes,
                                    s.flops,
                                    s.moved_bytes};
    const std::string text = name + '\n' + shapes;
    const auto [known, fresh] = ids_.try_emplace(text + '\n' + numbers_of(info), std::uint16_t{0});
    if (fresh) {
        if (ids_.size() > kMostIds) {
            ids_.erase(known);
            lines_.raise(ErrorKind::failed, "a run can hold at most " + core::counted(kMostIds, "op") +
                                                " of different names or shapes, and " + name + " " + shapes +
                                                " is one more");
        }
        known->second = static_cast<std::uint16_t>(ids_.size());
        const std::uint32_t same = texts_[text]++;
        recording_.signature(known->second, info, same == 0 ? shapes : shapes + " #" + std::to_string(same + 1), name);
    }
    s.id = known->second;
}

std::size_t Signatures::BodyHash::operator()(const std::pair<std::string, std::vector<const Signature*>>& body) const {
    std::size_t h = std::hash<std::string>()(body.first);
    for (const Signature* step : body.second) {
        h = mix(h, reinterpret_cast<std::uintptr_t>(step));
    }
    return h;
}

const Signature& Signatures::composite(std::string_view name, const std::vector<const Signature*>& steps) {
    auto& known = composites_[{std::string(name), steps}];
    if (known == nullptr) {
        auto made = std::make_unique<Signature>();
        Signature& s = *made;
        s.kind = OpKind::graph;
        s.family = Family::other;
        s.seed = seed_;
        for (const Signature* step : steps) {
            s.flops += step->flops;
            s.moved_bytes += step->moved_bytes;
        }
        const Signature& last = *steps.back();  // its output is the composite's output
        s.out = last.out;
        s.elements = last.elements;
        s.out_bytes = last.in_place ? 0 : last.out_bytes;
        // Composites of equal length may have different ops; those must not share flops and byte counts.
        announce(s, std::string(name),
                 std::to_string(steps.size()) + (steps.size() == 1 ? " op" : " ops") +
                     (composites_.size() > 1 ? ", graph " + std::to_string(composites_.size()) : std::string()));
        known = std::move(made);
    }
    return *known;
}

const Signature& Signatures::opaque(const OpaqueDescription& of) {
    Signature s;
    s.kind = of.kind;
    s.family = of.family;
    s.seed = seed_;
    s.out_bytes = of.out_bytes;
    s.flops = of.flops;
    s.moved_bytes = of.moved_bytes;
    announce(s, of.name, of.shapes);
    auto& known = opaque_[s.id];
    if (known == nullptr) {
        known = std::make_unique<Signature>(s);
    }
    return *known;
}

const Signature& Signatures::allocation(std::uint64_t bytes) {
    auto& known = allocations_[bytes];
    if (known == nullptr) {
        auto made = std::make_unique<Signature>();
        made->kind = OpKind::opaque;
        made->out_bytes = bytes;
        made->size_class = pool_.size_class(bytes);
        announce(*made, "memory", std::to_string(bytes) + " B");
        known = std::move(made);
    }
    return *known;
}

}  // namespace headway::runtime
