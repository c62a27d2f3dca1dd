#pragma once

// Which room is promised, and to which pod? Every pod with a seat or a binding in flight has a hold, until the watch
// shows it on its node.
//
// A gang may hold room that victims have to leave first (P3). The part that victims still use is subtracted from the
// holds, so that it counts once. Other gangs see the room that is free both now and after the clearing.
//
// Invariant (I2): a hold ends when its pod is seen bound or the hold is released. It is never counted together with the
// bound pod. Not thread-safe.

#include "base/hashed.hpp"
#include "base/text.hpp"
#include "engine/reserve/holds.hpp"
#include "model/cluster/cluster.hpp"
#include "model/facts/amounts.hpp"
#include "model/facts/group.hpp"
#include "model/topology/snapshot.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::engine {

class Ledger {
public:
    void put(const base::Text& uid, Hold&& hold);
    // True if there was a hold.
    bool release(base::Hashed uid);

    [[nodiscard]] const Hold* find(base::Hashed uid) const { return holds_.find(uid); }
    [[nodiscard]] std::size_t size() const { return holds_.size(); }
    // Sorted by the pod's UID. Valid until the ledger's next change.
    [[nodiscard]] std::vector<const Held*> holds() const;
    // Roots of the gangs that hold room on a node, or on the nodes that are meant; plain pods are left out.
    [[nodiscard]] std::set<model::GroupKey> owners_on(const std::string& node) const;
    [[nodiscard]] std::set<model::GroupKey> owners_where(const std::function<bool(const std::string&)>& is_meant) const;
    // Calls `take(root)` for each gang that holds room, in order.
    template <typename Take>
    void for_each_owner(const Take& take) const {
        holds_.for_each_owner([&take](const model::GroupKey& owner) {
            if (!owner.name.empty())
                take(owner);
        });
    }
    // In no particular order. Valid until the ledger's next change.
    [[nodiscard]] HoldsOnNode on(base::Hashed node) const { return holds_.on(node); }
    [[nodiscard]] std::set<std::string> nodes_of(const model::GroupKey& owner) const;
    [[nodiscard]] std::uint64_t version() const { return version_; }  // Differs after each change.
    // Nodes whose holds, or room that victims have to leave, have changed since the reader's last call.
    [[nodiscard]] std::vector<base::Text> take_changed(Holds::Reader reader) { return holds_.take_changed(reader); }
    [[nodiscard]] std::int64_t taken_on(const std::string& node, std::string_view resource) const;

    // Room that this gang holds and its victims still use, by node. Empty: none.
    void set_leaving(const model::GroupKey& owner, std::map<std::string, model::Amounts> by_node);
    // Calls `take(owner, amounts)` for each gang that holds room on the node which its victims still use.
    template <typename Take>
    void for_each_leaving_on(const std::string& node, const Take& take) const {
        for (const auto& [owner, by_node] : leaving_) {
            if (const auto found = by_node.find(node); found != by_node.end())
                take(owner, found->second);
        }
    }
    // True if victims of the gang still use room on the node that it holds.
    [[nodiscard]] bool has_leaving(const model::GroupKey& owner, const std::string& node) const {
        const auto found = leaving_.find(owner);
        return found != leaving_.end() && found->second.contains(node);
    }
    // What the holds of a gang take, by node.
    [[nodiscard]] std::map<std::string, model::Amounts> held_by(const model::GroupKey& owner) const;

    // Pods that other gangs hold nodes for. Views into the ledger, valid until its next change.
    [[nodiscard]] std::vector<model::ExpectedPod> placed_by_others(const model::GroupKey& owner) const;

    // Takes the room of every hold out of a snapshot. Holds on unknown nodes take nothing.
    void apply(model::Snapshot& snapshot) const;
    // Takes the room of the holds on some nodes.
    void apply(model::Snapshot& snapshot, std::span<const model::NodeId> nodes) const;
    // Takes the room of one pod's hold, if there is one.
    void apply(model::Snapshot& snapshot, base::Hashed uid) const;
    // Returns the room of one gang's holds to a snapshot after `apply`.
    void give_back(model::Snapshot& snapshot, const model::GroupKey& owner) const;
    // Takes the holds of one gang again.
    void apply_owner(model::Snapshot& snapshot, const model::GroupKey& owner) const;

private:
    static void shift(model::Snapshot& snapshot, const std::map<std::string, model::Amounts>& by_node,
                      std::int64_t sign);
    void shift_owner(model::Snapshot& snapshot, const model::GroupKey& owner, std::int64_t sign) const;

    Holds holds_;
    std::map<model::GroupKey, std::map<std::string, model::Amounts>> leaving_;  // By node; no empty maps.
    std::uint64_t version_ = 0;
};

// Adds `sign` times the amounts to the room of a node. Resources that the snapshot doesn't know are ignored.
void shift_room(model::Snapshot& snapshot, model::NodeId node, const model::Amounts& amounts, std::int64_t sign);
// Takes the hold out of a snapshot (-1), with its NUMA zones and devices, or gives it back (1).
void shift_hold(model::Snapshot& snapshot, model::NodeId node, const Hold& hold, std::int64_t sign);

}  // namespace echelon::engine
