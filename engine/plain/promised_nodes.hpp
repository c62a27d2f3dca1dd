#pragma once

// Which nodes have room that is promised to gangs, and how much of it is left for other pods? (PR1)
//
// Seats (held, committed, of placeholders) and reserved domains are promised. Of room that victims have to leave,
// others get what is free both now and afterwards (P3). A node is judged again only when its holds, its room or the
// priority of a gang has changed. Not thread-safe; what it publishes is.

#include "base/flat_table.hpp"
#include "base/text.hpp"
#include "engine/facts.hpp"
#include "engine/gang/gangs.hpp"
#include "engine/publish/promises.hpp"
#include "engine/reserve/domain_reservations.hpp"
#include "engine/reserve/ledger.hpp"

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace echelon::engine {

class PromisedNodes {
public:
    PromisedNodes(const Facts& facts, const Gangs& gangs, Ledger& ledger, const DomainReservations& reservations)
        : facts_(facts), gangs_(gangs), ledger_(ledger), reservations_(reservations) {}

    // Pods on the node, or the node itself, may have changed.
    void note(const std::string& node);
    // Must be called before the event is applied. What it changes on nodes is noted afterwards, by their names.
    void note(const model::Event& event);
    // Nodes may be in other domains now.
    void note_topology() { are_domains_stale_ = true; }
    // The gang may have another priority.
    void note(const GangState& gang);
    void forget(const model::GroupKey& root) { priorities_.erase(root); }
    [[nodiscard]] bool is_reserved(const std::string& node) const { return reserved_.contains(node); }
    // Updates which nodes are reserved. True: that took a snapshot.
    bool update_reserved_nodes();

    // Reserved nodes are those of the last `update_reserved_nodes`. Cheap when little has changed.
    [[nodiscard]] Promises publish();
    // True if the pod may not take the room on the node, as of now.
    [[nodiscard]] bool keep_out(const std::string& node, const model::PlainPod& pod, Protection protection);

private:
    using Room = std::shared_ptr<const PromisedRoom>;  // Null: nothing is promised.
    // A node that was judged, and whose room other nodes may share.
    struct Judged {
        const base::Text* node = nullptr;  // Null: none.
        HoldsOnNode holds;
        Room room;
    };

    void note_labels(const model::Node& node);
    [[nodiscard]] PromisedRoom judged(const base::Text& node) const;
    // True if only holds say what is promised on the node: no domain is reserved, and no victim has to leave.
    [[nodiscard]] bool has_holds_alone(const base::Text& node) const;
    // True if both nodes have the same room and equal holds.
    [[nodiscard]] bool are_alike(const base::Text& node, HoldsOnNode holds, const Judged& other) const;
    // What is promised on the node; `last`: the node that was judged before it, and then this one.
    [[nodiscard]] Room room_on(const base::Text& node, Judged& last);
    // One object for all nodes with equal promises.
    [[nodiscard]] Room shared(PromisedRoom room);
    void update(const base::Text& node, Room room);

    const Facts& facts_;
    const Gangs& gangs_;
    Ledger& ledger_;
    const DomainReservations& reservations_;
    std::array<base::FlatTable<Promises::Entry>, Promises::shard_count> entries_;  // [shard] By name.
    std::bitset<Promises::shard_count> is_stale_;  // [shard] `published_` has it from before.
    Promises published_;
    std::map<PromisedRoom, std::weak_ptr<const PromisedRoom>> rooms_;
    std::size_t count_ = 0;          // Of `entries_`.
    std::set<std::string> changed_;  // Nodes to judge again.
    std::map<model::GroupKey, std::int64_t> priorities_;
    std::map<std::string, std::vector<PromisedRoom::Reserved>> reserved_;  // By node.
    std::uint64_t reservations_seen_ = 0;                                  // Their version.
    bool are_domains_stale_ = false;
};

}  // namespace echelon::engine
