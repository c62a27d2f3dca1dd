#pragma once

// What do the objects of Kubernetes' own groups say about their gang? One condition each: it was placed, or why not
// (Z32).
//
// A condition that is met is never withdrawn. Before that it has the sentence of the refusal. The group that causes the
// refusal shows the cause, and other groups point to that group (S33). Not thread-safe.

#include "base/text.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/publish/outbox.hpp"
#include "model/facts/write.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::engine {

class GroupConditions {
public:
    GroupConditions(const Facts& facts, Outbox& outbox) : facts_(facts), outbox_(outbox) {}

    // Whether the groups of the tree have the indexes of the roster's quorum.
    enum class Tree : std::uint8_t { as_counted, other };
    void update_groups(GangState& gang, const model::Gang& built, Tree tree);
    // The gang's conditions are compared with its state in this step.
    static void schedule(GangState& gang);
    // Writes the conditions that have changed, as many as may be in flight.
    void write(GangState& gang);
    // `uid`: of the group's object.
    void on_written(GangState& gang, const base::Text& uid, const model::Outcome& outcome);

private:
    [[nodiscard]] bool is_on(const GangState& gang) const;
    void write_one(ConditionState& state, const GangState& gang, const ConditionState::Row& row, bool is_met,
                   std::string sentence);

    const Facts& facts_;
    Outbox& outbox_;
    bool is_refused_ = false;  // The API server refuses these writes; logged once.
};

}  // namespace echelon::engine
