#pragma once

// How do the members of a held plan get to their nodes? Each is nominated, and then echelon's gate is removed. A member
// whose bind call doesn't come is woken.
//
// At most one write per member is in flight. Nomination comes first, so that kube-scheduler looks at the planned node
// alone from the first attempt on. Not thread-safe.

#include "base/text.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/input.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"

#include <optional>
#include <vector>

namespace echelon::engine {

class Releaser {
public:
    Releaser(const Facts& facts, Outbox& outbox, Figures& figures)
        : facts_(facts), outbox_(outbox), figures_(figures) {}

    // Writes what is due, in tree order, so that members of one group reach kube-scheduler together.
    void release(GangState& gang);
    void on_written(GangState& gang, const WriteTarget& target, const model::Outcome& outcome);
    // The watch shows a member again: it may have lost its nomination.
    void on_seen(GangState& gang, const model::Pod& pod);

    // What a filter call shows about a member with a seat.
    enum class Finding : std::uint8_t { nothing, node_refused };
    // `node_refused`: kube-scheduler's own filters have refused the planned node often enough to believe it (rule R3).
    Finding on_filtered(GangState& gang, const model::Pod& pod, const Filtered& filtered);

    // In this step, `clear_nominations` looks for gated members that are nominated without a seat.
    void schedule_nomination_cleanup(GangState& gang);
    // True if the pod is such a member; then schedules that.
    bool on_stray_nomination(GangState& gang, const model::Pod& pod);
    // Requires: it is due. Clears nominations that no seat needs.
    void clear_nominations(GangState& gang);
    static void on_nomination_cleared(GangState& gang);

private:
    void keep_back_followers(GangState& gang, std::vector<const SeatState*>& due) const;
    void release(GangState& gang, const SeatState& seat);
    [[nodiscard]] bool nominate(GangState& gang, const model::Pod& pod, const SeatState& seat);
    void put_off(GangState& gang, const SeatState& seat) const;
    [[nodiscard]] bool ungate(GangState& gang, const model::Pod& pod);
    void kick(GangState& gang, const model::Pod& pod);
    [[nodiscard]] bool nominates(const model::Pod& pod) const;
    void kick_parked(GangState& gang, const base::Text& uid);
    // Repeats a write that failed, later each time.
    void try_again(GangState& gang, const WriteTarget& target, std::optional<Time> delay = std::nullopt) const;

    const Facts& facts_;
    Outbox& outbox_;
    Figures& figures_;
};

}  // namespace echelon::engine
