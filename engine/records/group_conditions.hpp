#pragma once

// What do the objects of Kubernetes' own groups say of their gang? One condition each: it was placed, or why not (Z32).
//
// Once met it is never taken back. Until then it has the sentence of the refusal, as it is latched there: the group
// that causes it has the cause, the others point to it (S33). Not thread-safe.

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

    // Whether the minimums of the roster are those of the tree that is looked at.
    enum class Tree : std::uint8_t { as_counted, other };
    void look(GangState& gang, const model::Gang& built, Tree tree);
    // The gang may have something new to say.
    static void want(GangState& gang);
    // Writes what is new, some of it later.
    void write(GangState& gang);
    // `uid`: of the object.
    void on_written(GangState& gang, const std::string& uid, const model::Outcome& outcome);

private:
    [[nodiscard]] bool is_on(const GangState& gang) const;
    void tell(ConditionState& state, const GangState& gang, const ConditionState::Row& row, bool is_met,
              std::string sentence);

    const Facts& facts_;
    Outbox& outbox_;
    bool is_refused_ = false;  // They can't be written; said once.
};

}  // namespace echelon::engine
