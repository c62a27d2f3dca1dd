#pragma once

// What becomes of bind calls for pods outside every gang, and for pods that the watch hasn't shown yet? They are
// checked, posted and answered, and wait for nothing but the API server (I13).
//
// Not thread-safe.

#include "base/text.hpp"
#include "engine/facts.hpp"
#include "engine/gang/seat_state.hpp"
#include "engine/input.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/reserve/ledger.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace echelon::engine {

class PlainBinds {
public:
    PlainBinds(const Facts& facts, Outbox& outbox, Ledger& ledger, PlanQueue& queue)
        : facts_(facts), outbox_(outbox), ledger_(ledger), queue_(queue) {}

    // A binding of the pod is under way, or its call is parked.
    [[nodiscard]] bool contains(const base::Text& uid) const { return binds_.contains(uid); }
    // True if the caller of a binding to the node has given up, and the binding may still happen.
    [[nodiscard]] bool has_abandoned_on(const std::string& node) const;
    // Posts the binding, and holds its room.
    void begin(const BindCalled& called, const model::Pod& pod);
    // The watch hasn't shown the pod yet: the call waits for it, briefly.
    void park(const BindCalled& called);
    // A binding that a gang has begun continues without the gang.
    void take_over(const model::GroupKey& root, const SeatState& seat);

    void on_caller_gone(const base::Text& uid);
    void on_written(const WriteTarget& target, const model::Outcome& outcome);
    // The watch shows a pod, perhaps before the answer to a write, perhaps after the bind call.
    void on_seen(const model::Pod& pod);
    // The pod is bound. Unlike `on_seen`, this leaves a parked call alone.
    void on_bound(const model::Pod& pod);
    // Ends the hold of the pod, unless it is that of a gang's member, and tells gangs that wait for room.
    void end_hold(const base::Text& uid);
    // Parked calls whose pods were seen in this step: they are handled again from the beginning.
    [[nodiscard]] std::vector<BindCalled> take_unparked();
    // Fails what is overdue, and reads back what is due.
    void serve();
    [[nodiscard]] Time first() const { return timers_.empty() ? never : timers_.begin()->first; }

private:
    struct Bind {
        BindCalled call;
        bool caller_waits = true;
        bool waits_for_pod = false;  // The pod isn't known yet.
        Time deadline = never;
        Time retry_at = never;  // Read the pod (again) then.
        std::uint32_t failures = 0;
    };
    void end(const base::Text& uid, BindResult result, const std::string& error);
    // False: the bind has ended.
    bool check_deadline(const base::Text& uid, Bind& bind);
    void end_hold_of_gone(const base::Text& uid);
    void schedule(const base::Text& uid);

    const Facts& facts_;
    Outbox& outbox_;
    Ledger& ledger_;
    PlanQueue& queue_;
    std::map<std::string, Bind> binds_;  // By UID.
    std::vector<std::string> seen_;      // Within a step: UIDs of pods whose parked calls can go on.
    std::set<std::pair<Time, std::string>> timers_;
};

}  // namespace echelon::engine
