#pragma once

// Before a commit: is the tree at the API server still the one that was planned? (rule X2)
//
// Members and minimums come from different watches. A group object that has changed since the plan was made may ask for
// more members than the plan has, and the watch may tell of it only after members have come. So each object is read
// beside the writing of the commit record, and bindings are posted only when both have come back.
// Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/publish/outbox.hpp"
#include "model/facts/write.hpp"
#include "model/gang/gang.hpp"

#include <cstdint>
#include <string>

namespace echelon::engine {

class TreeChecker {
public:
    TreeChecker(const Facts& facts, Outbox& outbox) : facts_(facts), outbox_(outbox) {}

    // The objects of the tree as it is planned now. If they are others than before, a check is void.
    void look(GangState& gang, const model::Gang& built);
    // True if the tree is the one that was planned. Else starts the check, unless one is running or has to wait.
    [[nodiscard]] bool start_or_confirm_check(GangState& gang);
    // The plan is another one, or nobody leads.
    void reset_check(GangState& gang);
    // A check may be started again: its time has come.
    void allow(GangState& gang);

    enum class Result : std::uint8_t {
        open,    // Objects are still being read, or the read was of a check that is void.
        passed,  // Every object is as it was planned.
        failed,  // One has changed, or can't be read: the check is void, and is tried again later.
        gone,    // One is gone; the same.
    };
    struct Answer {
        Result result = Result::open;
        std::string object;  // The name of the one that failed or is gone.
    };
    Answer on_read(GangState& gang, std::uint64_t write, const model::Outcome& outcome);

private:
    Answer fail(GangState& gang, const TreeObject& object, const model::Outcome& outcome);

    const Facts& facts_;
    Outbox& outbox_;
};

}  // namespace echelon::engine
