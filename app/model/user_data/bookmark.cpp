#include "app/model/user_data/bookmark.h"

#include <algorithm>
#include <string_view>

namespace headway::model {
namespace {

class Fnv {
public:
    void add(std::string_view bytes) {
        for (const char c : bytes) {
            hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        }
        hash_ = (hash_ ^ 0xff) * 0x100000001b3u;  // separator: "ab", "c" differs from "a", "bc"
    }
    void add(std::int64_t number) { add({reinterpret_cast<const char*>(&number), sizeof number}); }
    [[nodiscard]] std::uint64_t hash() const { return hash_; }

private:
    std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace

std::uint64_t fingerprint_of(const Run& run) {
    // A trace that was exported and imported has the same times, but perhaps another origin, and durations beyond
    // kExactNs in coarser units.
    constexpr std::int64_t kExactNs = std::int64_t{1} << 31;
    const std::int64_t origin = run.measure_begin_ns();
    Fnv fnv;
    fnv.add(run.info().program);
    fnv.add(run.info().date);
    fnv.add(run.info().device_kind);
    fnv.add(static_cast<std::int64_t>(run.op_count()));
    constexpr std::size_t kSample = 64;
    const std::size_t count = run.op_count();
    for (std::size_t i = 0; i < std::min(count, 2 * kSample); ++i) {
        const std::size_t id = count <= 2 * kSample ? i + 1 : i < kSample ? i + 1 : count - (2 * kSample - 1 - i);
        const Op& op = run.op(static_cast<OpId>(id));
        fnv.add(run.signature(op.signature).name);
        if (op.begin_ns != kPending) {
            fnv.add(op.begin_ns - origin);
            fnv.add(std::min(op.end_ns - op.begin_ns, kExactNs));
        }
    }
    return fnv.hash();
}

}  // namespace headway::model
