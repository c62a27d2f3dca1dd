#pragma once

// Before a commit: do the group objects of the API server still match the plan? (rule X2)
//
// Members and minimums come from different watches. A group object may have changed since the plan was made, and may
// now ask for more members. Its watch may report that only after members have come. So each object is read while the
// commit record is written. Bindings are posted only after both have succeeded. Not thread-safe.

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

    // Keeps the objects that the present plan was made from. If they differ from before, the last check is void.
    void set_objects(GangState& gang, const model::Gang& built);
    // True if the check has passed. Otherwise starts one, unless one is running or has to wait.
    [[nodiscard]] bool start_or_confirm_check(GangState& gang);
    // The plan has changed, or this echelon no longer leads.
    void reset_check(GangState& gang);
    // Another check may start: the delay after a failure is over.
    void allow_retry(GangState& gang);

    enum class Result : std::uint8_t {
        open,    // Objects are still being read, or the read belongs to a void check.
        passed,  // Every object is as it was planned.
        failed,  // An object has changed or can't be read. The check is void, and is tried again later.
        gone,    // An object is gone. The check is void, and is tried again later.
    };
    struct Answer {
        Result result = Result::open;
        std::string object;  // Name of the object that failed or is gone.
    };
    Answer on_read(GangState& gang, std::uint64_t write, const model::Outcome& outcome);

private:
    Answer fail(GangState& gang, const TreeObject& object, const model::Outcome& outcome);

    const Facts& facts_;
    Outbox& outbox_;
};

}  // namespace echelon::engine
