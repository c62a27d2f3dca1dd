#pragma once

// Which searches run outside the engine's steps, and what have they found? (BD4)
//
// Planning a gang requests its searches one after another. The first one without an answer is started, and the planning
// is abandoned. Once it has ended the gang is planned again, and requests the same searches. Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/plan/long_search.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/queue/step_work.hpp"
#include "model/facts/group.hpp"
#include "solver/plan.hpp"
#include "solver/solve.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace echelon::engine {

class LongSearches {
public:
    LongSearches(const Facts& facts, Outbox& outbox, const PlanQueue& queue, StepWork& work)
        : facts_(facts), outbox_(outbox), queue_(queue), work_(work) {}

    // A planning of the gang begins: its searches are requested from the first one on.
    void begin(const GangState& gang);
    // True if the gang's searches run outside the step: a short one was inconclusive.
    [[nodiscard]] bool takes(const GangState& gang) const;
    struct Result {
        std::optional<solver::Answer> answer;  // Nullopt: the search has just begun, or still runs.
        bool has_missed_room = false;          // Room has become free since the search began.
        std::chrono::nanoseconds took{0};
    };
    // The next search of the gang. Requires: `takes`.
    [[nodiscard]] Result next(const GangState& gang, const model::Snapshot& snapshot, const model::Gang& wanted,
                              solver::SolveOptions budget);
    // The gang is decided, or gone.
    void forget(const model::GroupKey& root) { plannings_.erase(root); }
    // The gang whose search has ended; nullopt: no gang waits for it any more.
    [[nodiscard]] std::optional<model::GroupKey> on_ended(std::uint64_t search);

private:
    struct Search {
        std::shared_ptr<LongSearch> task;
        std::uint64_t freed_room_count = 0;  // As it was when the search began.
        std::uint32_t changes = 0;
    };
    struct Planning {
        std::vector<Search> searches;       // In order of request; all but the last have ended.
        std::size_t next = 0;               // Next search of the planning in progress.
        std::optional<std::uint64_t> open;  // Number of the last one, until it has ended.
        std::uint32_t overtaken = 0;        // Answers that came too late to hold.
    };
    // True if neither the gang nor the free room has changed since the search began: a refusal still holds.
    [[nodiscard]] bool is_current(const Search& search, const GangState& gang) const;
    void start(Planning& planning, const GangState& gang, const model::Snapshot& snapshot, const model::Gang& wanted,
               solver::SolveOptions budget);

    const Facts& facts_;
    Outbox& outbox_;
    const PlanQueue& queue_;
    StepWork& work_;
    std::map<model::GroupKey, Planning> plannings_;
    std::uint64_t last_search_ = 0;
};

}  // namespace echelon::engine
