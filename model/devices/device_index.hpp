#pragma once

// Which devices do the claims of a pod request, and which does each node offer? (DR1 to DR7)
//
// Devices are counted as amounts, so that solver, referee and explanations treat them like any resource. A node offers
// its free devices, and a waiting pod requests what its claims will take. Devices of a running pod are no longer free.
// Where amounts don't say enough, pods and nodes also say what must be matched one by one (`NodeDevices`).
// Pure; not thread-safe. Equal sets of facts give equal answers.

#include "model/devices/asked_kinds.hpp"
#include "model/devices/device_catalog.hpp"
#include "model/facts/event.hpp"
#include "model/facts/node_devices.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace echelon::model {

class DeviceIndex {
public:
    // What an event may have changed.
    struct Delta {
        std::set<std::string> nodes;  // Names of nodes that offer other amounts now.
        std::set<std::string> pods;   // UIDs of pods that request other amounts now.
        // And nodes whose device plugins report `extended_resources`.
        bool changes_plugin_nodes = false;

        [[nodiscard]] bool empty() const { return nodes.empty() && pods.empty() && !changes_plugin_nodes; }
    };
    Delta see(const DeviceSlice& slice);
    Delta forget_slice(const std::string& name);
    Delta see(const DeviceTaintRule& rule);
    Delta forget_rule(const std::string& name);
    Delta see(const DeviceClass& device_class);
    Delta forget_class(const std::string& name);
    Delta see(const DeviceClaim& claim);
    Delta forget_claim(const std::string& ns, const std::string& name);
    Delta see(const DeviceClaimTemplate& claim_template);
    Delta forget_template(const std::string& ns, const std::string& name);

    // True if a pod has claims, or asks for an extended resource of a class (DR6).
    [[nodiscard]] bool concerns(const PodSeen& event) const;
    // Keeps such a pod, which waits for a node, until `drop`. This may change other pods that share a claim with
    // it, or whose requests compete with those of a new kind.
    Delta keep(const PodSeen& event);
    Delta drop(const std::string& uid);
    // The root of the pod's gang is now this group. At first it is taken to be the pod's leaf.
    Delta set_root(const std::string& uid, const GroupKey& root);
    [[nodiscard]] bool keeps(const std::string& uid) const { return pods_.contains(uid); }
    [[nodiscard]] bool keeps_any() const { return !pods_.empty(); }

    // As it came. Requires: it is kept.
    [[nodiscard]] const PodSeen& kept(const std::string& uid) const { return pods_.at(uid).event; }
    // Slices, rules, classes, claims and templates, as events behind the others.
    void append_objects(std::vector<Event>& events) const;

    // The pod with its claims resolved: amounts of devices, nodes that allocated claims pin it to, and terms that keep
    // pods of one claim together. Requires: it is kept.
    [[nodiscard]] PodSeen resolve(const std::string& uid);
    // The same for an event, without keeping it.
    [[nodiscard]] PodSeen resolved(const PodSeen& event) const;

    // About a kept pod, as of the last `resolve`.
    struct Remarks {
        std::string missing;             // A ResourceClaim or template that doesn't exist; empty: nothing.
        std::set<std::string> warnings;  // What is left to kube-scheduler, one sentence each.
        // A pod that shares a claim with it asks for the devices. That pod may get no seat.
        bool relies_on_sharer = false;
    };
    [[nodiscard]] const Remarks* remarks(const std::string& uid) const;  // Null: not kept.

    // What devices add to a node. `plugin`: what the node's device plugins report, at least of `extended_resources`; if
    // they report a resource, only the report counts (DR6).
    struct Offer {
        Amounts all;    // All devices of the node.
        Amounts taken;  // Those that claims have.

        void add(const std::string& name, std::int64_t devices, std::int64_t of_claims);
        bool operator==(const Offer&) const = default;
    };
    [[nodiscard]] bool has_devices() const { return !catalog_.is_empty(); }
    [[nodiscard]] Offer offer_of(const std::string& node, const Amounts& plugin) const;
    // Kinds of requests for all devices of a class, and the extended resource that the class gives them.
    using ExtendedResources = std::vector<std::pair<std::uint32_t, std::string>>;
    [[nodiscard]] const ExtendedResources& extended_resources() const { return counting_.extended; }
    // Nullopt: amounts say everything.
    [[nodiscard]] std::optional<NodeDevices> devices_to_match(const std::string& node) const;

private:
    // The amount that a request with alternatives asks for, if one of them is all devices. kube-scheduler fails such a
    // pod on nodes with a pool that lacks slices, whichever alternative it would take.
    static constexpr std::string_view complete_pools = "complete pools of devices";

    class Demand;                                      // What one pod requests (`device_demand.hpp`).
    using Name = std::pair<std::string, std::string>;  // Namespace and name.
    struct PodRow {
        PodSeen event;
        GroupKey root;
        std::vector<std::pair<const RequestKey*, bool>> asks;  // In `asked_`; true: all such devices of a node.
        std::set<std::string> attributes;         // Those that its devices must share, or that tell them apart.
        std::vector<std::string> resources = {};  // Those in `asked_resources_`.
        std::vector<RequestKey> admin_asks = {};  // Those in `admin_asks_`.
        bool has_choices = false;                 // Alternatives take several devices.
        bool has_choices_of_all = false;          // And one of them all devices.
        bool is_kept_back = false;                // As in `User`.
        Remarks remarks;
    };
    // What follows from kinds and devices alone.
    struct Counting {
        std::vector<RequestKinds::Counted> sets;
        std::map<std::uint32_t, std::string> for_all;    // Kinds with a request for all devices -> name of the amount.
        std::map<std::uint32_t, std::string> uncounted;  // Kinds that are left to kube-scheduler -> why.
        ExtendedResources extended;
        // Those of `sets` whose devices pods ask for by extended resources, and in another way, too. They have names of
        // their own.
        std::vector<RequestKinds::Counted> joint;
        // Amounts that a node has for any number of pods, if it has such a device, taken or not.
        std::map<std::uint32_t, std::string> for_admin;  // Kinds with a request for admin access -> name of the amount.
        bool has_choices_of_all = false;                 // Some pod asks for `complete_pools`.
        // Only while devices must be matched one by one: the kinds' names.
        std::map<std::uint32_t, std::string> matched;
        std::vector<std::string> attributes;

        bool operator==(const Counting&) const = default;
    };

    [[nodiscard]] const DeviceDemand* demand_of(const std::string& ns, const PodClaim& claim) const;
    [[nodiscard]] const DeviceClaim* claim_of(const std::string& ns, const PodClaim& claim) const;
    // A pod that names a claim or template. Those that may get a seat come first.
    struct User {
        bool is_kept_back = false;  // It has another gate, or lacks a claim.
        std::string name;
        std::string uid;

        auto operator<=>(const User&) const = default;
    };
    using Users = std::set<User>;

    // True if the choice among alternatives matters: they take several devices, or are named by a constraint.
    [[nodiscard]] static bool is_choice(const DeviceRequest& request, const DeviceDemand& demand);
    [[nodiscard]] static bool is_choice_of_all(const DeviceRequest& request);  // Some alternative is all devices.
    [[nodiscard]] static RequestKey key_of(const DeviceClass& device_class, const DeviceRequest* request);
    // Nothing if a class in it does not exist.
    [[nodiscard]] std::optional<RequestKey> key_of(const DeviceRequest& request) const;
    void note_request(PodRow& row, const DeviceDemand& demand, const DeviceRequest& request);
    void note_ask(PodRow& row, const RequestKey& key, bool wants_all);
    [[nodiscard]] const Users* users_of(const Name& claim) const;  // Null: none.
    // The UID of the first user in a gang; empty: none.
    [[nodiscard]] std::string first_of(const Users& users, const GroupKey& root) const;
    [[nodiscard]] static std::set<std::string> pods_of(const std::map<Name, Users>& users, const Name& name);
    void note_user(const PodSeen& event, const std::string& claim, bool comes, Delta& delta);
    void note_users(const PodSeen& event, bool comes, Delta& delta);
    [[nodiscard]] bool is_kept_back(const PodSeen& event) const;
    // Another user may ask for the devices now.
    void judge_again(PodRow& row, Delta& delta);
    void note_served(const DeviceClaim& claim, bool comes, Delta& delta);
    void note_asks(PodRow& row);
    void drop_asks(PodRow& row);
    void note_asks_of(const std::set<std::string>& uids);
    // Brings kinds and sets up to date. `delta` gets the nodes and pods of those that changed.
    void refresh(Delta& delta);
    // Returns the kinds that count now and didn't before. Adds keys of pods that must ask for other amounts.
    KindSet refresh_kinds(Delta& delta, std::set<const RequestKey*>& keys);
    [[nodiscard]] std::set<RequestKey> kinds_to_count() const;
    // The class whose devices serve an extended resource; null: none.
    [[nodiscard]] const DeviceClass* class_of(std::string_view resource) const;
    void add_extended(Counting& counting) const;
    // Adds what nodes offer by extended resources.
    void offer_extended(const DeviceCatalog::NodeDevices& here, const Amounts& plugin, Offer& offer) const;
    // True if a claim has the device, and not for an extended resource of the kind's class.
    [[nodiscard]] bool is_claimed(const DeviceCatalog::NodeDevice& device, std::uint32_t kind,
                                  const std::string& resource) const;
    [[nodiscard]] static std::set<std::string> resources_of(KindSet kinds, const Counting& counting);
    [[nodiscard]] Counting counted() const;
    [[nodiscard]] static KindSet differing(const Counting& before, const Counting& after);
    void add_everybody(Delta& delta) const;
    Delta on_class_changed();
    Delta on_users_changed(Delta delta);

    DeviceCatalog catalog_;
    RequestKinds kinds_;
    Counting counting_;
    AskedKinds asked_;
    std::map<std::string, std::size_t> attributes_;       // How many pods name them in constraints.
    std::map<std::string, std::size_t> asked_resources_;  // How many pods ask for them; those of classes.
    std::map<RequestKey, std::size_t> admin_asks_;
    std::size_t choosing_pods_ = 0;
    std::size_t pods_choosing_all_ = 0;
    bool are_kinds_stale_ = false;    // Classes or `asked_` have changed.
    std::uint64_t seen_version_ = 0;  // Of the catalog.
    std::map<std::string, DeviceClass> classes_;
    std::map<Name, DeviceClaim> claims_;
    std::map<Name, DeviceClaimTemplate> templates_;
    std::unordered_map<std::string, PodRow> pods_;  // By UID.
    std::set<std::string> served_pods_;             // UIDs of pods that have claims for their extended resources.
    std::map<Name, Users> claim_users_;
    std::map<Name, Users> template_users_;
};

}  // namespace echelon::model
