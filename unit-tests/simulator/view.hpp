#pragma once

// What does one observer know about the cluster, and what follows from it? The oracle's own computation from plain
// facts. Shares no code with engine/ and solver/, and has no index but pod names: every question walks the facts. One
// `View` is the state of the API server; every watcher has another one, which lags.

#include "model/facts/event.hpp"
#include "model/facts/group.hpp"
#include "model/facts/node.hpp"
#include "model/facts/plan_record.hpp"
#include "model/facts/pod.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace echelon::simulator {

inline constexpr const char* block_key = "example.com/block";
inline constexpr const char* rack_key = "example.com/rack";
inline constexpr const char* host_key = "kubernetes.io/hostname";
inline constexpr const char* gpu = "nvidia.com/gpu";
// How many devices a node has, or the claim of a pod asks for. Only here: echelon sees slices and claims.
inline constexpr const char* device = "device";
inline constexpr const char* device_driver = "gpu.example.com";
inline constexpr std::int64_t most_devices = 8;  // Of a pod.
inline constexpr const char* scheduler_name = "default-scheduler";

struct View {
    std::map<std::string, model::Node> nodes;
    std::map<std::string, model::Pod> pods;     // By UID.
    std::map<std::string, std::string> uid_of;  // "namespace/name" -> UID.
    std::map<model::GroupKey, model::Group> groups;
    std::map<std::string, model::PlanRecord> plans;    // By "namespace/name".
    std::map<std::string, std::string> plan_uids;      // Likewise.
    std::map<std::string, model::DeviceClaim> claims;  // Likewise.
    std::map<std::string, model::DeviceSlice> slices;  // By name, which is the node's.

    void apply(const model::Event& event);

    [[nodiscard]] const model::Pod* pod(const std::string& uid) const;
    [[nodiscard]] const model::Pod* pod_named(const std::string& full_name) const;
    // The object, or the group as a member declares it by labels.
    [[nodiscard]] const model::Group* group(const model::GroupKey& key) const;
    [[nodiscard]] std::size_t group_count() const;
    [[nodiscard]] const model::PlanRecord* plan_of(const model::GroupKey& root) const;
};

// A gang as its members and groups say it is.
struct Tree {
    model::GroupKey root;
    std::vector<model::GroupKey> groups;     // Parents before children; the root first.
    std::vector<const model::Pod*> members;  // Pods that name a group of the tree, without earlier attempts (M1).
    bool is_sound = true;  // Root and parents exist, no cycle, every leaf is an object, no group is Invalid by itself.
};

// The root of a group; in a cycle, or if a parent is missing, the topmost group reached.
[[nodiscard]] model::GroupKey root_of(const View& view, const model::GroupKey& group);
[[nodiscard]] std::optional<model::GroupKey> root_of(const View& view, const model::Pod& pod);
[[nodiscard]] Tree tree_of(const View& view, const model::GroupKey& root);
// The gang whose domain the pod's gang shares: the one that a member is anchored to, or itself if others are (X5).
// Nullopt: it shares none.
[[nodiscard]] std::optional<model::GroupKey> anchor_near(const View& view, const Tree& tree);
// Members of that gang, and of all that are anchored to it.
[[nodiscard]] std::vector<const model::Pod*> members_around(const View& view, const model::GroupKey& anchor);
// Every root that a pod or a group of the view belongs to.
[[nodiscard]] std::set<model::GroupKey> roots_of(const View& view);

// As its group states it, else the highest among the pods.
[[nodiscard]] std::int64_t priority_of(const View& view, const model::GroupKey& root);

// Bound to a node that exists, alive.
[[nodiscard]] bool is_bound(const View& view, const model::Pod& pod);
// Has no node and no foreign gate, alive: may get a seat.
[[nodiscard]] bool is_waiting(const model::Pod& pod);
[[nodiscard]] bool is_finished_well(const model::Pod& pod);

using Counts = std::map<model::GroupKey, std::int64_t>;  // Leaf -> members that are there.
// The groups that are satisfied by the counts of their leaves, all ancestors included (N1 to N4).
[[nodiscard]] std::set<model::GroupKey> satisfied(const View& view, const Tree& tree, const Counts& counts);
[[nodiscard]] bool is_met(const View& view, const Tree& tree, const Counts& counts);
// Members that are bound or have finished.
[[nodiscard]] Counts settled_counts(const View& view, const Tree& tree);
// True if the pod is in a leaf where only waiting members count.
[[nodiscard]] bool counts_only_waiting(const View& view, const model::Pod& pod);
// Members that are bound, have finished or wait. In a leaf where only waiting members count, and some wait, other
// members don't count unless the GangPlan says that the same commit binds them (KP4).
[[nodiscard]] Counts complete_counts(const View& view, const Tree& tree);
// Members that are declared and will be created later, when others have nodes (H1).
[[nodiscard]] std::vector<model::Pod> placeholders_of(const View& view, const Tree& tree);

// The domain of a node at a level as a path; nullopt: the node is in none.
[[nodiscard]] std::optional<std::string> domain_of(const model::Node& node, const std::string& level);
// The groups from the leaf of a pod up to its root.
[[nodiscard]] std::vector<model::GroupKey> ancestry(const View& view, const model::Pod& pod);
[[nodiscard]] bool tolerates(const model::Pod& pod, const model::Node& node);
// True if the node accepts the pod, room aside.
[[nodiscard]] bool admits(const model::Node& node, const model::Pod& pod);
// A pod that required anti-affinity, of either, keeps apart from this one; null: none does. `place_of`: the node that a
// pod takes, or is expected on; empty: none.
[[nodiscard]] const model::Pod* kept_apart_by(const View& view, const model::Pod& pod, const model::Node& node,
                                              const std::function<std::string(const model::Pod&)>& place_of);

// "namespace/name" of the claim of a pod; empty: it needs no devices.
[[nodiscard]] std::string claim_of(const model::Pod& pod);
// The template of claims for a number of devices, and what such a claim asks for.
[[nodiscard]] std::string claim_template_of(std::int64_t devices);
[[nodiscard]] model::DeviceDemand demand_of(std::int64_t devices);
// Where the pod's claim has devices; empty: nowhere yet.
[[nodiscard]] std::string allocated_on(const View& view, const model::Pod& pod);
// What the pod takes beside what its claim has already.
[[nodiscard]] model::Amounts wants(const View& view, const model::Pod& pod);

// Amounts of one node, in a form that is quick to add up: cpu, GPUs, pods, devices.
struct Room {
    std::int64_t cpu = 0;
    std::int64_t gpus = 0;
    std::int64_t pods = 0;
    std::int64_t devices = 0;

    void add(const model::Amounts& amounts, std::int64_t sign);
    [[nodiscard]] bool fits(const model::Amounts& amounts) const;
    // Less than nothing is left of something that the amounts contain.
    [[nodiscard]] bool lacks(const model::Amounts& amounts) const;
};
// What is left on every node when the pods on it are taken off. Devices are taken by claims.
[[nodiscard]] std::map<std::string, Room> room_of(const View& view);

}  // namespace echelon::simulator
