#pragma once

// How do the members of a held plan come to their nodes? Each is nominated, then loses our gate; one that doesn't come
// is woken.
//
// One write per member is under way at a time. Nomination comes first, so that kube-scheduler looks at the one planned
// node from the first attempt on. Not thread-safe.

#include "engine/facts.hpp"
#include "engine/gang/gang_state.hpp"
#include "engine/input.hpp"
#include "engine/publish/figures.hpp"
#include "engine/publish/outbox.hpp"

#include <string>

namespace echelon::engine {

class Releaser {
public:
    Releaser(const Facts& facts, Outbox& outbox, Figures& figures)
        : facts_(facts), outbox_(outbox), figures_(figures) {}

    // Writes what is due, in tree order: members of one group come to kube-scheduler together.
    void release(GangState& gang);
    void on_written(GangState& gang, const WriteTarget& target, const model::Outcome& outcome);
    // The watch shows a member again: has it lost its nomination?
    void on_seen(GangState& gang, const model::Pod& pod);

    // What a filter call says about a member that has a seat.
    enum class Heard : std::uint8_t { nothing, node_refused };
    // `node_refused`: kube-scheduler's own filters refuse the planned node, seen often enough to believe (rule R3).
    Heard on_filtered(GangState& gang, const model::Pod& pod, const Filtered& filtered);

    // Members behind our gate that are nominated without a seat are looked for, now.
    void look_for_strays(GangState& gang);
    // True when the pod is one of them.
    bool on_stray_nomination(GangState& gang, const model::Pod& pod);
    // Requires: it is due. Ends nominations that no seat needs.
    void clear_nominations(GangState& gang);

private:
    void release(GangState& gang, const std::string& uid);
    [[nodiscard]] bool nominate(GangState& gang, const model::Pod& pod);
    [[nodiscard]] bool ungate(GangState& gang, const model::Pod& pod);
    void kick(GangState& gang, const model::Pod& pod);
    [[nodiscard]] bool nominates(const model::Pod& pod) const;
    void kick_sleeper(GangState& gang, const std::string& uid);

    const Facts& facts_;
    Outbox& outbox_;
    Figures& figures_;
};

}  // namespace echelon::engine
