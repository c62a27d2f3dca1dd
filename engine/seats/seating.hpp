#pragma once

// How does a member get a seat, how long is the seat held, and how does it end?
//
// Every seat of a gang begins and ends here, together with its hold, its bind call and its wait at the barrier. Not
// thread-safe.

#include "base/text.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"
#include "engine/queue/plan_queue.hpp"
#include "engine/reserve/ledger.hpp"
#include "engine/seats/filter_history.hpp"
#include "engine/wakeups.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace echelon::engine {

class Seating {
public:
    Seating(const Facts& facts, Outbox& outbox, Figures& figures, Ledger& ledger, PlanQueue& queue, Wakeups& wakeups,
            const FilterHistory& filtered);

    void give(GangState& gang, const model::Pod& pod, const base::Text& node);
    // Restores a seat of an earlier run. The member counts as refused by filter: whether it was is unknown.
    void restore(GangState& gang, const model::Pod& pod, const base::Text& node);
    // Ends a seat. A waiting call fails with `why`. Nothing happens if there is no such seat.
    void end(GangState& gang, const base::Text& uid, std::string_view why);
    // Ends the seats for which no binding was requested.
    void end_unposted_seats(GangState& gang, std::string_view why);
    void release_hold(GangState& gang, std::string_view why);
    // The watch shows the member on a node.
    void end_bound(GangState& gang, const base::Text& uid);
    // Removes the seat from a gang that goes or loses the member. The hold stays, without an owner.
    SeatState detach(GangState& gang, const base::Text& uid);

    // How a waiting bind call fails while its member keeps the seat.
    struct CallFailure {
        WaitResult wait = WaitResult::aborted;
        BindResult result = BindResult::error;
        std::string_view why;              // After "echelon: gang NAME: "; unused if the caller has gone.
        std::optional<Time> kick_at = {};  // Absent: unchanged.
    };
    // The member keeps its seat and may call again.
    void fail_call(GangState& gang, const base::Text& uid, const CallFailure& how);
    void fail_all_calls(GangState& gang, const CallFailure& how);
    void end_wait(SeatState& seat, WaitResult result);  // If the member waits.

    // --- Expiry. How long a hold lasts: as the gang's groups state, else as configured.
    [[nodiscard]] Time lifetime(const GangState& gang) const;
    void set_timeout(GangState& gang, std::optional<std::int64_t> seconds);
    void extend(GangState& gang);  // To one lifetime from now.
    void extend_until(GangState& gang, Time until);
    void clear_expiry(GangState& gang);  // If no seat is left, or all are committed.
    // Counts a failed barrier. True if the hold has to be released now (B8).
    bool count_setback(GangState& gang);
    // Counts a released hold. Returns how many there were before.
    std::uint32_t count_released_hold(GangState& gang);
    void reset_setbacks(GangState& gang);

    // --- Seats of placeholders.
    void hold_placeholder(GangState& gang, const std::string& name, PlaceholderSeat seat,
                          const model::PodClass& pod_class);
    void end_placeholder(GangState& gang, const std::string& name);
    // The pod has come, and needs as much room: it gets the seat.
    void take_over_placeholder(GangState& gang, const std::string& name, const model::Pod& pod);
    // Requires: the new name is unused.
    void rename_placeholder(GangState& gang, const std::string& name, const std::string& new_name);
    void end_placeholders(GangState& gang);

private:
    void give(GangState& gang, const model::Pod& pod, const base::Text& node, bool was_refused_by_filter);

    const Facts& facts_;
    Outbox& outbox_;
    Figures& figures_;
    Ledger& ledger_;
    PlanQueue& queue_;
    Wakeups& wakeups_;
    const FilterHistory& filtered_;
};

}  // namespace echelon::engine
