#pragma once

// Who is given a seat, how long is it held, and how does it end?
//
// Every seat of a gang begins and ends here, with its room, its bind call and its wait at the barrier. Not thread-safe.

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

    void give(GangState& gang, const model::Pod& pod, const std::string& node);
    // A seat of an earlier run. It isn't known what its member was told then.
    void restore(GangState& gang, const model::Pod& pod, const std::string& node);
    // Its caller is told why. Nothing happens if there is no such seat.
    void end(GangState& gang, const std::string& uid, std::string_view why);
    // Ends the seats whose binding the API server wasn't asked for.
    void fail_waiting_calls(GangState& gang, std::string_view why);
    void release_hold(GangState& gang, std::string_view why);
    // The watch shows it on a node.
    void end_bound(GangState& gang, const std::string& uid);
    // The seat leaves its gang, which goes or loses the member; its room is no longer the gang's.
    SeatState detach(GangState& gang, const std::string& uid);

    // How a member is sent away from the barrier, or from a binding that wasn't made.
    struct SentAway {
        WaitResult wait = WaitResult::aborted;
        BindResult result = BindResult::error;
        std::string_view why;              // After "echelon: gang NAME: "; no answer to a caller who has gone.
        std::optional<Time> kick_at = {};  // Absent: as before.
    };
    // It keeps its seat and may come again.
    void send_away(GangState& gang, const std::string& uid, const SentAway& how);
    void send_all_away(GangState& gang, const SentAway& how);
    void end_wait(SeatState& seat, WaitResult result);  // If it waits.

    // --- How long.
    // As its groups state, else as configured.
    [[nodiscard]] Time lifetime(const GangState& gang) const;
    void set_timeout(GangState& gang, std::optional<std::int64_t> seconds);
    void extend(GangState& gang);  // From now on, for a lifetime.
    void extend_until(GangState& gang, Time until);
    void keep(GangState& gang);  // Without an end of its own: there are no seats, or they are committed.
    // True when it was one too many, and the hold is to be given back (B8).
    bool count_setback(GangState& gang);
    // How often the hold was given back before, which counts this time.
    std::uint32_t count_give_back(GangState& gang);
    void forget_setbacks(GangState& gang);

    // --- Seats of members that don't exist yet.
    void hold_placeholder(GangState& gang, const std::string& name, PlaceholderSeat seat, const model::Amounts& needs);
    void end_placeholder(GangState& gang, const std::string& name);
    // Requires: nobody bears the new name.
    void rename_placeholder(GangState& gang, const std::string& name, const std::string& today);
    void end_placeholders(GangState& gang);

private:
    void give(GangState& gang, const model::Pod& pod, const std::string& node, bool was_refused_by_filter);

    const Facts& facts_;
    Outbox& outbox_;
    Figures& figures_;
    Ledger& ledger_;
    PlanQueue& queue_;
    Wakeups& wakeups_;
    const FilterHistory& filtered_;
};

}  // namespace echelon::engine
