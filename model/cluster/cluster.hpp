#pragma once

// What does the cluster look like, after all events so far? Every node, pod, group and topology.
//
// Single-threaded: no lock, no clock, no I/O. Equal sets of facts give equal answers, whatever the order of the events
// (T2.4, I10).

#include "base/hashed.hpp"
#include "base/text.hpp"
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
    bool gang = true;      // Off: groups have no minimum.
    bool topology = true;  // Off: groups have no levels. Both off: groups are ignored, and pods are plain.

    bool operator==(const Profile&) const = default;
};
using Profiles =
    std::map<std::string, Profile, std::less<>>;  // By schedulerName; pods of other schedulers are foreign.

// What an event changed. The engine plans these gangs again.
struct Change {
    std::set<GroupKey> gangs;     // Roots before and after the event.
    bool topology = false;        // Levels or domains may have changed: `Cluster::resolve` returns the gangs affected.
    std::set<std::string> nodes;  // Names of nodes that are gone, or whose labels, room or usability changed.
    // A pod left, shrank or was relabelled, a pod came that members follow, a node came or grew, or levels changed:
    // refused gangs may fit now.
    bool may_free_room = false;
    bool moved_pods_apart = false;  // A node was relabelled, and pods keep apart: held seats may be near them now.
    bool member_arrived = false;    // A waiting member is new, or its foreign gate was removed.
    // UIDs of pods that may have joined or left `gangs`; nullopt: any pod of those gangs.
    std::optional<std::vector<base::Text>> moved_pods = std::vector<base::Text>();
};

// Which gangs does a change of the topology affect, apart from room that they may find?
struct TopologyImpact {
    bool all_gangs = false;    // Levels or faults changed: any gang may get another result.
    std::set<GroupKey> gangs;  // Roots with pods on nodes whose domains changed.
};

// A pod that will be on a node.
struct ExpectedPod {
    std::string_view uid;
    std::string_view node;
};

// UIDs of members that were bound or had ended before the members that now wait were planned.
using RunningBefore = std::set<std::string, std::less<>>;

class Cluster {
public:
    explicit Cluster(Profiles profiles, const Limits& limits = {});
    ~Cluster();
    Cluster(Cluster&&) noexcept;
    Cluster& operator=(Cluster&&) noexcept;

    Change apply(const Event& event);
    // Replaces the profiles: which pods are ours, and with which options. Walks all pods.
    Change reprofile(Profiles profiles);

    // True if the tree has more groups, or deeper ones, than a gang may have.
    [[nodiscard]] bool is_tree_cut(const GroupKey& root) const;
    // Facts. Pointers stay valid until the next `apply`.
    [[nodiscard]] const Pod* pod(base::Hashed uid) const;
    [[nodiscard]] const Pod* pod_named(std::string_view ns, std::string_view name) const;
    [[nodiscard]] bool has_node(std::string_view name) const;
    [[nodiscard]] std::optional<Node> node(std::string_view name) const;  // A copy, without the UID.
    [[nodiscard]] const Group* group(const GroupKey& key) const;          // Declared groups included.
    [[nodiscard]] std::size_t node_count() const;
    [[nodiscard]] std::size_t pod_count() const;
    [[nodiscard]] std::size_t group_count() const;

    // The root of the pod's gang; nullopt: it has none, or isn't ours.
    [[nodiscard]] std::optional<GroupKey> root_of(const Pod& pod) const;
    // True if the event changes neither the pod's group nor where the pod may go. `known`: the result of `pod`.
    [[nodiscard]] bool asks_as_before(const Pod& known, const PodSeen& event) const;
    // True if the pod waits, and kube-scheduler may judge the devices that it claims otherwise (DR5): some are left to
    // it, or are matched one by one, and it takes the first that fit.
    [[nodiscard]] bool leaves_devices_open(const Pod& pod) const;
    // True if some term of required affinity doesn't select the pod itself: kube-scheduler places it only beside a
    // pod that it has placed before (D14).
    [[nodiscard]] bool follows_others(const Pod& pod) const;
    // Labels of the pod's node within which this pod and members of gangs keep apart, by terms of either (D14). Without
    // the host's.
    [[nodiscard]] Labels labels_apart(const Pod& pod) const;
    [[nodiscard]] bool has_any_label(std::string_view node, const Labels& labels) const;
    // The root of the tree in which a group is, or itself.
    [[nodiscard]] GroupKey root_of(const GroupKey& group) const;
    // True if the pod's schedulerName is one of the profiles.
    [[nodiscard]] bool is_ours(const Pod& pod) const;
    // What is known about one tree, before anything is judged and any level is looked up. Valid until the next `apply`.
    [[nodiscard]] GangFacts facts(const GroupKey& root) const;
    // Every root to report, by priority (high first), creation (old first), name (Q1).
    [[nodiscard]] std::vector<GroupKey> roots() const;
    [[nodiscard]] bool has_root(const GroupKey& root) const;
    // All facts as events: a cluster of the same profiles that takes them gives the same answers. Copies everything;
    // what is immutable is shared.
    [[nodiscard]] std::vector<Event> events() const;
    // The living pods of a gang (ours, not deleted), in no particular order. Valid until the next `apply`.
    [[nodiscard]] std::vector<const Pod*> members_of(const GroupKey& root) const;

    // Pods that take room on a node, ours or not, by "namespace/name". Walks every pod; meant for explanations.
    [[nodiscard]] std::vector<const Pod*> occupants() const;

    // Pods that could be evicted: bound pods by gang, and pods of no gang (U1 to U4). `Foreign::left_out` omits pods of
    // other schedulers. Walks every pod. Requires: a snapshot taken since the last `apply`.
    enum class Foreign : std::uint8_t { left_out, included };
    [[nodiscard]] RunningGangs running(const Snapshot& snapshot, Foreign foreign = Foreign::left_out) const;

    // The bound pods of one gang, as in `running`.
    [[nodiscard]] RunningGang running_gang(const GroupKey& root) const;

    // When the pod has ended at the latest, by its own deadline, its Job or its group: seconds since 1970; 0:
    // nobody has declared it. The deadline of a pod counts from its start, or from its binding until it starts.
    [[nodiscard]] std::int64_t declared_end(const Pod& pod) const;
    // Pods that take room on a node and have a declared end, in no particular order. Walks every pod.
    struct DeclaredEnd {
        const Pod* pod = nullptr;
        std::int64_t at = 0;
    };
    [[nodiscard]] std::vector<DeclaredEnd> declared_ends() const;
    // Pods that take room on a node for as long as it is there, in no particular order. Walks every pod.
    [[nodiscard]] std::vector<const Pod*> pods_of_nodes() const;
    // Notes for each pod what pod (anti-)affinity means for this gang: which nodes it keeps members away from, and that
    // it is protected if members must go beside it. The arguments are those of `gang` and `running`.
    void relate(const Gang& gang, const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere,
                RunningGangs& running) const;

    // Room that kube-scheduler keeps on a node for nominated pods while their victims end.
    struct Nominations {
        std::string_view node;
        std::vector<const Pod*> pods;  // Nominated to the node and not bound; no members of gangs.
        Amounts leaving;               // Requests of the pods on the node that are being deleted.
    };
    [[nodiscard]] std::vector<Nominations> nominations() const;  // By node.
    // The free amount of each of these resources on a node, holds aside. Empty: the node is unknown.
    [[nodiscard]] std::vector<Amounts::Entry> left_on(base::Hashed node, const Amounts& resources) const;
    // True if `left_on` is the same for both nodes, which are known, for all resources.
    [[nodiscard]] bool has_same_room(base::Hashed node, base::Hashed other) const;

    // The cluster as the solver sees it: holds aren't subtracted, and only classes of members are listed.
    [[nodiscard]] Snapshot snapshot() const;
    // Updates the one copy that is kept this way, at the cost of what changed. Its owner may write room in between, and
    // then copies those nodes anew.
    SnapshotDelta renew(Snapshot& copy) const;
    void copy_room(Snapshot& copy, NodeId node) const;
    // The same without a copy; valid until the next event.
    [[nodiscard]] const Snapshot& current() const;
    // Brings the topology up to date, at the cost of a walk over all nodes. Returns each change since the last call
    // once.
    [[nodiscard]] TopologyImpact resolve();
    // One sentence for each topology object that can't be used as declared; sorted.
    [[nodiscard]] std::vector<std::string> topology_faults() const;
    // Builds one gang against a snapshot taken since the last `apply`. Sets `problem` if it is Invalid or Incomplete.
    // `elsewhere`: pods of other gangs with a promised node that aren't bound yet. Terms of pod (anti-)affinity and
    // anchors treat them as bound. `ran_before`: null unless the gang's commit is under way. In groups that count only
    // waiting members, bound ones count unless they are in it; null: none counts.
    [[nodiscard]] Gang gang(const GroupKey& root, const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere = {},
                            const RunningBefore* ran_before = nullptr) const;
    // False if no pod has a term of pod (anti-)affinity and no gang is anchored, so that `elsewhere` makes no
    // difference.
    [[nodiscard]] bool depends_on_other_pods() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace echelon::model
