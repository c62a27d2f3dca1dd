#pragma once

// Which write of a GangPlan goes out next? Writes of one plan go out one after another, even across lanes. A record
// that has not begun gives way to a newer one: a commit doesn't wait behind the report that it makes obsolete. A
// deletion and a record never overtake each other.
//
// A lane gets a ticket for each write. When its turn has come, the first write of the plan begins: the turn of a commit
// serves a deletion that waits before it, too. Thread-safe. Keeps only plans with writes that wait or are under way.

#include "kube/write/write_lane.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace echelon::kube {

class PlanOrder {
public:
    // Queues the write of a plan in its lane, or behind the write of the plan that is under way. Returns the write that
    // it replaces, which nobody sends any more.
    std::optional<std::uint64_t> submit(const std::string& plan, WriteLane::Job job, WriteLane& lane);
    // The first write of the plan, when the turn of a ticket has come. Nullopt: another ticket has served it.
    [[nodiscard]] std::optional<WriteLane::Job> begin(const std::string& plan);
    // The write that has begun is over: the next one is queued.
    void ended(const std::string& plan);

private:
    struct Waiting {
        WriteLane::Job job;
        WriteLane* lane;
        bool has_begun = false;
    };

    std::mutex mutex_;
    std::map<std::string, std::deque<Waiting>> writes_;  // Guarded by mutex_. By plan; none is empty.
};

}  // namespace echelon::kube
