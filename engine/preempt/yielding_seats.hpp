#pragma once

// Which seats do extras of less important gangs give up, so that a gang's minimum finds room? (Q11)
//
// Seats of members that are not created yet are among them. Not thread-safe.

#include "base/text.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gangs.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/queue/step_work.hpp"
#include "engine/reserve/closed_nodes.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/seats/seating.hpp"
#include "model/topology/snapshot.hpp"
#include "solver/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace echelon::engine {

// A seat that its gang can do without: the minimum is bound, and no binding was requested for this seat.
struct YieldingSeat {
    GangState* gang = nullptr;
    std::string uid;  // Or the name of a placeholder.
    std::string node;
};

class YieldingSeats {
public:
    YieldingSeats(Gangs& gangs, const Ledger& ledger, Seating& seating, PlanQueue& queue, StepWork& work)
        : gangs_(gangs), ledger_(ledger), seating_(seating), queue_(queue), work_(work) {}

    // Seats of gangs below this priority, by gang and UID, but none on closed nodes. `with_holds`: also all seats of
    // Held gangs, which have no bound member.
    enum class Which : std::uint8_t { extras, with_holds };
    [[nodiscard]] std::vector<YieldingSeat> below(std::int64_t priority, const ClosedNodes& closed,
                                                  const model::Snapshot& snapshot, Which which = Which::extras);
    // True if `below` returns this seat, `with_holds`, unless it is on a closed node.
    [[nodiscard]] static bool yields(const GangState& gang, const base::Text& uid, std::int64_t priority);
    // Gives the room of these seats back to a snapshot in which every hold is taken. The destructor takes the room of
    // seats that are still held.
    class Opened;
    [[nodiscard]] Opened open(model::Snapshot& snapshot, const std::vector<YieldingSeat>& seats) const;
    // Ends those seats that are on nodes of the plan. Their gangs are planned again.
    void end_on_nodes_of(const solver::Plan& plan, const model::Snapshot& snapshot,
                         const std::vector<YieldingSeat>& seats);

private:
    Gangs& gangs_;
    const Ledger& ledger_;
    Seating& seating_;
    PlanQueue& queue_;
    StepWork& work_;
};

class YieldingSeats::Opened {
public:
    Opened(model::Snapshot& snapshot, const Ledger& ledger, const std::vector<YieldingSeat>& seats)
        : snapshot_(snapshot), ledger_(ledger), seats_(seats) {
        shift(1);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() { shift(-1); }

private:
    // `sign`: 1 gives back, -1 takes.
    void shift(std::int64_t sign);

    model::Snapshot& snapshot_;
    const Ledger& ledger_;
    const std::vector<YieldingSeat>& seats_;
};

}  // namespace echelon::engine
