#pragma once

// In which phase is each gang, and which room is promised? The tables of `echelon status` and `echelon holds`, and the
// summary that SIGUSR2 writes to the log.
//
// Pure.

#include "engine/publish/inspection.hpp"
#include "engine/publish/published_state.hpp"
#include "kube/watch/watcher.hpp"
#include "model/facts/plan_record.hpp"

#include <string>
#include <vector>

namespace echelon::report {

struct Status {
    std::string headline;  // "nodes 64, pods 120 ..."; empty: only GangPlans are known.
    bool leads = true;     // Otherwise the plans are what this echelon last knew.
    std::vector<model::PlanRecord> plans = {};
    std::vector<std::string> unreadable = {};  // A sentence for each object that can't be read, the newest first.
    std::vector<std::string> not_served = {};  // What the API server lacks for Kubernetes' own groups, likewise.
};

[[nodiscard]] Status status_of(const engine::PublishedState& published, bool leads);
[[nodiscard]] std::string status_text(const Status& status, bool has_colour);
// The `GangStatusList` of echelon.sh/v1alpha1.
[[nodiscard]] std::string status_json(const Status& status);

// One line of the log. `gang`: which gang it is about; empty: none.
struct SummaryLine {
    std::string gang;
    std::string sentence;
};
[[nodiscard]] std::vector<SummaryLine> summary_of(const engine::PublishedState& published, bool leads,
                                                  const std::vector<kube::WatchStatus>& watched);

[[nodiscard]] std::string holds_text(const std::vector<engine::HeldSeat>& seats, bool has_colour);
// The `HoldList` of echelon.sh/v1alpha1.
[[nodiscard]] std::string holds_json(const std::vector<engine::HeldSeat>& seats);
// The unbound seats in GangPlans: all that is known without asking the service.
[[nodiscard]] std::vector<engine::HeldSeat> seats_in(const std::vector<model::PlanRecord>& plans);

}  // namespace echelon::report
