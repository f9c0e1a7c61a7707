// The folded blocks of a long run (app/model/run/saved_folds.h) in Headway's own traces: events of the category
// "folded", each with the sums of its block, and in "otherData" the numbers of the whole run. Private to app/exchange.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/exchange/files/chrome_event.h"
#include "app/exchange/files/json_text.h"
#include "app/exchange/files/trace_notes.h"
#include "app/json/json.h"
#include "app/model/run/run.h"
#include "app/model/run/saved_folds.h"

namespace headway::exchange {

inline constexpr const char* kFoldedCategory = "folded";

// Of a folded run: with the numbers of the whole run.
[[nodiscard]] std::unique_ptr<model::SavedFolds> folds_to_write(const model::Run& run);

// `"folded":{…}`, a member of "otherData".
void write_folds(const model::Run& run, const model::SavedFolds& folds, JsonText& to);

// One event for each block. `first`: no event was written yet.
void write_folded_blocks(const model::Run& run, const model::SavedFolds& folds, JsonText& to, bool& first);

// Reads them back (chrome_folds_reader.cpp).
class FoldsReader {
public:
    // The member "folded" of "otherData".
    explicit FoldsReader(json::Value folded);

    // False: the run was not folded.
    [[nodiscard]] bool any() const { return folds_ != nullptr; }
    [[nodiscard]] bool is_folded(core::OpId id) const { return any() && folds_->is_folded(id); }
    // How many ops before `id` are not in the file one by one.
    [[nodiscard]] core::OpId folded_before(core::OpId id) const { return any() ? folds_->folded_before(id) : 0; }
    [[nodiscard]] core::OpId folded_ops() const { return folded_before(UINT32_MAX); }

    void take_block(const ChromeEvent& event, core::Line line);
    void take_counter(const ChromeEvent& event);
    void take_wait(const ChromeEvent& event);
    void take_minibatch(const ChromeEvent& event);
    void take_work(const ChromeEvent& event);
    // An op of a lane whose issue was folded.
    void take_edge(const ChromeEvent& event, std::size_t lane);
    // After all events: leaves out the parts that the ops that the file lists do not reach, as in a file that was cut
    // off. If none are left, the run was not folded.
    void leave_out_unreached(core::OpId listed_ops, TraceNotes& notes);
    // After that. `op_count`: of the run. Null if the run was not folded.
    [[nodiscard]] std::unique_ptr<model::SavedFolds> finish(core::OpId op_count, TraceNotes& notes);

private:
    struct SavedCurve {
        std::vector<model::Curve::Point> changes;
        std::vector<model::Curve::FoldedBlock> blocks;
    };
    void take_curve(const ChromeEvent& event);
    void limit_to_ops(core::OpId op_count);
    void complete_ops(TraceNotes& notes);

    std::unique_ptr<model::SavedFolds> folds_;
    std::vector<SavedCurve> curves_;
    std::unordered_map<std::string, std::size_t> curve_called_;
};

}  // namespace headway::exchange
