#pragma once

// Which searches are carried out apart from the engine's steps, and what has come of them? (BD4)
//
// Planning a gang asks for its searches one after another. The first one without an answer is started, and the planning
// is given up; once it has ended the gang is planned again, and asks for the same searches. Not thread-safe.

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

    // The gang is planned: its searches are asked for from the first one on.
    void begin(const GangState& gang);
    // A search of the gang is done apart: a short one has left it open, and no seat depends on it.
    [[nodiscard]] bool takes(const GangState& gang) const;
    struct Result {
        std::optional<solver::Answer> answer;  // None: it has just begun, or goes on.
        std::chrono::nanoseconds took{0};
    };
    // The next search of the gang. Requires: `takes`.
    [[nodiscard]] Result next(const GangState& gang, const model::Snapshot& snapshot, const model::Gang& wanted,
                              solver::SolveOptions budget);
    // The gang is decided on, or gone.
    void forget(const model::GroupKey& root) { plannings_.erase(root); }
    // The gang whose search has ended; nullopt: nobody waits for it any more.
    [[nodiscard]] std::optional<model::GroupKey> on_ended(std::uint64_t search);

    // While it lives nothing is done apart: somebody waits for the plan.
    class InStep {
    public:
        explicit InStep(LongSearches& searches) : searches_(searches) { searches_.is_in_step_ = true; }
        ~InStep() { searches_.is_in_step_ = false; }
        InStep(const InStep&) = delete;
        InStep& operator=(const InStep&) = delete;

    private:
        LongSearches& searches_;
    };

private:
    struct Search {
        std::shared_ptr<LongSearch> task;
        std::uint64_t room_news = 0;  // When it began, as the following.
        std::uint32_t changes = 0;
    };
    struct Planning {
        std::vector<Search> searches;       // In the order in which they were asked for; all but the last have ended.
        std::size_t next = 0;               // Of the planning under way.
        std::optional<std::uint64_t> open;  // Number of the last one, until it has ended.
        std::uint32_t overtaken = 0;        // Answers that didn't hold any more when they came.
    };
    // Nothing that a refusal rests on has changed since: neither the gang, nor is there more room.
    [[nodiscard]] bool is_current(const Search& search, const GangState& gang) const;
    void start(Planning& planning, const GangState& gang, const model::Snapshot& snapshot, const model::Gang& wanted,
               solver::SolveOptions budget);

    const Facts& facts_;
    Outbox& outbox_;
    const PlanQueue& queue_;
    StepWork& work_;
    std::map<model::GroupKey, Planning> plannings_;
    std::uint64_t last_search_ = 0;
    bool is_in_step_ = false;
};

}  // namespace echelon::engine
