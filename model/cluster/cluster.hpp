#pragma once

// What IS: every node, pod, group and topology that the events so far tell of.
//
// A plain single-threaded value with one writer: no lock, no clock, no I/O. Equal sets of facts give equal answers, in
// whatever order the events came (T2.4, I10).

#include "model/facts/event.hpp"
#include "model/facts/limits.hpp"
#include "model/gang/gang.hpp"
#include "model/gang/running_gang.hpp"
#include "model/topology/snapshot.hpp"
#include "model/topology/snapshot_delta.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::model {

struct GangFacts;

// How the pods of one schedulerName are treated.
struct Profile {
    bool gang = true;      // Off: groups need no minimum.
    bool topology = true;  // Off: groups without levels. Both off: groups are ignored, its pods are plain.

    bool operator==(const Profile&) const = default;
};
using Profiles = std::map<std::string, Profile, std::less<>>;  // By schedulerName; any other pod isn't ours.

// What an event touched. The engine plans again what it names.
struct Change {
    std::set<GroupKey> gangs;     // Roots, as they were before and as they are after the event.
    bool topology = false;        // Levels or domains may be others: `Cluster::resolve` tells whom that touches.
    std::set<std::string> nodes;  // Names of nodes that went, or whose labels, room or usability changed.
    bool may_free_room = false;   // A pod left, a node came or grew, levels changed: refused gangs may fit now.
    bool member_arrived = false;  // A waiting member is new (or lost its foreign gate).
    bool is_of_one_pod = false;   // True if no group and no other pod has changed its gang.
    bool keeps_running = false;   // True if members that run or have ended, and their groups, are the same as before.
};

// What a topology that has changed means for gangs, apart from the room that they may find.
struct TopologyImpact {
    bool all_gangs = false;    // Other levels, or other faults: any gang may be told otherwise.
    std::set<GroupKey> gangs;  // Roots with pods on nodes that stand in other domains now.
};

// A pod that is going to be on a node.
struct ExpectedPod {
    std::string_view uid;
    std::string_view node;
};

// UIDs of members that were bound, or had ended, before those were planned that wait now.
using RunningBefore = std::set<std::string, std::less<>>;

class Cluster {
public:
    explicit Cluster(Profiles profiles, const Limits& limits = {});
    ~Cluster();
    Cluster(Cluster&&) noexcept;
    Cluster& operator=(Cluster&&) noexcept;

    Change apply(const Event& event);
    // Pods of other schedulers are ours from now on, or with other options. Walks all pods.
    Change reprofile(Profiles profiles);

    // True if the tree has more groups, or deeper ones, than a gang may have.
    [[nodiscard]] bool is_tree_cut(const GroupKey& root) const;
    // Facts. Pointers stay valid until the next `apply`.
    [[nodiscard]] const Pod* pod(std::string_view uid) const;
    [[nodiscard]] const Pod* pod_named(std::string_view ns, std::string_view name) const;
    [[nodiscard]] bool has_node(std::string_view name) const;
    [[nodiscard]] std::optional<Node> node(std::string_view name) const;  // A copy, without the UID.
    [[nodiscard]] const Group* group(const GroupKey& key) const;          // Declared groups included.
    [[nodiscard]] std::size_t node_count() const;
    [[nodiscard]] std::size_t pod_count() const;
    [[nodiscard]] std::size_t group_count() const;

    // The root of the gang that a pod belongs to; nullopt: it belongs to none, or isn't ours.
    [[nodiscard]] std::optional<GroupKey> root_of(const Pod& pod) const;
    // The event changes nothing about the group that the pod is in, nor about where the pod may go; `known`: as `pod`
    // gives it.
    [[nodiscard]] bool asks_as_before(const Pod& known, const PodSeen& event) const;
    // The pod waits, and kube-scheduler alone judges some of the devices that it claims (DR5).
    [[nodiscard]] bool leaves_devices_open(const Pod& pod) const;
    // True when the pod's schedulerName is one of the profiles.
    [[nodiscard]] bool is_ours(const Pod& pod) const;
    // What is known of one tree, before any judgement and without any level looked up. Good until the next `apply`.
    [[nodiscard]] GangFacts facts(const GroupKey& root) const;
    // Every root that a report mentions, by priority (high first), creation (old first), name (Q1).
    [[nodiscard]] std::vector<GroupKey> roots() const;
    [[nodiscard]] bool has_root(const GroupKey& root) const;
    // UIDs of living pods of a gang (ours, not deleted), in no promised order.
    [[nodiscard]] std::vector<std::string> members_of(const GroupKey& root) const;

    // Pods that take room on a node, ours or not, by "namespace/name". Walks every pod: for explanations.
    [[nodiscard]] std::vector<const Pod*> occupants() const;

    // Which pods could be evicted, and with which others: bound pods by gang, and pods of no gang (U1 to U4). With
    // `Foreign::left_out` pods of other schedulers are not there. Walks every pod. Requires: a snapshot taken since the
    // last `apply`.
    enum class Foreign : std::uint8_t { left_out, included };
    [[nodiscard]] RunningGangs running(const Snapshot& snapshot, Foreign foreign = Foreign::left_out) const;

    // Room that kube-scheduler keeps on a node for pods that have preempted others there and wait for them to end.
    struct Nominations {
        std::string_view node;
        std::vector<const Pod*> pods;  // That name the node and aren't on it; members aren't among them.
        Amounts leaving;               // Of the pods on the node that are being deleted.
    };
    [[nodiscard]] std::vector<Nominations> nominations() const;  // By node.
    // What pods leave of a resource on a node; nullopt: the node isn't known.
    [[nodiscard]] std::optional<std::int64_t> left_on(std::string_view node, std::string_view resource) const;

    // The cluster as the solver sees it: room without any holds. Shapes of members only.
    [[nodiscard]] Snapshot snapshot() const;
    // Brings up to date the one copy that is kept by this, at the cost of what has changed. The owner may write rooms
    // and eligibility in between, and copies those nodes anew.
    SnapshotDelta renew(Snapshot& copy) const;
    void copy_room(Snapshot& copy, NodeId node) const;
    void copy_eligibility(Snapshot& copy) const;
    // Without a copy. Good until the next event.
    [[nodiscard]] const Snapshot& current() const;
    // Brings the topology up to date, which costs as much as a walk over all nodes. What has changed since it was last
    // asked is told once.
    [[nodiscard]] TopologyImpact resolve();
    // Every object of the topology that can't be used, or not as it is declared, and why: one sentence each, sorted.
    [[nodiscard]] std::vector<std::string> topology_faults() const;
    // One gang against a snapshot taken since the last `apply`. Sets `problem` for Invalid and Incomplete.
    // `elsewhere`: pods of others that have a promised node and aren't seen on it yet; terms of pod (anti-)affinity and
    // anchors treat them as if they were.
    // `ran_before`: where only members count that wait, whoever else is bound was bound with them, and counts; null:
    // nobody who is bound does.
    [[nodiscard]] Gang gang(const GroupKey& root, const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere = {},
                            const RunningBefore* ran_before = nullptr) const;
    // False: no pod has a term of pod (anti-)affinity, no gang is anchored, and `elsewhere` makes no difference.
    [[nodiscard]] bool depends_on_other_pods() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace echelon::model
